#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/base/logging.h"
#include "common/base/result.h"

namespace fanfold::reader {

// Logs one line when something breaks and one when it is well again.
class ChangeLog {
 public:
  ChangeLog(std::string_view what, std::int32_t number) : what_(what), number_(number) {}

  void Say(const Status& status) {
    if (status.has_value() == well_) return;
    well_ = status.has_value();
    if (well_) {
      LogInfo("answers", {{"what", what_}, {"number", number_}});
    } else {
      LogWarning("does not answer",
                 {{"what", what_}, {"number", number_}, {"why", status.error().message}});
    }
  }

 private:
  std::string_view what_;
  std::int32_t number_;
  std::optional<bool> well_;
};

}  // namespace fanfold::reader
