// What an operator does in the midst of a run.
#include <fmt/format.h>
#include <iterator>

#include "tests/simulation/simulation.h"

namespace fanfold::simulation {
namespace {

constexpr std::size_t kBackupsMax = 3;
constexpr std::int64_t kFollowLimitMax = 8;
constexpr std::uint64_t kTurnsBetweenDamages = 4;
constexpr int kDamageTriesMax = 50;

}  // namespace

void Simulation::BackUp() {
  if (ground_.operated) return;
  const Shard shard(static_cast<std::int32_t>(ground_.random.Below(kShards)));
  std::vector<Saved>& saved = SavedOf(shard);
  if (saved.size() == kBackupsMax) saved.erase(saved.begin());
  saved.push_back({ground_.adapters->BackUp(shard), ground_.oracle.rows_at(shard)});
}

// As an operator does it: the deciders are stopped first, which leaves nothing of theirs on its way
// to the topic, and come back with another limit; those who apply are told to take it again.
void Simulation::Restore() {
  std::vector<Shard> shards;
  for (std::int32_t number = 0; number < kShards; ++number) {
    if (!SavedOf(Shard(number)).empty()) shards.emplace_back(number);
  }
  if (shards.empty() || !ground_.nemesis.Strikes(Fault::kRestored)) return;
  following_.KillAll();
  posts_.KillAll();
  ground_.transit.DrainAll();
  ground_.oracle.ReadOutcomes();
  ChangeLimit();
  const bool all = ground_.random.Below(2) == 0;
  if (!all) shards = {shards[ground_.random.Below(shards.size())]};
  for (const Shard shard : shards) RestoreShard(shard);
  for (std::int32_t partition = 0; partition < kPartitions; ++partition) {
    fans_.GainAgain(Partition(partition));
    profiles_.GainAgain(Partition(partition));
    feeds_.GainAgain(Partition(partition));
  }
}

void Simulation::RestoreShard(Shard shard) {
  std::vector<Saved>& saved = SavedOf(shard);
  // Copies taken since then are of a history that from now on never was.
  saved.resize(1 + ground_.random.Below(saved.size()));
  const Saved& older = saved.back();
  ground_.trace.Say("restored", {shard.value, ground_.limit.value});
  ground_.adapters->Restore(shard, *older.backup);
  ground_.oracle.Restored(shard, older.rows_at);
  for (const Generation generation : ground_.generations) {
    for (std::int32_t number = 0; number < kPartitions; ++number) {
      const LaneId lane{projections::kFollowing, generation, Partition(number)};
      if (IsAhead(shard, lane)) ground_.nemesis.Count(Fault::kRestoredAhead);
    }
  }
}

// Damages fans alone, which no decision reads: rows that a decision was made by cannot be mended.
void Simulation::Damage() {
  static constexpr const char* kKinds[] = {
      "UPDATE fans_g{} SET active = 1 - active WHERE user_id = {} AND fan_id = {}",
      "UPDATE fans_g{} SET active = 2 WHERE user_id = {} AND fan_id = {}",
      "UPDATE fans_g{} SET version = version + 2 WHERE user_id = {} AND fan_id = {}",
      "UPDATE fans_g{} SET version = version - 1 WHERE version > 1 AND user_id = {} AND "
      "fan_id = {}",
      "UPDATE fans_g{} SET since_ms = since_ms + 1 WHERE user_id = {} AND fan_id = {}",
      "DELETE FROM fans_g{} WHERE user_id = {} AND fan_id = {}",
      "INSERT OR REPLACE INTO fans_g{} (user_id, fan_id, active, since_ms, version) "
      "VALUES ({}, {}, 1, 5, 1)",
      "UPDATE fan_count_g{} SET n = n + 1 WHERE user_id = {} AND {} > 0",
      "DELETE FROM fan_count_g{} WHERE user_id = {} AND {} > 0"};
  if (ground_.nemesis.resting() || ground_.random.Below(kTurnsBetweenDamages) != 0) return;
  const std::size_t kind = ground_.random.Below(std::size(kKinds));
  const Oracle::Table fans = FansRead();
  for (int tries = 0; tries < kDamageTriesMax; ++tries) {
    const EdgeKey fan = FanToDamage();
    const std::string statement = fmt::format(fmt::runtime(kKinds[kind]), fans.generation.value,
                                              fan.user.value, fan.other.value);
    if (ground_.adapters->Damage(ground_.placement.ShardOf(fan.user), statement) == 0) continue;
    ground_.trace.Say("damaged",
                      {static_cast<std::int64_t>(kind), static_cast<std::int64_t>(fan.user.value),
                       static_cast<std::int64_t>(fan.other.value)});
    return ground_.oracle.Damaged(fans, fan);
  }
}

// Of those spoken of just now, whom lanes load next, as well as of all.
EdgeKey Simulation::FanToDamage() {
  const std::deque<writer::Command>& recent = clients_.recent();
  if (!recent.empty() && ground_.random.Below(4) != 0) {
    const writer::Command& command = recent[ground_.random.Below(recent.size())];
    return {command.object, command.subject};
  }
  return {UserId(1 + ground_.random.Below(kUsers)), UserId(1 + ground_.random.Below(kUsers))};
}

void Simulation::ChangeLimit() {
  const auto up = static_cast<std::int64_t>(1 + ground_.random.Below(kFollowLimitMax - 1));
  ground_.limit = FollowLimit((ground_.limit.value + up - 1) % kFollowLimitMax + 1);
}

// The other generation is to decide, before the last order has been carried out or after.
void Simulation::OrderDecider() {
  if (ground_.generations.size() == 1 || !ground_.nemesis.Strikes(Fault::kDeciderOrdered)) return;
  ground_.decider = ground_.decider == kGeneration ? kSecondGeneration : kGeneration;
}

// A lane folds again from some event on: one that may decide, or of fans or profiles.
void Simulation::Rewind() {
  const Projection projection = Projection::All()[ground_.random.Below(Projection::kCount)];
  const bool decides = projection.decides();
  const Partition partition(static_cast<std::int32_t>(ground_.random.Below(kPartitions)));
  const Shard shard = projection.rows() == RowsLive::kWithKey
                          ? ground_.placement.ShardOf(partition)
                          : Shard(static_cast<std::int32_t>(ground_.random.Below(kShards)));
  const auto folded = ground_.Folded(projection, shard);
  const LaneId lane{projection, folded[ground_.random.Below(folded.size())].generation, partition};
  const std::int64_t rows = ground_.adapters->ReachOf(shard, lane).rows.value;
  const Fault fault = decides ? Fault::kDeciderRewound : Fault::kRewound;
  if (rows == 0 || !ground_.nemesis.Strikes(fault)) return;
  const bool is_of_relations = projection == projections::kFollowing;
  if (is_of_relations && IsAhead(shard, lane)) ground_.nemesis.Count(Fault::kRewoundAhead);
  const Offset to(
      static_cast<std::int64_t>(ground_.random.Below(static_cast<std::uint64_t>(rows))));
  ground_.trace.Say("rewound", {static_cast<int>(lane.projection.index()), partition.value,
                                shard.value, to.value});
  ground_.adapters->Rewind(shard, lane, to);
  ProjectorsOf(projection).GainAgain(partition);
}

// Whether its outbox holds what the topic does not.
bool Simulation::IsAhead(Shard shard, const LaneId& lane) {
  ground_.oracle.ReadOutcomes();
  return ground_.adapters->ReachOf(shard, lane).outbox >
         ground_.oracle.ledger().published(lane.partition);
}

}  // namespace fanfold::simulation
