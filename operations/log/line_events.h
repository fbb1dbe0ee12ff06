// The lines of a file to import, as events of one stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/stream/stream.h"
#include "operations/log/csv.h"
#include "operations/log/import_line.h"
#include "operations/log/import_time.h"

namespace fanfold::operations {

enum class ImportOf : std::uint8_t { kFollows, kPosts, kProfiles };

// The declared kind and layout of a file.
struct ImportLayout {
  ImportOf of = ImportOf::kFollows;
  std::optional<ImportFormat> format = {};  // of follows; absent: by content
  std::optional<CsvColumns> columns = {};   // of CSV; absent: by its first line
  TimeUnit time = TimeUnit::kMs;
};

// Keeps what it needs of the lines before. One thread at a time.
class LineEvents {
 public:
  explicit LineEvents(TimeUnit unit) : unit_(unit) {}
  virtual ~LineEvents() = default;

  // Called first, with the first line that is not skipped: whether it holds an event, too, which a
  // header does not. Errors: kInvalidArgument, the file is not what it is said to be.
  [[nodiscard]] virtual Result<bool> Begin(std::string_view /*line*/) { return true; }
  // The delimiter of records whose fields in quotes may have ends of lines in them.
  [[nodiscard]] virtual std::optional<char> joined_between() const { return std::nullopt; }

  // Puts the record of the line's event into `value`, with this id, which it may take; whose it is.
  // Errors: what is wrong with the line.
  [[nodiscard]] virtual std::expected<UserId, BadLine> Encode(std::string_view line,
                                                              const std::string& event_id,
                                                              std::int64_t now_ms,
                                                              std::string& value) = 0;

  // The span of the times that lines give their events.
  [[nodiscard]] const std::optional<TimeSpan>& times() const noexcept { return times_; }

 protected:
  // In which their times are.
  [[nodiscard]] TimeUnit unit() const noexcept { return unit_; }
  // The event's time; `now_ms` where the line gives none.
  std::int64_t TimeOr(std::optional<std::int64_t> at_ms, std::int64_t now_ms) {
    if (at_ms) times_ = Widened(times_, *at_ms);
    return at_ms.value_or(now_ms);
  }

 private:
  const TimeUnit unit_;
  std::optional<TimeSpan> times_;
};

// How a kind of file is read and appended.
struct ImportKind {
  Topic topic;
  std::size_t line_bytes_max;
  std::unique_ptr<LineEvents> events;
};
[[nodiscard]] ImportKind KindOf(const ImportLayout& layout);

}  // namespace fanfold::operations
