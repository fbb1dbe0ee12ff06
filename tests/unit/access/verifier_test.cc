#include "common/access/verifier.h"

#include <atomic>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "common/access/token_file.h"
#include "tests/support/manual_clock.h"
#include "tests/support/signing_key.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace fanfold {
namespace {

constexpr std::int64_t kNowMs = 1'000'000'000;

class AccessTest : public ::testing::Test {
 protected:
  AccessTest() { clock_.now_ms = kNowMs; }

  std::string MakeToken(std::optional<std::int64_t> expires_ms = {}) {
    const MadeToken made = MakeStaticToken(Scopes::All(), kNowMs, expires_ms, "");
    EXPECT_TRUE(ChangeTokenFile(tokens_file_, [&made](std::vector<StaticToken>& tokens) -> Status {
      tokens.push_back(made.token);
      return {};
    }));
    return made.text;
  }
  void Revoke() {
    EXPECT_TRUE(ChangeTokenFile(tokens_file_, [](std::vector<StaticToken>& tokens) -> Status {
      tokens.clear();
      return {};
    }));
  }
  void WriteKeys(const std::string& text) { std::ofstream(keys_file_) << text; }
  [[nodiscard]] std::string Signed(const std::string& more = "") const {
    return key_.Sign(R"({"iss":"i","aud":"a","exp":1000300,"user":"1")" + more + "}");
  }

