#include "common/feed/inbox.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace fanfold {
namespace {

constexpr std::uint64_t kIdMax = kUserIdMax;
constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

InboxEntry Entry(std::int64_t score, std::uint64_t author, std::uint64_t post) {
  return {score, UserId(author), PostId(post)};
}

struct PartCase {
  std::string name;
  InboxPart part;
};

class PartsOfInboxes : public ::testing::TestWithParam<PartCase> {};

TEST_P(PartsOfInboxes, AreReadAsTheyWereWritten) {
  const std::string bytes = EncodeInboxPart(GetParam().part);
  const auto read = DecodeInboxPart(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, GetParam().part);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(DecodeInboxPart(bytes.substr(0, length))) << length;
  }
  EXPECT_FALSE(DecodeInboxPart(bytes + '\0'));
}

INSTANTIATE_TEST_SUITE_P(
    Parts, PartsOfInboxes,
    ::testing::Values(
        PartCase{"Empty", {}},
        PartCase{"Descending", {{Entry(9, 7, 3), Entry(8, 9, 1), Entry(8, 2, 5)}, {}, {}}},
        PartCase{"Ascending", {{Entry(-8, 2, 5), Entry(8, 9, 1), Entry(9, 7, 3)}, {}, {}}},
        PartCase{"AllKinds",
                 {{Entry(1, 2, 3)}, {{UserId(4), PostId(5)}}, {UserId(6), UserId(7), UserId(1)}}},
        PartCase{"Bounds",
                 {{Entry(kHighest, kIdMax, kIdMax), Entry(kLowest, 1, 1), Entry(kHighest, 1, 1)},
                  {{UserId(kIdMax), PostId(kIdMax)}, {UserId(1), PostId(1)}},
                  {UserId(kIdMax), UserId(1)}}}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(InboxParts, AnyBytesArePartsOrRefused) {
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random() % 12, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 4 == 0 ? random() : random() % 5);
    const auto read = DecodeInboxPart(bytes);
    if (read) {
      EXPECT_EQ(*DecodeInboxPart(EncodeInboxPart(*read)), *read);
    }
  }
}

// What the header says of its size.
TEST(InboxParts, AreSmall) {
  InboxPart small;
  InboxPart large;
  std::mt19937_64 random(7);
  for (int i = 0; i < 500; ++i) {
    const std::int64_t score = 1'700'000'000'000 - i * 60'000;
    small.posted.push_back(Entry(score, random() % (1ULL << 32), random() % (1ULL << 32)));
    large.posted.push_back(Entry(score, random() % kIdMax, random() % kIdMax));
  }
  EXPECT_LE(EncodeInboxPart(small).size() / 500, 13U);
  EXPECT_LE(EncodeInboxPart(large).size() / 500, 24U);
}

TEST(Inboxes, AreWhatTheirPartsSayInAnyOrder) {
  std::vector<InboxPart> parts = {
      {{Entry(5, 1, 50), Entry(4, 2, 40), Entry(3, 3, 30)}, {}, {}},
      {{Entry(5, 1, 50), Entry(6, 1, 60)}, {{UserId(2), PostId(40)}}, {}},
      {{Entry(7, 3, 70)}, {{UserId(9), PostId(9)}}, {UserId(3)}},
      {{}, {{UserId(2), PostId(40)}}, {UserId(3)}}};
  std::ranges::sort(parts, {}, [](const InboxPart& part) { return EncodeInboxPart(part); });
  do {
    const Inbox inbox = InboxOf(parts, kInboxWhole);
    EXPECT_EQ(inbox.all.posted, (std::vector{Entry(6, 1, 60), Entry(5, 1, 50)}));
    EXPECT_EQ(inbox.all.deleted,
              (std::vector<InboxPost>{{UserId(2), PostId(40)}, {UserId(9), PostId(9)}}));
    EXPECT_EQ(inbox.all.pulled, std::vector{UserId(3)});
  } while (std::ranges::next_permutation(parts, {}, [](const InboxPart& part) {
             return EncodeInboxPart(part);
           }).found);
}

struct TrimCase {
  std::string name;
  std::int64_t floor;
  std::size_t length;
  std::vector<std::int64_t> left;
  std::int64_t floor_after;
};

class TrimmedInboxes : public ::testing::TestWithParam<TrimCase> {};

TEST_P(TrimmedInboxes, KeepTheNewest) {
  const TrimCase& trim = GetParam();
  const std::vector<InboxPart> parts = {{{Entry(1, 1, 1), Entry(2, 1, 2), Entry(3, 1, 3)}, {}, {}}};
  Inbox inbox = InboxOf(parts, Entry(trim.floor, 1, static_cast<std::uint64_t>(trim.floor)));
  inbox.Trim(trim.length);
  std::vector<std::int64_t> left;
  for (const InboxEntry& entry : inbox.all.posted) left.push_back(entry.score);
  EXPECT_EQ(left, trim.left);
  EXPECT_EQ(inbox.floor.score, trim.floor_after);
}

INSTANTIATE_TEST_SUITE_P(Trims, TrimmedInboxes,
                         ::testing::Values(TrimCase{"ToLength", 0, 2, {3, 2}, 2},
                                           TrimCase{"AllFit", 0, 3, {3, 2, 1}, 0},
                                           TrimCase{"ToTheFloor", 2, 3, {3, 2}, 2},
                                           TrimCase{"BothWays", 2, 1, {3}, 3},
                                           TrimCase{"NothingAbove", 4, 3, {}, 4}),
                         [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace fanfold
