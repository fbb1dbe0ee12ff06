#include "common/stream/position.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>

#include "tests/unit/relation/printing.h"

namespace fanfold {
namespace {

struct PositionCase {
  std::string name;
  std::string_view text;
  std::optional<Position> position;
};

void PrintTo(const PositionCase& position, std::ostream* out) {
  *out << '"' << position.text << '"';
}

Position At(std::int32_t partition, std::int64_t offset) {
  return Position{Partition(partition), Offset(offset)};
}

class ParsePositionTest : public ::testing::TestWithParam<PositionCase> {};

TEST_P(ParsePositionTest, AcceptsItsGrammarOnly) {
  const auto position = ParsePosition(GetParam().text);
  EXPECT_EQ(position, GetParam().position);
  if (position) {
    EXPECT_EQ(ToString(*position), GetParam().text);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Texts, ParsePositionTest,
    ::testing::Values(
        PositionCase{"First", "0:0", At(0, 0)}, PositionCase{"Usual", "3:1042", At(3, 1042)},
        PositionCase{"Last", "1023:9223372036854775806", At(1023, 9223372036854775806)},
        PositionCase{"OffsetWithoutVersion", "0:9223372036854775807", std::nullopt},
        PositionCase{"PartitionTooHigh", "1024:0", std::nullopt},
        PositionCase{"PartitionPastInt32", "4294967296:0", std::nullopt},
        PositionCase{"Empty", "", std::nullopt}, PositionCase{"NoColon", "3", std::nullopt},
        PositionCase{"NoOffset", "3:", std::nullopt},
        PositionCase{"NoPartition", ":3", std::nullopt},
        PositionCase{"ColonAlone", ":", std::nullopt},
        PositionCase{"TwoColons", "3:1:2", std::nullopt},
        PositionCase{"NegativeOffset", "3:-1", std::nullopt},
        PositionCase{"NegativePartition", "-1:3", std::nullopt},
        PositionCase{"LeadingZero", "3:01", std::nullopt},
        PositionCase{"Space", "3: 1", std::nullopt},
        PositionCase{"Several", "3:1,4:1", std::nullopt}),
    [](const auto& param_info) { return param_info.param.name; });

StreamPosition OfRelations(std::int32_t partition, std::int64_t offset) {
  return {streams::kRelations, At(partition, offset)};
}

struct StreamPositionCase {
  std::string name;
  std::string_view text;
  std::optional<StreamPosition> position;
};

void PrintTo(const StreamPositionCase& position, std::ostream* out) {
  *out << '"' << position.text << '"';
}

class ParseStreamPositionTest : public ::testing::TestWithParam<StreamPositionCase> {};

TEST_P(ParseStreamPositionTest, AcceptsItsGrammarOnly) {
  EXPECT_EQ(ParseStreamPosition(GetParam().text), GetParam().position);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, ParseStreamPositionTest,
    ::testing::Values(
        StreamPositionCase{"OfTheRelationsWithoutName", "3:1042", OfRelations(3, 1042)},
        StreamPositionCase{"OfTheRelationsByName", "relation-events/3:1042", OfRelations(3, 1042)},
        StreamPositionCase{"OfAnotherStream", "user-events/3:10",
                           StreamPosition{streams::kUsers, At(3, 10)}},
        StreamPositionCase{"OfPosts", "post-events/3:10",
                           StreamPosition{streams::kPosts, At(3, 10)}},
        StreamPositionCase{"UnknownStream", "nobodys-events/3:1042", std::nullopt},
        StreamPositionCase{"TopicThatNamesNoStream", "relation-outcomes/3:1042", std::nullopt},
        StreamPositionCase{"NameInCapitals", "Relation-Events/3:1042", std::nullopt},
        StreamPositionCase{"EmptyName", "/3:1042", std::nullopt},
        StreamPositionCase{"NameAlone", "relation-events/", std::nullopt},
        StreamPositionCase{"NameTwice", "relation-events/relation-events/3:1", std::nullopt},
        StreamPositionCase{"Space", "relation-events /3:1", std::nullopt},
        StreamPositionCase{"NotAPosition", "relation-events/3", std::nullopt},
        StreamPositionCase{"Empty", "", std::nullopt}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(StreamPosition, IsReadAsItIsWritten) {
  for (const Stream stream : Stream::All()) {
    const StreamPosition position{stream, At(15, 7)};
    EXPECT_EQ(ParseStreamPosition(ToString(position)), position) << ToString(position);
  }
}

TEST(StreamPosition, OfTheRelationsIsWrittenAsItEverWas) {
  EXPECT_EQ(ToString(OfRelations(3, 1042)), "3:1042");
}

TEST(ParsePositions, OneOrSeveralKeepTheirOrder) {
  EXPECT_EQ(ParsePositions("3:1"), (std::vector{OfRelations(3, 1)}));
  EXPECT_EQ(ParsePositions("3:1,relation-events/0:9,15:0"),
            (std::vector{OfRelations(3, 1), OfRelations(0, 9), OfRelations(15, 0)}));
}

TEST(ParsePositions, APartitionOfEachStreamOnce) {
  std::string all;
  for (const Stream stream : Stream::All()) {
    all += (all.empty() ? "" : ",") + ToString(StreamPosition{stream, At(3, 1)});
  }
  ASSERT_TRUE(ParsePositions(all)) << all;
  EXPECT_EQ(ParsePositions(all)->size(), Stream::kCount);
  for (const Stream stream : Stream::All()) {
    EXPECT_FALSE(ParsePositions(all + "," + std::string(stream.name()) + "/3:2"));
  }
}

TEST(ParsePositions, RefusesTheSamePartitionTwiceAndStrayCommas) {
  for (const std::string_view text : {"", ",", "3:1,", ",3:1", "3:1,,4:1", "3:1,3:1", "3:1,4:1,3:2",
                                      "3:1, 4:1", "3:1;4:1", "3:1,relation-events/3:1"}) {
    EXPECT_FALSE(ParsePositions(text)) << text;
  }
}

TEST(ParsePositions, AsManyAsThereCanBePartitions) {
  std::string all;
  for (int partition = 0; partition < 1024; ++partition) {
    all += (partition == 0 ? "" : ",") + std::to_string(partition) + ":7";
  }
  ASSERT_TRUE(ParsePositions(all));
  EXPECT_EQ(ParsePositions(all)->size(), 1024U);
  EXPECT_FALSE(ParsePositions(all + ",0:8"));
}

}  // namespace
}  // namespace fanfold
