#include "common/access/base64url.h"

#include <gtest/gtest.h>

namespace fanfold {
namespace {

TEST(Base64Url, IsWhatItsEncoderWrites) {
  for (const char* good : {"", "AA", "AQ", "_w", "AAA", "AAE", "AAAA", "abcd_-09"}) {
    EXPECT_TRUE(IsBase64Url(good)) << good;
  }
  for (const char* wrong : {"A", "AAAAA", "AB", "_x", "AAB", "AAF", "A=", "AA==", "AAA=", "=",
                            "e=", "a+aa", "a/aa", "aa aa", "aa\n", "a.aa", "ü"}) {
    EXPECT_FALSE(IsBase64Url(wrong)) << wrong;
  }
}

TEST(CompactJws, IsThreeParts) {
  EXPECT_TRUE(IsCompactJws("AA.AA.AA"));
  for (const char* wrong : {"", ".", "..", "AA", "AA.AA", "AA.AA.", ".AA.AA", "AA..AA",
                            "AA.AA.AA.AA", "AA.AA.AA.", "e=.AA.AA", "AA.e=.AA", "AA.AA.e="}) {
    EXPECT_FALSE(IsCompactJws(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace fanfold
