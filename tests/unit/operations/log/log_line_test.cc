#include "operations/log/log_line.h"

#include <gtest/gtest.h>
#include <vector>

#include "operations/log/base64.h"

namespace fanfold::operations {
namespace {

using Bytes = std::optional<std::string>;

TEST(Base64, IsThatOfTheRfc) {
  const std::vector<std::pair<std::string, std::string>> cases = {{"", ""},
                                                                  {"f", "Zg=="},
                                                                  {"fo", "Zm8="},
                                                                  {"foo", "Zm9v"},
                                                                  {"foob", "Zm9vYg=="},
                                                                  {"fooba", "Zm9vYmE="},
                                                                  {"foobar", "Zm9vYmFy"},
                                                                  {"\xff\xfe", "//4="}};
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(ToBase64(bytes), text);
    EXPECT_EQ(FromBase64(text), bytes);
  }
  for (const char* bad : {"Z", "Zg=", "Zg", "Zh==", "Z===", "====", "Zg==Zg==", "Zm9v\n", "Zm!v"}) {
    EXPECT_FALSE(FromBase64(bad)) << bad;
  }
}

TEST(LogLine, RecordsComeBackByteByByte) {
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) every_byte += static_cast<char>(byte);
  const std::vector<Bytes> all = {std::nullopt, "",           "10",       R"({"v":1,"a":"\""})",
                                  "é → \n\t",   "\xff\xfe\0", every_byte, std::string("\0", 1)};
  for (const Bytes& key : all) {
    for (const Bytes& value : all) {
      const std::string line =
          ToLine(topics::kRelationEvents, {Partition(3), Offset(7), 55, key, value});
      EXPECT_EQ(line.find('\n'), std::string::npos);
      const auto parsed = ParseLogLine(line);
      ASSERT_TRUE(parsed) << parsed.error();
      const auto& record = std::get<LogLineRecord>(*parsed);
      EXPECT_EQ(record.topic, topics::kRelationEvents);
      EXPECT_EQ(record.stored.position, (Position{Partition(3), Offset(7)}));
      EXPECT_EQ(record.stored.appended_ms, 55);
      EXPECT_EQ(record.stored.key, key);
      EXPECT_EQ(record.stored.value, value);
    }
  }
}

TEST(LogLine, FormatIsPinned) {
  EXPECT_EQ(ToLine(LogHeader{16, true}),
            R"({"fanfold_log":1,"partitions":16,"nothing_open":true})");
  EXPECT_EQ(ToLine(topics::kRelationOutcomes, {Partition(1), Offset(2), 3, "4", std::nullopt}),
            R"({"topic":"relation-outcomes","partition":1,"offset":2,"appended_ms":3,"key":"4",)"
            R"("value":null})");
  EXPECT_EQ(ToLine(topics::kRelationEvents, {Partition(1), Offset(2), 3, "\xff", "\"x\""}),
            R"({"topic":"relation-events","partition":1,"offset":2,"appended_ms":3,"key64":"/w==",)"
            R"("value":"\"x\""})");
  AllEnds totals;
  totals[topics::kRelationOutcomes] = {Offset(1), Offset(2)};
  totals[topics::kRelationEvents] = {Offset(3), Offset(0)};
  totals[topics::kUserEvents] = {Offset(5), Offset(6)};
  totals[topics::kPostEvents] = {Offset(7), Offset(8)};
  totals[topics::kFeedEvents] = {Offset(2)};
  totals[topics::kPostOutcomes] = {Offset(9), Offset(4)};
  const std::string line = ToLine(totals);
  EXPECT_EQ(
      line,
      R"({"totals":{"feed-events":[2],"post-events":[7,8],"post-outcomes":[9,4],"relation-events":[3,0],)"
      R"("relation-outcomes":[1,2],"user-events":[5,6]}})");
  EXPECT_EQ(std::get<AllEnds>(*ParseLogLine(line)), totals);
}

// None is cut to what fits: it would be another partition, say.
TEST(LogLine, NumbersThatDoNotFitAreRefused) {
  const auto record = [](const std::string& partition, const std::string& offset,
                         const std::string& appended_ms) {
    return R"({"topic":"relation-events","partition":)" + partition + R"(,"offset":)" + offset +
           R"(,"appended_ms":)" + appended_ms + R"(,"key":"1","value":"2"})";
  };
  EXPECT_TRUE(ParseLogLine(record("3", "7", "-1")));  // a log that tells no time
  for (const std::string& bad :
       {record("4294967299", "7", "5"), record("3.5", "7", "5"),
        record("3", "18446744073709551615", "5"), record("3", "7", "1e300"),
        record("3", "7", "true"), std::string(R"({"fanfold_log":4294967297,"partitions":16})"),
        std::string(R"({"fanfold_log":0,"partitions":16})"),
        std::string(R"({"fanfold_log":1,"partitions":16.5})"),
        std::string(R"({"totals":{"relation-outcomes":[],"relation-events":[1.5]}})")}) {
    EXPECT_FALSE(ParseLogLine(bad)) << bad;
  }
}

TEST(LogLine, OthersAreRefused) {
  for (const char* bad :
       {"", "x", "[]", "{}", R"({"fanfold_log":2,"partitions":16})", R"({"fanfold_log":1})",
        R"({"totals":{"relation-events":[1]}})",
        R"({"topic":"t","partition":0,"offset":0,"appended_ms":0,"key":"1","value":"2"})",
        R"({"topic":"relation-events","partition":0,"offset":0,"appended_ms":0,"key":"1"})",
        (R"({"topic":"relation-events","partition":0,"offset":0,"appended_ms":0,"key":1,)"
         R"("value":"2"})"),
        (R"({"topic":"relation-events","partition":0,"offset":0,"appended_ms":0,"key64":"!",)"
         R"("value":"2"})")}) {
    EXPECT_FALSE(ParseLogLine(bad)) << bad;
  }
}

}  // namespace
}  // namespace fanfold::operations
