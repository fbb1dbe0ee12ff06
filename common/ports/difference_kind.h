// How a row can differ from what the topics say.
#pragma once

#include <string_view>

namespace fanfold {

struct DifferenceKind {
  std::string_view name;  // in reports: kept for ever

  static const DifferenceKind kMissingRow;    // the topics say that there is one
  static const DifferenceKind kExtraRow;      // the topics know of none
  static const DifferenceKind kMisplacedRow;  // of a user who lives on another shard
  static const DifferenceKind kWrongVersion;  // it says the same, of another event
  static const DifferenceKind kWrongCount;    // not the number of the user's active rows
  static const DifferenceKind kNotInTopics;   // a lane has folded events that neither topic nor
                                              // outbox has
  friend bool operator==(const DifferenceKind&, const DifferenceKind&) = default;
};

inline constexpr DifferenceKind DifferenceKind::kMissingRow{"missing_row"};
inline constexpr DifferenceKind DifferenceKind::kExtraRow{"extra_row"};
inline constexpr DifferenceKind DifferenceKind::kMisplacedRow{"misplaced_row"};
inline constexpr DifferenceKind DifferenceKind::kWrongVersion{"wrong_version"};
inline constexpr DifferenceKind DifferenceKind::kWrongCount{"wrong_count"};
inline constexpr DifferenceKind DifferenceKind::kNotInTopics{"not_in_topics"};

[[nodiscard]] constexpr std::string_view ToString(DifferenceKind kind) noexcept {
  return kind.name;
}

}  // namespace fanfold