  AuthorityOptions Options(bool tokens, bool keys) {
    return {.tokens_file = tokens ? tokens_file_ : "",
            .keys_file = keys ? keys_file_ : "",
            .jwt = {"i", "a", 600'000}};
  }
  std::unique_ptr<Authority> Opened(bool tokens, bool keys) {
    auto authority = Authority::Open(Options(tokens, keys), metrics_);
    EXPECT_TRUE(authority) << authority.error().message;
    return authority ? *std::move(authority) : nullptr;
  }
  [[nodiscard]] bool Shows(const std::string& line) const {
    return metrics_.Text().find(line + "\n") != std::string::npos;
  }

  const testing::TempFolder folder_;
  const std::string tokens_file_ = folder_.path() + "/tokens.json";
  const std::string keys_file_ = folder_.path() + "/keys.json";
  const SigningKey key_{"k", "ES256"};
  testing::ManualClock clock_;
  Metrics metrics_;
};

using AuthorityTest = AccessTest;

TEST_F(AuthorityTest, KnowsAStaticTokenWholeAndNoOther) {
  const std::string token = MakeToken();
  const auto authority = Opened(true, false);
  const auto known = authority->JudgeStatic(token, kNowMs);
  ASSERT_TRUE(known);
  EXPECT_EQ((*known)->name, "token " + token.substr(0, 12));
  std::string other = token;
  other.back() = other.back() == '0' ? '1' : '0';
  EXPECT_FALSE(authority->JudgeStatic(other, kNowMs));
  EXPECT_FALSE(authority->JudgeStatic(MakeStaticToken(Scopes::All(), 0, {}, "").text, kNowMs));
}

TEST_F(AuthorityTest, AStaticTokenIsOverWhenItExpires) {
  const std::string token = MakeToken(kNowMs + 10);
  const auto authority = Opened(true, false);
  const auto known = authority->JudgeStatic(token, kNowMs + 9);
  ASSERT_TRUE(known);
  EXPECT_TRUE((*known)->IsOver(kNowMs + 10));
  EXPECT_FALSE(authority->JudgeStatic(token, kNowMs + 10));
}

TEST_F(AuthorityTest, WithNothingGoodThereIsNone) {
  EXPECT_FALSE(Authority::Open(Options(false, false), metrics_));
  EXPECT_FALSE(Authority::Open(Options(true, false), metrics_));  // no file
  MakeToken();
  Revoke();
  EXPECT_FALSE(Authority::Open(Options(true, false), metrics_));  // an empty one
  WriteKeys(R"({"keys":[]})");
  EXPECT_FALSE(Authority::Open(Options(true, true), metrics_));
  WriteKeys("{");
  MakeToken();
  EXPECT_FALSE(Authority::Open(Options(true, true), metrics_));
  WriteKeys(JwkSetOf({key_.Jwk()}));
  EXPECT_TRUE(Authority::Open(Options(true, true), metrics_));
}

TEST_F(AuthorityTest, WhatIsRevokedIsOverAndWhatIsMadeIsKnown) {
  const std::string first = MakeToken();
  const auto authority = Opened(true, false);
  const PrincipalPtr granted = authority->JudgeStatic(first, kNowMs).value();
  const std::string second = MakeToken();
  EXPECT_FALSE(authority->JudgeStatic(second, kNowMs));
  authority->Reload();
  EXPECT_TRUE(authority->JudgeStatic(second, kNowMs));
  EXPECT_FALSE(granted->IsOver(kNowMs));
  Revoke();
  authority->Reload();
  EXPECT_TRUE(granted->IsOver(kNowMs));
  EXPECT_FALSE(authority->JudgeStatic(first, kNowMs));
}

TEST_F(AuthorityTest, ABrokenFileChangesNothingAndIsTold) {
  const std::string token = MakeToken();
  WriteKeys(JwkSetOf({key_.Jwk()}));
  const auto authority = Opened(true, true);
  const PrincipalPtr granted = authority->JudgeSigned(Signed(), kNowMs).value();
  WriteKeys("{");
  std::ofstream(tokens_file_) << "{";
  authority->Reload();
  EXPECT_TRUE(authority->JudgeStatic(token, kNowMs));
  EXPECT_TRUE(authority->JudgeSigned(Signed(), kNowMs));
  EXPECT_FALSE(granted->IsOver(kNowMs));
  EXPECT_TRUE(Shows(R"(fanfold_access_file_broken{file="keys"} 1)"));
  EXPECT_TRUE(Shows(R"(fanfold_access_file_broken{file="tokens"} 1)"));
  WriteKeys(JwkSetOf({key_.Jwk()}));
  authority->Reload();
  EXPECT_TRUE(Shows(R"(fanfold_access_file_broken{file="keys"} 0)"));
  EXPECT_FALSE(granted->IsOver(kNowMs));
}

TEST_F(AuthorityTest, APipeInPlaceOfAFileIsBrokenAndKeepsNobodyWaiting) {
  const std::string token = MakeToken();
  const auto authority = Opened(true, false);
  ASSERT_EQ(unlink(tokens_file_.c_str()), 0);
  ASSERT_EQ(mkfifo(tokens_file_.c_str(), 0600), 0);
  authority->Reload();
  EXPECT_TRUE(authority->JudgeStatic(token, kNowMs));
  EXPECT_TRUE(Shows(R"(fanfold_access_file_broken{file="tokens"} 1)"));
}

TEST_F(AuthorityTest, AKeyThatIsTakenAwayEndsWhatItSigned) {
  WriteKeys(JwkSetOf({key_.Jwk()}));
  const auto authority = Opened(false, true);
  const PrincipalPtr granted = authority->JudgeSigned(Signed(), kNowMs).value();
  WriteKeys(R"({"keys":[]})");
  authority->Reload();
  EXPECT_TRUE(granted->IsOver(kNowMs));
  EXPECT_FALSE(authority->JudgeSigned(Signed(), kNowMs));
}

TEST_F(AuthorityTest, WhatItLendsIsKnownWithoutAFile) {
  WriteKeys(JwkSetOf({key_.Jwk()}));
  const auto authority = Opened(false, true);
  const std::string lent = authority->Lend(Scopes::All(), kNowMs);
  authority->Reload();
  EXPECT_TRUE(authority->JudgeStatic(lent, kNowMs));
}

TEST(RememberedTokens, AreBoundedAndTheOldestAreForgotten) {
  constexpr std::size_t kEach = RememberedTokens::kBytesBeside + 10;
  RememberedTokens remembered(16 * 10 * kEach);
  const auto principal = std::make_shared<const Principal>();
  const auto name = [](int i) { return fmt::format("token{:05}", i); };
  for (int i = 0; i < 10'000; ++i) remembered.Add(name(i), principal);
  int known = 0;
  for (int i = 0; i < 10'000; ++i) known += remembered.Find(name(i), 0) != nullptr ? 1 : 0;
  EXPECT_GT(known, 100);
  EXPECT_LE(known, 160);
  EXPECT_NE(remembered.Find(name(9'999), 0), nullptr);
  EXPECT_EQ(remembered.Find(name(0), 0), nullptr);
}

TEST(RememberedTokens, OneThatIsOverIsNotFound) {
  RememberedTokens remembered;
  remembered.Add(
      "a", std::make_shared<const Principal>(Principal{.name = {}, .scopes = {}, .expires_ms = 5}));
  EXPECT_NE(remembered.Find("a", 4), nullptr);
  EXPECT_EQ(remembered.Find("a", 5), nullptr);
  remembered.Add("a", std::make_shared<const Principal>());
  EXPECT_NE(remembered.Find("a", 5), nullptr);
}

class VerifierTest : public AccessTest {
 protected:
  VerifierTest() {
    token_ = MakeToken();
    WriteKeys(JwkSetOf({key_.Jwk()}));
    verifier_ = std::make_unique<Verifier>(Opened(true, true), clock_, metrics_);
  }

  // What is said of it in the end.
  Result<PrincipalPtr> Judged(const std::string& token) {
    std::atomic<bool> done = false;
    Result<PrincipalPtr> said;
    const auto judged = [&](const Result<PrincipalPtr>& of) {
      said = of;
      done = true;
    };
    // Those who wait for another one have all the room until they are told, a moment after that one
    // is remembered.
    EXPECT_TRUE(
        testing::WaitUntil([&] { return verifier_->Verify(token, 1, judged).has_value(); }));
    EXPECT_TRUE(testing::WaitUntil([&] { return done.load(); }));
    return said;
  }

  std::string token_;
  std::unique_ptr<Verifier> verifier_;
};

TEST_F(VerifierTest, SaysAtOnceWhatItCan) {
  EXPECT_NE(verifier_->Now(token_).value(), nullptr);
  for (const std::string& wrong : {std::string(), std::string("a b"), std::string("ümlaut"),
                                   std::string(Authority::kTokenBytesMax + 1, 'a'),
                                   token_.substr(0, 13) + std::string(64, '0')}) {
    EXPECT_FALSE(verifier_->Now(wrong)) << wrong.substr(0, 20);
  }
  EXPECT_EQ(verifier_->Now(Signed()).value(), nullptr);
}

TEST_F(VerifierTest, ASignedTokenIsJudgedOnce) {
  const std::string token = Signed();
  EXPECT_NE(Judged(token).value(), nullptr);
  EXPECT_TRUE(testing::WaitUntil([&] { return verifier_->Now(token).value() != nullptr; }));
  EXPECT_NE(Judged(token).value(), nullptr);
  EXPECT_TRUE(Shows(R"(fanfold_access_tokens_total{result="accepted"} 1)"));
  clock_.now_ms = kNowMs + 300'000;
  EXPECT_EQ(verifier_->Now(token).value(), nullptr);
  EXPECT_FALSE(Judged(token));
}

TEST_F(VerifierTest, OneThatIsNotGoodIsNotRemembered) {
  const std::string token = SigningKey("k", "ES256").Sign("{}");
  EXPECT_FALSE(Judged(token));
  EXPECT_FALSE(Judged(token));
  EXPECT_TRUE(Shows(R"(fanfold_access_tokens_total{result="refused"} 2)"));
}

TEST_F(VerifierTest, ATokenThatIsAskedForWithoutEndKeepsNoOtherWaiting) {
  const std::string busy = Signed();
  std::atomic<bool> stop = false;
  std::jthread asker([&] {
    while (!stop) {
      if (!verifier_->Verify(busy, 1, [](const auto&) {})) std::this_thread::yield();
    }
  });
  EXPECT_TRUE(testing::WaitUntil([&] { return verifier_->Now(busy).value() != nullptr; }));
  EXPECT_NE(Judged(Signed(R"(,"sub":"b")")).value(), nullptr);
  stop = true;
}

TEST_F(VerifierTest, WhatWaitsWhenItEndsIsDropped) {
  std::atomic<bool> go_on = false;
  std::atomic<int> answered = 0;
  ASSERT_TRUE(verifier_->Verify(Signed(), 1, [&](const auto&) {
    EXPECT_TRUE(testing::WaitUntil([&] { return go_on.load(); }));
  }));
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(verifier_->Verify(Signed(fmt::format(R"(,"sub":"{}")", i)), 1,
                                  [&](const auto&) { ++answered; }));
  }
  std::jthread ending([this] { verifier_.reset(); });
  std::this_thread::yield();
  go_on = true;
  ending.join();
  EXPECT_LT(answered, 100);
}

TEST_F(VerifierTest, HowMuchWaitsIsBounded) {
  // The judge's thread stands in the first one's call.
  std::atomic<bool> go_on = false;
  std::atomic<int> answered = 0;
  ASSERT_TRUE(verifier_->Verify(Signed(), 1, [&](const auto&) {
    EXPECT_TRUE(testing::WaitUntil([&] { return go_on.load(); }));
    ++answered;
  }));
  const std::string other = Signed(R"(,"sub":"b")");
  EXPECT_FALSE(verifier_->Verify(other, Verifier::kWaitingBytesMax + 1, [](const auto&) {}));
  int taken = 0;
  while (verifier_->Verify(other, 1, [&](const auto&) { ++answered; })) ++taken;
  EXPECT_LE(taken, static_cast<int>(Verifier::kWaitingMax));
  EXPECT_GE(taken, static_cast<int>(Verifier::kWaitingMax) - 1);
  go_on = true;
  EXPECT_TRUE(testing::WaitUntil([&] { return answered == taken + 1; }));
  EXPECT_NE(Judged(other).value(), nullptr);
}

TEST_F(VerifierTest, FollowsItsFiles) {
  const PrincipalPtr granted = verifier_->Now(token_).value();
  Revoke();
  EXPECT_TRUE(testing::WaitUntil([&] { return granted->IsOver(kNowMs); }));
  EXPECT_FALSE(verifier_->Now(token_));
}

TEST_F(VerifierTest, WhatItLendsIsGood) {
  EXPECT_NE(verifier_->Now(verifier_->Lend()).value(), nullptr);
}

}  // namespace
}  // namespace fanfold
