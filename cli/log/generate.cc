#include "cli/log/generate.h"

#include <charconv>
#include <string>

namespace fanfold {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

template <class Integer>
void AppendNumber(std::string& out, Integer number, char after) {
  char digits[20];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, end);
  out += after;
}

}  // namespace

ExitCode RunGenerate(Console& console, const operations::GraphOptions& options) {
  const operations::FollowGraph graph(options);
  std::string lines;
  lines.reserve(kBufferBytes + 64);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const operations::GeneratedFollow follow = graph[i];
    AppendNumber(lines, follow.subject.value, '\t');
    AppendNumber(lines, follow.object.value, '\t');
    AppendNumber(lines, follow.since_ms, '\n');
    if (lines.size() < kBufferBytes) continue;
    if (!console.Print(lines)) break;
    lines.clear();
  }
  if (console.Print(lines) && console.Flush()) return ExitCode::kFine;
  return console.SayError({ErrorCode::kInternal, "cannot write to stdout"});
}

}  // namespace fanfold
