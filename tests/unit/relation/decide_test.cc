#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "common/relation/edge.h"
#include "tests/unit/relation/printing.h"

namespace fanfold {
namespace {

constexpr Position kPosition{Partition(3), Offset(41)};
constexpr FollowLimit kLimit{10};
constexpr std::int64_t kAt = 500;
constexpr std::int64_t kSince = 100;
using enum EventType;

constexpr Edge kNever{};
constexpr Edge kActive{true, kSince, Version(7)};
constexpr Edge kEnded{false, kSince, Version(7)};

struct DecideCase {
  std::string name;
  Edge edge;
  std::int64_t following;
  EventType type;
  std::optional<Version> if_version;
  OutcomeKind kind;
  std::int64_t since_ms;  // of what is not rejected
  std::optional<RejectReason> reason = std::nullopt;
};

void PrintTo(const DecideCase& decide, std::ostream* out) {
  *out << decide.edge << ", follows " << decide.following << ": " << decide.type;
}

Event EventOf(const DecideCase& decide, UserId subject, UserId object) {
  Event event;
  event.event_id = "e";
  event.type = decide.type;
  event.subject = subject;
  event.object = object;
  event.at_ms = kAt;
  event.if_version = decide.if_version;
  return event;
}

class DecideTest : public ::testing::TestWithParam<DecideCase> {};

TEST_P(DecideTest, SaysWhatBecomesOfTheEvent) {
  const DecideCase& c = GetParam();
  const Outcome outcome =
      Decide(c.edge, EdgeCount(c.following), EventOf(c, UserId(1), UserId(2)), kPosition, kLimit);
  EXPECT_EQ(outcome.kind, c.kind);
  EXPECT_EQ(outcome.rejected, c.reason);
  EXPECT_EQ(outcome.since_ms, c.since_ms);
  EXPECT_EQ(outcome.limit, c.reason == RejectReason::kFollowLimit ? kLimit.value : 0);
  EXPECT_FALSE(outcome.parked);
}

TEST_P(DecideTest, OutcomeNamesItsEvent) {
  const DecideCase& c = GetParam();
  for (const AskedBy by : {AskedBy::kSubject, AskedBy::kObject}) {
    Event event = EventOf(c, UserId(1), UserId(2));
    event.by = by;
    const Outcome outcome = Decide(c.edge, EdgeCount(c.following), event, kPosition, kLimit);
    EXPECT_EQ(outcome.position, kPosition);
    EXPECT_EQ(outcome.event_id, "e");
    EXPECT_EQ(outcome.subject, UserId(1));
    EXPECT_EQ(outcome.object, UserId(2));
    EXPECT_EQ(outcome.at_ms, kAt);
    EXPECT_EQ(outcome.kind, c.kind);
  }
}

TEST_P(DecideTest, SelfFollowIsRejectedBeforeAllElse) {
  const DecideCase& c = GetParam();
  const Outcome outcome =
      Decide(c.edge, EdgeCount(c.following), EventOf(c, UserId(2), UserId(2)), kPosition, kLimit);
  EXPECT_EQ(outcome.kind, OutcomeKind::kRejected);
  EXPECT_EQ(outcome.rejected, RejectReason::kSelfFollow);
}

TEST(Decide, WithoutALimitHeFollowsAsManyAsHeLikes) {
  const Event event =
      EventOf({"", kNever, 0, kFollow, {}, OutcomeKind::kFollowed, kAt}, UserId(1), UserId(2));
  for (const std::int64_t following : {0, 1, 1'000'000}) {
    const Outcome outcome = Decide(kNever, EdgeCount(following), event, kPosition, FollowLimit(0));
    EXPECT_EQ(outcome.kind, OutcomeKind::kFollowed) << following;
  }
}

using enum OutcomeKind;
constexpr auto kFollowLimit = RejectReason::kFollowLimit;
constexpr auto kSuperseded = RejectReason::kSuperseded;

INSTANTIATE_TEST_SUITE_P(
    Follows, DecideTest,
    ::testing::Values(
        DecideCase{"FirstFollow", kNever, 0, kFollow, {}, kFollowed, kAt},
        DecideCase{"FollowAgain", kEnded, 0, kFollow, {}, kFollowed, kAt},
        DecideCase{"AlreadyFollowing", kActive, 1, kFollow, {}, kUnchanged, kSince},
        DecideCase{"LastBelowLimit", kNever, 9, kFollow, {}, kFollowed, kAt},
        DecideCase{"AtLimit", kNever, 10, kFollow, {}, kRejected, 0, kFollowLimit},
        DecideCase{"AboveLimit", kNever, 11, kFollow, {}, kRejected, 0, kFollowLimit},
        DecideCase{"FollowAgainAtLimit", kEnded, 10, kFollow, {}, kRejected, 0, kFollowLimit},
        DecideCase{"AlreadyFollowingAtLimit", kActive, 10, kFollow, {}, kUnchanged, kSince},
        DecideCase{"AlreadyFollowingAboveLimit", kActive, 11, kFollow, {}, kUnchanged, kSince},
        DecideCase{"DriftedCountBelowZero", kNever, -1, kFollow, {}, kFollowed, kAt},
        DecideCase{"VersionAsAsked", kEnded, 0, kFollow, Version(7), kFollowed, kAt},
        DecideCase{"VersionBelowAsked", kEnded, 0, kFollow, Version(8), kFollowed, kAt},
        DecideCase{"VersionAboveAsked", kEnded, 0, kFollow, Version(6), kRejected, 0, kSuperseded},
        DecideCase{"NeverAndZeroAsked", kNever, 0, kFollow, Version(0), kFollowed, kAt},
        DecideCase{"ActiveAboveAsked", kActive, 1, kFollow, Version(6), kRejected, 0, kSuperseded},
        DecideCase{"SupersededBeforeLimit", kEnded, 10, kFollow, Version(6), kRejected, 0,
                   kSuperseded},
        DecideCase{"LimitAtTheVersionAsked", kEnded, 10, kFollow, Version(7), kRejected, 0,
                   kFollowLimit}),
    [](const auto& param_info) { return param_info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Unfollows, DecideTest,
    ::testing::Values(
        DecideCase{"Unfollow", kActive, 1, kUnfollow, {}, kUnfollowed, kSince},
        DecideCase{"NeverFollowed", kNever, 0, kUnfollow, {}, kUnchanged, 0},
        DecideCase{"AlreadyEnded", kEnded, 0, kUnfollow, {}, kUnchanged, kSince},
        DecideCase{"AtLimit", kActive, 10, kUnfollow, {}, kUnfollowed, kSince},
        DecideCase{"AboveLimit", kActive, 11, kUnfollow, {}, kUnfollowed, kSince},
        DecideCase{"NeverFollowedAtLimit", kNever, 10, kUnfollow, {}, kUnchanged, 0},
        DecideCase{"VersionAsAsked", kActive, 1, kUnfollow, Version(7), kUnfollowed, kSince},
        DecideCase{"VersionAboveAsked", kActive, 1, kUnfollow, Version(6), kRejected, 0,
                   kSuperseded},
        DecideCase{"EndedAboveAsked", kEnded, 0, kUnfollow, Version(6), kRejected, 0, kSuperseded},
        DecideCase{"NeverAndZeroAsked", kNever, 0, kUnfollow, Version(0), kUnchanged, 0}),
    [](const auto& param_info) { return param_info.param.name; });

constexpr auto kUserDeleted = RejectReason::kUserDeleted;
constexpr EndedOf kSubjectEnded{.subject = true, .object = false};
constexpr EndedOf kObjectEnded{.subject = false, .object = true};

struct EndedCase {
  std::string name;
  EndedOf ended;
  EventType type;
  AskedBy by;
  std::optional<Version> if_version;
  OutcomeKind kind;
};
void PrintTo(const EndedCase& ended, std::ostream* out) { *out << ended.name; }

class DecideOfEnded : public ::testing::TestWithParam<EndedCase> {};

TEST_P(DecideOfEnded, RejectsWhatWouldGoOn) {
  const EndedCase& c = GetParam();
  Event event = EventOf({"", {}, 0, c.type, c.if_version, c.kind, 0}, UserId(1), UserId(2));
  event.by = c.by;
  const Outcome outcome = Decide(kActive, EdgeCount(1), event, kPosition, kLimit, c.ended);
  EXPECT_EQ(outcome.kind, c.kind);
  EXPECT_EQ(outcome.rejected, c.kind == kRejected ? std::optional(kUserDeleted) : std::nullopt);
  event.type = kFollow;
  EXPECT_EQ(Decide(kNever, EdgeCount(10), event, kPosition, kLimit, c.ended).rejected, kUserDeleted)
      << "before the limit";
}

INSTANTIATE_TEST_SUITE_P(
    Ended, DecideOfEnded,
    ::testing::Values(
        EndedCase{"FollowsNobody", kSubjectEnded, kFollow, AskedBy::kSubject, {}, kRejected},
        EndedCase{"WithAVersionNeither", kSubjectEnded, kFollow, AskedBy::kSubject, Version(9),
                  kRejected},
        EndedCase{"AsksForNoUnfollow", kSubjectEnded, kUnfollow, AskedBy::kSubject, {}, kRejected},
        EndedCase{"ItsEndTakesBack", kSubjectEnded, kUnfollow, AskedBy::kSubject, Version(7),
                  kUnfollowed},
        EndedCase{"ItsEndComesLate", kSubjectEnded, kUnfollow, AskedBy::kObject, Version(7),
                  kUnfollowed},
        EndedCase{"OthersRemoveIt", kSubjectEnded, kUnfollow, AskedBy::kObject, {}, kUnfollowed},
        EndedCase{"NobodyFollowsIt", kObjectEnded, kFollow, AskedBy::kSubject, {}, kRejected},
        EndedCase{
            "WhoFollowsItMayStop", kObjectEnded, kUnfollow, AskedBy::kSubject, {}, kUnfollowed}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(RefuseAtOnce, OnlyASelfFollow) {
  EXPECT_EQ(RefuseAtOnce(UserId(1), UserId(1)), RejectReason::kSelfFollow);
  EXPECT_EQ(RefuseAtOnce(UserId(1), UserId(2)), std::nullopt);
}

TEST(Park, NamesPositionReasonAndId) {
  const Outcome outcome = Park(kPosition, ParkReason::kMalformed, "e");
  EXPECT_EQ(outcome.kind, OutcomeKind::kParked);
  EXPECT_EQ(outcome.position, kPosition);
  EXPECT_EQ(outcome.parked, ParkReason::kMalformed);
  EXPECT_EQ(outcome.event_id, "e");
  EXPECT_EQ(outcome.rejected, std::nullopt);
}

}  // namespace
}  // namespace fanfold
