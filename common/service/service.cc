#include "common/service/service.h"

#include <algorithm>
#include <fmt/format.h>
#include <sys/stat.h>
#include <utility>

#include "common/base/clock.h"
#include "common/base/logging.h"
#include "common/base/loopback.h"
#include "common/base/private_memory.h"
#include "common/http/openapi.h"
#include "common/http/problem.h"
#include "common/http/service_routes.h"

namespace fanfold {
namespace {

// How long clients have for one more request on a connection that they keep.
constexpr std::int64_t kGoodByeMs = 1'000;
// Of the operators' port beside the API's, where none is told.
constexpr std::uint16_t kOperationsPortAbove = 1'000;
constexpr std::uint16_t kPortMax = 65'535;
// Where verbs are run.
constexpr std::string_view kConsolePaths = "/console/";

std::uint16_t OperationsPortOf(const Config& config, std::uint16_t api_port) {
  if (config.operations_port) return *config.operations_port;
  if (api_port == 0) return 0;
  const bool fits = api_port <= kPortMax - kOperationsPortAbove;
  return fits ? api_port + kOperationsPortAbove : api_port - kOperationsPortAbove;
}

// Whoever may write one of these files decides who gets in.
Status CheckWriters(const std::string& file) {
  struct stat is{};
  const bool is_others = !file.empty() && stat(file.c_str(), &is) == 0 &&
                         (is.st_mode & static_cast<mode_t>(S_IWGRP | S_IWOTH)) != 0;
  if (!is_others) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{0} may be written by others than its owner: chmod go-w {0}", file));
}

}  // namespace

Result<std::unique_ptr<ServicePorts>> ServicePorts::Open(const Config& config,
                                                         http::ServerOptions options,
                                                         Service service, Metrics& metrics) {
  KeepMemoryPrivate();
  std::unique_ptr<ServicePorts> ports(new ServicePorts(config, std::move(service), metrics));
  Status opened = ports->OpenTls();
  if (opened) opened = ports->OpenAccess();
  if (opened) opened = ports->OpenLimits();
  if (opened) opened = ports->ListenOnAll(std::move(options));
  if (!opened) return Forward(opened);
  // A series that begins above 0 has no rate: nobody would see its first burst.
  for (const http::ProblemKind& kind : {http::problems::kInternal, http::problems::kNotImplemented,
                                        http::problems::kOverloaded, http::problems::kNotReady}) {
    ports->ServerErrors(kind.code);
  }
  for (const http::ProblemKind& kind : ports->service_.failures) ports->ServerErrors(kind.code);
  ports->serving_ = true;
  return ports;
}

Status ServicePorts::ListenOnAll(http::ServerOptions options) {
  workers_ = std::make_unique<http::Workers>();
  const bool has_api = service_.add_routes != nullptr;
  const bool apart = config_.access == AccessMode::kTokens || config_.operations_port;
  if (apart && !has_api) return ListenForOperators(options.port);
  http::Router routes = RoutesOfAll();
  if (has_api) service_.add_routes(routes);
  if (!apart) AddOperatorRoutes(routes);
  options.bind = config_.bind;
  options.proxies = proxies_;
  Fortify(options);
  const std::uint16_t operations_port = OperationsPortOf(config_, options.port);
  Status listens = Listen(api_, options, {verifier_.get(), limits_.get()}, std::move(routes));
  if (!listens || !apart) return listens;
  return ListenForOperators(operations_port);
}

std::vector<Error> ServicePorts::WhyUnusable(const Config& config) {
  std::vector<Error> wrong;
  const auto add = [&wrong](std::string_view keys, const Status& opened) {
    if (opened) return;
    wrong.push_back({opened.error().code, fmt::format("{}: {}", keys, opened.error().message)});
  };
  Metrics metrics;
  ServicePorts ports(config, {}, metrics);
  add("tls_certificate_file, tls_key_file", ports.OpenTls());
  add("tokens_file, jwt_keys_file", ports.OpenAccess());
  add("tokens_file", CheckWriters(config.tokens_file));
  add("jwt_keys_file", CheckWriters(config.jwt_keys_file));
  add("tls_key_file", CheckWriters(config.tls_key_file));
  return wrong;
}

Status ServicePorts::OpenTls() {
  if (config_.tls_certificate_file.empty()) return {};
  auto files = TlsFiles::Open(config_.tls_certificate_file, config_.tls_key_file, metrics_);
  if (!files) return Forward(files);
  tls_ = *std::move(files);
  return {};
}

Status ServicePorts::OpenAccess() {
  if (config_.access == AccessMode::kOpen) return {};
  auto authority =
      Authority::Open({.tokens_file = config_.tokens_file,
                       .keys_file = config_.jwt_keys_file,
                       .jwt = {config_.jwt_issuer, config_.jwt_audience,
                               config_.jwt_lifetime_max_s * kMsPerSecond, config_.jwt_user_claim}},
                      metrics_);
  if (!authority) return Forward(authority);
  verifier_ = std::make_unique<Verifier>(*std::move(authority), clock_, metrics_);
  return {};
}

Status ServicePorts::OpenLimits() {
  http::LimitRules rules{.per_second = static_cast<double>(config_.rate_limit),
                         .strangers_per_second = static_cast<double>(config_.rate_limit_strangers),
                         .at_once_max = config_.requests_at_once};
  for (const std::string& proxy : config_.trusted_proxies) {
    const auto network = PeerNetwork::Parse(proxy);
    if (!network) return Fail(ErrorCode::kInvalidArgument, "trusted_proxies: " + proxy);
    rules.trusted_proxies.push_back(*network);
  }
  proxies_ = std::make_shared<const std::vector<PeerNetwork>>(rules.trusted_proxies);
  // The machine's own bring each other, as balancers do.
  http::PeerRules of_peers{config_.connections_per_address, rules.trusted_proxies};
  for (const char* loopback : {"127.0.0.0/8", "::1"}) {
    of_peers.exempt.push_back(PeerNetwork::Parse(loopback).value());
  }
  peers_ = std::make_unique<http::PeerConnections>(std::move(of_peers), clock_, metrics_);
  if (rules.any()) limits_ = std::make_unique<http::Limits>(std::move(rules), clock_, metrics_);
  return {};
}

Status ServicePorts::Listen(std::unique_ptr<http::HttpServer>& server,
                            const http::ServerOptions& options, const http::Guards& guards,
                            http::Router routes) {
  http::ServerOptions counted = options;
  counted.idle_timeout_ms = config_.idle_timeout_s * kMsPerSecond;
  counted.on_server_error = [this](const http::Response& told) {
    ServerErrors(told.problem).Add(1);
  };
  http::AccessRules rules{options.bind, config_.hosts, config_.origins};
  http::AddRootPage(routes);
  http::Guards with_workers = guards;
  with_workers.workers = workers_.get();
  if (&server == &operations_) rules.origins.clear();  // operators come with tools, not with pages
  auto started = http::HttpServer::Start(
      counted, http::Guarded(std::move(rules), with_workers, std::move(routes)));
  if (!started) return Forward(started);
  server = *std::move(started);
  return {};
}

Counter& ServicePorts::ServerErrors(std::string_view cause) {
  return metrics_.GetCounter(
      "fanfold_http_server_errors_total",
      "Answers of 500 and above that were sent, by the code of their problem",
      {{"cause", std::string(cause)}});
}

// On loopback every user of the machine may look, but runs no verb without a token. Elsewhere
// everything wants a token.
Status ServicePorts::ListenForOperators(std::uint16_t port) {
  http::Router routes = RoutesOfAll();
  AddOperatorRoutes(routes);
  http::ServerOptions options{.bind = config_.operations_bind, .port = port, .proxies = proxies_};
  http::Guards guards{verifier_.get(), nullptr, kConsolePaths};
  if (!IsLoopback(config_.operations_bind)) {
    guards = {verifier_.get(), limits_.get()};
    Fortify(options);
  }
  return Listen(operations_, options, guards, std::move(routes));
}

void ServicePorts::Fortify(http::ServerOptions& options) const {
  options.admit = [peers = peers_.get()](const PeerAddress& peer) { return peers->Admit(peer); };
  if (tls_) options.identity = [files = tls_.get()] { return files->Now(); };
}

std::uint16_t ServicePorts::port() const noexcept { return (api_ ? api_ : operations_)->port(); }

std::string ServicePorts::LendToken() { return verifier_ ? verifier_->Lend() : std::string(); }

http::Router ServicePorts::RoutesOfAll() const {
  http::Router routes(http::RouteRules());
  const std::string_view openapi = verifier_ ? http::OpenApi() : http::OpenApiWhereOpen();
  http::AddHealthRoutes(routes, [this] { return Ready(); }, std::string(openapi));
  return routes;
}

void ServicePorts::AddOperatorRoutes(http::Router& routes) const {
  http::AddOperatorRoutes(routes, metrics_, *workers_);
  if (service_.add_operator_routes) service_.add_operator_routes(routes);
}

Status ServicePorts::Ready() const {
  if (stopping_.load()) return Fail(ErrorCode::kUnavailable, "stopping");
  return service_.ready();
}

void ServicePorts::SayGoodBye(ShutdownSignal* again) {
  const std::int64_t delay_ms = config_.shutdown_delay_ms;
  const bool has_balancer = serving_ && service_.add_routes && delay_ms > 0;
  if (stopping_.exchange(true) || !has_balancer) return;
  const auto told_again_within = [&](std::int64_t wait_ms) {
    if (again != nullptr) return again->WaitFor(wait_ms);
    clock_.SleepMs(wait_ms);
    return false;
  };
  bool at_once = told_again_within(delay_ms);
  api_->Retire();
  at_once = at_once || told_again_within(std::min(delay_ms, kGoodByeMs));
  if (at_once) LogInfo("told to stop again: the delay is cut short");
}

void ServicePorts::Stop(ShutdownSignal* again) {
  SayGoodBye(again);
  if (service_.retire) std::exchange(service_.retire, {})();
  for (http::HttpServer* server : {api_.get(), operations_.get()}) {
    if (server != nullptr) server->Drain();
  }
  if (api_) api_->Stop();
  if (operations_) operations_->Stop();
  if (workers_) workers_->Stop();
  verifier_.reset();
}

}  // namespace fanfold
