#include "cli/command_line/command_line_choice.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace fanfold {
namespace {

constexpr std::int64_t kSecondsMax = std::int64_t{7} * 24 * 3600;

}  // namespace

CLI::Option* AddNames(CLI::App& verb, const std::string& option, std::vector<std::string> names,
                      const std::function<void(const std::string&)>& chosen,
                      const std::string& what) {
  return verb.add_option_function<std::string>(option, chosen, what)
      ->check(CLI::IsMember(std::move(names)));
}

CLI::Option* AddSeconds(CLI::App& verb, const char* option, double& seconds, const char* what) {
  return verb.add_option(option, seconds, what)
      ->check(CLI::Range(0.0, static_cast<double>(kSecondsMax)))
      // Of NaN neither bound is found to be passed.
      ->check([](const std::string& text) {
        return std::isnan(std::strtod(text.c_str(), nullptr)) ? "not a number: " + text : "";
      })
      ->capture_default_str();
}

std::int64_t MillisecondsOf(double seconds) { return static_cast<std::int64_t>(seconds * 1000); }

}  // namespace fanfold
