#include "tests/unit/layering/text_rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <ranges>

namespace fanfold::layering {
namespace {

// The last words of a broken invariant are all that check.cc has; logging.cc is the log.
constexpr std::string_view kMayPrint[] = {"cli/", "bench/", "tests/", "common/base/check.cc",
                                          "common/base/logging.cc"};

constexpr std::string_view kPrinting[] = {
    "printf",  "fprintf", "vprintf", "vfprintf", "puts",          "fputs",
    "putchar", "putc",    "fputc",   "perror",   "cout",          "cerr",
    "clog",    "println", "stdout",  "stderr",   "STDOUT_FILENO", "STDERR_FILENO"};
// Words that mean it with one of these before them alone.
constexpr std::string_view kQualifiedPrinting[] = {"std::print", "fmt::print", "fmt::vprint"};

bool IsWordByte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The line without its texts and what is a comment from // on.
std::string CodeOf(std::string_view line) {
  std::string code;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
      continue;
    }
    if (line.substr(i, 2) == "//") break;
    // Between digits a quote is no text's.
    const bool separates = c == '\'' && i > 0 && IsWordByte(line[i - 1]);
    if ((c == '"' || c == '\'') && !separates) {
      quote = c;
      continue;
    }
    code += c;
  }
  return code;
}

bool HasWord(std::string_view code, std::string_view word) {
  for (std::size_t at = 0; (at = code.find(word, at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !IsWordByte(code[at - 1]);
    if (begins && (end == code.size() || !IsWordByte(code[end]))) return true;
  }
  return false;
}

bool PrintsIn(std::string_view code) {
  const auto has = [&](std::string_view word) { return HasWord(code, word); };
  return std::ranges::any_of(kPrinting, has) || std::ranges::any_of(kQualifiedPrinting, has);
}

}  // namespace

std::vector<std::string> Prints(std::string_view path, std::string_view text) {
  std::vector<std::string> found;
  if (std::ranges::any_of(kMayPrint, [&](auto may) { return path.starts_with(may); })) return found;
  std::size_t number = 0;
  for (const auto line : std::views::split(text, '\n')) {
    ++number;
    if (!PrintsIn(CodeOf(std::string_view(line.begin(), line.end())))) continue;
    found.push_back(std::string(path) + ":" + std::to_string(number) +
                    ": prints, which is the terminal's part");
  }
  return found;
}

std::string TooLong(std::string_view path, std::string_view text) {
  if (path.starts_with("tests/")) return "";
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  if (lines <= kLinesMax) return "";
  return std::string(path) + " has " + std::to_string(lines) + " lines, above " +
         std::to_string(kLinesMax);
}

}  // namespace fanfold::layering
