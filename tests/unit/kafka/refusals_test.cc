#include "common/kafka/refusals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/kafka/errors.h"

namespace fanfold::kafka {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Refusals, TheReasonStandsBehindWhatWentUnanswered) {
  NoteLine("FAIL", "[thrd:a]: ssl://a: SASL authentication error: Invalid username or password");
  EXPECT_EQ(RecentRefusal(), "ssl://a: SASL authentication error: Invalid username or password");
  EXPECT_THAT(ErrorOf(RD_KAFKA_RESP_ERR__TRANSPORT, "ping").message, HasSubstr("Invalid username"));
  EXPECT_THAT(ErrorOf(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, "ping").message,
              Not(HasSubstr("Invalid username")));
}

TEST(Refusals, WhatIsNoMatterOfTrustIsNone) {
  NoteLine("FAIL", "[thrd:a]: ssl://a: SASL authentication error: first");
  NoteLine("FAIL", "[thrd:a]: a: Connect to ipv4#127.0.0.1:1 failed: Connection refused");
  NoteLine("REQTMOUT", "[thrd:a]: a: SSL of another kind of line");
  NoteLine("FAIL", "[thrd:a]: ssl://a: SSL handshake failed: certificate verify failed");
  EXPECT_EQ(RecentRefusal(), "ssl://a: SASL authentication error: first");
}

TEST(Refusals, ABrokerThatHangsUpMaySpeakNoTls) {
  NoteLine("FAIL", "[thrd:a]: ssl://a: SSL handshake failed: unexpected eof while reading");
  EXPECT_THAT(RecentRefusal(), HasSubstr("does the broker speak TLS on that port?"));
}

}  // namespace
}  // namespace fanfold::kafka
