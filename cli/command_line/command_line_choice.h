// Kinds of options: a choice of names, and seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace fanfold {

// An option that takes one of the names and tells which. CLI11's own transformer prints the values,
// which are no text.
CLI::Option* AddNames(CLI::App& verb, const std::string& option, std::vector<std::string> names,
                      const std::function<void(const std::string&)>& chosen,
                      const std::string& what);

// The same, which sets `target`; that outlives the parsing.
template <class T>
CLI::Option* AddChoice(CLI::App& verb, const std::string& option, std::optional<T>& target,
                       const std::map<std::string, T>& choices, const std::string& what) {
  std::vector<std::string> names;
  names.reserve(choices.size());
  for (const auto& [name, value] : choices) names.push_back(name);
  return AddNames(
      verb, option, std::move(names),
      [&target, choices](const std::string& name) { target = choices.at(name); }, what);
}

// Seconds, a week of them at most. `seconds` outlives the parsing.
CLI::Option* AddSeconds(CLI::App& verb, const char* option, double& seconds, const char* what);
[[nodiscard]] std::int64_t MillisecondsOf(double seconds);

}  // namespace fanfold
