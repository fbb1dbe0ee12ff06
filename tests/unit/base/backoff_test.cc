#include "common/base/backoff.h"

#include <gtest/gtest.h>

namespace fanfold {
namespace {

TEST(Backoff, DoublesUpToItsLimitAndStaysThere) {
  Backoff backoff(50, 300);
  for (const std::int64_t wait_ms : {50, 100, 200, 300, 300}) EXPECT_EQ(backoff.Next(), wait_ms);
}

TEST(Backoff, BeginsAgainAfterAReset) {
  Backoff backoff(50, 300);
  EXPECT_EQ(backoff.Next(), 50);
  EXPECT_EQ(backoff.Next(), 100);
  backoff.Reset();
  EXPECT_EQ(backoff.Next(), 50);
}

}  // namespace
}  // namespace fanfold
