// A console of its own: on this machine, for whoever started it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cli/console/console_service.h"
#include "common/access/verifier.h"
#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/base/result.h"
#include "common/http/http_server.h"

namespace fanfold::console {

// Listens on loopback, and asks everybody for the one token that it has lent: others on the machine
// must not give orders in the name of whoever started it. The destructor stops. Thread-compatible.
class ConsoleServer {
 public:
  // `port` 0: any free one. Errors: HttpServer::Start's.
  [[nodiscard]] static Result<std::unique_ptr<ConsoleServer>> Start(std::uint16_t port,
                                                                    RunCommand run,
                                                                    ReaderAccess reader);
  ~ConsoleServer();
  ConsoleServer(const ConsoleServer&) = delete;
  ConsoleServer& operator=(const ConsoleServer&) = delete;

  // The page's, with its token behind the #, which no browser sends.
  [[nodiscard]] const std::string& address() const noexcept { return address_; }

 private:
  ConsoleServer(RunCommand run, ReaderAccess reader);

  Metrics metrics_;
  TickClock clock_;
  Verifier verifier_;
  std::string address_;
  std::unique_ptr<http::HttpServer> server_;  // outlives the service, which still answers to it
  ConsoleService service_;
};

}  // namespace fanfold::console
