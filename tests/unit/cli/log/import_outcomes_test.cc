// `import` tells what was decided about its lines.
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/log/import.h"
#include "common/post/post_outcome.h"
#include "common/relation/codec.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/fakes.h"

namespace fanfold {
namespace {

using testing::FakeSession;
using testing::kPartitions;
using testing::RunningLane;
using Json = nlohmann::json;

constexpr std::uint64_t kForbiddenFrom = 1000;  // who follows one from here on is rejected
constexpr std::int64_t kPollMs = 200;

class ImportOutcomesTest : public ::testing::Test {
 protected:
  ImportOutcomesTest() {
    for (std::int32_t p = 0; p < kPartitions; ++p) {
      lanes().push_back(RunningLane(projections::kFollowing, p, 0));
    }
    options_.source.file = folder_.path() + "/edges.tsv";
    options_.timeout_ms = 10'000;
    log().on_poll = [this] {
      fake_.clock.steady_ms += kPollMs;
      if (decides_) DecideAll();
    };
  }

  std::vector<LaneStatus>& lanes() { return fake_.backend.shard_states[0].lanes; }
  testing::FakeLogState& log() { return fake_.backend.log; }

  // Lines of user 1, who follows these.
  static std::string Follows(std::uint64_t from, std::uint64_t count) {
    std::string text;
    for (std::uint64_t i = 0; i < count; ++i) text += fmt::format("1 {}\n", from + i);
    return text;
  }
  ExitCode Import(const std::string& text) {
    std::ofstream(options_.source.file) << text;
    return RunImport(fake_.session, options_);
  }
  Json ImportJson(const std::string& text) {
    fake_.session.json = true;
    EXPECT_EQ(Import(text), ExitCode::kFine) << fake_.err.text();
    return Json::parse(fake_.out.text());
  }

  static Outcome Decided(const Event& event, Position position) {
    Outcome outcome;
    outcome.kind = OutcomeKind::kFollowed;
    outcome.position = position;
    outcome.event_id = event.event_id;
    outcome.subject = event.subject;
    outcome.object = event.object;
    if (event.object.value < kForbiddenFrom) return outcome;
    outcome.kind = OutcomeKind::kRejected;
    outcome.rejected = RejectReason::kFollowLimit;
    return outcome;
  }

  // As a projector does, each outcome `copies_` times.
  void DecideAll() {
    for (std::size_t p = 0; p < kPartitions; ++p) {
      const auto& events = log().Of(topics::kRelationEvents)[p];
      for (std::size_t& done = decided_[p]; done < events.size(); ++done) {
        const auto event = DecodeEvent(*events[done].value);
        const Position at{Partition(static_cast<std::int32_t>(p)),
                          Offset(static_cast<std::int64_t>(done))};
        for (int copy = 0; copy < copies_; ++copy) {
          log().Of(topics::kRelationOutcomes)[p].push_back(
              {events[done].key, EncodeOutcome(Decided(*event, at)), 0});
        }
      }
    }
  }

  [[nodiscard]] bool Said(const std::string& text) const {
    return fake_.err.text().find(text) != std::string::npos;
  }

