#include "common/access/static_tokens.h"

#include <gtest/gtest.h>
#include <string>

namespace fanfold {
namespace {

Scopes ReadScope() { return ParseScopes("relations:read").value(); }

TEST(Scopes, AreNamesJoinedWithSpacesOrCommas) {
  EXPECT_EQ(ToString(ParseScopes("operate,relations:read").value()), "relations:read operate");
  EXPECT_EQ(ParseScopes("relations:read  operate").value(),
            ParseScopes("operate, relations:read").value());
  for (const char* wrong : {"", " ", "operat", "relations:read,x", "Operate"}) {
    EXPECT_FALSE(ParseScopes(wrong)) << wrong;
  }
  EXPECT_EQ(ToString(KnownScopes("openid operate email")), "operate");
  EXPECT_TRUE(KnownScopes("").empty());
}

TEST(StaticToken, IsKnownByItsTextAlone) {
  const MadeToken made = MakeStaticToken(ReadScope(), 5, 10, "feed");
  EXPECT_EQ(made.text.size(), 12U + 1U + 64U);
  EXPECT_EQ(StaticTokenIdOf(made.text), made.token.id);
  EXPECT_TRUE(IsToken(made.token, made.text));
  std::string other = made.text;
  other.back() = other.back() == '0' ? '1' : '0';
  EXPECT_FALSE(IsToken(made.token, other));
  EXPECT_EQ(StaticTokensText({made.token}).find(made.text.substr(13)), std::string::npos);
}

TEST(StaticToken, TwoAreNeverAlike) {
  EXPECT_NE(MakeStaticToken(ReadScope(), 0, {}, "").text,
            MakeStaticToken(ReadScope(), 0, {}, "").text);
}

TEST(StaticToken, OtherTextsAreNone) {
  const std::string text = MakeStaticToken(ReadScope(), 0, {}, "").text;
  for (const std::string& wrong : {std::string(), text.substr(1), text + "0", "X" + text.substr(1),
                                   text.substr(0, 12) + "." + text.substr(13)}) {
    EXPECT_EQ(StaticTokenIdOf(wrong), std::nullopt) << wrong;
  }
}

TEST(StaticTokens, AreWhatWasWritten) {
  const std::vector<StaticToken> tokens = {MakeStaticToken(ReadScope(), 5, 10, "feed").token,
                                           MakeStaticToken(Scopes::All(), 6, {}, "").token};
  const auto read = ParseStaticTokens(StaticTokensText(tokens));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, tokens);
  EXPECT_EQ(ParseStaticTokens(StaticTokensText({}))->size(), 0U);
}

TEST(StaticTokens, WhatIsNotAsItMustBeIsRefusedAndNothingOfItIsTold) {
  const StaticToken token = MakeStaticToken(ReadScope(), 5, 10, "feed").token;
  const std::string good = StaticTokensText({token});
  const auto changed = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  for (const std::string& wrong :
       {std::string(), std::string("{"), std::string("[]"), std::string(R"({"tokens":{}})"),
        std::string(R"({"tokens":[1]})"), changed("\"id\"", "\"it\""), changed(token.id, "0"),
        changed(token.sha256, token.sha256.substr(1)), changed("relations:read", "relations:rea"),
        changed("relations:read", ""), changed("\"expires_ms\": 10", "\"expires_ms\": -1"),
        changed("\"expires_ms\": 10", "\"expires_ms\": \"10\""),
        StaticTokensText({token, token})}) {
    const auto read = ParseStaticTokens(wrong);
    ASSERT_FALSE(read) << wrong;
    EXPECT_EQ(read.error().message.find(token.sha256), std::string::npos);
  }
}

TEST(StaticTokens, HaveALimit) {
  std::vector<StaticToken> tokens;
  while (tokens.size() < kStaticTokensMax) {
    tokens.push_back(MakeStaticToken(ReadScope(), 0, {}, "").token);
  }
  EXPECT_TRUE(ParseStaticTokens(StaticTokensText(tokens)));
  tokens.push_back(MakeStaticToken(ReadScope(), 0, {}, "").token);
  EXPECT_FALSE(ParseStaticTokens(StaticTokensText(tokens)));
}

}  // namespace
}  // namespace fanfold
