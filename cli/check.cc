#include "cli/check.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace fanfold {
namespace {

using Json = nlohmann::json;

std::string_view ToString(CheckLevel level) noexcept {
  switch (level) {
    case CheckLevel::kOk:
      return "ok";
    case CheckLevel::kWarning:
      return "warning";
    case CheckLevel::kProblem:
      return "problem";
    case CheckLevel::kUnknown:
      return "unknown";
  }
  return "unknown";
}

std::string Line(CheckLevel level, std::string_view name, std::string_view text) {
  return fmt::format("{:<8} {:<12} {}\n", ToString(level), name, text);
}

}  // namespace

Check CannotLook(std::string name, const Error& why) {
  return {std::move(name),
          "",
          {{CheckLevel::kUnknown, "cannot look: " + why.message,
            why.code == ErrorCode::kRefused || why.code == ErrorCode::kNotFound
                ? "run `fanfold init`, or see that the configuration names the right deployment"
                : "see that it runs and can be reached from here"}}};
}

CheckLevel LevelOf(const Check& check) noexcept {
  CheckLevel worst = CheckLevel::kOk;
  for (const Finding& finding : check.findings) worst = std::max(worst, finding.level);
  return worst;
}

std::string ChecksText(const std::vector<Check>& checks) {
  std::string text;
  for (const Check& check : checks) {
    if (check.findings.empty()) text += Line(CheckLevel::kOk, check.name, check.fine);
    for (const Finding& finding : check.findings) {
      text += Line(finding.level, check.name, finding.what);
      if (!finding.advice.empty()) text += fmt::format("  do: {}\n", finding.advice);
    }
  }
  return text;
}

std::string ChecksJson(const std::vector<Check>& checks) {
  Json list = Json::array();
  std::size_t count = 0;
  for (const Check& check : checks) {
    Json findings = Json::array();
    for (const Finding& finding : check.findings) {
      findings.push_back(
          {{"level", ToString(finding.level)}, {"what", finding.what}, {"do", finding.advice}});
    }
    count += check.findings.size();
    list.push_back({{"name", check.name},
                    {"level", ToString(LevelOf(check))},
                    {"text", check.findings.empty() ? check.fine : ""},
                    {"findings", std::move(findings)}});
  }
  const Json json = {{"checks", std::move(list)}, {"findings", count}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ExitCode ExitCodeOf(const std::vector<Check>& checks) noexcept {
  CheckLevel worst = CheckLevel::kOk;
  for (const Check& check : checks) worst = std::max(worst, LevelOf(check));
  if (worst == CheckLevel::kUnknown) return ExitCode::kError;
  return worst == CheckLevel::kProblem ? ExitCode::kDifferent : ExitCode::kFine;
}

}  // namespace fanfold
