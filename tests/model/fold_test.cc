// The fold against the model: random events of few users.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <vector>

#include "tests/model/folded_tables.h"
#include "tests/model/generators.h"
#include "tests/model/relation_model.h"

namespace fanfold {
namespace {

using random::FewUsersEvents;
using random::Shuffled;

FollowLimit AnyLimit() { return FollowLimit(*rc::gen::inRange<std::int64_t>(0, 5)); }

std::vector<Outcome> AnyOutcomes() {
  Decider decider(AnyLimit());
  std::vector<Outcome> outcomes;
  for (const Event& event : *FewUsersEvents()) outcomes.push_back(decider.Take(event));
  return outcomes;
}

FoldedTable FoldOf(Side side, const std::vector<Outcome>& outcomes) {
  FoldedTable table(side);
  table.Fold(outcomes);
  return table;
}

auto WithoutEmpty(std::map<UserId, std::map<UserId, std::int64_t>> lists) {
  std::erase_if(lists, [](const auto& list) { return list.second.empty(); });
  return lists;
}

RC_GTEST_PROP(FoldModel, ListsOutcomesAndSincesAreTheModels, ()) {
  const FollowLimit limit = AnyLimit();
  Decider decider(limit);
  RelationModel model(limit.value);
  for (const Event& event : *FewUsersEvents()) {
    const Outcome outcome = decider.Take(event);
    RC_ASSERT(outcome.kind == model.Ask(event, outcome.position.offset.value));
    RC_ASSERT(decider.table().Listed() == WithoutEmpty(model.following));
  }
}

RC_GTEST_PROP(FoldModel, LimitIsNeverExceeded, ()) {
  const FollowLimit limit = AnyLimit();
  Decider decider(limit);
  for (const Event& event : *FewUsersEvents()) {
    const Outcome outcome = decider.Take(event);
    for (const auto& [user, listed] : decider.table().Listed()) {
      RC_ASSERT(limit.value == 0 || std::ssize(listed) <= limit.value);
    }
    if (outcome.rejected == RejectReason::kFollowLimit) {
      RC_ASSERT(decider.table().CountOf(event.subject).value == limit.value);
    }
  }
}

RC_GTEST_PROP(FoldModel, CountsEqualRowsAfterEveryOutcome, ()) {
  FoldedTable following(Side::kFollowing);
  FoldedTable fans(Side::kFans);
  for (const Outcome& outcome : AnyOutcomes()) {
    following.Fold(outcome);
    fans.Fold(outcome);
    RC_ASSERT(following.CountsEqualRows());
    RC_ASSERT(fans.CountsEqualRows());
  }
}

RC_GTEST_PROP(FoldModel, OneOutcomePerEventDense, ()) {
  Decider decider(AnyLimit());
  std::map<Partition, std::int64_t> next;
  for (const Event& event : *FewUsersEvents()) {
    const Outcome outcome = decider.Take(event);
    RC_ASSERT(outcome.position.offset.value == next[outcome.position.partition]++);
    RC_ASSERT(outcome.event_id == event.event_id);
    RC_ASSERT(outcome.subject == event.subject);
    RC_ASSERT(outcome.object == event.object);
    RC_ASSERT(outcome.at_ms == event.at_ms);
    RC_ASSERT(outcome.rejected.has_value() == (outcome.kind == OutcomeKind::kRejected));
  }
}

// An unfollowed outcome carries the since it ended: whoever reads the topic alone can undo it.
RC_GTEST_PROP(FoldModel, UnfollowedCarriesTheSinceItEnded, ()) {
  Decider decider(AnyLimit());
  for (const Event& event : *FewUsersEvents()) {
    const Edge before = decider.table().EdgeOf(event.subject, event.object);
    const Outcome outcome = decider.Take(event);
    if (outcome.kind != OutcomeKind::kUnfollowed) continue;
    const Edge after = decider.table().EdgeOf(event.subject, event.object);
    RC_ASSERT(before.active && !after.active);
    RC_ASSERT(outcome.since_ms == before.since_ms);
    RC_ASSERT(after.since_ms == before.since_ms);
  }
}

RC_GTEST_PROP(FoldModel, DecidersTableIsTheFoldOfItsOutcomes, ()) {
  Decider decider(AnyLimit());
  std::vector<Outcome> outcomes;
  for (const Event& event : *FewUsersEvents()) outcomes.push_back(decider.Take(event));
  RC_ASSERT(decider.table() == FoldOf(Side::kFollowing, outcomes));
}

RC_GTEST_PROP(FoldModel, FansAreTheMirrorOfFollowing, ()) {
  const std::vector<Outcome> outcomes = AnyOutcomes();
  const FoldedTable fans = FoldOf(Side::kFans, outcomes);
  RC_ASSERT(fans.Mirrored() == FoldOf(Side::kFollowing, outcomes).rows());
}

// Folds all, then `again`, and asks that nothing moved.
void ExpectNoChange(const std::vector<Outcome>& outcomes, const std::vector<Outcome>& again) {
  for (const Side side : {Side::kFollowing, Side::kFans}) {
    const FoldedTable once = FoldOf(side, outcomes);
    FoldedTable twice = once;
    twice.Fold(again);
    RC_ASSERT(twice == once);
  }
}

RC_GTEST_PROP(ReplayModel, OfAnyPrefixChangesNothing, ()) {
  const std::vector<Outcome> outcomes = AnyOutcomes();
  const auto length = *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(outcomes) + 1);
  ExpectNoChange(outcomes, {outcomes.begin(), outcomes.begin() + length});
}

RC_GTEST_PROP(ReplayModel, OfAnySuffixChangesNothing, ()) {
  const std::vector<Outcome> outcomes = AnyOutcomes();
  const auto start = *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(outcomes) + 1);
  ExpectNoChange(outcomes, {outcomes.begin() + start, outcomes.end()});
}

