#include "projector/profiles/profile_rows.h"

#include <algorithm>
#include <utility>

namespace fanfold::projector {

std::size_t BytesOf(const ProfileWrite& write) noexcept {
  std::size_t bytes = sizeof write;
  if (const auto& profile = write.row.profile) {
    for (const auto* text : {&profile->name, &profile->avatar_url, &profile->bio}) {
      bytes += *text ? (*text)->size() : 0;
    }
  }
  return bytes;
}

std::size_t BytesOf(const Erasure& erasure) noexcept {
  std::size_t bytes = sizeof erasure;
  for (const Stream stream : Stream::All()) bytes += erasure.ends[stream].size() * sizeof(Offset);
  return bytes;
}

void KeepWhatCounts(std::vector<ProfileWrite>& writes) {
  std::ranges::sort(writes, {}, [](const ProfileWrite& write) {
    return std::pair(write.user, write.row.version);
  });
  std::vector<ProfileWrite> kept;
  for (ProfileWrite& write : writes) {
    while (!kept.empty() && kept.back().user == write.user &&
           Overrules(AccountOf(write.row), AccountOf(kept.back().row))) {
      kept.pop_back();
    }
    kept.push_back(std::move(write));
  }
  writes = std::move(kept);
}

std::expected<ProfileEvent, Unreadable> ProfilesTold::Read(const LogRecord& record,
                                                           std::int32_t partitions) {
  return ReadProfileRecord(record.key, record.value, record.partition, partitions);
}

std::size_t ProfilesTold::Keep(const ProfileEvent& event, Version version, ProfileWrites& writes) {
  writes.profiles.push_back({event.user, RowSaidBy(event, version)});
  const std::size_t bytes = BytesOf(writes.profiles.back());
  Erasure erasure{{event.user, version}, event.at_ms, {}};
  if (const auto* deleted = std::get_if<UserDeleted>(&event.what)) {
    erasure.ends = deleted->ends;
    erasure.stays = deleted->stays;
    if (deleted->stays) erasure.progress.stage = EraseStage::kUnmeasured;
  } else if (std::holds_alternative<UserRestored>(event.what)) {
    erasure.progress.stage = EraseStage::kRestored;
  } else {
    return bytes;
  }
  writes.erasures.push_back(std::move(erasure));
  return bytes + BytesOf(writes.erasures.back());
}

void ProfilesTold::Seal(ProfileWrites& writes) {
  KeepWhatCounts(writes.profiles);
  // Those of two generations insert the same rows: in one order.
  std::ranges::sort(writes.erasures, {}, &Erasure::key);
}

}  // namespace fanfold::projector
