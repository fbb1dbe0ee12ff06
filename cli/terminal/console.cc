#include "cli/terminal/console.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <iostream>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

namespace fanfold {
namespace {

constexpr int kColumnsDefault = 80;

int ColumnsOf(int descriptor) {
  winsize size{};
  const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kColumnsDefault;
}

bool Write(std::FILE* file, std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), file) == text.size();
}

}  // namespace

bool TakesEscapes(const char* term, const char* no_color) noexcept {
  const bool is_dumb = term == nullptr || *term == '\0' || std::string_view(term) == "dumb";
  return !is_dumb && (no_color == nullptr || *no_color == '\0');
}

Console Console::OfProcess() {
  const bool takes_escapes = TakesEscapes(std::getenv("TERM"), std::getenv("NO_COLOR"));
  return Console(Options{.out = stdout,
                         .err = stderr,
                         .out_is_terminal = takes_escapes && isatty(STDOUT_FILENO) == 1,
                         .err_is_terminal = takes_escapes && isatty(STDERR_FILENO) == 1,
                         .columns = ColumnsOf(STDERR_FILENO),
                         .may_ask = isatty(STDIN_FILENO) == 1});
}

bool Console::Note(bool written) {
  if (!written && lost_ == 0) lost_ = errno;
  return written;
}

bool Console::Print(std::string_view text) { return Note(Write(options_.out, text)); }

bool Console::PrintLine(std::string_view line) { return Print(line) && Print("\n"); }

bool Console::Flush() { return Note(std::fflush(options_.out) == 0); }

ExitCode Console::Ended(ExitCode code) {
  (void)Flush();
  if (lost_ == 0 || lost_ == EPIPE) return code;
  return SayError(
      {ErrorCode::kInternal, fmt::format("cannot write the answer: {}", std::strerror(lost_))});
}

void Console::Say(std::string_view line) {
  Write(options_.err, fmt::format("{}\n", line));
  std::fflush(options_.err);
}

ExitCode Console::SayError(const Error& error) {
  Say(fmt::format("fanfold: {}", error.message));
  return ExitCodeOf(error.code);
}

void Console::Tell(std::string_view progress_json) {
  Write(options_.progress, fmt::format("{}\n", progress_json));
  std::fflush(options_.progress);
}

void Console::Redraw(std::string_view line) {
  constexpr std::string_view kToLineStartAndClear = "\r\x1b[K";
  Write(options_.err, kToLineStartAndClear);
  Write(options_.err, line);
  std::fflush(options_.err);
}

bool AskYes(Console& console, std::string_view question, std::string_view otherwise) {
  if (!console.may_ask()) {
    console.Say(otherwise);
    return false;
  }
  console.Say(std::string(question) + " [y/N]");
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

}  // namespace fanfold
