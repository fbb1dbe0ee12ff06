// The questions to the reader, after parsing. No HTTP type, no text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "common/ports/projection_reader.h"
#include "common/relation/cursor.h"
#include "common/stream/ids.h"
#include "common/stream/position.h"
#include "reader/live_question.h"
#include "reader/table_question.h"

namespace fanfold::reader {

enum class ListKind : std::uint8_t { kFollowing, kFans, kFriends };

inline constexpr std::size_t kListLimitDefault = 20;
inline constexpr std::size_t kListLimitMax = 200;
// How many of a user's following one query goes through at most, entries passed over included.
inline constexpr std::int64_t kFollowingScanMax = 100'000;
inline constexpr std::int64_t kListOffsetMax = kFollowingScanMax;
inline constexpr std::size_t kCountsUsersMax = 100;
inline constexpr std::size_t kRelationsGetMax = 100;
inline constexpr std::size_t kRelationsPostMax = ProjectionReader::kTargetsMax;
// A thousand of the longest ids make 23 kB; blanks between them do not matter.
inline constexpr std::size_t kRelationsBytesMax = std::size_t{64} << 10;
// Suggestions come from the newest of a user's following, and from the newest of each one's.
inline constexpr std::size_t kSuggestionsViasMax = 200;
inline constexpr std::size_t kSuggestionsEachMax = 200;
// Fans of an export that are read and held at once: a page, less the row that tells that more come.
inline constexpr std::size_t kExportPageMax = ProjectionReader::kPageMax - 1;
inline constexpr std::int64_t kPositionTimeoutDefaultMs = 1000;
inline constexpr std::int64_t kPositionTimeoutMaxMs = 5000;

struct ListQuery {
  ListKind list = ListKind::kFollowing;
  UserId user;
  PageStart start;
  std::size_t limit = kListLimitDefault;
  std::optional<UserId> viewer;
};

// The users whom both `user` and `with` follow, as a page of user's following.
struct CommonQuery {
  UserId user;
  UserId with;
  std::optional<Cursor> after;
  std::size_t limit = kListLimitDefault;
};

// The fans of `user` whom `viewer` follows, as a page of user's fans.
struct KnownQuery {
  UserId user;
  UserId viewer;
  std::optional<Cursor> after;
  std::size_t limit = kListLimitDefault;
};

struct CountsQuery {
  UserId user;
};

struct CountsOfManyQuery {
  std::vector<UserId> users;  // 1 … kCountsUsersMax, repeats kept
};

struct RelationsQuery {
  UserId user;
  std::vector<UserId> targets;  // 1 … kRelationsPostMax, repeats kept
  bool is_of_one = false;       // told without a list
};

struct SuggestionsQuery {
  UserId user;
  std::size_t limit = kListLimitDefault;
};

// All fans of `user`, a page at a time.
struct FansExportQuery {
  UserId user;
  std::optional<Cursor> after = std::nullopt;
};

struct ProjectionsQuery {};

// Asked of a tenant's tables.
struct TenantQuery {
  QuestionPtr question;
};

// Asked of a tenant's memory, or its tables, and of lists.
struct LiveQuery {
  LiveQuestionPtr question;
};

using ReadQuery =
    std::variant<ListQuery, CommonQuery, KnownQuery, CountsQuery, CountsOfManyQuery, RelationsQuery,
                 SuggestionsQuery, FansExportQuery, ProjectionsQuery, TenantQuery, LiveQuery>;

struct ReadRequest {
  ReadQuery query;
  const Expansion* expansion = nullptr;  // what each user carries besides; may be null
  // Instead of the generations that are read: of each projection the one with this number.
  std::optional<Generation> generation = std::nullopt;
  // Every one of them has to be applied before the tables are read.
  std::vector<StreamPosition> min_position = {};
  std::int64_t timeout_ms = kPositionTimeoutDefaultMs;
  bool is_head = false;  // of the answer its head alone is sent
};

}  // namespace fanfold::reader
