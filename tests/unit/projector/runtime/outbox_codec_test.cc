#include "projector/runtime/outbox_codec.h"

#include <gtest/gtest.h>

namespace fanfold::projector {
namespace {

using namespace std::string_view_literals;

TEST(OutboxCodec, GivesBackWhatItTookWhateverTheBytes) {
  const OutboxRecord records[] = {
      {"1"sv, "{}"sv}, {std::nullopt, ""sv},       {"a,b:\0c"sv, "5:hello,"sv},
      {""sv, "x"sv},   {"h"sv, "{}"sv, "h:\0,"sv}, {std::nullopt, "{}"sv, "t"sv}};
  std::string row;
  for (const OutboxRecord& record : records) AppendOutboxRecord(row, record);
  std::string_view rest = row;
  for (const OutboxRecord& record : records) {
    const std::optional<OutboxRecord> taken = TakeOutboxRecord(rest);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->key, record.key);
    EXPECT_EQ(taken->value, record.value);
    EXPECT_EQ(taken->headers, record.headers);
  }
  EXPECT_TRUE(rest.empty());
}

TEST(OutboxCodec, CutsKeysAlsoOfRowsThatWereWrittenWhole) {
  const std::string key(1'000'000, 'k');
  std::string row;
  AppendOutboxRecord(row, {key, "{}"sv});
  EXPECT_LT(row.size(), 300U);
  std::string whole = "1000000:" + key + ",2:{},";
  for (std::string_view rest : {std::string_view(row), std::string_view(whole)}) {
    const std::optional<OutboxRecord> taken = TakeOutboxRecord(rest);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->key, key.substr(0, kOutcomeKeyBytesMax));
    EXPECT_EQ(taken->value, "{}");
    EXPECT_TRUE(rest.empty());
  }
}

TEST(OutboxCodec, RefusesWhatIsNotWhole) {
  for (const std::string_view bad :
       {""sv, "-"sv, "-,"sv, "-,3:ab"sv, "-,3:abcd"sv, "1:a"sv, "1:a,1:b"sv, "x:a,1:b,"sv,
        "h1:a,"sv, "h1:a"sv, "hh1:a,1:a,1:b,"sv, "99999999999999999999:a,1:b,"sv,
        "18446744073709551615:a,1:b,"sv}) {
    std::string_view rest = bad;
    EXPECT_FALSE(TakeOutboxRecord(rest)) << bad;
    EXPECT_EQ(rest, bad);
  }
}

}  // namespace
}  // namespace fanfold::projector
