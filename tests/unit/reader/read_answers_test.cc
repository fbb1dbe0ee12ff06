#include "reader/read_answers.h"

#include <gtest/gtest.h>

namespace fanfold::reader {
namespace {

TEST(ProblemOf, SaysWhetherTheTablesOrTheServerFailed) {
  EXPECT_EQ(ProblemOf(ErrorCode::kOverloaded), http::problems::kOverloaded);
  for (const ErrorCode code : {ErrorCode::kConflict, ErrorCode::kUnavailable, ErrorCode::kUnknown,
                               ErrorCode::kTimeout, ErrorCode::kRefused}) {
    EXPECT_EQ(ProblemOf(code), kStoreUnavailable);
  }
  for (const ErrorCode code : {ErrorCode::kInvalidArgument, ErrorCode::kNotFound,
                               ErrorCode::kOutOfRange, ErrorCode::kFenced, ErrorCode::kInternal}) {
    EXPECT_EQ(ProblemOf(code), http::problems::kInternal);
  }
}

TEST(ProblemKinds, OfTheReaderHaveTheirStatusAndCode) {
  EXPECT_EQ(kPositionNotReached.status, 409);
  EXPECT_EQ(kPositionNotReached.code, "position_not_reached");
  EXPECT_EQ(kStoreUnavailable.status, 503);
  EXPECT_EQ(kStoreUnavailable.code, "store_unavailable");
}

}  // namespace
}  // namespace fanfold::reader
