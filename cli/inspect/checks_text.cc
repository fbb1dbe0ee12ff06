#include "cli/inspect/checks_text.h"

#include <cstddef>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "common/base/json_text.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

std::string_view ToString(operations::CheckLevel level) noexcept {
  switch (level) {
    case operations::CheckLevel::kOk:
      return "ok";
    case operations::CheckLevel::kWarning:
      return "warning";
    case operations::CheckLevel::kProblem:
      return "problem";
    case operations::CheckLevel::kUnknown:
      return "unknown";
  }
  return "unknown";
}

std::string Line(operations::CheckLevel level, std::string_view name, std::string_view text) {
  return fmt::format("{:<8} {:<12} {}\n", ToString(level), name, text);
}

}  // namespace

std::string ChecksText(const std::vector<operations::Check>& checks) {
  std::string text;
  for (const operations::Check& check : checks) {
    if (check.findings.empty()) text += Line(operations::CheckLevel::kOk, check.name, check.fine);
    for (const operations::Finding& finding : check.findings) {
      text += Line(finding.level, check.name, finding.what);
      if (!finding.advice.empty()) text += fmt::format("  do: {}\n", finding.advice);
    }
  }
  return text;
}

std::string ChecksJson(const std::vector<operations::Check>& checks) {
  Json list = Json::array();
  std::size_t count = 0;
  for (const operations::Check& check : checks) {
    Json findings = Json::array();
    for (const operations::Finding& finding : check.findings) {
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
  return OneLine(json);
}

ExitCode ExitCodeOf(const std::vector<operations::Check>& checks) noexcept {
  const operations::CheckLevel worst = LevelOf(checks);
  if (worst == operations::CheckLevel::kUnknown) return ExitCode::kError;
  return worst == operations::CheckLevel::kProblem ? ExitCode::kDifferent : ExitCode::kFine;
}

}  // namespace fanfold
