// The events of user-events: what users tell of themselves, and the end of their accounts.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "common/profile/profile.h"
#include "common/profile/stream_ends.h"
#include "common/stream/ids.h"
#include "common/stream/parking.h"
#include "common/stream/slot.h"
#include "common/stream/stream.h"

namespace fanfold {

inline constexpr std::int64_t kProfileCodecVersion = 1;

// The whole document: the last one wins.
struct ProfileSet {
  Profile profile;
  friend bool operator==(const ProfileSet&, const ProfileSet&) = default;
};

// The streams that an account's end takes the user's part of.
inline constexpr std::array kErasedStreams = {streams::kRelations, streams::kPosts,
                                              streams::kFeeds};

// The streams end there before the account does: what of the user stands below goes, whenever the
// event is read.
struct UserDeleted {
  StreamEnds ends;
  bool stays = false;  // until the account is restored; else until its next profile
  friend bool operator==(const UserDeleted&, const UserDeleted&) = default;
};

// An account that stays deleted begins anew.
struct UserRestored {
  friend bool operator==(const UserRestored&, const UserRestored&) = default;
};

struct ProfileEvent {
  std::string event_id;  // empty where a foreign producer gave none
  UserId user;
  std::int64_t at_ms = 0;
  std::variant<ProfileSet, UserDeleted, UserRestored> what;
  friend bool operator==(const ProfileEvent&, const ProfileEvent&) = default;
};

// JSON as schemas/events describes it, in a fixed order of fields, no spaces. Ends of three streams
// of 1,024 partitions fit into a record (kRecordBytesMax), and so does the longest profile with
// each byte written as an escape.
void AppendProfileEvent(std::string& out, const ProfileEvent& event);
[[nodiscard]] std::string EncodeProfileEvent(const ProfileEvent& event);

// The value of a record of user-events, in any JSON that any producer writes; unknown fields are
// ignored.
[[nodiscard]] std::expected<ProfileEvent, Unreadable> DecodeProfileEvent(std::string_view value);

// Reads a record of user-events: decodes it, compares its key with its user, its partition with the
// user's slot, and the ends with how many partitions there are.
[[nodiscard]] std::expected<ProfileEvent, Unreadable> ReadProfileRecord(
    std::optional<std::string_view> key, std::optional<std::string_view> value, Partition partition,
    std::int32_t partitions);

}  // namespace fanfold
