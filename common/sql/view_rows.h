// How the one statement of a view tells its parts apart: each row is (kind, id, number).
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/ports/projection_reader.h"

namespace fanfold {

// The kind of a row; an answer's rows carry their question's number instead.
enum class ViewRow : std::int8_t {
  kFollowingCount = -1,     // user, count
  kFansCount = -2,          // user, count
  kFollowingPosition = -3,  // partition, position
  kFansPosition = -4,       // partition, position
  kRepairMark = -5,         // mark, nothing
  kFollowingRewound = -6,   // as kFollowingPosition, of a lane that is rewound
  kFansRewound = -7,        // as kFansPosition
};

// Requires: view.answers has a place for each question.
void AddViewRow(std::int32_t kind, std::uint64_t id, std::int64_t number, UserView& view);

// A UNION promises no order of its parts.
void SortAnswers(UserView& view);

// From an adapter's answer to the statement of a view of so many questions.
template <class Rows>
[[nodiscard]] UserView ReadView(Rows& rows, std::size_t questions) {
  UserView view;
  view.answers.resize(questions);
  while (rows.Next()) AddViewRow(rows.I32(0), rows.U64(1), rows.I64(2), view);
  SortAnswers(view);
  return view;
}

// The parts of the one statement about one edge: each row is (part, a, b, c).
enum class EdgeViewRow : std::int8_t {
  kEdge = 1,      // active, since, version
  kCount = 2,     // count
  kPosition = 3,  // position, whether the lane is rewound
};

void AddEdgeViewRow(std::int32_t part, std::int64_t a, std::int64_t b, std::int64_t c,
                    EdgeView& view);

template <class Rows>
[[nodiscard]] EdgeView ReadEdgeView(Rows& rows) {
  EdgeView view;
  while (rows.Next()) AddEdgeViewRow(rows.I32(0), rows.I64(1), rows.I64(2), rows.I64(3), view);
  return view;
}

}  // namespace fanfold
