#include "common/base/result.h"

#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>

namespace fanfold {
namespace {

TEST(Result, ForwardCarriesAFailureIntoAnotherType) {
  Result<std::unique_ptr<int>> failed = Fail(ErrorCode::kFenced, "somebody else");
  const Status status = Forward(failed);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kFenced);
  EXPECT_EQ(status.error().message, "somebody else");
}

TEST(Result, EveryCodeHasANameOfItsOwn) {
  std::set<std::string> names;
  constexpr int kCodes = static_cast<int>(ErrorCode::kInternal) + 1;
  for (int code = 0; code < kCodes; ++code) names.insert(ToString(static_cast<ErrorCode>(code)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kCodes));
}

}  // namespace
}  // namespace fanfold
