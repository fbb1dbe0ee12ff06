#include "common/stream/record_fields.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/relation/printing.h"

namespace fanfold {
namespace {

RecordFields Fields(std::string_view members) {
  auto fields = RecordFields::Parse(R"({"v":1,)" + std::string(members) + "}", 1);
  EXPECT_TRUE(fields.has_value()) << members;
  return *std::move(fields);
}

// What is wrong, or nothing, once `read` has looked at the fields.
template <class Read>
std::optional<ParkReason> Reason(std::string_view members, const Read& read) {
  RecordFields fields = Fields(members);
  (void)read(fields);
  return fields.ok() ? std::nullopt : std::optional(fields.Wrong().error().reason);
}

TEST(RecordFields, NeedAVersionThatIsKnown) {
  EXPECT_TRUE(RecordFields::Parse(R"({"v":2})", 2).has_value());
  EXPECT_EQ(RecordFields::Parse(R"({"v":3})", 2).error().reason, ParkReason::kFutureVersion);
  EXPECT_EQ(RecordFields::Parse(R"({"v":0})", 2).error().reason, ParkReason::kInvalidField);
  EXPECT_EQ(RecordFields::Parse("{}", 2).error().reason, ParkReason::kMissingField);
  EXPECT_EQ(RecordFields::Parse("[]", 2).error().reason, ParkReason::kMalformed);
}

TEST(RecordFields, AFieldOfAnObjectStandsBehindASlash) {
  RecordFields fields = Fields(R"("a":{"b":{"c":"deep"},"d":7},"a/d":8,"":"none")");
  EXPECT_EQ(fields.Text("a/b/c"), "deep");
  EXPECT_EQ(fields.Number("a/d"), 7);
  for (const char* name : {"a/c", "b", "a/d/e", "a/b/c/d", "a/", "/a", "v/a"}) {
    EXPECT_FALSE(fields.Has(name)) << name;
  }
  EXPECT_TRUE(fields.ok());
}

TEST(RecordFields, KeepTheFirstThingThatIsWrong) {
  RecordFields fields = Fields(R"("event_id":"e","at":"late")");
  (void)fields.Number("at");
  (void)fields.User("user");
  const Unreadable wrong = fields.Wrong().error();
  EXPECT_EQ(wrong.reason, ParkReason::kInvalidField);
  EXPECT_EQ(wrong.event_id, "e");
}

TEST(RecordFields, TextOrNullMayBeAbsentNullOrShort) {
  EXPECT_EQ(Fields(R"("name":"four")").TextOrNull("name", 4), "four");
  EXPECT_EQ(Fields(R"("name":"")").TextOrNull("name", 4), "");
  EXPECT_EQ(Fields(R"("name":null)").TextOrNull("name", 4), std::nullopt);
  EXPECT_EQ(Fields(R"("other":"")").TextOrNull("name", 4), std::nullopt);
  const auto read = [](RecordFields& fields) { return fields.TextOrNull("name", 4); };
  EXPECT_EQ(Reason(R"("name":"four")", read), std::nullopt);
  EXPECT_EQ(Reason(R"("name":"three")", read), ParkReason::kInvalidField);
  EXPECT_EQ(Reason(R"("name":"éé")", read), std::nullopt);
  EXPECT_EQ(Reason(R"("name":"ééa")", read), ParkReason::kInvalidField);
  EXPECT_EQ(Reason(R"("name":4)", read), ParkReason::kInvalidField);
  EXPECT_EQ(Reason(R"("name":{})", read), ParkReason::kInvalidField);
}

TEST(RecordFields, AFlagIsFalseWhenAbsent) {
  EXPECT_TRUE(Fields(R"("on":true)").Flag("on"));
  EXPECT_FALSE(Fields(R"("on":false)").Flag("on"));
  EXPECT_FALSE(Fields(R"("off":true)").Flag("on"));
  const auto read = [](RecordFields& fields) { return fields.Flag("on"); };
  EXPECT_EQ(Reason(R"("off":true)", read), std::nullopt);
  for (const char* wrong : {R"("on":1)", R"("on":"true")", R"("on":null)", R"("on":[true])"}) {
    EXPECT_EQ(Reason(wrong, read), ParkReason::kInvalidField) << wrong;
  }
}

TEST(RecordFields, NumbersAreAListOrAbsent) {
  EXPECT_EQ(Fields(R"("ends":{"a":[0,9223372036854775807]})").Numbers("ends/a", 2),
            (std::vector<std::int64_t>{0, 9223372036854775807}));
  EXPECT_EQ(Fields(R"("ends":{"a":[]})").Numbers("ends/a", 2), std::vector<std::int64_t>());
  EXPECT_EQ(Fields(R"("ends":{"b":[1]})").Numbers("ends/a", 2), std::vector<std::int64_t>());
  const auto read = [](RecordFields& fields) { return fields.Numbers("ends", 2); };
  EXPECT_EQ(Reason(R"("ends":[1,2])", read), std::nullopt);
  for (const char* wrong :
       {R"("ends":[1,2,3])", R"("ends":[-1])", R"("ends":[1.5])", R"("ends":["1"])",
        R"("ends":[9223372036854775808])", R"("ends":null)", R"("ends":1)", R"("ends":{"a":1})"}) {
    EXPECT_EQ(Reason(wrong, read), ParkReason::kInvalidField) << wrong;
  }
}

TEST(RecordFields, AnObjectIsNeeded) {
  const auto read = [](RecordFields& fields) {
    fields.NeedObject("profile");
    return 0;
  };
  EXPECT_EQ(Reason(R"("profile":{})", read), std::nullopt);
  EXPECT_EQ(Reason(R"("other":{})", read), ParkReason::kMissingField);
  EXPECT_EQ(Reason(R"("profile":null)", read), ParkReason::kInvalidField);
  EXPECT_EQ(Reason(R"("profile":[])", read), ParkReason::kInvalidField);
}

TEST(CheckPlace, IsTheKeyOfTheUserInHisPartition) {
  constexpr std::int32_t kPartitions = 16;
  const Partition home = PartitionOf(UserId(7), kPartitions);
  EXPECT_TRUE(CheckPlace("user", UserId(7), "7", home, kPartitions).has_value());
  const auto other_key = CheckPlace("user", UserId(7), "8", home, kPartitions);
  EXPECT_EQ(other_key.error().reason, ParkReason::kKeyMismatch);
  EXPECT_EQ(other_key.error().detail, "the key is not the user");
  EXPECT_EQ(CheckPlace("user", UserId(7), std::nullopt, home, kPartitions).error().reason,
            ParkReason::kKeyMismatch);
  const auto elsewhere =
      CheckPlace("user", UserId(7), "7", Partition((home.value + 1) % 16), kPartitions);
  EXPECT_EQ(elsewhere.error().reason, ParkReason::kWrongPartition);
  EXPECT_TRUE(elsewhere.error().detail.starts_with("user 7 belongs in partition "));
}

}  // namespace
}  // namespace fanfold
