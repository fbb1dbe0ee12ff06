#include "common/sql/generation_rules.h"

#include <gtest/gtest.h>
#include <ostream>
#include <string>

#include "common/sql/failure.h"

namespace fanfold {
namespace {

constexpr Projection kFans = projections::kFans;

GenerationRow Row(std::int32_t generation, SlotMapId map = kFirstSlotMap,
                  GenerationState state = GenerationState::kFolding) {
  GenerationRow row;
  row.projection = kFans;
  row.generation = Generation(generation);
  row.state = state;
  row.slot_map = map;
  return row;
}

struct ReadableCase {
  std::string name;
  Generation generation;
  SlotMapId read;
  ErrorCode code;  // kInternal: it may be read
};
void PrintTo(const ReadableCase& test, std::ostream* out) { *out << test.name; }

class CheckReadableTest : public ::testing::TestWithParam<ReadableCase> {};

TEST_P(CheckReadableTest, IsOfTheMapThatIsReadOrRefused) {
  const std::vector<GenerationRow> all = {Row(1), Row(2, SlotMapId(2)),
                                          Row(3, kFirstSlotMap, GenerationState::kLoading),
                                          Row(4, kFirstSlotMap, GenerationState::kSide)};
  const auto checked = ResultOf([&] {
    CheckReadable(all, kFans, GetParam().generation, GetParam().read);
    return true;
  });
  EXPECT_EQ(checked ? ErrorCode::kInternal : checked.error().code, GetParam().code);
}

INSTANTIATE_TEST_SUITE_P(
    Table, CheckReadableTest,
    ::testing::Values(
        ReadableCase{"Own", Generation(1), kFirstSlotMap, ErrorCode::kInternal},
        ReadableCase{"OwnOfAnotherMap", Generation(2), SlotMapId(2), ErrorCode::kInternal},
        ReadableCase{"AnotherMaps", Generation(2), kFirstSlotMap, ErrorCode::kRefused},
        ReadableCase{"FirstBesideAnother", Generation(1), SlotMapId(2), ErrorCode::kRefused},
        ReadableCase{"Loading", Generation(3), kFirstSlotMap, ErrorCode::kRefused},
        ReadableCase{"Side", Generation(4), kFirstSlotMap, ErrorCode::kRefused},
        ReadableCase{"NotThere", Generation(5), kFirstSlotMap, ErrorCode::kRefused}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(CheckReadable, BothMapsAreNamed) {
  const std::vector<GenerationRow> all = {Row(2, SlotMapId(3))};
  const auto checked = ResultOf([&] {
    CheckReadable(all, kFans, Generation(2), SlotMapId(1));
    return true;
  });
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message,
            "generation 2 of fans is of slot map 3, what is read of 1: all that is read have one "
            "map");
}

}  // namespace
}  // namespace fanfold
