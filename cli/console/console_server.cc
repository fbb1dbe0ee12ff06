#include "cli/console/console_server.h"

#include <fmt/format.h>
#include <utility>

#include "common/access/authority.h"
#include "common/http/access.h"
#include "common/http/openapi.h"
#include "common/http/service_routes.h"

namespace fanfold::console {
namespace {

constexpr const char* kLoopback = "127.0.0.1";

}  // namespace

ConsoleServer::ConsoleServer(RunCommand run, ReaderAccess reader)
    : verifier_(Authority::OfLentTokens(metrics_), clock_, metrics_),
      service_(std::move(run), std::move(reader)) {}

ConsoleServer::~ConsoleServer() {
  service_.Retire();
  if (server_) server_->Stop();
}

Result<std::unique_ptr<ConsoleServer>> ConsoleServer::Start(std::uint16_t port, RunCommand run,
                                                            ReaderAccess reader) {
  std::unique_ptr<ConsoleServer> console(new ConsoleServer(std::move(run), std::move(reader)));
  http::Router routes(http::RouteRules());
  http::AddHealthRoutes(routes, [] { return Status(); }, /*openapi=*/"");
  console->service_.AddRoutes(routes);
  auto server =
      http::HttpServer::Start({.bind = kLoopback, .port = port},
                              http::Guarded({.bind = kLoopback, .hosts = {}, .origins = {}},
                                            {&console->verifier_, nullptr}, std::move(routes)));
  if (!server) return Forward(server);
  console->server_ = *std::move(server);
  console->address_ = fmt::format("http://{}:{}/console/#token={}", kLoopback,
                                  console->server_->port(), console->verifier_.Lend());
  return console;
}

}  // namespace fanfold::console
