#include "common/sql/generation_rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "common/sql/failure.h"

namespace fanfold {
namespace {

auto Find(std::span<const GenerationRow> all, Projection projection, Generation generation) {
  return std::ranges::find_if(all, [&](const GenerationRow& row) {
    return row.projection == projection && row.generation == generation;
  });
}

}  // namespace

GenerationState GenerationStateNamed(std::string_view name) {
  using enum GenerationState;
  for (const GenerationState state : {kLoading, kFolding, kSide}) {
    if (ToString(state) == name) return state;
  }
  throw Failure(ErrorCode::kRefused,
                fmt::format("this build knows no state '{}' of a generation", name));
}

void SortAsListed(std::vector<GenerationRow>& rows) {
  std::ranges::sort(
      rows, {}, [](const GenerationRow& row) { return std::pair(row.projection, row.generation); });
}

GenerationRow FindGeneration(std::span<const GenerationRow> all, Projection projection,
                             Generation generation) {
  const auto found = Find(all, projection, generation);
  if (found != all.end()) return *found;
  throw Failure(ErrorCode::kNotFound,
                fmt::format("there is no {}", NameOf(projection, generation)));
}

void CheckFolded(std::span<const GenerationRow> all, Projection projection, Generation generation) {
  const auto found = Find(all, projection, generation);
  if (found != all.end() && found->state == GenerationState::kFolding) return;
  throw Failure(ErrorCode::kRefused,
                fmt::format("{} is not folded here", NameOf(projection, generation)));
}

void CheckFolded(std::span<const GenerationRow> all, std::span<const LaneId> lanes) {
  for (const LaneId& lane : lanes) CheckFolded(all, lane.projection, lane.generation);
}

void CheckReadable(std::span<const GenerationRow> all, Projection projection, Generation generation,
                   SlotMapId read) {
  CheckFolded(all, projection, generation);
  const SlotMapId own = FindGeneration(all, projection, generation).slot_map;
  const Status together = CheckReadTogether(projection, generation, own, read);
  if (!together) throw Failure(together.error().code, together.error().message);
}

void CheckDroppable(std::span<const GenerationRow> all, std::int64_t deciders,
                    Projection projection, Generation generation) {
  const auto found = Find(all, projection, generation);
  const bool is_to_decide = found != all.end() && found->to_decide;
  if (deciders == 0 && !is_to_decide) return;
  throw Failure(ErrorCode::kRefused, fmt::format("{} decides", NameOf(projection, generation)));
}

}  // namespace fanfold
