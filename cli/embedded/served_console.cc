#include "cli/embedded/served_console.h"

#include <utility>

#include "cli/embedded/backends.h"
#include "cli/verbs/run_on.h"

namespace fanfold::embedded {

ServedConsole::ServedConsole(const Config& config)
    : config_(config),
      service_(
          [this](const CommandLine& command, Console& console, operations::Interrupt& interrupt) {
            return Run(command, console, interrupt);
          },
          {.find = [this]() -> Result<http::HttpEndpoint> {
            Result<ServeNote> note = Note();
            if (!note) return Forward(note);
            return note->endpoint();
          }}) {}

void ServedConsole::Listens(const ServeNote& note) {
  const std::scoped_lock lock(mutex_);
  note_ = note;
}

Result<ServeNote> ServedConsole::Note() const {
  const std::scoped_lock lock(mutex_);
  if (!note_) return Fail(ErrorCode::kUnavailable, "this process does not listen yet");
  return *note_;
}

ExitCode ServedConsole::Run(const CommandLine& command, Console& console,
                            operations::Interrupt& interrupt) const {
  Result<ServeNote> note = Note();
  if (!note) return console.SayError(note.error());
  const auto backend = ServedBackend(config_, ReachOf(command.verb), *note);
  if (!backend) return console.SayError(backend.error());
  return RunOn(**backend, false, command, {}, console, interrupt);
}

}  // namespace fanfold::embedded