RC_GTEST_PROP(ReplayModel, OfAnySubsetInAnyOrderChangesNothing, ()) {
  const std::vector<Outcome> outcomes = AnyOutcomes();
  std::vector<Outcome> some;
  for (const Outcome& outcome : outcomes) {
    for (int copies = *rc::gen::inRange(0, 3); copies > 0; --copies) some.push_back(outcome);
  }
  ExpectNoChange(outcomes, Shuffled(std::move(some)));
}

// A lane that crashes goes back to an older position of its own again and again.
RC_GTEST_PROP(ReplayModel, GoingBackOnTheWayChangesNothing, ()) {
  const std::vector<Outcome> outcomes = AnyOutcomes();
  FoldedTable table(Side::kFans);
  for (std::size_t next = 0; next < outcomes.size(); ++next) {
    table.Fold(outcomes[next]);
    if (*rc::gen::inRange(0, 10) != 0) continue;
    for (std::size_t i = *rc::gen::inRange<std::size_t>(0, next + 1); i <= next; ++i) {
      table.Fold(outcomes[i]);
    }
  }
  RC_ASSERT(table == FoldOf(Side::kFans, outcomes));
}

// Partitions are folded side by side: only the order within an edge is given.
RC_GTEST_PROP(OrderModel, DifferentEdgesMayBeFoldedInAnyOrder, ()) {
  const std::vector<Outcome> outcomes = AnyOutcomes();
  std::map<std::pair<UserId, UserId>, std::vector<Outcome>> of_edge;
  std::vector<std::pair<UserId, UserId>> turns;
  for (const Outcome& outcome : outcomes) {
    turns.emplace_back(outcome.subject, outcome.object);
    of_edge[turns.back()].push_back(outcome);
  }
  std::map<std::pair<UserId, UserId>, std::size_t> next;
  std::vector<Outcome> interleaved;
  for (const auto& edge : Shuffled(turns)) interleaved.push_back(of_edge[edge][next[edge]++]);
  for (const Side side : {Side::kFollowing, Side::kFans}) {
    RC_ASSERT(FoldOf(side, interleaved) == FoldOf(side, outcomes));
  }
}

// Collapsing a chunk to the last outcome of each edge, as the bulk path does, gives the same rows.
RC_GTEST_PROP(OrderModel, LastOutcomeOfAnEdgeIsEnough, ()) {
  const std::vector<Outcome> outcomes = AnyOutcomes();
  std::map<std::pair<UserId, UserId>, Outcome> last;
  for (const Outcome& outcome : outcomes) {
    const bool moves =
        outcome.kind == OutcomeKind::kFollowed || outcome.kind == OutcomeKind::kUnfollowed;
    if (moves) last[{outcome.subject, outcome.object}] = outcome;
  }
  FoldedTable collapsed(Side::kFollowing);
  for (const auto& [edge, outcome] : last) collapsed.Fold(outcome);
  RC_ASSERT(collapsed.rows() == FoldOf(Side::kFollowing, outcomes).rows());
  RC_ASSERT(collapsed.CountsEqualRows());
}

}  // namespace
}  // namespace fanfold
