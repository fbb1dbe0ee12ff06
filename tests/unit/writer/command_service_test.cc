#include "writer/command_service.h"

#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/relation/edge.h"
#include "tests/unit/writer/fakes.h"
#include "writer/command_policy.h"

namespace fanfold::writer {
namespace {

constexpr std::int32_t kTopicPartitions = 8;
constexpr std::int64_t kWaitMs = 1000;

class CommandServiceTest : public ::testing::Test {
 protected:
  CommandServiceTest() {
    service_->Connect(kTopicPartitions, std::make_unique<FakeAppender>(topic_));
  }

  void Submit(const Command& command, std::optional<std::int64_t> wait_ms = std::nullopt) {
    service_->Submit(command, wait_ms,
                     [this](Answer answer) { answers_.push_back(std::move(answer)); });
  }

  void SubmitBatch(std::vector<ParsedCommand> commands) {
    service_->SubmitBatch(std::move(commands), [this](std::vector<Answer> answers) {
      batches_.push_back(std::move(answers));
    });
  }

  [[nodiscard]] Outcome OutcomeOf(const Event& event, OutcomeKind kind) const {
    Outcome outcome;
    outcome.kind = kind;
    outcome.event_id = event.event_id;
    outcome.position = {PartitionOf(event.subject, kTopicPartitions), Offset(77)};
    return outcome;
  }

