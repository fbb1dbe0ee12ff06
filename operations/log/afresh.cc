#include "operations/log/afresh.h"

#include "common/profile/profile_event.h"
#include "common/relation/codec.h"

namespace fanfold::operations {
namespace {

using Value = std::optional<std::string>;

Value WithoutVersion(const StoredRecord& record, bool superseded) {
  auto event = DecodeEvent(*record.value);
  if (!event || !(event->if_version || event->replay_of)) return std::nullopt;
  // Below that of any row.
  event->if_version = superseded ? std::optional(Version(0)) : std::nullopt;
  event->replay_of = std::nullopt;
  return EncodeEvent(*event);
}

Value WithoutEnds(const StoredRecord& record, bool /*superseded*/) {
  auto event = DecodeProfileEvent(*record.value);
  if (!event || !std::holds_alternative<UserDeleted>(event->what)) return std::nullopt;
  event->what = UserDeleted{};
  return EncodeProfileEvent(*event);
}

// What stands in an event's place; null where it tells of no positions.
using Renewal = Value (*)(const StoredRecord& record, bool superseded);
constexpr auto kRenewals = [] {
  PerEntry<Stream, Renewal> renewals;
  renewals[streams::kRelations] = WithoutVersion;
  renewals[streams::kUsers] = WithoutEnds;
  return renewals;
}();

}  // namespace

void Afresh::Note(Topic topic, const StoredRecord& outcome) {
  if (topic != topics::kRelationOutcomes) return;
  const auto said = ReadOutcomeRecord(outcome.value, outcome.position.partition);
  if (said && said->rejected == RejectReason::kSuperseded) superseded_.insert(said->position);
}

std::optional<AfreshEvent> Afresh::Of(Topic topic, const StoredRecord& event) const {
  const std::optional<Partition> partition = PlaceOf(event);
  if (!partition) return std::nullopt;
  const Renewal renew = kRenewals[topic.stream()];
  if (renew == nullptr || !event.value) return AfreshEvent{*partition, std::nullopt};
  return AfreshEvent{*partition, renew(event, superseded_.contains(event.position))};
}

std::optional<Partition> Afresh::PlaceOf(const StoredRecord& event) const {
  const Partition old = event.position.partition;
  const std::optional<UserId> user = ParseUserId(event.key.value_or(""));
  if (!user) return Partition(old.value % to_);
  const Partition home = PartitionOf(*user, to_);
  if (PartitionOf(*user, from_) == old) return home;
  if (to_ == 1) return std::nullopt;
  return Partition((home.value + 1) % to_);
}

}  // namespace fanfold::operations
