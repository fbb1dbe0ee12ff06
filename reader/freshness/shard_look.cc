#include "reader/freshness/shard_look.h"

#include <utility>

namespace fanfold::reader {

Status ShardLook::Look() {
  if (!reader_) {
    Result<std::unique_ptr<ProjectionReader>> opened = factory_(shard_);
    if (!opened) return Forward(opened);
    reader_ = *std::move(opened);
  }
  Result<std::vector<LaneStatus>> lanes = reader_->Lanes();
  if (!lanes) return Disown(std::unexpected(std::move(lanes.error())));
  const bool disowned = std::exchange(disowned_, false);
  if (WentBack(*lanes) || disowned) ReadAnew();
  board_.SetLanes(shard_, *std::move(lanes));
  if (clock_.SteadyMs() < changes_due_ms_) return {};
  changes_due_ms_ = clock_.SteadyMs() + kChangesPollMs;
  if (shard_ == Shard(0)) LookAtCatalog();
  LookAtAnswers();
  return {};
}

Status ShardLook::Disown(Status why) {
  if (why.error().code != ErrorCode::kRefused) return why;
  // Reads that were under way may bring more, and each drop goes through all that is held.
  if (std::exchange(disowned_, true) && clock_.SteadyMs() < changes_due_ms_) return why;
  changes_due_ms_ = clock_.SteadyMs() + kChangesPollMs;
  tables_.DropShard(shard_);
  return why;
}

void ShardLook::ReadAnew() {
  tables_.Restored(shard_);
  repair_mark_ = 0;
  repairs_ = 0;
}

bool ShardLook::WentBack(const std::vector<LaneStatus>& lanes) {
  bool back = false;
  for (const LaneStatus& status : lanes) {
    const Offset now = status.progress.event_offset;
    Offset& known = known_[status.lane];
    back = back || now < known;
    known = now;
  }
  return back;
}

void ShardLook::LookAtCatalog() {
  const Result<Deployment> known = board_.Current();
  const Result<Deployment> now = ReadDeployment(
      *reader_, board_.shape(), known ? std::optional(known->placement) : std::nullopt);
  board_.SetDeployment(now);
  if (now) tables_.SetRead(now->read);
}

void ShardLook::LookAtAnswers() {
  const Status view = TryView();
  const Status repairs = LookAtRepairs();
  const Status answers = view ? repairs : view;
  const bool failed_before = std::exchange(unanswered_, !answers);
  if (!answers && !failed_before) return;
  // What was mended is not known.
  if (!repairs) tables_.DropShard(shard_);
  board_.SetAnswers(shard_, answers);
  answers_.Say(answers);
}

Status ShardLook::TryView() {
  constexpr UserId kNobody(0);
  const Result<Deployment> deployment = board_.Current();
  if (!deployment) return {};
  const std::vector<ListQuestion> pages = {{Direction::kFollowing, {}, 1, {}},
                                           {Direction::kFans, {}, 1, {}}};
  const Result<UserView> view = reader_->View(deployment->read, kNobody, Partition(0), pages);
  if (!view) return std::unexpected(view.error());
  return {};
}

Status ShardLook::LookAtRepairs() {
  while (true) {
    const Result<std::vector<RepairRow>> repairs = reader_->RepairsAfter(repair_mark_, kRepairsMax);
    if (!repairs) return std::unexpected(repairs.error());
    for (const RepairRow& repair : *repairs) {
      tables_.Repaired(shard_, repair);
      repair_mark_ = repair.mark;
    }
    repairs_ += repairs->size();
    repairs_shown_.Set(static_cast<double>(repairs_));
    if (repairs->size() < kRepairsMax) return {};
    // A mark may have more rows than those that were read.
    tables_.DropShard(shard_);
  }
}

}  // namespace fanfold::reader
