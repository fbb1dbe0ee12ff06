// The decision about an event of a post. A whole outcome has all of the row that it leaves. A cut
// one, as in the topic post-outcomes, leaves out the content, which stands in the event.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "common/post/post_event.h"
#include "common/stream/ids.h"
#include "common/stream/parking.h"
#include "common/stream/position.h"

namespace fanfold {

enum class PostOutcomeKind : std::uint8_t {
  kPosted = 1,
  kPostDeleted = 2,
  kUnchanged = 3,
  kParked = 4,
  kRejected = 5,
};

enum class PostRejection : std::uint8_t { kUserDeleted = 1 };

[[nodiscard]] std::string_view ToString(PostOutcomeKind kind) noexcept;
[[nodiscard]] std::optional<PostOutcomeKind> ParsePostOutcomeKind(std::string_view text) noexcept;

[[nodiscard]] std::string_view ToString(PostRejection reason) noexcept;
[[nodiscard]] std::optional<PostRejection> ParsePostRejection(std::string_view text) noexcept;

// Exactly one per record of post-events. A parked record's has only position, reason and, where it
// could be read, the id.
struct PostOutcome {
  PostOutcomeKind kind = PostOutcomeKind::kUnchanged;
  Position position;     // of the event
  std::string event_id;  // empty where there is none
  UserId author;
  PostId post_id;
  std::int64_t at_ms = 0;              // of the event
  std::int64_t score = 0;              // of the post, as stored; 0 where there is none
  std::int64_t post_type = 0;          // likewise
  std::optional<std::string> content;  // of a posted one; nothing where it was cut
  std::optional<ParkReason> parked;
  std::optional<PostRejection> rejected = std::nullopt;
  friend bool operator==(const PostOutcome&, const PostOutcome&) = default;
};

// Does it say that a post was made or ended? Any other leaves every row as it is.
[[nodiscard]] constexpr bool MovesPost(const PostOutcome& outcome) noexcept {
  return outcome.kind == PostOutcomeKind::kPosted || outcome.kind == PostOutcomeKind::kPostDeleted;
}

// JSON as schemas/events describes it, in a fixed order of fields, no spaces; content last.
void AppendPostOutcome(std::string& out, const PostOutcome& outcome);
[[nodiscard]] std::string EncodePostOutcome(const PostOutcome& outcome);

// The value of a record of post-outcomes, or of a whole one.
[[nodiscard]] std::expected<PostOutcome, Unreadable> DecodePostOutcome(std::string_view value);

// A record as it stands in post-outcomes, its position in the record's own partition. With
// `whole`, a posted one without content cannot be read.
inline constexpr bool kWholeOutcome = true;
[[nodiscard]] std::expected<PostOutcome, Unreadable> ReadPostOutcomeRecord(
    std::optional<std::string_view> value, Partition partition, bool whole);

// The functions below take values as AppendPostOutcome writes them.

// Without the content, where it has one.
[[nodiscard]] std::string CutPostOutcome(std::string_view whole);
// The event whose content it lacks; nothing where it is whole.
[[nodiscard]] std::optional<Position> LacksContentOf(std::string_view value);
// Whole again, by the event at its position; as it is where that is not its event.
[[nodiscard]] std::string JoinPostOutcome(std::string_view cut, std::string_view event);

}  // namespace fanfold
