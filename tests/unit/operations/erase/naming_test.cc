#include "operations/erase/naming.h"

#include <gtest/gtest.h>

#include "common/profile/profile_event.h"
#include "common/relation/codec.h"

namespace fanfold::operations {
namespace {

constexpr UserId kUser(7);

struct NamingCase {
  std::string name;
  Topic topic;
  std::optional<std::string> key;
  std::optional<std::string> value;
  bool names = false;
};
void PrintTo(const NamingCase& one, std::ostream* out) { *out << one.name; }

std::string EventOf(std::uint64_t subject, std::uint64_t object) {
  return EncodeEvent({.event_id = "7",
                      .type = EventType::kFollow,
                      .subject = UserId(subject),
                      .object = UserId(object),
                      .at_ms = 7,
                      .by = AskedBy::kSubject,
                      .if_version = {},
                      .replay_of = {},
                      .trace = {}});
}
std::string OutcomeOf(std::uint64_t subject, std::uint64_t object) {
  Outcome outcome;
  outcome.kind = OutcomeKind::kFollowed;
  outcome.position = {Partition(3), Offset(7)};
  outcome.subject = UserId(subject);
  outcome.object = UserId(object);
  return EncodeOutcome(outcome);
}
std::string ProfileOf(std::uint64_t user) {
  return EncodeProfileEvent({"7", UserId(user), 7, ProfileSet{Profile{"7"}}});
}

class Naming : public ::testing::TestWithParam<NamingCase> {};

TEST_P(Naming, IsByKeyOrByWhatIsSaid) {
  LogRecord record;
  record.key = GetParam().key;
  record.value = GetParam().value;
  EXPECT_EQ(Names(GetParam().topic, record, kUser), GetParam().names);
}

INSTANTIATE_TEST_SUITE_P(
    Records, Naming,
    ::testing::Values(
        NamingCase{"Subject", topics::kRelationEvents, "7", EventOf(7, 8), true},
        NamingCase{"Object", topics::kRelationEvents, "8", EventOf(8, 7), true},
        NamingCase{"Neither", topics::kRelationEvents, "8", EventOf(8, 9), false},
        NamingCase{"OfAForeignKey", topics::kRelationEvents, "77", EventOf(7, 8), true},
        NamingCase{"GarbageWithHisKey", topics::kRelationEvents, "7", "garbage", true},
        NamingCase{"Garbage", topics::kRelationEvents, std::nullopt, "\"7\"", false},
        NamingCase{"Empty", topics::kRelationEvents, std::nullopt, std::nullopt, false},
        NamingCase{"OutcomeObject", topics::kRelationOutcomes, "8", OutcomeOf(8, 7), true},
        NamingCase{"OutcomeNeither", topics::kRelationOutcomes, "8", OutcomeOf(8, 9), false},
        NamingCase{"Profile", topics::kUserEvents, "77", ProfileOf(7), true},
        NamingCase{"ProfileOfAnother", topics::kUserEvents, "8", ProfileOf(8), false}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(InItsPlace, AnOutcomeParksItsEventAndAnEventIsEmpty) {
  LogRecord record;
  const std::string outcome = OutcomeOf(7, 8);
  record.value = outcome;
  const auto in_its_place = DecodeOutcome(ValueInItsPlace(topics::kRelationOutcomes, record));
  ASSERT_TRUE(in_its_place.has_value());
  EXPECT_EQ(in_its_place->kind, OutcomeKind::kParked);
  EXPECT_EQ(in_its_place->position, (Position{Partition(3), Offset(7)}));
  EXPECT_EQ(ValueInItsPlace(topics::kRelationOutcomes, record).find("\"7\""), std::string::npos);
  const std::string event = EventOf(7, 8);
  record.value = event;
  EXPECT_EQ(ValueInItsPlace(topics::kRelationEvents, record), "");
}

}  // namespace
}  // namespace fanfold::operations
