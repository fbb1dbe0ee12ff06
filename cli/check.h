// One thing that `fanfold doctor` looks at, and what it found. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "common/base/result.h"

namespace fanfold {

enum class CheckLevel : std::uint8_t {
  kOk = 1,
  kWarning = 2,  // it works, and rests on less than it should
  kProblem = 3,  // data is in danger, or something does not work
  kUnknown = 4,  // nobody could look
};

struct Finding {
  CheckLevel level = CheckLevel::kProblem;
  std::string what;
  std::string advice;  // what to do; empty where another finding says it
};

struct Check {
  std::string name;
  std::string fine;  // what is said when nothing was found
  std::vector<Finding> findings;

  void Warn(std::string what, std::string advice) {
    findings.push_back({CheckLevel::kWarning, std::move(what), std::move(advice)});
  }
  void Blame(std::string what, std::string advice) {
    findings.push_back({CheckLevel::kProblem, std::move(what), std::move(advice)});
  }
  // A part of it could not be looked at; what keeps one from it says what to do.
  void Miss(const std::string& what) {
    findings.push_back({CheckLevel::kUnknown, "not looked at: " + what, ""});
  }
};

// What stands for checks whose facts could not be had.
[[nodiscard]] Check CannotLook(std::string name, const Error& why);

// The worst of its findings.
[[nodiscard]] CheckLevel LevelOf(const Check& check) noexcept;

// A line a finding, what to do below it; one for each check without any.
[[nodiscard]] std::string ChecksText(const std::vector<Check>& checks);
// {"checks":[{"name","level","text","findings":[{"level","what","do"}]}],"findings":N} in one line.
[[nodiscard]] std::string ChecksJson(const std::vector<Check>& checks);

// kError where somebody could not look, else kDifferent when there is a problem. A warning is none:
// one broker may be all that is wanted.
[[nodiscard]] ExitCode ExitCodeOf(const std::vector<Check>& checks) noexcept;

}  // namespace fanfold
