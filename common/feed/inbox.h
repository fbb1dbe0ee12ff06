// The contents of an inbox of hybrid mode (ADR 0032), and how they are packed. Pure.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/stream/ids.h"

namespace fanfold {

// A post in an inbox, where it stands in a feed: the greater one is told first.
struct InboxEntry {
  std::int64_t score = 0;
  UserId author;
  PostId post;
  friend constexpr auto operator<=>(const InboxEntry&, const InboxEntry&) noexcept = default;
};

// At or below every entry there may be.
inline constexpr InboxEntry kInboxWhole{std::numeric_limits<std::int64_t>::min(), UserId(0),
                                        PostId(0)};

// How inboxes are kept.
struct InboxLimits {
  std::int64_t push_fans_max = 10'000;  // an author with so many is pulled
  std::size_t length = 500;             // entries of one
  std::int64_t active_days = 7;         // its owner looked within so many
};

struct InboxPost {
  UserId author;
  PostId post;
  friend constexpr auto operator<=>(const InboxPost&, const InboxPost&) noexcept = default;
};

// A part of an inbox; the whole is what all of its parts say, in any order: a post that was deleted
// never comes back, an author who is pulled stays so, and a part that is there twice says no more.
struct InboxPart {
  std::vector<InboxEntry> posted;
  std::vector<InboxPost> deleted;
  std::vector<UserId> pulled;  // whose posts are not delivered any more
  friend bool operator==(const InboxPart&, const InboxPart&) = default;
};

// About 12 bytes an entry where ids are below 2^32 and scores some hours apart; 24 at most, and
// up to 10 more where scores leap.
[[nodiscard]] std::string EncodeInboxPart(const InboxPart& part);
// Errors: kInternal, these are not the bytes of a part.
[[nodiscard]] Result<InboxPart> DecodeInboxPart(std::string_view bytes);

// An inbox as its parts say it: above the floor every undeleted post of those it covers, but the
// pulled ones, and no other of theirs.
struct Inbox {
  InboxPart all;  // posted: descending, unique, without what is deleted or pulled; others: sorted
  InboxEntry floor = kInboxWhole;

  // Without what is below the floor, and with no more than `length` entries: the floor is the last
  // that stays.
  void Trim(std::size_t length);
};
[[nodiscard]] Inbox InboxOf(std::span<const InboxPart> parts, const InboxEntry& floor);

}  // namespace fanfold
