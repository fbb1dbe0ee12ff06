#include "operations/doctor/check.h"

#include <algorithm>
#include <utility>

namespace fanfold::operations {

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

CheckLevel LevelOf(const std::vector<Check>& checks) noexcept {
  CheckLevel worst = CheckLevel::kOk;
  for (const Check& check : checks) worst = std::max(worst, LevelOf(check));
  return worst;
}

}  // namespace fanfold::operations
