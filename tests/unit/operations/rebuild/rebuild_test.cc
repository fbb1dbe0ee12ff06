#include "operations/rebuild/rebuild.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/unit/operations/fakes.h"

namespace fanfold::operations {
namespace {

class RebuildTest : public ::testing::Test {
 protected:
  RebuildTest() {
    for (const int number : {1, 2}) {
      GenerationRow& row = FakeShard().generations.emplace_back();
      row.projection = projections::kFans;
      row.generation = Generation(number);
    }
    FakeShard().catalog->read[projections::kFans] = Generation(2);
  }
  testing::FakeShard& FakeShard() { return fake_.backend.shard_states[0]; }
  Result<RebuildEnd> Run(RebuildStep step) {
    RebuildOptions options;
    options.step = step;
    options.projections = {projections::kFans};
    auto generations = Generations::Open(fake_.context);
    return Rebuild(fake_.context, options, *generations, [&](Projection, Generation generation) {
      asked_.push_back(generation);
      return false;
    });
  }

  testing::FakeContext fake_{1};
  std::vector<Generation> asked_;
};

TEST_F(RebuildTest, EachStepIsToldAndItsEndReturned) {
  const auto end = Run(RebuildStep::kRetire);
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(*end, RebuildEnd::kDone);
  EXPECT_EQ(fake_.progress.steps, std::vector<std::string>{"is dropped"});
  EXPECT_TRUE(asked_.empty());
}

TEST_F(RebuildTest, NothingToDropIsRefused) {
  const auto end = Run(RebuildStep::kCancel);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, ErrorCode::kRefused);
  EXPECT_TRUE(fake_.progress.steps.empty());
}

// It has rows, and no counts yet.
TEST_F(RebuildTest, WhatIsStillLoadingIsNotVerified) {
  GenerationRow& row = FakeShard().generations.emplace_back();
  row.projection = projections::kFans;
  row.generation = Generation(3);
  row.state = GenerationState::kLoading;
  const auto end = Run(RebuildStep::kVerify);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message,
            "generation 3 of fans is not loaded yet: `fanfold rebuild start fans` goes on with it");
  EXPECT_TRUE(fake_.progress.steps.empty());
}

}  // namespace
}  // namespace fanfold::operations
