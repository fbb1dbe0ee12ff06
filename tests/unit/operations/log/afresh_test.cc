#include "operations/log/afresh.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/profile/profile_event.h"
#include "common/relation/codec.h"
#include "common/relation/edge.h"

namespace fanfold::operations {
namespace {

constexpr std::int32_t kPartitions = 4;

StoredRecord Stored(std::int32_t partition, std::optional<std::string> key, std::string value) {
  return {{Partition(partition), Offset(0)}, 0, std::move(key), std::move(value)};
}

std::string FollowOf(std::uint64_t subject) {
  Event event;
  event.subject = UserId(subject);
  event.object = UserId(99);
  return EncodeEvent(event);
}

TEST(Afresh, WhatWasParkedStaysParked) {
  for (const std::int32_t partitions : {1, 2, 8}) {
    const Afresh afresh({kPartitions, true}, partitions);
    for (std::int32_t p = 0; p < kPartitions; ++p) {
      const StoredRecord astray = Stored(p, "1", FollowOf(1));
      const bool home = PartitionOf(UserId(1), kPartitions) == Partition(p);
      const auto placed = afresh.Of(topics::kRelationEvents, astray);
      ASSERT_EQ(placed.has_value(), home || partitions > 1);
      if (placed) {
        EXPECT_EQ(
            ReadEventRecord(astray.key, astray.value, placed->partition, partitions).has_value(),
            home);
      }
      for (const auto& key : {std::optional<std::string>("k"), std::optional<std::string>()}) {
        const auto garbage = afresh.Of(topics::kRelationEvents, Stored(p, key, "garbage"));
        ASSERT_TRUE(garbage);
        EXPECT_EQ(garbage->partition, Partition(p % partitions));
        EXPECT_FALSE(garbage->value);
      }
    }
  }
}

TEST(Afresh, UsersEventsMoveWithTheirUserAndDeletionsTellNoEnds) {
  UserDeleted deleted;
  deleted.stays = true;
  deleted.ends[streams::kRelations].assign(kPartitions, Offset(7));
  for (const std::int32_t partitions : {1, 2, 8}) {
    const Afresh afresh({kPartitions, true}, partitions);
    for (std::uint64_t user = 1; user <= 20; ++user) {
      const std::int32_t old = PartitionOf(UserId(user), kPartitions).value;
      const std::string key = std::to_string(user);
      const std::string set = EncodeProfileEvent({"e", UserId(user), 5, ProfileSet{}});
      const auto kept = afresh.Of(topics::kUserEvents, Stored(old, key, set));
      ASSERT_TRUE(kept);
      EXPECT_FALSE(kept->value);
      const std::string end = EncodeProfileEvent({"e", UserId(user), 5, deleted});
      const auto ended = afresh.Of(topics::kUserEvents, Stored(old, key, end));
      ASSERT_TRUE(ended && ended->value);
      const auto read = ReadProfileRecord(key, *ended->value, ended->partition, partitions);
      ASSERT_TRUE(read);
      EXPECT_EQ(*read,
                (ProfileEvent{"e", UserId(user), 5, UserDeleted{.ends = {}, .stays = true}}));
      for (const std::int32_t wrong : {1, 2, 8}) {
        UserDeleted parked;
        parked.ends[streams::kRelations].assign(static_cast<std::size_t>(wrong), Offset(7));
        const std::string unread = EncodeProfileEvent({"e", UserId(user), 5, parked});
        const auto again = afresh.Of(topics::kUserEvents, Stored(old, key, unread));
        ASSERT_TRUE(again && again->value);
        EXPECT_FALSE(ReadProfileRecord(key, *again->value, again->partition, partitions));
      }
    }
  }
}

// Its relations end where it was written, by what is not in the file.
TEST(Afresh, ADeletionIsRefusedWhereAccountsWereBeingErased) {
  const Afresh afresh({kPartitions, false}, 8);
  UserDeleted deleted;
  deleted.ends[streams::kRelations].assign(kPartitions, Offset(7));
  const std::int32_t home = PartitionOf(UserId(1), kPartitions).value;
  const auto placed = afresh.Of(
      topics::kUserEvents, Stored(home, "1", EncodeProfileEvent({"e", UserId(1), 5, deleted})));
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().code, ErrorCode::kRefused);
  const std::string set = EncodeProfileEvent({"e", UserId(1), 5, ProfileSet{}});
  EXPECT_TRUE(afresh.Of(topics::kUserEvents, Stored(home, "1", set)));
}

TEST(Afresh, AnEventWithAVersionThatWasNotDecidedIsRefused) {
  Afresh afresh({kPartitions, true}, 8);
  Event event;
  event.subject = UserId(1);
  event.object = UserId(99);
  Outcome outcome;
  outcome.subject = event.subject;
  outcome.object = event.object;
  outcome.position = {PartitionOf(event.subject, kPartitions), Offset(5)};
  afresh.Note(topics::kRelationOutcomes, {outcome.position, 0, "1", EncodeOutcome(outcome)});
  const auto at = [&](std::int64_t offset) {
    return afresh.Of(topics::kRelationEvents, {{outcome.position.partition, Offset(offset)},
                                               0,
                                               ToString(event.subject),
                                               EncodeEvent(event)});
  };
  EXPECT_TRUE(at(6));
  event.if_version = Version(3);
  EXPECT_TRUE(at(5));
  ASSERT_FALSE(at(6));
  EXPECT_EQ(at(6).error().code, ErrorCode::kRefused);
  // Nothing is known of another partition.
  event.subject = UserId(2);
  outcome.position.partition = PartitionOf(event.subject, kPartitions);
  EXPECT_FALSE(at(0));
}

// A log that is decided as it grows: each partition's events, the outcomes, the edges.
struct DecidedLog {
  explicit DecidedLog(std::int32_t partitions)
      : events(static_cast<std::size_t>(partitions)), outcomes(events.size()) {}