  static constexpr std::size_t kWaitersMax = 2;
  FakeClock clock_;
  FakeTopic topic_;
  OutcomeWaiters waiters_{clock_, kWaitersMax};
  std::vector<Answer> answers_;
  std::vector<std::vector<Answer>> batches_;
  std::unique_ptr<CommandService> service_ =
      std::make_unique<CommandService>(waiters_, clock_, 0xabcdU);
};

TEST_F(CommandServiceTest, AppendsTheEventToItsSubjectsPartition) {
  Command command = FollowOf(12, 34);
  command.type = EventType::kUnfollow;
  command.by = AskedBy::kObject;
  Submit(command);
  ASSERT_EQ(topic_.records.size(), 1U);
  const FakeTopic::Record& record = topic_.records[0];
  EXPECT_EQ(record.partition, PartitionOf(UserId(12), kTopicPartitions));
  EXPECT_EQ(record.key, "12");
  EXPECT_EQ(record.event.type, EventType::kUnfollow);
  EXPECT_EQ(record.event.by, AskedBy::kObject);
  EXPECT_EQ(record.event.subject, UserId(12));
  EXPECT_EQ(record.event.object, UserId(34));
  EXPECT_EQ(record.event.at_ms, clock_.now_ms);
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_EQ(answers_[0]->logged.event_id, record.event.event_id);
  EXPECT_EQ(answers_[0]->logged.position, (Position{record.partition, Offset(0)}));
  EXPECT_FALSE(answers_[0]->outcome.has_value());
}

TEST_F(CommandServiceTest, KeepsTheTimeItIsGiven) {
  Command command = FollowOf(1, 2);
  command.at_ms = 5;
  Submit(command);
  EXPECT_EQ(topic_.records.at(0).event.at_ms, 5);
}

TEST_F(CommandServiceTest, AReplayKeepsWhatItReplaysAndTheVersionItAllows) {
  Command command = FollowOf(1, 2);
  command.if_version = Version(9);
  command.replay_of = Position{Partition(3), Offset(4)};
  Submit(command);
  EXPECT_EQ(topic_.records.at(0).event.if_version, command.if_version);
  EXPECT_EQ(topic_.records.at(0).event.replay_of, command.replay_of);
}

TEST_F(CommandServiceTest, AnEventKeepsTheIdThatItIsGiven) {
  Command command = FollowOf(1, 2);
  command.event_id = "0123456789abcdef0000000000000001";
  Submit(command);
  EXPECT_EQ(topic_.records.at(0).event.event_id, command.event_id);
  EXPECT_EQ(answers_.at(0)->logged.event_id, command.event_id);
}

TEST_F(CommandServiceTest, EventIdsAreThirtyTwoHexDigitsAndNeverRepeat) {
  std::set<std::string> ids;
  for (std::uint64_t object = 2; object < 1002; ++object) Submit(FollowOf(1, object));
  for (const FakeTopic::Record& record : topic_.records) ids.insert(record.event.event_id);
  EXPECT_EQ(ids.size(), 1000U);
  EXPECT_EQ(*ids.begin(), "000000000000abcd0000000000000000");
}

TEST_F(CommandServiceTest, AnswersOnlyWhenTheLogHasTheEvent) {
  topic_.hold_acks = true;
  Submit(FollowOf(1, 2));
  EXPECT_TRUE(answers_.empty());
  ReleaseAcks(topic_);
  EXPECT_EQ(answers_.size(), 1U);
}

TEST_F(CommandServiceTest, SelfFollowIsRefusedWithoutAnEvent) {
  Submit(FollowOf(7, 7));
  Submit(FollowOf(7, 7), kWaitMs);
  EXPECT_TRUE(topic_.records.empty());
  ASSERT_EQ(answers_.size(), 2U);
  EXPECT_EQ(answers_[0].error().code, RefusalCode::kSelfFollow);
  EXPECT_EQ(answers_[1].error().code, RefusalCode::kSelfFollow);
}

TEST_F(CommandServiceTest, UntilItIsConnectedTheLogIsUnavailable) {
  service_ = std::make_unique<CommandService>(waiters_, clock_, 1);
  Submit(FollowOf(1, 2));
  Submit(FollowOf(1, 2), kWaitMs);
  ASSERT_EQ(answers_.size(), 2U);
  EXPECT_EQ(answers_[0].error().code, RefusalCode::kLogUnavailable);
  EXPECT_EQ(answers_[1].error().code, RefusalCode::kLogUnavailable);
  EXPECT_EQ(waiters_.size(), 0U);
  EXPECT_TRUE(service_->Flush(0));
}

TEST_F(CommandServiceTest, EachFailureOfTheLogHasItsRefusal) {
  const std::vector<std::pair<ErrorCode, RefusalCode>> table = {
      {ErrorCode::kOverloaded, RefusalCode::kOverloaded},
      {ErrorCode::kUnavailable, RefusalCode::kLogUnavailable},
      {ErrorCode::kUnknown, RefusalCode::kLogUnavailable},
      {ErrorCode::kInternal, RefusalCode::kLogUnavailable}};
  for (const auto& [error, refusal] : table) {
    for (const auto& wait : {std::optional<std::int64_t>(), std::optional(kWaitMs)}) {
      answers_.clear();
      topic_.on_append = [code = error](const Event&) { return Error{code, "so it is"}; };
      Submit(FollowOf(1, 2), wait);
      ASSERT_EQ(answers_.size(), 1U) << ToString(error);
      EXPECT_EQ(answers_[0].error().code, refusal) << ToString(error);
      EXPECT_FALSE(answers_[0].error().detail.contains("so it is")) << ToString(error);
      EXPECT_EQ(waiters_.size(), 0U) << ToString(error);
    }
  }
}

TEST_F(CommandServiceTest, WordsOfTheLogAreLogged) {
  topic_.on_append = [](const Event&) { return Error{ErrorCode::kUnavailable, "no right"}; };
  ::testing::internal::CaptureStderr();
  Submit(FollowOf(1, 2));
  EXPECT_TRUE(::testing::internal::GetCapturedStderr().contains("no right"));
}

TEST_F(CommandServiceTest, UnknownSaysThatTheSameRequestIsSafe) {
  topic_.on_append = [](const Event&) { return Error{ErrorCode::kUnknown, "timed out"}; };
  Submit(FollowOf(1, 2));
  EXPECT_NE(answers_.at(0).error().detail.find("send the same request again"), std::string::npos);
}

TEST_F(CommandServiceTest, TheOutcomeThatBeatsTheAckIsTheAnswer) {
  topic_.on_append = [this](const Event& event) -> std::optional<Error> {
    waiters_.Deliver(OutcomeOf(event, OutcomeKind::kFollowed));
    return std::nullopt;
  };
  Submit(FollowOf(1, 2), kWaitMs);
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_EQ(answers_[0]->outcome, OutcomeKind::kFollowed);
  EXPECT_EQ(answers_[0]->logged.position.offset, Offset(77));
  EXPECT_EQ(waiters_.size(), 0U);
}

TEST_F(CommandServiceTest, TheOutcomeAfterTheAckIsTheAnswer) {
  Submit(FollowOf(1, 2), kWaitMs);
  EXPECT_TRUE(answers_.empty());
  waiters_.Deliver(OutcomeOf(topic_.records.at(0).event, OutcomeKind::kUnchanged));
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_EQ(answers_[0]->outcome, OutcomeKind::kUnchanged);
  EXPECT_EQ(answers_[0]->logged.event_id, topic_.records[0].event.event_id);
}

TEST_F(CommandServiceTest, ARejectionIsARefusalOfALoggedEvent) {
  Submit(FollowOf(1, 2), kWaitMs);
  Outcome outcome = OutcomeOf(topic_.records.at(0).event, OutcomeKind::kRejected);
  outcome.rejected = RejectReason::kFollowLimit;
  outcome.subject = UserId(1);
  outcome.limit = 1000;
  waiters_.Deliver(outcome);
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_EQ(answers_[0].error().code, RefusalCode::kFollowLimit);
  EXPECT_EQ(answers_[0].error().detail, "rejected: follow_limit, 1 follows at most 1000");
  EXPECT_EQ(answers_[0].error().logged, (Logged{outcome.event_id, outcome.position}));
}

TEST_F(CommandServiceTest, AParkedEventIsNotTakenForDecided) {
  Submit(FollowOf(1, 2), kWaitMs);
  waiters_.Deliver(Park({Partition(0), Offset(3)}, ParkReason::kWrongPartition,
                        topic_.records.at(0).event.event_id));
  EXPECT_EQ(answers_.at(0).error().code, RefusalCode::kParked);
}

TEST_F(CommandServiceTest, OutOfTimeTheAckIsTheAnswer) {
  Submit(FollowOf(1, 2), kWaitMs);
  clock_.steady_ms += kWaitMs;
  waiters_.ExpireDue();
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_FALSE(answers_[0]->outcome.has_value());
  EXPECT_EQ(answers_[0]->logged.position.offset, Offset(0));
}

TEST_F(CommandServiceTest, OutOfTimeBeforeTheAckTheAckIsWaitedFor) {
  topic_.hold_acks = true;
  Submit(FollowOf(1, 2), kWaitMs);
  Submit(FollowOf(1, 3), kWaitMs);
  clock_.steady_ms += kWaitMs;
  waiters_.ExpireDue();
  EXPECT_TRUE(answers_.empty());
  ReleaseAcks(topic_, Fail(ErrorCode::kUnavailable, "away"));
  ASSERT_EQ(answers_.size(), 2U);
  EXPECT_EQ(answers_[0].error().code, RefusalCode::kLogUnavailable);
}

TEST_F(CommandServiceTest, OutOfTimeBeforeTheAckTheAckIsTheAnswer) {
  topic_.hold_acks = true;
  Submit(FollowOf(1, 2), kWaitMs);
  clock_.steady_ms += kWaitMs;
  waiters_.ExpireDue();
  ReleaseAcks(topic_);
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_FALSE(answers_[0]->outcome.has_value());
  EXPECT_EQ(answers_[0]->logged.event_id, topic_.records.at(0).event.event_id);
}

TEST_F(CommandServiceTest, TooManyWaitersAreRefusedBeforeAnythingIsAppended) {
  for (std::uint64_t object : {2, 3, 4}) Submit(FollowOf(1, object), kWaitMs);
  EXPECT_EQ(topic_.records.size(), kWaitersMax);
  ASSERT_EQ(answers_.size(), 1U);
  EXPECT_EQ(answers_[0].error().code, RefusalCode::kOverloaded);
  Submit(FollowOf(1, 5));
  EXPECT_EQ(topic_.records.size(), kWaitersMax + 1) << "who does not wait is not held up";
}

TEST_F(CommandServiceTest, ABatchIsAppendedInOrderAndAnsweredInOrder) {
  topic_.hold_acks = true;
  SubmitBatch({FollowOf(1, 2), Refuse(RefusalCode::kInvalidArgument, "wrong"), FollowOf(3, 3),
               FollowOf(1, 4)});
  EXPECT_TRUE(batches_.empty());
  ASSERT_EQ(topic_.records.size(), 2U);
  EXPECT_EQ(topic_.records[0].event.object, UserId(2));
  EXPECT_EQ(topic_.records[1].event.object, UserId(4));
  ReleaseAcks(topic_);
  ASSERT_EQ(batches_.size(), 1U);
  const std::vector<Answer>& answers = batches_[0];
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_EQ(answers[0]->logged.event_id, topic_.records[0].event.event_id);
  EXPECT_EQ(answers[0]->logged.position.offset, Offset(0));
  EXPECT_EQ(answers[1].error().code, RefusalCode::kInvalidArgument);
  EXPECT_EQ(answers[1].error().detail, "wrong");
  EXPECT_EQ(answers[2].error().code, RefusalCode::kSelfFollow);
  EXPECT_EQ(answers[3]->logged.position.offset, Offset(1));
}

TEST_F(CommandServiceTest, ABatchOfWrongEventsIsAnsweredAtOnce) {
  SubmitBatch({FollowOf(3, 3), FollowOf(4, 4)});
  ASSERT_EQ(batches_.size(), 1U);
  EXPECT_TRUE(topic_.records.empty());
}

TEST_F(CommandServiceTest, InABatchEachEventHasTheLogsOwnAnswer) {
  topic_.on_append = [](const Event& event) -> std::optional<Error> {
    if (event.object == UserId(3)) return Error{ErrorCode::kOverloaded, "full"};
    return std::nullopt;
  };
  SubmitBatch({FollowOf(1, 2), FollowOf(1, 3), FollowOf(1, 4)});
  ASSERT_EQ(batches_.size(), 1U);
  EXPECT_TRUE(batches_[0][0].has_value());
  EXPECT_EQ(batches_[0][1].error().code, RefusalCode::kOverloaded);
  EXPECT_TRUE(batches_[0][2].has_value());
}

TEST_F(CommandServiceTest, StoppingAnswersWhatIsUnderWay) {
  topic_.hold_acks = true;
  Submit(FollowOf(1, 2));
  Submit(FollowOf(1, 3), kWaitMs);
  SubmitBatch({FollowOf(1, 4)});
  service_.reset();
  ASSERT_EQ(answers_.size(), 2U);
  EXPECT_EQ(answers_[0].error().code, RefusalCode::kLogUnavailable);
  EXPECT_EQ(answers_[1].error().code, RefusalCode::kLogUnavailable);
  ASSERT_EQ(batches_.size(), 1U);
  EXPECT_TRUE(RefuseWholeBatch(batches_[0]).has_value());
}

}  // namespace
}  // namespace fanfold::writer
