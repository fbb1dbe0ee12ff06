#include "writer/answers.h"

#include <gtest/gtest.h>
#include <string>

namespace fanfold::writer {
namespace {

struct RefusalCase {
  RefusalCode refusal;
  int status;
  std::string code;
  friend void PrintTo(const RefusalCase& of, std::ostream* out) { *out << of.code; }
};
class Refusals : public ::testing::TestWithParam<RefusalCase> {};

TEST_P(Refusals, HaveTheirStatusAndCode) {
  const http::ProblemKind kind = ProblemOf(GetParam().refusal);
  EXPECT_EQ(kind.status, GetParam().status);
  EXPECT_EQ(kind.code, GetParam().code);
  EXPECT_FALSE(kind.title.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Codes, Refusals,
    ::testing::Values(RefusalCase{RefusalCode::kInvalidArgument, 400, "invalid_argument"},
                      RefusalCase{RefusalCode::kUnknownParameter, 400, "unknown_parameter"},
                      RefusalCase{RefusalCode::kSelfFollow, 422, "self_follow"},
                      RefusalCase{RefusalCode::kFollowLimit, 422, "follow_limit"},
                      RefusalCase{RefusalCode::kSuperseded, 422, "superseded"},
                      RefusalCase{RefusalCode::kBatchTooLarge, 422, "batch_too_large"},
                      RefusalCase{RefusalCode::kParked, 500, "internal"},
                      RefusalCase{RefusalCode::kLogUnavailable, 503, "log_unavailable"},
                      RefusalCase{RefusalCode::kOverloaded, 503, "overloaded"}),
    [](const auto& param_info) { return param_info.param.code; });

}  // namespace
}  // namespace fanfold::writer
