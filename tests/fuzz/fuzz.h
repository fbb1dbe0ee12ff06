// What a target is made with. A property that does not hold is a FANFOLD_CHECK.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace fanfold {

// Called with any bytes, very often, in one process: it keeps nothing.
using Fuzz = void (*)(std::string_view input);

// The targets of this program, by name.
inline std::map<std::string, Fuzz>& FuzzTargets() {
  static std::map<std::string, Fuzz> targets;
  return targets;
}

// Adds a target. Its name is its file's, without `_fuzz.cc`.
struct FuzzTarget {
  FuzzTarget(const char* name, Fuzz fuzz) { FuzzTargets().emplace(name, fuzz); }
};

// The input up to the first line feed, which is taken off it, too.
[[nodiscard]] inline std::string_view TakeLine(std::string_view& input) {
  const std::size_t end = input.find('\n');
  const std::string_view line = input.substr(0, end);
  input.remove_prefix(end == std::string_view::npos ? input.size() : end + 1);
  return line;
}

// The input's first byte, which is taken off it; 0 when there is none.
[[nodiscard]] inline unsigned char TakeByte(std::string_view& input) {
  if (input.empty()) return 0;
  const auto byte = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  return byte;
}

}  // namespace fanfold
