#include "reader/cache/list_rows.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>

#include "tests/unit/reader/cache/world.h"

namespace fanfold::reader {
namespace {

using testing::SortedList;

using enum Direction;

constexpr UserId kOwner(1);

// A list of `rows` fans, what moves it, and what it is then.
struct Moved {
  Moved(std::uint64_t rows, int count, std::uint64_t seed) : random(seed) {
    for (std::uint64_t fan = 2; fan < rows + 2; ++fan) model[UserId(fan)] = Since();
    before = SortedList(model);
    for (int i = 0; i < count; ++i) Move(UserId(2 + random() % (rows + 1'000)));
  }
  std::int64_t Since() { return static_cast<std::int64_t>(random() % 100'000); }
  void Move(UserId fan) {
    const auto found = model.find(fan);
    if (found != model.end()) {
      moves.push_back({fan, kOwner, found->second, {}, false});
      model.erase(found);
      return;
    }
    moves.push_back({fan, kOwner, model[fan] = Since(), {}, true});
  }

  std::mt19937_64 random;
  std::map<UserId, std::int64_t> model;
  std::vector<ListedUser> before;
  std::vector<EdgeMove> moves;
};

TEST(BringList, ManyMovesAreWhatTheyAreOneByOne) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Moved moved(300, 1'000, seed);
    const ListRows rows{moved.before, true, EdgeCount(std::ssize(moved.before))};
    auto held = std::make_unique<HeldList>(rows);
    BringList(held, rows, kFans, moved.moves);
    const std::vector<ListedUser> expected = SortedList(moved.model);
    ASSERT_EQ(held->count().value, std::ssize(expected)) << seed;
    ASSERT_EQ(held->Page({}, expected.size() + 1), expected) << seed;
  }
}

TEST(BringList, ManyMovesOfAListHeldInPartAreThoseOfItsNewestRows) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Moved moved(2 * kHeadRows, 1'000, seed);
    ListRows rows{moved.before, false, EdgeCount(std::ssize(moved.before))};
    rows.rows.resize(kHeadRows);
    auto held = std::make_unique<HeldList>(rows);
    BringList(held, rows, kFans, moved.moves);
    const std::vector<ListedUser> expected = SortedList(moved.model);
    ASSERT_EQ(held->count().value, std::ssize(expected)) << seed;
    ASSERT_FALSE(held->whole());
    const std::size_t newest = held->size();
    ASSERT_GT(newest, kHeadRows / 2);
    ASSERT_EQ(held->Page({}, newest),
              std::vector(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(newest)))
        << seed;
    ASSERT_FALSE(held->Page({}, newest + 1));
  }
}

TEST(BringList, AListThatOutgrowsItsBoundsKeepsItsNewest) {
  const Moved moved(kWholeRowsMax - 100, 4'000, 1);
  const ListRows rows{moved.before, true, EdgeCount(std::ssize(moved.before))};
  auto held = std::make_unique<HeldList>(rows);
  std::vector<EdgeMove> joins;
  for (std::uint64_t fan = 900'000; fan < 901'000; ++fan) {
    joins.push_back({UserId(fan), kOwner, 200'000, {}, true});
  }
  BringList(held, rows, kFans, joins);
  EXPECT_FALSE(held->whole());
  EXPECT_EQ(held->size(), kHeadRows);
  EXPECT_EQ(held->count().value, std::ssize(moved.before) + 1'000);
}

}  // namespace
}  // namespace fanfold::reader
