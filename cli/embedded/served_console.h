// The console of a folder, in the process that serves it.
#pragma once

#include <mutex>
#include <optional>

#include "cli/console/console_service.h"
#include "cli/deployment/serve_note.h"
#include "common/config/config.h"

namespace fanfold::embedded {

// Verbs reach the folder as those of other processes do: they read its files beside this process,
// and append through its port; reads are asked of that port, with the token that the caller shows.
// Thread-safe. `config` outlives it.
class ServedConsole {
 public:
  explicit ServedConsole(const Config& config);

  void AddRoutes(http::Router& router) { service_.AddRoutes(router); }
  // Where this process listens now; until then verbs and reads say that it does not.
  void Listens(const ServeNote& note);
  void Retire() { service_.Retire(); }

 private:
  [[nodiscard]] Result<ServeNote> Note() const;
  [[nodiscard]] ExitCode Run(const CommandLine& command, Console& console,
                             operations::Interrupt& interrupt) const;

  const Config& config_;
  mutable std::mutex mutex_;
  std::optional<ServeNote> note_;
  console::ConsoleService service_;  // uses those above
};

}  // namespace fanfold::embedded
