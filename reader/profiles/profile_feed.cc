#include "reader/profiles/profile_feed.h"

#include <fmt/format.h>
#include <utility>

#include "common/profile/profile_event.h"

namespace fanfold::reader {

void ProfileFeed::Start(const Placement& placement, const std::vector<Offset>& next) {
  partitions_ = placement.partitions();
  next_ = next;
  cache_.Start(placement, next);
}

Status ProfileFeed::Take(std::span<const LogRecord> records) {
  std::vector<ToldProfile> told;
  std::vector<Position> moved;
  for (const LogRecord& record : records) {
    Offset& next = next_[static_cast<std::size_t>(record.partition.value)];
    if (record.offset < next) continue;
    if (record.offset > next) {
      return Fail(ErrorCode::kOutOfRange,
                  fmt::format("record {}:{} where {} is next", record.partition.value,
                              record.offset.value, next.value));
    }
    next = Next(next);
    moved.push_back({record.partition, next});
    auto event = ReadProfileRecord(record.key, record.value, record.partition, partitions_);
    if (!event) continue;
    const Version version(record.offset.value + 1);
    told.push_back({event->user, HeldProfile::Of(RowSaidBy(*event, version))});
  }
  cache_.Advance(std::move(told), moved);
  return {};
}

}  // namespace fanfold::reader
