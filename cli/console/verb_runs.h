// Verbs that pages have asked for, each on a thread of its own.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

#include "cli/command_line/audit_line.h"
#include "cli/console/verb_request.h"
#include "cli/terminal/console.h"
#include "common/base/caller.h"
#include "common/http/http_server.h"
#include "operations/base/interrupt.h"

namespace fanfold::console {

// Runs a verb to its end. From many threads.
using RunCommand =
    std::function<ExitCode(const CommandLine&, fanfold::Console&, operations::Interrupt&)>;

// The caller who asks for a verb.
struct VerbCaller {
  AuditCaller audit;     // the caller, as the machine's log names them
  CallerPtr connection;  // once it is gone so is the caller; null: it stays
};

// Thread-safe. The destructor interrupts what runs and waits for it.
class VerbRuns {
 public:
  static constexpr std::size_t kAtOnceMax = 8;

  explicit VerbRuns(RunCommand run);
  ~VerbRuns();
  VerbRuns(const VerbRuns&) = delete;
  VerbRuns& operator=(const VerbRuns&) = delete;

  // Answers with NDJSON as it goes: {"out":LINE} of stdout, {"said":LINE} of stderr, {"progress":
  // {…}}, at last {"exit":CODE}. A client that goes away interrupts the verb, whether or not it
  // writes. Where kAtOnceMax run, or after Retire: 503. A verb that changes something is in the
  // machine's log with `caller`. Throws std::system_error where no thread can be started. Does not
  // block.
  void Begin(VerbRequest request, VerbCaller caller, const http::Reply& reply);
  // Interrupts all, and takes no more.
  void Retire();

 private:
  class Run;

  const RunCommand run_;
  std::mutex mutex_;
  bool retired_ = false;
  std::list<std::unique_ptr<Run>> runs_;
};

}  // namespace fanfold::console