  void Append(Partition partition, const std::string& value) {
    auto& topic = events[static_cast<std::size_t>(partition.value)];
    const Position position{partition, Offset(static_cast<std::int64_t>(topic.size()))};
    const Event event = *DecodeEvent(value);
    Edge& edge = edges[{event.subject, event.object}];
    const Outcome outcome = Decide(edge, EdgeCount(0), event, position, FollowLimit(1000));
    edge = Apply(edge, outcome).edge;
    topic.push_back({position, 0, ToString(event.subject), value});
    outcomes[static_cast<std::size_t>(partition.value)].push_back(
        {position, 0, ToString(event.subject), EncodeOutcome(outcome)});
  }
  [[nodiscard]] std::map<std::pair<UserId, UserId>, std::pair<bool, std::int64_t>> Relations()
      const {
    std::map<std::pair<UserId, UserId>, std::pair<bool, std::int64_t>> relations;
    for (const auto& [pair, edge] : edges) relations[pair] = {edge.active, edge.since_ms};
    return relations;
  }

  std::vector<std::vector<StoredRecord>> events;
  std::vector<std::vector<StoredRecord>> outcomes;
  std::map<std::pair<UserId, UserId>, Edge> edges;
};

// Versions are offsets, which are others in the new log; what they decided stays decided.
TEST(Afresh, WhatEventsWithAVersionDidTheyDoAgain) {
  std::mt19937 draw(7);
  DecidedLog old(kPartitions);
  int superseded = 0;
  for (int i = 0; i < 4'000; ++i) {
    Event event;
    event.subject = UserId(1 + draw() % 6);
    event.object = UserId(10 + draw() % 3);
    event.type = draw() % 2 == 0 ? EventType::kFollow : EventType::kUnfollow;
    event.at_ms = i;
    const Version version = old.edges[{event.subject, event.object}].version;
    if (draw() % 2 == 0) {
      event.if_version = Version(std::max<std::int64_t>(version.value - (draw() % 2 == 0), 0));
      superseded += *event.if_version < version ? 1 : 0;
    }
    old.Append(PartitionOf(event.subject, kPartitions), EncodeEvent(event));
  }
  ASSERT_GT(superseded, 100);
  for (const std::int32_t partitions : {1, 2, 8}) {
    Afresh afresh({kPartitions, true}, partitions);
    for (const auto& topic : old.outcomes) {
      for (const StoredRecord& outcome : topic) afresh.Note(topics::kRelationOutcomes, outcome);
    }
    DecidedLog made(partitions);
    for (const auto& topic : old.events) {
      for (const StoredRecord& event : topic) {
        const auto placed = afresh.Of(topics::kRelationEvents, event);
        ASSERT_TRUE(placed);
        made.Append(placed->partition, placed->value ? *placed->value : *event.value);
      }
    }
    EXPECT_EQ(made.Relations(), old.Relations()) << partitions;
  }
}

}  // namespace
}  // namespace fanfold::operations
