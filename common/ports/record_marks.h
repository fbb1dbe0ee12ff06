// The last record that a lane knows of a topic, and whether the log still has it: so one log is
// told from another.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "common/ports/event_log.h"
#include "common/ports/lane.h"

namespace fanfold {

// Over key and value. Never 0, which stands for "no record is known". Where outcomes are published
// cut, the digest is of the whole one.
[[nodiscard]] std::uint64_t DigestOf(std::string_view key, std::string_view value) noexcept;
[[nodiscard]] inline std::uint64_t DigestOf(const LogRecord& record) noexcept {
  return DigestOf(record.key.value_or(std::string_view()),
                  record.value.value_or(std::string_view()));
}

// How a mark stands to what a topic holds.
enum class MarkStanding : std::uint8_t {
  kSame,   // the record is there
  kOther,  // another is, or none between two that are
  kCut,    // the topic ends below it
  kGone,   // the topic begins above it
};

struct MarkAsked {
  Partition partition;
  RecordMark mark;  // without a digest: which record is it?
  LogBounds held;   // as the topic has it
};

struct MarkFound {
  MarkStanding standing = MarkStanding::kSame;
  std::uint64_t digest = 0;  // of the record that is there
};

// The mark of a topic's last record that a lane has read; without a digest where it has read some
// and knows none of them; nothing where it has read none. Pure.
[[nodiscard]] std::optional<RecordMark> MarkOf(const LaneProgress& progress, bool deciding,
                                               Topic topic) noexcept;

// Keeps the readers that it has opened. One thread at a time.
class MarkReader {
 public:
  // How long a topic's records may keep it waiting for the next one.
  static constexpr std::int64_t kWaitMs = 900;

  // Whether outcomes that are published cut are joined with their events, or read as they are.
  enum class Cut : std::uint8_t { kJoined, kAsItIs };
  explicit MarkReader(EventLog& log, Cut cut = Cut::kJoined) noexcept : log_(log), cut_(cut) {}

  // In the order asked; no partition twice. Errors, each by itself: kUnavailable, the log does not
  // give it.
  [[nodiscard]] std::vector<Result<MarkFound>> Look(Topic topic, std::span<const MarkAsked> asked);

 private:
  [[nodiscard]] Result<LogReader*> ReaderOf(Topic topic);

  EventLog& log_;
  const Cut cut_;
  std::map<Topic, std::unique_ptr<LogReader>> readers_;
};

}  // namespace fanfold
