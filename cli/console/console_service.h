// The console as routes.
#pragma once

#include <string>

#include "cli/console/read_relay.h"
#include "cli/console/verb_runs.h"
#include "common/http/router.h"

namespace fanfold::console {

// Thread-safe. Outlives the servers whose routers have its routes; what it answers ends before it.
class ConsoleService {
 public:
  ConsoleService(RunCommand run, ReaderAccess reader);

  // GET /console, /console/ and /console/{file}: the page, which is no secret. POST /console/verbs,
  // GET /console/read?of=/v1/…
  void AddRoutes(http::Router& router);
  // Verbs under way are interrupted; none is begun.
  void Retire() { verbs_.Retire(); }

 private:
  void RunVerb(const http::Routed& routed, const http::Reply& reply);
  void Read(const http::Routed& routed, const http::Reply& reply);

  const std::string of_console_;  // behind the name of whoever asks
  VerbRuns verbs_;
  ReadRelay relay_;
};

}  // namespace fanfold::console
