// One thing that `fanfold doctor` looks at, and what it found. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"

namespace fanfold::operations {

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
  // A part of it could not be looked at. `what` says why, which is advice enough.
  void Miss(const std::string& what) {
    findings.push_back({CheckLevel::kUnknown, "not looked at: " + what, ""});
  }
};

// Stands for checks whose facts could not be had.
[[nodiscard]] Check CannotLook(std::string name, const Error& why);

// The worst of the findings.
[[nodiscard]] CheckLevel LevelOf(const Check& check) noexcept;
[[nodiscard]] CheckLevel LevelOf(const std::vector<Check>& checks) noexcept;

}  // namespace fanfold::operations
