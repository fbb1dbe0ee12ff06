#include "cli/log/generate.h"

#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace fanfold {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

// What stands before, between and behind a follow's three numbers.
struct Format {
  std::string_view subject;
  std::string_view object;
  std::string_view since;
  std::string_view end;
};
constexpr Format kTsv{"", "\t", "\t", "\n"};
constexpr Format kJsonl{R"({"type":"follow","subject":)", R"(,"object":)", R"(,"at":)", "}\n"};

void AppendNumber(std::string& out, std::string_view before, std::integral auto number) {
  char digits[20];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
  out.append(before).append(digits, end);
}

}  // namespace

ExitCode RunGenerate(Console& console, const operations::GraphOptions& options, bool json) {
  const Format& format = json ? kJsonl : kTsv;
  const operations::FollowGraph graph(options);
  std::string lines;
  lines.reserve(kBufferBytes + 128);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const operations::GeneratedFollow follow = graph[i];
    AppendNumber(lines, format.subject, follow.subject.value);
    AppendNumber(lines, format.object, follow.object.value);
    AppendNumber(lines, format.since, follow.since_ms);
    lines += format.end;
    if (lines.size() < kBufferBytes) continue;
    if (!console.Print(lines)) break;
    lines.clear();
  }
  if (console.Print(lines) && console.Flush()) return ExitCode::kFine;
  return console.SayError({ErrorCode::kInternal, "cannot write to stdout"});
}

}  // namespace fanfold
