#include "cli/deployment/reader_probe.h"

#include <gtest/gtest.h>

namespace fanfold {
namespace {

// As `fanfold wait --help` says.
TEST(ReaderProbe, WhereNothingListensNothingIsWaitedFor) {
  const StreamPosition last{streams::kRelations, {Partition(0), Offset(7)}};
  const auto reached = ReaderReached({.host = "127.0.0.1", .port = 1}, {&last, 1}, 10);
  ASSERT_TRUE(reached.has_value()) << reached.error().message;
  EXPECT_TRUE(*reached);
}

}  // namespace
}  // namespace fanfold
