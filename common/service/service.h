// The ports of a program: who may reach them, and what each answers.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/access/verifier.h"
#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/base/result.h"
#include "common/base/shutdown.h"
#include "common/config/config.h"
#include "common/http/access.h"
#include "common/http/http_server.h"
#include "common/http/peer_connections.h"
#include "common/http/problem.h"
#include "common/http/router.h"
#include "common/http/workers.h"
#include "common/service/tls_files.h"

namespace fanfold {

// A program's own answers, besides those of all programs. Both outlive the ports.
struct Service {
  std::function<void(http::Router&)> add_routes;  // empty: it has no API
  std::function<Status()> ready;                  // called on an IO thread: must not block
  std::function<void()> retire = {};              // answers that last for ever end
  // Operators' routes beside those of all programs; empty: none.
  std::function<void(http::Router&)> add_operator_routes = {};
  // Server errors of its own, beside those that any service may answer with.
  std::vector<http::ProblemKind> failures = {};
};

// Where `access` is open, one port answers everything. Where it is tokens, the API's answers the
// API and whether the program is there, and another one what operators ask; a program without an
// API has that one alone. Thread-compatible.
class ServicePorts {
 public:
  // Keeps the process's memory private from then on: secrets are in it. `options`: of the first
  // port; the configuration says its address. `config` and `metrics` outlive this. Errors: those of
  // Authority::Open, TlsFiles::Open and HttpServer::Start.
  [[nodiscard]] static Result<std::unique_ptr<ServicePorts>> Open(const Config& config,
                                                                  http::ServerOptions options,
                                                                  Service service,
                                                                  Metrics& metrics);
  // Errors that Open would find in the files of the configuration; none when there are none.
  [[nodiscard]] static std::vector<Error> WhyUnusable(const Config& config);
  // Stops.
  ~ServicePorts() { Stop(); }
  ServicePorts(const ServicePorts&) = delete;
  ServicePorts& operator=(const ServicePorts&) = delete;

  // The first port.
  [[nodiscard]] std::uint16_t port() const noexcept;
  // A token for everything that ends with the process; empty where nobody is asked for one.
  [[nodiscard]] std::string LendToken();
  // Is not ready for `shutdown_delay_ms`, so that balancers can see it. Then says good-bye with
  // each answer; then takes no new connections, finishes what was taken, and calls no handler from
  // then on. A second signal, through `again`, ends the delay.
  void Stop(ShutdownSignal* again = nullptr);

 private:
  ServicePorts(const Config& config, Service service, Metrics& metrics)
      : config_(config), service_(std::move(service)), metrics_(metrics) {}
  Status OpenTls();
  Status OpenAccess();
  Status OpenLimits();
  Status ListenOnAll(http::ServerOptions options);
  Status Listen(std::unique_ptr<http::HttpServer>& server, const http::ServerOptions& options,
                const http::Guards& guards, http::Router routes);
  Status ListenForOperators(std::uint16_t port);
  Counter& ServerErrors(std::string_view cause);
  // Adds what every port has that is not on loopback alone.
  void Fortify(http::ServerOptions& options) const;
  [[nodiscard]] Status Ready() const;
  [[nodiscard]] http::Router RoutesOfAll() const;  // those of every port
  void AddOperatorRoutes(http::Router& routes) const;
  void SayGoodBye(ShutdownSignal* again);

  const Config& config_;
  Service service_;
  Metrics& metrics_;
  const TickClock clock_;
  bool serving_ = false;  // all that was to be opened is
  std::atomic<bool> stopping_ = false;
  std::unique_ptr<Verifier> verifier_;  // null: nobody is asked
  Proxies proxies_;
  std::unique_ptr<http::Limits> limits_;  // null: none
  std::unique_ptr<TlsFiles> tls_;         // null: without TLS
  std::unique_ptr<http::PeerConnections> peers_;
  std::unique_ptr<http::Workers> workers_;
  std::unique_ptr<http::HttpServer> api_;
  std::unique_ptr<http::HttpServer> operations_;
};

}  // namespace fanfold
