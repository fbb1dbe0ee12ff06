#include "common/http/headers.h"

#include <gtest/gtest.h>
#include <string>

namespace fanfold::http {
namespace {

TEST(Headers, AreFoundWhateverTheCaseOfTheirName) {
  Headers headers;
  ASSERT_TRUE(headers.Add("Host", "Localhost"));
  ASSERT_TRUE(headers.Add("X-Empty", ""));
  ASSERT_TRUE(headers.Add("content-TYPE", "text/plain"));
  EXPECT_EQ(headers.Get("hOST"), "Localhost");
  EXPECT_EQ(headers.Get("X-Empty"), "");
  EXPECT_EQ(headers.Get("Content-Type"), "text/plain");
  for (const char* name : {"", "Hos", "Hosts", "Content_Type", "X-Emptx", "Localhost"}) {
    EXPECT_EQ(headers.Get(name), std::nullopt) << name;
  }
}

TEST(Headers, SeveralLinesAreOneWhateverStandsBetween) {
  Headers headers;
  ASSERT_TRUE(headers.Add("A", "1"));
  ASSERT_TRUE(headers.Add("B", "2"));
  ASSERT_TRUE(headers.Add("a", "3"));
  ASSERT_TRUE(headers.Add("C", "4"));
  ASSERT_TRUE(headers.Add("B", ""));
  ASSERT_TRUE(headers.Add("A", "5"));
  EXPECT_EQ(headers.Get("A"), "1,3,5");
  EXPECT_EQ(headers.Get("B"), "2,");
  EXPECT_EQ(headers.Get("C"), "4");
}

TEST(Headers, AreAtMostSoManyLinesUntilTheyAreCleared) {
  Headers headers;
  for (std::size_t i = 0; i < Headers::kLinesMax; ++i) ASSERT_TRUE(headers.Add("A", "1"));
  const std::string full(*headers.Get("A"));
  EXPECT_FALSE(headers.Add("A", "1"));
  EXPECT_FALSE(headers.Add("B", "1"));
  EXPECT_EQ(headers.Get("A"), full);
  headers.Clear();
  EXPECT_EQ(headers.Get("A"), std::nullopt);
  EXPECT_TRUE(headers.Add("B", "1"));
  EXPECT_EQ(headers.Get("B"), "1");
}

TEST(EqualsIgnoringCase, OnlyLettersHaveOne) {
  EXPECT_TRUE(EqualsIgnoringCase("AZ-az09", "az-AZ09"));
  EXPECT_FALSE(EqualsIgnoringCase("@[", "`{"));
  EXPECT_FALSE(EqualsIgnoringCase("a", "ab"));
}

}  // namespace
}  // namespace fanfold::http
