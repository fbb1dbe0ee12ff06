#include "common/ports/applied_reader.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "common/post/post_outcome.h"
#include "common/post/post_row.h"
#include "tests/support/memory_log.h"

namespace fanfold::testing {
namespace {

// Any two topics do.
constexpr Topic kEvents = topics::kRelationEvents;
constexpr Topic kPublished = topics::kRelationOutcomes;
constexpr OutcomeCut kCut{CutPostOutcome, LacksContentOf, JoinPostOutcome};

// Posts and their outcomes, each id posted once.
class Posts {
 public:
  static constexpr std::int32_t kPartitions = 3;

  Posts() : log(kPartitions) {}

  // Its content names its position.
  static PostEvent EventAt(Position position) {
    PostEvent event;
    const bool deletes = position.offset.value % 4 == 3;
    event.type = deletes ? PostEventType::kDeletePost : PostEventType::kPost;
    event.author = UserId(1);
    event.post_id = PostId(static_cast<std::uint64_t>(position.offset.value) + 1);
    if (!deletes) event.content = "post " + ToString(position);
    return event;
  }
  static std::string WholeAt(Position position) {
    return EncodePostOutcome(Decide({}, EventAt(position), position));
  }

  void PutEvents(Partition partition, std::int64_t count) {
    auto& records = log.Records(kEvents, partition);
    for (; count > 0; --count) {
      const Position position{partition, Offset(std::ssize(records))};
      log.Put(kEvents, partition, "1", EncodePostEvent(EventAt(position)));
    }
  }
  void Publish(Position event) {
    log.Put(kPublished, event.partition, "1", CutPostOutcome(WholeAt(event)));
  }
  void Publish(Partition partition, std::initializer_list<std::int64_t> events) {
    for (const std::int64_t event : events) Publish({partition, Offset(event)});
  }

  [[nodiscard]] std::unique_ptr<LogReader> Open() {
    auto reader = NewJoiningReader(log, kPublished, kEvents, kCut, {});
    EXPECT_TRUE(reader);
    return std::move(*reader);
  }

