#include "reader/changes/change_log_reader.h"

#include <gtest/gtest.h>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/ports/record_marks.h"
#include "common/post/post_outcome.h"
#include "common/profile/profile_event.h"
#include "common/relation/codec.h"
#include "reader/changes/change_proof.h"
#include "tests/support/memory_log.h"
#include "tests/unit/reader/changes/told.h"

namespace fanfold::reader {
namespace {

using fanfold::testing::MemoryLog;
using testing::kPartitions;

constexpr Partition kZero(0);

// What tells an event of this stream, in partition 0, written by `writer`.
std::string Telling(Stream stream, std::int64_t event, const std::string& writer = "e") {
  const Position position{kZero, Offset(event)};
  if (stream == streams::kRelations) {
    return EncodeOutcome({.kind = OutcomeKind::kFollowed,
                          .position = position,
                          .event_id = writer,
                          .subject = UserId(1),
                          .object = UserId(2),
                          .at_ms = 1,
                          .since_ms = 1,
                          .rejected = {},
                          .parked = {},
                          .trace = {}});
  }
  if (stream == streams::kPosts) {
    PostOutcome outcome;
    outcome.kind = PostOutcomeKind::kUnchanged;
    outcome.position = position;
    outcome.event_id = writer;
    outcome.author = UserId(1);
    outcome.post_id = PostId(1);
    return EncodePostOutcome(outcome);
  }
  return EncodeProfileEvent({writer, UserId(2), event, UserDeleted()});
}

class ChangeLog : public ::testing::TestWithParam<Stream> {
 protected:
  // An event; told where its stream has outcomes.
  void Event(std::int64_t event, bool is_told = true, const std::string& writer = "e") {
    const Stream stream = GetParam();
    log_.Put(stream.events(), kZero, "2", HasOutcomes() ? "event" : Telling(stream, event, writer));
    if (is_told && HasOutcomes()) Tell(event, writer);
  }
  void Tell(std::int64_t event, const std::string& writer = "e") {
    log_.Put(GetParam().applied(), kZero, "2", Telling(GetParam(), event, writer));
  }
  [[nodiscard]] bool HasOutcomes() const { return GetParam().events() != GetParam().applied(); }
  [[nodiscard]] static std::uint64_t DigestOfTelling(std::int64_t event) {
    return DigestOf("2", Telling(GetParam(), event));
  }
  ChangePlace AtEnd() {
    ChangePlace at(kPartitions);
    EXPECT_TRUE(ChangeLogReader::OpenAtEnd(log_, GetParam(), at));
    return at;
  }
  ChangePlace::Stand End() { return AtEnd().At(GetParam(), kZero); }
  // Events' offsets, from a place on.
  Result<std::vector<std::int64_t>> Read(const ChangePlace& from) {
    Result<ChangeLogReader> reader = ChangeLogReader::Open(log_, GetParam(), from);
    EXPECT_TRUE(reader);
    const auto told = reader->Poll(1'000, 0);
    if (!told) return std::unexpected(told.error());
    std::vector<std::int64_t> offsets;
    for (const ToldEvent& one : *told) offsets.push_back(one.event.position.offset.value);
    return offsets;
  }
  ErrorCode Proved(const ChangePlace& place) {
    ChangeId id{place, place.Proof()};
    for (ChangePlace::Stand& stand : id.place.stands()) stand.before = 0;
    const Status proved = ProvePlace(log_, id, clock_, std::stop_token());
    if (!proved) return proved.error().code;
    EXPECT_EQ(id.place, place);
    return {};
  }

  const SystemClock clock_;
  MemoryLog log_{kPartitions};
};

TEST_P(ChangeLog, RepeatsAreLeftOutAndGapsAreTold) {
  for (int event = 0; event < 3; ++event) Event(event);
  if (HasOutcomes()) Tell(1);
  EXPECT_EQ(Read(ChangePlace(kPartitions)).value(), (std::vector<std::int64_t>{0, 1, 2}));
  if (!HasOutcomes()) return;
  log_.Put(GetParam().applied(), kZero, "2", "garbage");
  Tell(5);
  EXPECT_EQ(Read(ChangePlace(kPartitions)).error().code, ErrorCode::kOutOfRange);
}

TEST_P(ChangeLog, BeginsBeforeAPlaceWhoseRecordIsNotKnown) {
  for (int event = 0; event < 5; ++event) Event(event);
  ChangePlace place(kPartitions);
  place.Pass({GetParam(), {kZero, Offset(2)}}, 0);
  EXPECT_EQ(Read(place).value(), (std::vector<std::int64_t>{2, 3, 4}));
  place.Pass({GetParam(), {kZero, Offset(2)}}, 7);
  EXPECT_EQ(Read(place).value(), (std::vector<std::int64_t>{3, 4}));
}

TEST_P(ChangeLog, BeginsBehindTheLastThatWasTold) {
  EXPECT_EQ(End(), ChangePlace::Stand{});
  for (int event = 0; event < 200; ++event) Event(event);
  const ChangePlace::Stand last{Offset(200), DigestOfTelling(199)};
  EXPECT_EQ(End(), last);
  if (!HasOutcomes()) return;
  Tell(198);
  EXPECT_EQ(End(), last) << "copies come on top";
  for (std::int64_t copies = 0; copies < 2 * ChangeLogReader::kTailRecords; ++copies) Tell(7);
  EXPECT_EQ(End(), (ChangePlace::Stand{Offset(200), 0})) << "so many hide it";
  Tell(199);
  EXPECT_EQ(End(), last);
  Event(200, false);
  EXPECT_EQ(End(), (ChangePlace::Stand{Offset(201), 0})) << "it is to be decided";
  Tell(1'000);
  log_.Put(GetParam().applied(), kZero, "2", "garbage");
  EXPECT_EQ(End(), (ChangePlace::Stand{Offset(201), 0})) << "no event is there: nothing is known";
}

TEST_P(ChangeLog, ItsPlacesAreProved) {
  for (int event = 0; event < 9; ++event) Event(event);
  const ChangePlace end = AtEnd();
  ChangePlace within(kPartitions);
  within.Pass({GetParam(), {kZero, Offset(4)}}, DigestOfTelling(4));
  if (HasOutcomes()) Tell(8);
  for (const ChangePlace& place : {end, within, ChangePlace(kPartitions)}) {
    EXPECT_EQ(Proved(place), ErrorCode());
  }
}

TEST_P(ChangeLog, PlacesOfOthersAreNot) {
  for (int event = 0; event < 9; ++event) Event(event);
  ChangePlace other = AtEnd();
  other.At(GetParam(), kZero).before += 1;
  EXPECT_EQ(Proved(other), ErrorCode::kOutOfRange) << "another record is there";
  ChangePlace beyond = AtEnd();
  beyond.At(GetParam(), kZero).next = Offset(10);
  EXPECT_EQ(Proved(beyond), ErrorCode::kOutOfRange) << "it ends below";
  ChangeId unproved{beyond, {}};
  EXPECT_EQ(ProvePlace(log_, unproved, clock_, {}).error().code, ErrorCode::kOutOfRange);
  log_.BeAway(true);
  EXPECT_EQ(Proved(beyond), ErrorCode::kUnavailable);
}

TEST_P(ChangeLog, TheFirstIsTheFirstThatIsHeld) {
  for (int event = 0; event < 9; ++event) Event(event);
  const auto begin = [this] {
    ChangeId id{ChangePlace(kPartitions), {}};
    EXPECT_TRUE(ProvePlace(log_, id, clock_, std::stop_token()));
    return id.place;
  };
  EXPECT_EQ(begin(), ChangePlace(kPartitions));
  log_.Cut(GetParam().applied(), kZero, Offset(4));
  EXPECT_EQ(Read(begin()).value(), (std::vector<std::int64_t>{4, 5, 6, 7, 8}));
  log_.Cut(GetParam().applied(), kZero, Offset(9));
  EXPECT_EQ(begin().At(GetParam(), kZero), ChangePlace::Stand{Offset(9)}) << "nothing is held";
  if (!HasOutcomes()) return;
  Tell(7);
  Tell(8);
  Event(9);
  EXPECT_EQ(Read(begin()).value(), (std::vector<std::int64_t>{7, 8, 9})) << "copies tell it, too";
}

TEST_P(ChangeLog, APlaceBehindWhichSomeIsGoneIsTold) {
  for (int event = 0; event < 9; ++event) Event(event);
  log_.Cut(GetParam().applied(), kZero, Offset(4));
  const auto asked = [this](std::int64_t passed) {
    ChangeId id{ChangePlace(kPartitions), {}};
    id.place.Pass({GetParam(), {kZero, Offset(passed)}}, 0);
    const Status proved = ProvePlace(log_, id, clock_, std::stop_token());
    return proved ? ErrorCode() : proved.error().code;
  };
  EXPECT_EQ(asked(2), ErrorCode::kOutOfRange);
  EXPECT_EQ(asked(3), ErrorCode());
  log_.Cut(GetParam().applied(), kZero, Offset(9));
  EXPECT_EQ(asked(3), ErrorCode::kOutOfRange);
  EXPECT_EQ(asked(8), ErrorCode());
}

TEST_P(ChangeLog, WhatIsNotToldIsNotProved) {
  if (!HasOutcomes()) return;
  Event(0, false);
  ChangePlace place(kPartitions);
  place.Pass({GetParam(), {kZero, Offset(0)}}, 7);
  EXPECT_EQ(Proved(place), ErrorCode::kUnavailable) << "it may come";
}

INSTANTIATE_TEST_SUITE_P(All, ChangeLog, ::testing::ValuesIn(kChangeStreams),
                         [](const auto& param_info) {
                           const std::string name(param_info.param.name());
                           return name.substr(0, name.find('-'));
                         });

}  // namespace
}  // namespace fanfold::reader
