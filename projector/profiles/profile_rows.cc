#include "projector/profiles/profile_rows.h"

#include <algorithm>

#include "projector/runtime/row_load.h"

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

std::expected<ProfileEvent, Unreadable> ProfilesTold::Read(const LogRecord& record,
                                                           std::int32_t partitions) {
  return ReadProfileRecord(record.key, record.value, record.partition, partitions);
}

std::size_t ProfilesTold::Keep(const ProfileEvent& event, Version version, ProfileWrites& writes) {
  writes.profiles.push_back({event.user, fanfold::Apply({}, event, version)});
  const std::size_t bytes = BytesOf(writes.profiles.back());
  const auto* deleted = std::get_if<UserDeleted>(&event.what);
  if (deleted == nullptr) return bytes;
  writes.erasures.push_back({{event.user, version}, event.at_ms, deleted->ends, ErasureProgress()});
  return bytes + BytesOf(writes.erasures.back());
}

void ProfilesTold::Seal(ProfileWrites& writes) {
  KeepLatest(writes.profiles, &ProfileWrite::user);
  // Those of two generations insert the same rows: in one order.
  std::ranges::sort(writes.erasures, {}, &Erasure::key);
}

}  // namespace fanfold::projector
