// Which generation is read and has the decider's seat: there and back.
#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "cli/rebuild_steps.h"

namespace fanfold {
namespace {

constexpr std::int64_t kSeatTimeoutMs = 120'000;

bool AllDecide(const std::vector<ShardLane>& lanes) {
  return std::ranges::all_of(
      lanes, [](const ShardLane& lane) { return lane.status.role == LaneRole::kDecides; });
}

bool SomeDecide(const std::vector<ShardLane>& lanes) {
  return std::ranges::any_of(
      lanes, [](const ShardLane& lane) { return lane.status.role == LaneRole::kDecides; });
}

}  // namespace

// The seat is given up by the lanes that have it and taken by those that are to have it; fans have
// none, and lanes that are left for good may stand.
Status RebuildSteps::CheckPromotable(Generation generation) {
  const Result<std::vector<KnownGeneration>> known = Known();
  if (!known) return std::unexpected(known.error());
  for (const KnownGeneration& one : *known) {
    const bool gives_seat = one.is_read && projection_ == ProjectionKind::kFollowing;
    if (one.generation != generation && !gives_seat) continue;
    const Result<std::vector<ShardLane>> lanes = generations_.LanesOf(projection_, one.generation);
    if (!lanes) return std::unexpected(lanes.error());
    const auto stands = std::ranges::find_if(
        *lanes, [](const ShardLane& lane) { return lane.status.state != LaneState::kRunning; });
    if (stands == lanes->end()) continue;
    return Fail(ErrorCode::kRefused,
                fmt::format("{} of generation {} on shard {} is {}: see `fanfold lane list`",
                            NameOf(stands->status.lane), one.generation.value, stands->shard.value,
                            ToString(stands->status.state)));
  }
  return {};
}

Status RebuildSteps::Promote(Generation generation) {
  if (projection_ == ProjectionKind::kFollowing) {
    Status given = generations_.OnEachShard(
        [&](Shard, GenerationOperations& operations) { return operations.GiveSeat(generation); });
    if (!given) return given;
  }
  Status read = generations_.OnFirstShard(
      [&](GenerationOperations& operations) { return operations.Read(projection_, generation); });
  if (!read) return read;
  if (projection_ == ProjectionKind::kFollowing) {
    if (Status seated = WaitForSeat(generation); !seated) return seated;
  }
  Say(generation, "is read");
  return {};
}

Result<std::optional<KnownGeneration>> RebuildSteps::Made() {
  Result<std::vector<KnownGeneration>> known = Known();
  if (!known) return Forward(known);
  std::erase_if(*known, [](const KnownGeneration& one) { return one.until_ms.has_value(); });
  if (known->empty()) return std::nullopt;
  const KnownGeneration& newest = known->back();
  if (!newest.is_read) return newest;
  const Result<bool> is_taking = IsTakingTheSeat(newest);
  if (!is_taking) return std::unexpected(is_taking.error());
  return *is_taking ? std::optional(newest) : std::nullopt;
}

Result<bool> RebuildSteps::IsTakingTheSeat(const KnownGeneration& read) {
  if (projection_ != ProjectionKind::kFollowing || !read.is_read) return false;
  const Result<std::vector<ShardLane>> lanes = generations_.LanesOf(projection_, read.generation);
  if (!lanes) return std::unexpected(lanes.error());
  return !read.decides || !AllDecide(*lanes);
}

Result<std::optional<KnownGeneration>> RebuildSteps::Before() {
  const Result<std::vector<KnownGeneration>> known = Known();
  if (!known) return std::unexpected(known.error());
  const auto read = std::ranges::find_if(*known, &KnownGeneration::is_read);
  // Of what was promoted, or left, by a command that was killed some lanes may have the seat, or
  // are to have it: then it is this one that is gone back to.
  for (auto later = read; later != known->end(); ++later) {
    if (later->is_read) continue;
    const Result<std::vector<ShardLane>> lanes =
        generations_.LanesOf(projection_, later->generation);
    if (!lanes) return std::unexpected(lanes.error());
    if (later->decides_somewhere || SomeDecide(*lanes)) return *read;
  }
  for (auto one = std::reverse_iterator(read); one != known->rend(); ++one) {
    if (one->state == GenerationState::kFolding) return *one;
  }
  // Or one that was is to be ended.
  const Result<bool> is_taking =
      read == known->end() ? Result<bool>(false) : IsTakingTheSeat(*read);
  if (!is_taking) return std::unexpected(is_taking.error());
  return *is_taking ? std::optional(*read) : std::nullopt;
}

Status RebuildSteps::CheckBefore(Generation generation) {
  const Result<KnownGeneration> asked = Find(generation);
  if (!asked) return std::unexpected(asked.error());
  const Result<std::vector<KnownGeneration>> known = Known();
  if (!known) return std::unexpected(known.error());
  const auto read = std::ranges::find_if(*known, &KnownGeneration::is_read);
  const bool is_later = read == known->end() || read->generation < generation;
  if (asked->state == GenerationState::kFolding && !is_later) return {};
  return Fail(ErrorCode::kRefused,
              fmt::format("{} is none to go back to: {}", NameOf(projection_, generation),
                          is_later ? "it is later than the one that is read" : "it is not folded"));
}

Status RebuildSteps::WaitForSeat(Generation generation) {
  return WaitUntil("decide", kSeatTimeoutMs, &AllDecide, generation);
}

}  // namespace fanfold
