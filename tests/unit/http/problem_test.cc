#include "common/http/problem.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fanfold::http {
namespace {

struct ProblemCase {
  ProblemKind kind;
  int status;
  const char* name;
  friend void PrintTo(const ProblemCase& of, std::ostream* out) { *out << of.name; }
};
class Problems : public ::testing::TestWithParam<ProblemCase> {};

TEST_P(Problems, HaveTheirStatusAndCode) {
  const Response response = Problem(GetParam().kind, "why \"so\"\n");
  EXPECT_EQ(response.status, GetParam().status);
  EXPECT_EQ(GetParam().kind.code, GetParam().name);
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
    ::testing::Values(ProblemCase{problems::kInvalidArgument, 400, "invalid_argument"},
                      ProblemCase{problems::kInvalidCursor, 400, "invalid_cursor"},
                      ProblemCase{problems::kUnknownParameter, 400, "unknown_parameter"},
                      ProblemCase{problems::kOriginRefused, 403, "origin_refused"},
                      ProblemCase{problems::kNotFound, 404, "not_found"},
                      ProblemCase{problems::kMethodNotAllowed, 405, "method_not_allowed"},
                      ProblemCase{problems::kBodyTooLarge, 413, "body_too_large"},
                      ProblemCase{problems::kUnsupportedMediaType, 415, "unsupported_media_type"},
                      ProblemCase{problems::kInternal, 500, "internal"},
                      ProblemCase{problems::kOverloaded, 503, "overloaded"},
                      ProblemCase{problems::kNotReady, 503, "not_ready"},
                      ProblemCase{problems::kRequestTimeout, 408, "request_timeout"},
                      ProblemCase{problems::kHeadersTooLarge, 431, "headers_too_large"},
                      ProblemCase{problems::kNotImplemented, 501, "not_implemented"}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace fanfold::http