  MemoryLog log;
};

std::vector<std::string> ValuesOf(LogReader& reader, std::size_t records_max = 1000) {
  std::vector<std::string> values;
  Result<LogBatch> batch = reader.Poll(records_max, 0);
  EXPECT_TRUE(batch);
  for (const LogRecord& record : batch->records) values.emplace_back(record.value.value_or("null"));
  return values;
}

std::vector<std::string> WholeOf(Partition partition, std::initializer_list<std::int64_t> events) {
  std::vector<std::string> values;
  for (const std::int64_t event : events) {
    values.push_back(Posts::WholeAt({partition, Offset(event)}));
  }
  return values;
}

constexpr Partition kOne{1};
constexpr Partition kTwo{2};

TEST(AppliedReader, OutcomesComeWhole) {
  Posts posts;
  posts.PutEvents(kOne, 5);
  posts.Publish(kOne, {0, 1, 2, 3, 4});
  const auto reader = posts.Open();
  ASSERT_TRUE(reader->Start(kOne, Offset(0)));
  EXPECT_EQ(ValuesOf(*reader), WholeOf(kOne, {0, 1, 2, 3, 4}));
  posts.PutEvents(kOne, 1);
  posts.Publish(kOne, {5});
  EXPECT_EQ(ValuesOf(*reader), WholeOf(kOne, {5}));
}

TEST(AppliedReader, CopiesComeWholeToo) {
  Posts posts;
  posts.PutEvents(kOne, 11);
  posts.Publish(kOne, {7, 8, 7, 9, 8, 10, 8, 10});
  const auto reader = posts.Open();
  ASSERT_TRUE(reader->Start(kOne, Offset(0)));
  EXPECT_EQ(ValuesOf(*reader), WholeOf(kOne, {7, 8, 7, 9, 8, 10, 8, 10}));
}

TEST(AppliedReader, WhatWaitsForItsEventKeepsItsPartitionAlone) {
  Posts posts;
  posts.PutEvents(kOne, 1);
  posts.PutEvents(kTwo, 2);
  posts.Publish(kOne, {0, 1, 2, 3});
  posts.Publish(kTwo, {0});
  const auto reader = posts.Open();
  ASSERT_TRUE(reader->Start(kOne, Offset(0)));
  ASSERT_TRUE(reader->Start(kTwo, Offset(0)));
  std::vector<std::string> first = WholeOf(kOne, {0});
  first.push_back(Posts::WholeAt({kTwo, Offset(0)}));
  EXPECT_EQ(ValuesOf(*reader), first);
  posts.Publish(kTwo, {1});
  EXPECT_EQ(ValuesOf(*reader), WholeOf(kTwo, {1}));
  posts.PutEvents(kOne, 2);
  EXPECT_EQ(ValuesOf(*reader), WholeOf(kOne, {1, 2, 3})) << "what lacks nothing waits for no event";
}

// As after a loss: whoever applies what comes cut refuses it.
TEST(AppliedReader, AnEventThatTheLogDoesNotHoldIsNotWaitedForForever) {
  for (const std::initializer_list<std::int64_t> published :
       {std::initializer_list<std::int64_t>{9, 0, 1}, {0, 9, 1}, {0, 2, 1}}) {
    Posts posts;
    posts.PutEvents(kOne, 2);
    posts.Publish(kOne, published);
    const auto reader = posts.Open();
    ASSERT_TRUE(reader->Start(kOne, Offset(0)));
    std::vector<std::string> values;
    for (int polls = 0; polls < 300; ++polls) {
      for (std::string& value : ValuesOf(*reader)) values.push_back(std::move(value));
    }
    std::vector<std::string> expected = WholeOf(kOne, published);
    for (std::string& value : expected) {
      if (value.contains(R"(:9")") || value.contains(R"(:2")")) value = CutPostOutcome(value);
    }
    EXPECT_EQ(values, expected);
  }
}

TEST(AppliedReader, AHoleAmongTheEventsIsPassed) {
  Posts posts;
  posts.PutEvents(kOne, 3);
  posts.log.Lose(kEvents, kOne, Offset(1));
  posts.Publish(kOne, {0, 1, 2});
  const auto reader = posts.Open();
  ASSERT_TRUE(reader->Start(kOne, Offset(0)));
  const std::vector<std::string> values = ValuesOf(*reader);
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(values[1], CutPostOutcome(Posts::WholeAt({kOne, Offset(1)})));
  EXPECT_EQ(values[2], Posts::WholeAt({kOne, Offset(2)}));
}

TEST(AppliedReader, EventsFarAheadAreReadAgainWhenTheirOutcomesCome) {
  Posts posts;
  posts.PutEvents(kOne, 30'000);
  posts.PutEvents(kTwo, 3);
  posts.Publish(kOne, {0});
  const auto reader = posts.Open();
  ASSERT_TRUE(reader->Start(kOne, Offset(0)));
  ASSERT_TRUE(reader->Start(kTwo, Offset(0)));
  EXPECT_EQ(ValuesOf(*reader), WholeOf(kOne, {0}));
  for (const std::int64_t event : {0, 1, 2}) {
    posts.Publish(kTwo, {event});
    EXPECT_EQ(ValuesOf(*reader), WholeOf(kTwo, {event}));
  }
  posts.Publish(kOne, {1, 29'998});
  EXPECT_EQ(ValuesOf(*reader), WholeOf(kOne, {1, 29'998}));
}

TEST(AppliedReader, WhatCannotBeReadComesAsItStands) {
  Posts posts;
  posts.PutEvents(kOne, 1);
  posts.log.Put(kPublished, kOne, "1", "garbage");
  posts.log.Put(kPublished, kOne, std::nullopt, std::nullopt);
  posts.log.Put(kPublished, kOne, "1", CutPostOutcome(Posts::WholeAt({kTwo, Offset(0)})));
  const auto reader = posts.Open();
  ASSERT_TRUE(reader->Start(kOne, Offset(0)));
  EXPECT_EQ(ValuesOf(*reader),
            (std::vector<std::string>{"garbage", "null",
                                      CutPostOutcome(Posts::WholeAt({kTwo, Offset(0)}))}));
}

TEST(AppliedReader, WhereOutcomesAreWholeItIsThePlainReader) {
  MemoryLog log(1);
  for (const Stream stream : {streams::kRelations, streams::kUsers}) {
    const int before = log.readers_opened();
    ASSERT_TRUE(NewAppliedReader(log, stream));
    EXPECT_EQ(log.readers_opened(), before + 1);
  }
}

// Partitions of events and outcomes with copies, read in pieces, moved about: what comes is what
// stands there, joined.
RC_GTEST_PROP(AppliedReaderModel, AnyWalkComesWhole, ()) {
  Posts posts;
  std::map<Partition, std::vector<std::int64_t>> published;
  for (std::int32_t p = 0; p < Posts::kPartitions; ++p) {
    const auto events = *rc::gen::inRange<std::int64_t>(1, 20);
    posts.PutEvents(Partition(p), events);
    for (std::int64_t next = 0; next < events; ++next) {
      const auto back = *rc::gen::element<std::int64_t>(0, 0, 0, 1, 3);
      for (std::int64_t at = std::max<std::int64_t>(0, next - back); at <= next; ++at) {
        posts.Publish({Partition(p), Offset(at)});
        published[Partition(p)].push_back(at);
      }
    }
  }
  const auto reader = posts.Open();
  std::map<Partition, std::size_t> next;
  for (int step = *rc::gen::inRange(1, 60); step > 0; --step) {
    if (*rc::gen::inRange(0, 4) == 0) {
      const Partition partition(*rc::gen::inRange(0, Posts::kPartitions));
      next[partition] = *rc::gen::inRange<std::size_t>(0, published[partition].size() + 1);
      const bool started =
          reader->Start(partition, Offset(static_cast<std::int64_t>(next[partition]))).has_value();
      RC_ASSERT(started);
    }
    if (*rc::gen::inRange(0, 8) == 0) {
      const Partition partition(*rc::gen::inRange(0, Posts::kPartitions));
      reader->Stop(partition);
      next.erase(partition);
    }
    const auto polled = reader->Poll(*rc::gen::inRange<std::size_t>(1, 12), 0);
    RC_ASSERT(polled.has_value());
    for (const LogRecord& record : polled->records) {
      RC_ASSERT(next.contains(record.partition));
      std::size_t& at = next[record.partition];
      RC_ASSERT(record.offset == Offset(static_cast<std::int64_t>(at)));
      const Position event{record.partition, Offset(published[record.partition][at++])};
      RC_ASSERT(*record.value == Posts::WholeAt(event));
    }
  }
}

}  // namespace
}  // namespace fanfold::testing
