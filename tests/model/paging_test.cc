// Pages by cursor over a list that changes between two pages.
#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/relation/cursor.h"
#include "tests/model/generators.h"

namespace fanfold {
namespace {

struct ListOrder {
  bool operator()(const ListedUser& a, const ListedUser& b) const { return ListedBefore(a, b); }
};
using List = std::set<ListedUser, ListOrder>;

struct Page {
  std::vector<ListedUser> items;
  std::optional<std::string> next_cursor;
};

// As the reader does: one entry more than asked is looked for, and tells whether there is a next
// page.
Page PageOf(const List& list, const std::optional<std::string>& cursor, std::size_t limit) {
  auto entry = list.begin();
  if (cursor) {
    const std::optional<Cursor> after = DecodeCursor(*cursor);
    RC_ASSERT(after.has_value());
    entry = list.upper_bound(*after);
  }
  Page page;
  for (; entry != list.end() && page.items.size() < limit; ++entry) page.items.push_back(*entry);
  if (entry != list.end()) page.next_cursor = EncodeCursor(page.items.back());
  return page;
}

// `users` users, several of them at the same since.
List AnyList(std::uint64_t users) {
  List list;
  for (std::uint64_t id = 1; id <= users; ++id) {
    list.insert({UserId(id), *rc::gen::inRange<std::int64_t>(0, 8)});
  }
  return list;
}

std::vector<ListedUser> AllPages(const List& list, std::size_t limit) {
  std::vector<ListedUser> seen;
  std::optional<std::string> cursor;
  do {
    const Page page = PageOf(list, cursor, limit);
    RC_ASSERT(page.items.size() == limit || !page.next_cursor);
    seen.insert(seen.end(), page.items.begin(), page.items.end());
    cursor = page.next_cursor;
  } while (cursor);
  return seen;
}

RC_GTEST_PROP(PagingModel, EveryLimitListsTheSame, ()) {
  const auto users = *rc::gen::inRange<std::uint64_t>(0, 20);
  const List list = AnyList(users);
  const std::vector<ListedUser> whole(list.begin(), list.end());
  for (std::size_t limit = 1; limit <= users + 1; ++limit)
    RC_ASSERT(AllPages(list, limit) == whole);
}

// Takes some entries away and adds users nobody has seen; `gone` and `fresh` remember them.
void Disturb(List& list, std::uint64_t& next_user, List& disturbed) {
  for (int removals = *rc::gen::inRange(0, 4); removals > 0 && !list.empty(); --removals) {
    auto entry = list.begin();
    std::advance(entry, *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(list)));
    disturbed.insert(*entry);
    list.erase(entry);
  }
  for (int insertions = *rc::gen::inRange(0, 4); insertions > 0; --insertions) {
    const ListedUser fresh{UserId(next_user++), *rc::gen::inRange<std::int64_t>(0, 8)};
    disturbed.insert(fresh);
    list.insert(fresh);
  }
}

RC_GTEST_PROP(PagingModel, ChangesBetweenPagesNeitherRepeatNorHideTheOthers, ()) {
  constexpr std::uint64_t kUsers = 30;
  List list = AnyList(kUsers);
  const List at_first = list;
  List disturbed;
  std::uint64_t next_user = kUsers + 1;
  const auto limit = *rc::gen::inRange<std::size_t>(1, 8);
  std::vector<ListedUser> seen;
  std::optional<std::string> cursor;
  for (int pages = 0; pages == 0 || cursor; ++pages) {
    const Page page = PageOf(list, cursor, limit);
    seen.insert(seen.end(), page.items.begin(), page.items.end());
    cursor = page.next_cursor;
    constexpr int kPagesDisturbed = 20;  // the list has to end at last
    if (pages < kPagesDisturbed) Disturb(list, next_user, disturbed);
  }
  RC_ASSERT(std::ranges::is_sorted(seen, ListedBefore));
  RC_ASSERT(std::ranges::adjacent_find(seen) == seen.end());
  for (const ListedUser& entry : at_first) {
    const bool stable = !disturbed.contains(entry);
    if (stable) RC_ASSERT(std::ranges::count(seen, entry) == 1);
  }
}

RC_GTEST_PROP(CursorModel, ComesBackAsItWas, ()) {
  const Cursor cursor{random::AnyUser(), random::AnyTime()};
  RC_ASSERT(DecodeCursor(EncodeCursor(cursor)) == cursor);
}

// A cursor is taken only in the one way it is written: no two texts stand for the same place.
RC_GTEST_PROP(CursorModel, DamagedTextIsRefusedOrStandsForItself, ()) {
  std::string text = EncodeCursor(Cursor{random::AnyUser(), random::AnyTime()});
  const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
  text[at] = *rc::gen::elementOf(std::string("0123456789abcdefABg- +x"));
  if (const auto cursor = DecodeCursor(text)) RC_ASSERT(EncodeCursor(*cursor) == text);
}

}  // namespace
}  // namespace fanfold
