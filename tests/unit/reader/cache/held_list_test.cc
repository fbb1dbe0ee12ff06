#include "reader/cache/held_list.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/reader/cache/world.h"

namespace fanfold::reader {
namespace {

using testing::SortedList;

constexpr std::uint64_t kWideId = std::uint64_t{1} << 40;

std::vector<ListedUser> RowsOf(std::size_t count, std::uint64_t first_id, std::int64_t newest_ms) {
  std::vector<ListedUser> rows;
  for (std::size_t i = 0; i < count; ++i) {
    rows.push_back({UserId(first_id + count - i), newest_ms - static_cast<std::int64_t>(i)});
  }
  return rows;
}

EdgeMove Joins(std::uint64_t fan, std::int64_t since_ms) {
  return {UserId(fan), UserId(1), since_ms, {}, true};
}
EdgeMove Leaves(std::uint64_t fan) { return {UserId(fan), UserId(1), 0, {}, false}; }

TEST(RowBlock, LargeListsOfNarrowIdsTakeAtMostTwelveBytesARow) {
  for (const std::size_t rows : {5'000u, 16'384u, 60'000u}) {
    const RowBlock block(RowsOf(rows, 1, 1'700'000'000'000));
    EXPECT_LE(static_cast<double>(block.bytes()), 12.0 * static_cast<double>(rows)) << rows;
  }
}

TEST(RowBlock, WideIdsAndTimesFarApartAreKeptAsTheyAre) {
  const std::vector<ListedUser> rows = {
      {UserId(kUserIdMax), INT64_MAX}, {UserId(kWideId), 5}, {UserId(1), 0}};
  const RowBlock block(rows);
  ASSERT_EQ(block.live(), 3u);
  EXPECT_EQ(block.At(2), rows[0]);
  EXPECT_EQ(block.At(1), rows[1]);
  EXPECT_EQ(block.At(0), rows[2]);
  EXPECT_TRUE(block.Find(UserId(kUserIdMax)));
  EXPECT_FALSE(block.Find(UserId(kWideId + 1)));
}

TEST(RowBlock, AnIdThatOnlyLooksAlikeIn32BitsIsNotFound) {
  const RowBlock block(RowsOf(100, 1, 1'000'000));
  EXPECT_TRUE(block.Find(UserId(50)));
  EXPECT_FALSE(block.Find(UserId(50 + (std::uint64_t{1} << 32))));
}

TEST(RowBlock, AppendsWhatIsNewestAndFitsOnly) {
  const std::vector<ListedUser> rows = {{UserId(9), 500}, {UserId(8), 500}};
  struct Case {
    const char* name;
    ListedUser row;
    bool appended;
  };
  const Case cases[] = {
      {"newer", {UserId(3), 501}, true},
      {"as new, larger id", {UserId(10), 500}, true},
      {"as new, smaller id", {UserId(7), 500}, false},
      {"older", {UserId(3), 499}, false},
      {"wide id", {UserId(kWideId), 501}, false},
      {"time beyond 40 bits", {UserId(3), 500 + (std::int64_t{1} << 40)}, false},
  };
  for (const Case& test : cases) {
    RowBlock block(rows);
    EXPECT_EQ(block.TryAppend(test.row), test.appended) << test.name;
    EXPECT_EQ(block.live(), test.appended ? 3u : 2u) << test.name;
    if (test.appended) {
      EXPECT_EQ(block.At(2), test.row) << test.name;
    }
  }
}

struct Shape {
  const char* name;
  std::uint64_t id_step;
  std::int64_t since_max;  // few: many rows share a time
};

class HeldListModel : public ::testing::TestWithParam<Shape> {};

void ExpectSame(const HeldList& list, const std::map<UserId, std::int64_t>& model,
                std::mt19937_64& random) {
  const std::vector<ListedUser> rows = SortedList(model);
  ASSERT_EQ(list.count().value, std::ssize(rows));
  for (const std::size_t limit : {std::size_t{1}, std::size_t{3}, rows.size() + 1}) {
    const auto offset = static_cast<std::int64_t>(random() % (rows.size() + 2));
    const auto page = list.Page({std::nullopt, offset}, limit);
    const auto from = std::min<std::int64_t>(offset, std::ssize(rows));
    const auto to =
        std::min<std::int64_t>(from + static_cast<std::int64_t>(limit), std::ssize(rows));
    ASSERT_EQ(page, std::vector(rows.begin() + from, rows.begin() + to));
    const ListedUser after{UserId(random() % 200 + 1), static_cast<std::int64_t>(random() % 100)};
    std::vector<ListedUser> behind(std::ranges::upper_bound(rows, after, ListedBefore), rows.end());
    behind.resize(std::min(behind.size(), limit));
    ASSERT_EQ(list.Page({after, 0}, limit), behind);
  }
  for (const auto& [user, since] : model) ASSERT_EQ(list.SinceOf(user), since);
}

TEST_P(HeldListModel, IsTheModelAfterEveryMove) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 60; ++round) {
    std::map<UserId, std::int64_t> model;
    const std::size_t users = 1 + random() % 80;
    const auto any_since = [&] {
      return static_cast<std::int64_t>(random()) % GetParam().since_max;
    };
    for (std::size_t i = 0; i < random() % users; ++i) {
      model[UserId(1 + i * GetParam().id_step)] = std::abs(any_since());
    }
    HeldList list({SortedList(model), true, EdgeCount(std::ssize(model))});
    for (int move = 0; move < 120; ++move) {
      const UserId user(1 + random() % users * GetParam().id_step);
      const std::int64_t since = std::abs(any_since());
      if (model.contains(user)) {
        model.erase(user);
        list.Move(Direction::kFans, Leaves(user.value));
      } else {
        model[user] = since;
        list.Move(Direction::kFans, Joins(user.value, since));
      }
      ASSERT_NO_FATAL_FAILURE(ExpectSame(list, model, random)) << "round " << round;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, HeldListModel,
                         ::testing::Values(Shape{"Narrow", 1, 100}, Shape{"Ties", 1, 3},
                                           Shape{"WideIds", kWideId, 100},
                                           Shape{"WideTimes", 1, INT64_MAX}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(HeldList, AMoveThatTheRowsHoldAlreadyChangesNothing) {
  HeldList list(ListRows{{{UserId(9), 500}, {UserId(8), 400}}, true, EdgeCount(2)});
  const auto move = [&](const EdgeMove& once) {
    list.Move(Direction::kFans, once);
    list.Move(Direction::kFans, once);
  };
  move(Joins(9, 500));
  EXPECT_EQ(list.count(), EdgeCount(2));
  move(Joins(7, 300));
  EXPECT_EQ(list.count(), EdgeCount(3));
  move(Leaves(8));
  EXPECT_EQ(list.count(), EdgeCount(2));
  // 9 left and came again since: the rows hold the later of the two.
  list.Move(Direction::kFans, Joins(9, 100));
  move(Leaves(9));
  move(Joins(9, 500));
  EXPECT_EQ(list.count(), EdgeCount(2));
  EXPECT_EQ(list.Page({}, 10), (std::vector<ListedUser>{{UserId(9), 500}, {UserId(7), 300}}));
}

TEST(HeldList, OfVeryManyTheNewestAreHeldAndDeeperPagesAreNot) {
  const std::vector<ListedUser> rows = RowsOf(kHeadRows, 1, 1'000'000);
  HeldList list({rows, false, EdgeCount(50'000)});
  EXPECT_FALSE(list.whole());
  EXPECT_EQ(list.Page({}, 20), std::vector(rows.begin(), rows.begin() + 20));
  EXPECT_EQ(list.Page({rows[kHeadRows - 20], 0}, 20), std::nullopt) << "one is missing";
  EXPECT_TRUE(list.Page({rows[kHeadRows - 21], 0}, 20));
  EXPECT_EQ(list.count(), EdgeCount(50'000));
  list.Move(Direction::kFans, Joins(99'999, 5));  // older than what is held
  EXPECT_EQ(list.size(), kHeadRows);
  EXPECT_FALSE(list.Contains(UserId(99'999)));
  list.Move(Direction::kFans, Leaves(88'888));  // somebody of the rest
  list.Move(Direction::kFans, Joins(77'777, 2'000'000));
  EXPECT_EQ(list.Page({}, 1), (std::vector{ListedUser{UserId(77'777), 2'000'000}}));
  EXPECT_EQ(list.count(), EdgeCount(50'001));
}

TEST(HeldList, AHeadThatHasLostMostOfItsRowsIsSpent) {
  const std::vector<ListedUser> rows = RowsOf(kHeadRows, 1, 1'000'000);
  HeldList list({rows, false, EdgeCount(50'000)});
  std::size_t left = kHeadRows;
  for (const ListedUser& row : rows) {
    if (list.IsSpent()) break;
    list.Move(Direction::kFans, Leaves(row.user.value));
    --left;
  }
  EXPECT_EQ(left, kHeadRows / 4 - 1);
}

TEST(HeldList, AListThatOutgrowsItsBoundsKeepsItsNewest) {
  HeldList list({RowsOf(kWholeRowsMax, 1, 1'000'000), true, EdgeCount(kWholeRowsMax)});
  std::int64_t joined = 0;
  while (list.whole() && joined < 10'000) {
    ++joined;
    list.Move(Direction::kFans,
              Joins(1'000'000 + static_cast<std::uint64_t>(joined), 1'000'000 + joined));
  }
  EXPECT_FALSE(list.whole());
  EXPECT_EQ(list.size(), kHeadRows);
  EXPECT_EQ(list.count().value, static_cast<std::int64_t>(kWholeRowsMax) + joined);
  EXPECT_EQ(list.Page({}, 1)->front().since_ms, 1'000'000 + joined);
  for (int i = 0; i < 3 * static_cast<int>(kHeadRows); ++i) {
    list.Move(Direction::kFans, Joins(3'000'000 + static_cast<std::uint64_t>(i), 3'000'000 + i));
  }
  EXPECT_LE(list.size(), 2 * kHeadRows + kHeadRows / 16);
}

}  // namespace
}  // namespace fanfold::reader
