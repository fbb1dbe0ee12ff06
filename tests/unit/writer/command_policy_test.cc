#include "writer/command_policy.h"

#include <gtest/gtest.h>
#include <optional>
#include <vector>

#include "tests/unit/writer/fakes.h"

namespace fanfold::writer {
namespace {

std::optional<RefusalCode> CodeOf(const std::optional<Refusal>& refusal) {
  return refusal ? std::optional(refusal->code) : std::nullopt;
}

Answer Refused(RefusalCode code) { return Refuse(code, "because"); }

TEST(RefuseCommand, SelfFollowIsRefusedAndOthersAreNot) {
  EXPECT_EQ(CodeOf(RefuseCommand(FollowOf(7, 7))), RefusalCode::kSelfFollow);
  EXPECT_FALSE(RefuseCommand(FollowOf(7, 8)).has_value());
}

TEST(RefuseBatchSize, OneToTheLimitAreAllowed) {
  EXPECT_EQ(CodeOf(RefuseBatchSize(0)), RefusalCode::kInvalidArgument);
  EXPECT_FALSE(RefuseBatchSize(1).has_value());
  EXPECT_FALSE(RefuseBatchSize(kBatchEventsMax).has_value());
  EXPECT_EQ(CodeOf(RefuseBatchSize(kBatchEventsMax + 1)), RefusalCode::kBatchTooLarge);
}

TEST(RefuseWholeBatch, OneLoggedEventMakesItAnswerable) {
  const std::vector<Answer> answers = {Refused(RefusalCode::kLogUnavailable), Accepted{}};
  EXPECT_FALSE(RefuseWholeBatch(answers).has_value());
}

TEST(RefuseWholeBatch, NothingButWrongEventsIsAnswerable) {
  const std::vector<Answer> answers = {Refused(RefusalCode::kInvalidArgument),
                                       Refused(RefusalCode::kSelfFollow)};
  EXPECT_FALSE(RefuseWholeBatch(answers).has_value());
}

TEST(RefuseWholeBatch, WithoutTheLogItIsRefusedByTheFirstReason) {
  const std::vector<Answer> away = {Refused(RefusalCode::kInvalidArgument),
                                    Refused(RefusalCode::kLogUnavailable),
                                    Refused(RefusalCode::kOverloaded)};
  EXPECT_EQ(CodeOf(RefuseWholeBatch(away)), RefusalCode::kLogUnavailable);
  const std::vector<Answer> full = {Refused(RefusalCode::kOverloaded)};
  EXPECT_EQ(CodeOf(RefuseWholeBatch(full)), RefusalCode::kOverloaded);
}

TEST(RefusalOf, EveryRejectionHasItsCode) {
  EXPECT_EQ(RefusalOf(RejectReason::kSelfFollow), RefusalCode::kSelfFollow);
  EXPECT_EQ(RefusalOf(RejectReason::kFollowLimit), RefusalCode::kFollowLimit);
  EXPECT_EQ(RefusalOf(RejectReason::kSuperseded), RefusalCode::kSuperseded);
  EXPECT_EQ(RefusalOf(RejectReason::kUserDeleted), RefusalCode::kUserDeleted);
}

}  // namespace
}  // namespace fanfold::writer
