// A log in a file of its own, and the answers that its appends were given, in the order they came.
#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/ports/event_log.h"
#include "common/sqlite/sqlite_event_log.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temp_folder.h"

namespace fanfold::testing {

struct Answered {
  std::string value;
  Result<Position> result;
};

// Driven by hand: nothing is written but by CommitQueued.
class LogByHand : public ::testing::Test {
 protected:
  static constexpr std::int32_t kPartitions = 4;

  LogByHand() { Open(); }

  void Open() {
    log_.reset();
    auto log = OpenSqliteEventLog(path(), clock_, {.partitions = kPartitions, .own_thread = false});
    ASSERT_TRUE(log.has_value()) << log.error().message;
    log_ = std::move(*log);
  }

  [[nodiscard]] std::string path() const { return folder_.path() + "/log.db"; }

  std::unique_ptr<LogAppender> Appender(Topic topic = topics::kRelationEvents,
                                        const AppenderOptions& options = {}) {
    return std::move(*log_->NewAppender(topic, options));
  }

  void Append(LogAppender& appender, std::int32_t partition, const std::string& value) {
    appender.Append(Partition(partition), "k", value, [this, value](Result<Position> result) {
      answers_.push_back({value, std::move(result)});
    });
  }

  // "value@offset" or "value:error", in the order of the answers.
  std::vector<std::string> Answers() const {
    std::vector<std::string> texts;
    for (const auto& [value, result] : answers_) {
      texts.push_back(value + (result ? '@' + std::to_string(result->offset.value)
                                      : std::string(":") + ToString(result.error().code)));
    }
    return texts;
  }

  [[nodiscard]] std::int64_t EndOf(std::int32_t partition, Topic topic = topics::kRelationEvents) {
    return log_->Bounds(topic, Partition(partition))->end.value;
  }

  TempFolder folder_;
  ManualClock clock_;
  std::unique_ptr<SqliteEventLog> log_;
  std::vector<Answered> answers_;
};

}  // namespace fanfold::testing
