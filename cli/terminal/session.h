// The arguments of every verb: a context for its operation, and a console.
#pragma once

#include <utility>

#include "cli/terminal/console.h"
#include "cli/terminal/how_to_call.h"
#include "cli/terminal/progress.h"
#include "operations/base/context.h"

namespace fanfold {

struct Session : operations::Context {
  Session(operations::Backend& backend_in, const Clock& clock_in,
          operations::Interrupt& interrupt_in, Console& console_in, bool json_in = false,
          HowToCall calls_in = {})
      : operations::Context{backend_in, clock_in, interrupt_in, progress},
        console(console_in),
        json(json_in),
        calls(std::move(calls_in)) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Console& console;
  bool json;
  HowToCall calls;
  TerminalProgress progress{console, json};
};

}  // namespace fanfold
