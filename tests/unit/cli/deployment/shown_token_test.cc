#include "cli/deployment/shown_token.h"

#include <fstream>
#include <gtest/gtest.h>

#include "common/access/static_tokens.h"
#include "tests/support/temp_folder.h"

namespace fanfold {
namespace {

class ShownToken : public ::testing::Test {
 protected:
  Result<std::string> Read(const std::string& text) const {
    const std::string path = folder_.path() + "/token";
    std::ofstream(path) << text;
    return ReadShownToken(path);
  }

  const testing::TempFolder folder_;
};

TEST_F(ShownToken, IsThatOfAServiceOrOfAnIssuer) {
  const std::string made = MakeStaticToken(Scopes::All(), 0, {}, "").text;
  EXPECT_EQ(Read(made).value(), made);
  EXPECT_EQ(Read(made + "\r\n").value(), made);
  EXPECT_EQ(Read("eyJh.eyJp.c2ln\n").value(), "eyJh.eyJp.c2ln");
}

TEST_F(ShownToken, IsNoOtherSecret) {
  const std::string made = MakeStaticToken(Scopes::All(), 0, {}, "").text;
  for (const std::string& text :
       {std::string("-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n"),
        std::string("hunter2"), "\n" + made, made + "\nx", made + " ", "Bearer " + made,
        made + "\r\nX-Other: 1", std::string("a.b"), std::string(1 << 20, 'a'), std::string()}) {
    const auto read = Read(text);
    ASSERT_FALSE(read) << text.substr(0, 80);
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(read.error().message.find("hunter2"), std::string::npos);
  }
}

}  // namespace
}  // namespace fanfold
