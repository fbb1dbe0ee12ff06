// Rows of profiles gathered from their events, and the ends of accounts that begin with them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <vector>

#include "common/ports/event_log.h"
#include "common/ports/profile_store.h"
#include "projector/runtime/told_rows.h"

namespace fanfold::projector {

struct ProfilesTold {
  using Event = ProfileEvent;
  using Writes = ProfileWrites;

  [[nodiscard]] static std::expected<ProfileEvent, Unreadable> Read(const LogRecord& record,
                                                                    std::int32_t partitions);
  static std::size_t Keep(const ProfileEvent& event, Version version, ProfileWrites& writes);
  static void Seal(ProfileWrites& writes);
};
using ProfileRows = ToldRows<ProfilesTold>;

// Sorts them by user and version, and leaves out those that a later one overrules.
void KeepWhatCounts(std::vector<ProfileWrite>& writes);

// About how much memory one takes.
[[nodiscard]] std::size_t BytesOf(const ProfileWrite& write) noexcept;
[[nodiscard]] std::size_t BytesOf(const Erasure& erasure) noexcept;

}  // namespace fanfold::projector