  testing::TempFolder folder_;
  FakeSession fake_{kPartitions};
  ImportOptions options_;
  bool decides_ = true;
  int copies_ = 1;
  std::array<std::size_t, kPartitions> decided_{};
};

TEST_F(ImportOutcomesTest, TellsHowManyWereFollowedAndRejectedAndWhy) {
  EXPECT_EQ(Import("# head\n" + Follows(998, 5) + "2 7\n"), ExitCode::kFine) << fake_.err.text();
  EXPECT_NE(fake_.out.text().find("appended 6, bad 0, "), std::string::npos) << fake_.out.text();
  EXPECT_NE(
      fake_.out.text().find("followed 3, unfollowed 0, unchanged 0, rejected 3: follow_limit 3\n"),
      std::string::npos)
      << fake_.out.text();
  EXPECT_TRUE(Said("line 4: rejected, follow_limit, subject 1, object 1000"));
  EXPECT_TRUE(Said("line 6: rejected, follow_limit, subject 1, object 1002"));
  EXPECT_FALSE(Said("line 7: "));
}

TEST_F(ImportOutcomesTest, TellsTheFirstTwentyOfAReason) {
  EXPECT_EQ(Import(Follows(kForbiddenFrom, 500)), ExitCode::kFine);
  EXPECT_TRUE(Said("line 20: rejected"));
  EXPECT_FALSE(Said("line 21: "));
  EXPECT_TRUE(Said("500 follow_limit in all, the first 20 are shown"));
}

TEST_F(ImportOutcomesTest, StrictEndsInTwoWhereOneWasRejected) {
  options_.strict = true;
  EXPECT_EQ(Import(Follows(2, 5)), ExitCode::kFine);
  EXPECT_EQ(Import(Follows(999, 2)), ExitCode::kDifferent);
}

TEST_F(ImportOutcomesTest, AnswersInJson) {
  const Json answer = ImportJson(Follows(998, 30));
  EXPECT_EQ(answer["decided"], 30);
  EXPECT_EQ(answer["followed"], 2);
  EXPECT_EQ(answer["unchanged"], 0);
  EXPECT_EQ(answer["rejected"], 28);
  EXPECT_EQ(answer["reasons"], Json({{"follow_limit", 28}}));
  ASSERT_EQ(answer["refused"].size(), 20U);
  EXPECT_EQ(answer["refused"][0], Json({{"line", 3},
                                        {"outcome", "rejected"},
                                        {"reason", "follow_limit"},
                                        {"subject", "1"},
                                        {"object", "1000"}}));
}

TEST_F(ImportOutcomesTest, CopiesAndOthersEventsAreNotCounted) {
  copies_ = 2;
  for (const char* id : {"", "theirs"}) {
    Event event;
    event.event_id = id;
    event.subject = UserId(1);
    event.object = UserId(2);
    const auto p = static_cast<std::size_t>(PartitionOf(event.subject, kPartitions).value);
    log().Of(topics::kRelationEvents)[p].push_back({"1", EncodeEvent(event), 0});
  }
  const Json answer = ImportJson(Follows(3, 5));
  EXPECT_EQ(answer["followed"], 5);
  EXPECT_EQ(answer["decided"], 5);
}

TEST_F(ImportOutcomesTest, AnEventThatIsInTheLogTwiceIsOneLine) {
  log().on_poll = [this] {
    if (!decides_) return;
    // As a batch leaves it that was sent again.
    const auto home = static_cast<std::size_t>(PartitionOf(UserId(1), kPartitions).value);
    auto& events = log().Of(topics::kRelationEvents)[home];
    const testing::FakeTopic::value_type sent(events.begin(), events.begin() + 3);
    events.insert(events.begin() + 3, sent.begin(), sent.end());
    DecideAll();
    decides_ = false;
  };
  const Json answer = ImportJson(Follows(3, 5));
  EXPECT_EQ(answer["followed"], 5);
  EXPECT_EQ(answer["decided"], 5);
}

TEST_F(ImportOutcomesTest, WithoutAWaitNothingIsSaidOfOutcomes) {
  options_.waits = false;
  decides_ = false;
  EXPECT_EQ(Import(Follows(2, 5)), ExitCode::kFine);
  EXPECT_EQ(fake_.out.text().find("followed"), std::string::npos);
}

TEST_F(ImportOutcomesTest, WhereNothingIsDecidedItGivesUpAndSaysWhoLags) {
  decides_ = false;
  lanes()[0].state = LaneState::kPaused;
  lanes()[0].state_reason = "lunch";
  std::string text;
  for (int user = 1; user < 50; ++user) text += fmt::format("{} 100\n", user);
  EXPECT_EQ(Import(text), ExitCode::kDifferent);
  EXPECT_TRUE(Said("49 events are in the log and not known to be decided yet"));
  EXPECT_TRUE(Said("paused (lunch)"));
  EXPECT_EQ(fake_.clock.steady_ms, options_.timeout_ms);
}

TEST_F(ImportOutcomesTest, EachDecisionGivesItMoreTime) {
  int polls = 0;
  log().on_poll = [this, &polls] {
    fake_.clock.steady_ms += options_.timeout_ms - 1;
    if (++polls % 2 != 0) return;
    // One more of those that are there.
    for (std::size_t p = 0; p < kPartitions; ++p) {
      auto& events = log().Of(topics::kRelationEvents)[p];
      if (decided_[p] == events.size()) continue;
      const testing::FakeTopic::value_type all = events;
      events.resize(decided_[p] + 1);
      DecideAll();
      events = all;
      return;
    }
  };
  EXPECT_EQ(Import(Follows(2, 5)), ExitCode::kFine) << fake_.err.text();
  EXPECT_GT(fake_.clock.steady_ms, 4 * options_.timeout_ms);
}

TEST_F(ImportOutcomesTest, AHaltedLaneThatHasToDecideEndsItAtOnce) {
  decides_ = false;
  const auto own = static_cast<std::size_t>(PartitionOf(UserId(1), kPartitions).value);
  LaneStatus& other = lanes()[(own + 1) % kPartitions];
  other.state = LaneState::kHalted;
  options_.timeout_ms = 1000;
  EXPECT_EQ(Import(Follows(2, 5)), ExitCode::kDifferent);
  lanes()[own].state = LaneState::kHalted;
  lanes()[own].state_reason = "outcomes_truncated";
  EXPECT_EQ(Import(Follows(2, 5)), ExitCode::kRefused);
  EXPECT_TRUE(Said("halted (outcomes_truncated)"));
}

// UTF-16 that ends in half a character.
TEST_F(ImportOutcomesTest, WhatStandsBeforeWhatCannotBeReadIsToldToo) {
  std::string text = "\xFF\xFE";
  for (const char c : Follows(kForbiddenFrom - 1, 3)) text.append({c, '\0'});
  EXPECT_EQ(Import(text + '1'), ExitCode::kError);
  EXPECT_NE(fake_.out.text().find("followed 1, unfollowed 0, unchanged 0, rejected 2"),
            std::string::npos)
      << fake_.out.text();
  EXPECT_TRUE(Said("everything before line"));
}

TEST_F(ImportOutcomesTest, InterruptEndsTheWait) {
  decides_ = false;
  fake_.interrupt.interrupt_at = 3;
  EXPECT_EQ(Import(Follows(2, 5)), ExitCode::kError);
  EXPECT_TRUE(Said("5 events are in the log and not known to be decided yet: interrupted"));
}

TEST_F(ImportOutcomesTest, PostsToo) {
  options_.source.layout.of = operations::ImportOf::kPosts;
  const auto p = static_cast<std::size_t>(PartitionOf(UserId(7), kPartitions).value);
  log().on_poll = [this, p] {
    for (std::size_t& done = decided_[p]; done < log().Of(topics::kPostEvents)[p].size(); ++done) {
      const auto event = DecodePostEvent(*log().Of(topics::kPostEvents)[p][done].value);
      PostOutcome outcome;
      outcome.kind = done == 0 ? PostOutcomeKind::kPosted : PostOutcomeKind::kRejected;
      if (done > 0) outcome.rejected = PostRejection::kUserDeleted;
      outcome.position = {Partition(static_cast<std::int32_t>(p)),
                          Offset(static_cast<std::int64_t>(done))};
      outcome.event_id = event->event_id;
      outcome.author = event->author;
      outcome.post_id = event->post_id;
      log().Of(topics::kPostOutcomes)[p].push_back({"7", EncodePostOutcome(outcome), 0});
    }
  };
  EXPECT_EQ(Import("{\"author\":\"7\",\"post_id\":\"1\"}\n{\"author\":\"7\",\"post_id\":\"2\"}\n"),
            ExitCode::kFine)
      << fake_.err.text();
  EXPECT_NE(
      fake_.out.text().find("posted 1, post_deleted 0, unchanged 0, rejected 1: user_deleted 1\n"),
      std::string::npos)
      << fake_.out.text();
  EXPECT_TRUE(Said("line 2: rejected, user_deleted, author 7, post_id 2"));
}

}  // namespace
}  // namespace fanfold
