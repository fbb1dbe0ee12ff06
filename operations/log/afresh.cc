#include "operations/log/afresh.h"

#include <algorithm>
#include <utility>

#include "common/profile/profile_event.h"
#include "common/relation/codec.h"

namespace fanfold::operations {

Result<Afresh::Value> Afresh::WithoutVersion(const StoredRecord& record) const {
  auto event = DecodeEvent(*record.value);
  if (!event || !(event->if_version || event->replay_of)) return std::nullopt;
  const auto decided = decided_.find(record.position.partition);
  if (event->if_version &&
      (decided == decided_.end() || decided->second < record.position.offset)) {
    return Fail(ErrorCode::kRefused,
                "has an if_version and no outcome in the file: stop the writers it came from, let "
                "their projectors catch up and export again");
  }
  // Below that of any row.
  const bool superseded = superseded_.contains(record.position);
  event->if_version = superseded ? std::optional(Version(0)) : std::nullopt;
  event->replay_of = std::nullopt;
  return EncodeEvent(*event);
}

Result<Afresh::Value> Afresh::WithoutEnds(const StoredRecord& record) const {
  auto event = DecodeProfileEvent(*record.value);
  if (!event || !std::holds_alternative<UserDeleted>(event->what)) return std::nullopt;
  UserDeleted deleted;
  deleted.stays = std::get<UserDeleted>(event->what).stays;
  if (!ReadProfileRecord(record.key, record.value, record.position.partition, from_.partitions)) {
    // Parked, it may be for how many ends it has: parked again.
    deleted.ends[streams::kRelations].assign(static_cast<std::size_t>(to_) + 1, Offset(0));
  } else if (!from_.nothing_open) {
    return Fail(
        ErrorCode::kRefused,
        "ends an account, and accounts were being erased when the file was written: stop the "
        "writers it came from, wait until `fanfold status` says that nothing is open, and "
        "export again");
  }
  event->what = std::move(deleted);
  return EncodeProfileEvent(*event);
}

void Afresh::Note(Topic topic, const StoredRecord& outcome) {
  if (topic != topics::kRelationOutcomes) return;
  const auto said = ReadOutcomeRecord(outcome.value, outcome.position.partition);
  if (!said) return;
  Offset& decided = decided_[said->position.partition];
  decided = std::max(decided, said->position.offset);
  if (said->rejected == RejectReason::kSuperseded) superseded_.insert(said->position);
}

Result<AfreshEvent> Afresh::Of(Topic topic, const StoredRecord& event) const {
  // Null where a stream's events tell of no positions.
  using WayAfresh = Result<Value> (Afresh::*)(const StoredRecord& event) const;
  constexpr auto kWaysAfresh = [] {
    PerEntry<Stream, WayAfresh> ways;
    ways[streams::kRelations] = &Afresh::WithoutVersion;
    ways[streams::kUsers] = &Afresh::WithoutEnds;
    return ways;
  }();
  const std::optional<Partition> partition = PlaceOf(event);
  if (!partition) {
    return Fail(ErrorCode::kRefused,
                "was parked for its partition, and one partition has room for it");
  }
  const WayAfresh renew = kWaysAfresh[topic.stream()];
  if (renew == nullptr || !event.value) return AfreshEvent{*partition, std::nullopt};
  Result<Value> value = (this->*renew)(event);
  if (!value) return Forward(value);
  return AfreshEvent{*partition, *std::move(value)};
}

std::optional<Partition> Afresh::PlaceOf(const StoredRecord& event) const {
  const Partition old = event.position.partition;
  const std::optional<UserId> user = ParseUserId(event.key.value_or(""));
  if (!user) return Partition(old.value % to_);
  const Partition home = PartitionOf(*user, to_);
  if (PartitionOf(*user, from_.partitions) == old) return home;
  if (to_ == 1) return std::nullopt;
  return Partition((home.value + 1) % to_);
}

}  // namespace fanfold::operations
