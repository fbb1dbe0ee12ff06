#include "common/http/problem.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fanfold::http {
namespace {

struct ProblemCase {
  ProblemCode code;
  int status;
  const char* name;
  friend void PrintTo(const ProblemCase& of, std::ostream* out) { *out << of.name; }
};
class Problems : public ::testing::TestWithParam<ProblemCase> {};

TEST_P(Problems, HaveTheirStatusAndCode) {
  const Response response = Problem(GetParam().code, "why \"so\"\n");
  EXPECT_EQ(response.status, GetParam().status);
  EXPECT_EQ(ToString(GetParam().code), GetParam().name);
  EXPECT_EQ(response.content_type, "application/problem+json");
  const auto body = nlohmann::json::parse(response.body);
  EXPECT_EQ(body.size(), 5U);
  EXPECT_EQ(body.at("status"), GetParam().status);
  EXPECT_EQ(body.at("code"), GetParam().name);
  EXPECT_EQ(body.at("detail"), "why \"so\"\n");
  EXPECT_TRUE(body.at("type").is_string());
  EXPECT_FALSE(body.at("title").get<std::string>().empty());
  const bool retries =
      std::ranges::find(response.headers, Header{"Retry-After", "1"}) != response.headers.end();
  EXPECT_EQ(retries, GetParam().status == 503);
}

INSTANTIATE_TEST_SUITE_P(
    Codes, Problems,
    ::testing::Values(ProblemCase{ProblemCode::kInvalidArgument, 400, "invalid_argument"},
                      ProblemCase{ProblemCode::kInvalidCursor, 400, "invalid_cursor"},
                      ProblemCase{ProblemCode::kUnknownParameter, 400, "unknown_parameter"},
                      ProblemCase{ProblemCode::kOriginRefused, 403, "origin_refused"},
                      ProblemCase{ProblemCode::kNotFound, 404, "not_found"},
                      ProblemCase{ProblemCode::kMethodNotAllowed, 405, "method_not_allowed"},
                      ProblemCase{ProblemCode::kPositionNotReached, 409, "position_not_reached"},
                      ProblemCase{ProblemCode::kBodyTooLarge, 413, "body_too_large"},
                      ProblemCase{ProblemCode::kUnsupportedMediaType, 415,
                                  "unsupported_media_type"},
                      ProblemCase{ProblemCode::kSelfFollow, 422, "self_follow"},
                      ProblemCase{ProblemCode::kFollowLimit, 422, "follow_limit"},
                      ProblemCase{ProblemCode::kSuperseded, 422, "superseded"},
                      ProblemCase{ProblemCode::kBatchTooLarge, 422, "batch_too_large"},
                      ProblemCase{ProblemCode::kInternal, 500, "internal"},
                      ProblemCase{ProblemCode::kLogUnavailable, 503, "log_unavailable"},
                      ProblemCase{ProblemCode::kStoreUnavailable, 503, "store_unavailable"},
                      ProblemCase{ProblemCode::kOverloaded, 503, "overloaded"},
                      ProblemCase{ProblemCode::kNotReady, 503, "not_ready"},
                      ProblemCase{ProblemCode::kRequestTimeout, 408, "request_timeout"},
                      ProblemCase{ProblemCode::kHeadersTooLarge, 431, "headers_too_large"},
                      ProblemCase{ProblemCode::kNotImplemented, 501, "not_implemented"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(JsonQuoted, QuotesEscapesAndReplacesWhatIsNotUtf8) {
  EXPECT_EQ(JsonQuoted("a\"b\\c\n"), R"("a\"b\\c\n")");
  EXPECT_EQ(JsonQuoted("é"), "\"é\"");
  EXPECT_EQ(JsonQuoted("\xff"), "\"\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace fanfold::http
