#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/http/http_server.h"

namespace fanfold::http {
namespace {

Response Saying(std::string body) {
  Response response;
  response.body = std::move(body);
  return response;
}

class ReplyTest : public ::testing::Test {
 protected:
  [[nodiscard]] Reply Kept() {
    return Reply([this](Response response) { told_.push_back(std::move(response)); });
  }

  std::vector<Response> told_;
};

TEST_F(ReplyTest, PassesTheFilterThatCameLastFirst) {
  const Reply reply = Kept();
  reply.Pass([](Response& response) { response.body += " outer"; });
  reply.Pass([](Response& response) { response.body += " inner"; });
  reply(Saying("said"));
  reply(Saying("again"));
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_EQ(told_[0].body, "said inner outer");
}

TEST_F(ReplyTest, IsFilteredWhereNobodyAnswered) {
  int status = 0;
  {
    Kept().Pass([&status](const Response& response) { status = response.status; });
  }
  EXPECT_EQ(status, 500);
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_EQ(told_[0].status, 500);
}

TEST_F(ReplyTest, IsAFailureWhereAFilterThrows) {
  const Reply reply = Kept();
  reply.Pass([](Response& response) { response.headers.emplace_back("Vary", "Origin"); });
  reply.Pass([](Response&) { throw std::runtime_error("no"); });
  reply(Saying("said"));
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_EQ(told_[0].status, 500);
  EXPECT_EQ(told_[0].headers, (std::vector<Header>{{"Vary", "Origin"}}));
}

}  // namespace
}  // namespace fanfold::http
