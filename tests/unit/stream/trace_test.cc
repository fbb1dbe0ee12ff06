#include "common/stream/trace.h"

#include <gtest/gtest.h>
#include <string>

namespace fanfold {
namespace {

const std::string kParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(Trace, RequestIdsArePrintableAndShort) {
  for (const std::string& id :
       {std::string("a"), std::string("7f3c.a/1:{}~"), std::string(64, 'x')}) {
    EXPECT_TRUE(IsRequestId(id)) << id;
  }
  for (const std::string& id :
       {std::string(), std::string("a b"), std::string("a\"b"), std::string("a\\b"),
        std::string("a\nb"), std::string("\xc3\xa9"), std::string(65, 'x')}) {
    EXPECT_FALSE(IsRequestId(id)) << id;
  }
}

TEST(Trace, TraceparentsAreThoseOfVersion00) {
  EXPECT_TRUE(IsTraceparent(kParent));
  for (const char* text : {"", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
                           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-011",
                           "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                           "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                           "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                           "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                           "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                           "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                           "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
                           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7_01",
                           "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01"}) {
    EXPECT_FALSE(IsTraceparent(text)) << text;
  }
}

TEST(Trace, HasWhatIsValidAlone) {
  const Trace both("r1", kParent);
  EXPECT_EQ(both.request_id(), "r1");
  EXPECT_EQ(both.traceparent(), kParent);
  EXPECT_EQ(both.fields(), R"(,"request_id":"r1","traceparent":")" + kParent + '"');
  const Trace id("r1", "garbage");
  EXPECT_EQ(id.request_id(), "r1");
  EXPECT_EQ(id.traceparent(), "");
  const Trace parent("a b", kParent);
  EXPECT_EQ(parent.request_id(), "");
  EXPECT_EQ(parent.traceparent(), kParent);
  EXPECT_TRUE(Trace("", "").empty());
  EXPECT_EQ(Trace("a b", "x"), Trace());
}

// An id is free to look like what stands beside it.
TEST(Trace, ARequestIdIsNoTraceparent) {
  const Trace id(",traceparent:", "");
  EXPECT_EQ(id.request_id(), ",traceparent:");
  EXPECT_EQ(id.traceparent(), "");
}

TEST(Trace, IsScannedAsItIsWritten) {
  for (const Trace& trace : {Trace(), Trace("r", ""), Trace("", kParent), Trace("r", kParent)}) {
    const std::string text = std::string(trace.fields()) + "}";
    CanonicalScanner scan(text);
    Trace read;
    EXPECT_TRUE(read.Scan(scan) && scan.Literal("}") && scan.AtEnd()) << text;
    EXPECT_EQ(read, trace);
  }
  for (const char* text : {R"(,"request_id":"a b"})", R"(,"traceparent":"x"})",
                           R"(,"request_id":"})", R"(,"request_id":""})"}) {
    CanonicalScanner scan(text);
    Trace read;
    EXPECT_FALSE(read.Scan(scan)) << text;
  }
}

}  // namespace
}  // namespace fanfold
