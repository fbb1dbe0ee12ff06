#include "projector/audit/difference.h"

namespace fanfold {

std::string_view ToString(DifferenceKind kind) noexcept {
  switch (kind) {
    case DifferenceKind::kMissingRow:
      return "missing_row";
    case DifferenceKind::kExtraRow:
      return "extra_row";
    case DifferenceKind::kWrongState:
      return "wrong_state";
    case DifferenceKind::kWrongSince:
      return "wrong_since";
    case DifferenceKind::kWrongVersion:
      return "wrong_version";
    case DifferenceKind::kWrongCount:
      return "wrong_count";
    case DifferenceKind::kNotInTopics:
      return "not_in_topics";
    case DifferenceKind::kMisplacedRow:
      return "misplaced_row";
  }
  return "difference";
}

std::optional<DifferenceKind> Compare(const Edge& found, const Edge& expected) noexcept {
  if (found == expected || (SaysNothing(found) && SaysNothing(expected))) return std::nullopt;
  if (SaysNothing(found)) return DifferenceKind::kMissingRow;
  if (SaysNothing(expected)) return DifferenceKind::kExtraRow;
  if (found.active != expected.active) return DifferenceKind::kWrongState;
  if (found.since_ms != expected.since_ms) return DifferenceKind::kWrongSince;
  return DifferenceKind::kWrongVersion;
}

}  // namespace fanfold
