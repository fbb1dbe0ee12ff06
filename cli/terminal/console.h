// A verb's output: results on stdout, everything else on stderr.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string_view>

#include "cli/terminal/exit_code.h"
#include "common/base/result.h"

namespace fanfold {

// One thread at a time.
class Console {
 public:
  struct Options {
    std::FILE* out = stdout;
    std::FILE* err = stderr;
    std::FILE* progress = nullptr;  // an object of JSON a line; null: as text on err
    // Whether each is a terminal that takes escapes.
    bool out_is_terminal = false;
    bool err_is_terminal = false;
    int columns = 80;
    bool may_ask = false;  // somebody sits at stdin, and the verb is for them
  };

  // stdin, stdout and stderr of this process.
  [[nodiscard]] static Console OfProcess();
  explicit Console(const Options& options) : options_(options) {}

  [[nodiscard]] bool out_is_terminal() const noexcept { return options_.out_is_terminal; }
  [[nodiscard]] bool err_is_terminal() const noexcept { return options_.err_is_terminal; }
  [[nodiscard]] int columns() const noexcept { return options_.columns; }
  [[nodiscard]] bool has_progress() const noexcept { return options_.progress != nullptr; }
  [[nodiscard]] bool may_ask() const noexcept { return options_.may_ask; }

  // False when nobody reads any more.
  bool Print(std::string_view text);
  bool PrintLine(std::string_view line);
  bool Flush();

  // The exit code of a verb that has ended with `code`: an error, which it says, when a part of its
  // answer could not be written. A reader that has closed the pipe is no error.
  [[nodiscard]] ExitCode Ended(ExitCode code);

  // A whole line on stderr.
  void Say(std::string_view line);
  // "fanfold: message" on stderr; the exit code that belongs to the error.
  ExitCode SayError(const Error& error);
  // A whole line. Requires: has_progress().
  void Tell(std::string_view progress_json);
  // Writes over the line the cursor stands in. Requires: err_is_terminal().
  void Redraw(std::string_view line);

 private:
  bool Note(bool written);

  Options options_;
  int lost_ = 0;  // why a part of the answer is lost, as errno says it
};

// Does a terminal take escapes, by TERM (null: not set) and NO_COLOR (no-color.org)?
[[nodiscard]] bool TakesEscapes(const char* term, const char* no_color) noexcept;

// Does whoever sits there say yes? Where nobody may be asked, `otherwise` is said: false.
[[nodiscard]] bool AskYes(Console& console, std::string_view question, std::string_view otherwise);

}  // namespace fanfold
