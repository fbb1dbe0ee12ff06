// What operators may find, leave and make.
#include <fmt/format.h>
#include <utility>

#include "common/base/check.h"
#include "common/ports/edge_kind.h"
#include "tests/simulation/oracle.h"

namespace fanfold::simulation {

void Oracle::Damaged(const Table& table, const EdgeKey& key) { damaged_[table].insert(key); }

bool Oracle::IsDamaged(const Table& table, const EdgeKey& key) const {
  const auto of_table = damaged_.find(table);
  return of_table != damaged_.end() && of_table->second.contains(key);
}

bool Oracle::IsDamaged(const Table& table, UserId user) const {
  const auto of_table = damaged_.find(table);
  if (of_table == damaged_.end()) return false;
  const auto first = of_table->second.lower_bound({user, UserId(0)});
  return first != of_table->second.end() && first->user == user;
}

void Oracle::CheckDifferences(std::span<const projector::Difference> differences,
                              const ReadGenerations& read) {
  for (const projector::Difference& difference : differences) {
    const Table table{difference.projection, read[difference.projection]};
    const EdgeKey key{difference.user, difference.other};
    const bool is_known =
        key.other == UserId(0) ? IsDamaged(table, key.user) : IsDamaged(table, key);
    if (is_known) continue;
    Complain(fmt::format("an audit blames {} {} of {}, {}: {}", ToString(difference.projection),
                         table.generation.value, difference.user.value, difference.other.value,
                         difference.detail));
  }
}

std::string Oracle::WrongOf(const Table& table, UserId user) const {
  const auto edges =
      OpenEdges(*stores_[IndexOf(placement_.ShardOf(user))], table.projection, table.generation);
  std::vector<EdgeKey> keys;
  for (std::uint64_t other = 1; other <= kUsers; ++other) keys.push_back({user, UserId(other)});
  const Result<LoadedRows> rows = edges->Load(keys, std::vector{user});
  FANFOLD_CHECK(rows.has_value(), "the tables are not read");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Edge expected = Expected(table, keys[i]);
    if (rows->edges[i] == expected) continue;
    return fmt::format("{} of {} in {} is {}, must be {}", keys[i].other.value, user.value,
                       ToString(table.projection), Describe(rows->edges[i]), Describe(expected));
  }
  const auto images = adapters_.NewSnapshot(placement_.ShardOf(user), nullptr)
                          ->Rows(table.projection, table.generation,
                                 RowKey{UserId(user.value - 1), UserId(kUserIdMax)}, user, kUsers);
  FANFOLD_CHECK(images.has_value(), "the tables are not read");
  for (const RowImage& image : *images) {
    const Edge& read = rows->edges[static_cast<std::size_t>(image.key.other.value - 1)];
    if (image.state == StateOf(read)) continue;
    return fmt::format("{} of {} in {} stands as no lane writes it", image.key.other.value,
                       user.value, ToString(table.projection));
  }
  const auto expected = std::ssize(ExpectedList(table, user));
  const std::int64_t count = rows->counts.front().value;
  if (count == expected) return "";
  return fmt::format("{} has {} {}, the count is {}", user.value, expected,
                     ToString(table.projection), count);
}

std::string Oracle::WhatIsDamaged(const Table& table) const {
  const auto keys = damaged_.find(table);
  return keys == damaged_.end() ? "" : WrongOf(table, keys->second.begin()->user);
}

// Together: by a wrong row the count is wrong, too.
void Oracle::ForgetMended() {
  ReadOutcomes();
  for (auto& [table, keys] : damaged_) {
    std::set<UserId> users;
    for (const EdgeKey& key : keys) users.insert(key.user);
    std::erase_if(users, [&](UserId user) { return WrongOf(table, user).empty(); });
    std::erase_if(keys, [&](const EdgeKey& key) { return !users.contains(key.user); });
  }
  std::erase_if(damaged_, [](const auto& of_table) { return of_table.second.empty(); });
}

void Oracle::Loaded(Shard shard, const Table& table) {
  ReadOutcomes();
  for (std::int32_t number = 0; number < placement_.partitions(); ++number) {
    const LaneId lane{table.projection, table.generation, Partition(number)};
    const Offset rows = adapters_.ReachOf(shard, lane).rows;
    Keys touched;
    if (rows > Offset(0)) Advance(shard, lane, rows, touched);
  }
  if (!complaint_) CheckTable(shard, table);
}

void Oracle::Dropped(Shard shard, const Table& table) {
  std::erase_if(rows_at_[IndexOf(shard)], [&](const auto& lane) {
    return lane.first.projection == table.projection && lane.first.generation == table.generation;
  });
  const auto of_table = damaged_.find(table);
  if (of_table == damaged_.end()) return;
  std::erase_if(of_table->second,
                [&](const EdgeKey& key) { return placement_.ShardOf(key.user) == shard; });
  if (of_table->second.empty()) damaged_.erase(of_table);
}

void Oracle::CheckTable(Shard shard, const Table& table) {
  for (std::uint64_t user = 1; user <= kUsers; ++user) {
    if (placement_.ShardOf(UserId(user)) != shard) continue;
    Keys keys;
    for (std::uint64_t other = 1; other <= kUsers; ++other) {
      keys.insert({UserId(user), UserId(other)});
    }
    CheckEdges(shard, table, keys);
  }
}

}  // namespace fanfold::simulation
