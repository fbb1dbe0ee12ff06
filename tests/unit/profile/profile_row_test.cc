#include "common/profile/profile_row.h"

#include <array>
#include <gtest/gtest.h>
#include <ostream>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "tests/unit/profile/printing.h"

namespace fanfold {
namespace {

using What = decltype(ProfileEvent::what);

Profile Ann() { return {.name = "Ann"}; }
Profile Bob() { return {.name = "Bob", .verified = true}; }

ProfileRow Alive(const Profile& profile, std::int64_t version) {
  return {profile, false, Version(version)};
}
ProfileRow Gone(std::int64_t version) { return {std::nullopt, true, Version(version)}; }
ProfileRow Ended(std::int64_t version) { return {std::nullopt, true, Version(version), true}; }
ProfileRow Anew(std::int64_t version) { return {std::nullopt, false, Version(version)}; }
UserDeleted Ends() { return {.ends = {}, .stays = true}; }

struct ApplyCase {
  std::string name;
  ProfileRow before;
  What what;
  std::int64_t version;
  ProfileRow after;
};
void PrintTo(const ApplyCase& apply, std::ostream* out) {
  *out << apply.before << ", then version " << apply.version;
}

class ApplyProfileTest : public ::testing::TestWithParam<ApplyCase> {};

TEST_P(ApplyProfileTest, MovesTheRow) {
  const ApplyCase& c = GetParam();
  EXPECT_EQ(Apply(c.before, {"e", UserId(1), 5, c.what}, Version(c.version)), c.after);
}

TEST_P(ApplyProfileTest, ASecondTimeItChangesNothing) {
  const ApplyCase& c = GetParam();
  EXPECT_EQ(Apply(c.after, {"e", UserId(1), 5, c.what}, Version(c.version)), c.after);
}

INSTANTIATE_TEST_SUITE_P(
    Transitions, ApplyProfileTest,
    ::testing::Values(
        ApplyCase{"FirstProfile", {}, ProfileSet{Ann()}, 1, Alive(Ann(), 1)},
        ApplyCase{"TheLastOneWins", Alive(Ann(), 1), ProfileSet{Bob()}, 2, Alive(Bob(), 2)},
        ApplyCase{"TheWholeDocument", Alive(Bob(), 1), ProfileSet{}, 2, Alive({}, 2)},
        ApplyCase{"TheSameAgainIsNewer", Alive(Ann(), 1), ProfileSet{Ann()}, 2, Alive(Ann(), 2)},
        ApplyCase{"DeletedLosesTheDocument", Alive(Ann(), 4), UserDeleted{}, 5, Gone(5)},
        ApplyCase{"DeletedWithoutAProfile", {}, UserDeleted{}, 1, Gone(1)},
        ApplyCase{"DeletedAgain", Gone(5), UserDeleted{}, 9, Gone(9)},
        ApplyCase{"LivesAgain", Gone(5), ProfileSet{Bob()}, 6, Alive(Bob(), 6)}),
    [](const auto& param_info) { return param_info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Stays, ApplyProfileTest,
    ::testing::Values(
        ApplyCase{"Ends", Alive(Ann(), 4), Ends(), 5, Ended(5)},
        ApplyCase{"EndsWithoutAProfile", {}, Ends(), 1, Ended(1)},
        ApplyCase{"ADeletedOneEnds", Gone(4), Ends(), 5, Ended(5)},
        ApplyCase{"AProfileMovesNoEndedOne", Ended(5), ProfileSet{Bob()}, 6, Ended(5)},
        ApplyCase{"NorDoesADeletionThatDoesNotStay", Ended(5), UserDeleted{}, 6, Ended(5)},
        ApplyCase{"EndsAgain", Ended(5), Ends(), 6, Ended(6)},
        ApplyCase{"IsRestored", Ended(5), UserRestored{}, 6, Anew(6)},
        ApplyCase{"ADeletedOneIsRestored", Gone(5), UserRestored{}, 6, Anew(6)},
        ApplyCase{"ARestoreMovesNoneThatLives", Alive(Ann(), 5), UserRestored{}, 6,
                  Alive(Ann(), 5)},
        ApplyCase{"NorOneThatWasRestored", Anew(5), UserRestored{}, 6, Anew(5)},
        ApplyCase{"NobodyIsRestored", {}, UserRestored{}, 1, Anew(1)},
        ApplyCase{"ARestoredOneTells", Anew(5), ProfileSet{Bob()}, 6, Alive(Bob(), 6)},
        ApplyCase{"ARestoredOneEnds", Anew(5), Ends(), 6, Ended(6)},
        ApplyCase{"OldRestore", Ended(5), UserRestored{}, 4, Ended(5)},
        ApplyCase{"OldEnd", Alive(Ann(), 5), Ends(), 4, Alive(Ann(), 5)}),
    [](const auto& param_info) { return param_info.param.name; });

constexpr std::array kPhases = {AccountPhase::kTold, AccountPhase::kDeleted, AccountPhase::kEnded,
                                AccountPhase::kRestored};

// The row behind both, from any before.
TEST(ProfileRow, WhatIsOverruledMakesNoDifference) {
  for (const AccountPhase earlier : kPhases) {
    for (const AccountPhase later : kPhases) {
      if (!Overrules(later, earlier)) continue;
      EXPECT_TRUE(Moves(earlier, later)) << "where there was no row";
      for (const AccountPhase before : kPhases) {
        const AccountPhase between = Moves(before, earlier) ? earlier : before;
        EXPECT_EQ(Moves(between, later), Moves(before, later)) << static_cast<int>(before);
        EXPECT_TRUE(Moves(between, later) || between == before) << static_cast<int>(before);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Replays, ApplyProfileTest,
    ::testing::Values(
        ApplyCase{"OldProfile", Alive(Ann(), 3), ProfileSet{Bob()}, 2, Alive(Ann(), 3)},
        ApplyCase{"SameVersion", Alive(Ann(), 3), ProfileSet{Bob()}, 3, Alive(Ann(), 3)},
        ApplyCase{"OldProfileOfADeleted", Gone(3), ProfileSet{Bob()}, 2, Gone(3)},
        ApplyCase{"OldDeletion", Alive(Ann(), 3), UserDeleted{}, 2, Alive(Ann(), 3)},
        ApplyCase{"SameDeletion", Alive(Ann(), 3), UserDeleted{}, 3, Alive(Ann(), 3)}),
    [](const auto& param_info) { return param_info.param.name; });

// Events of one user in order, with any stretch of them read again in between: the row is that of
// the last one.
RC_GTEST_PROP(ProfileRowModel, AnyReplayEndsAtTheLastEvent, ()) {
  const auto deletes =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<bool>>(rc::gen::arbitrary<bool>()));
  const auto event = [&](std::size_t offset) {
    const Profile profile{.name = std::to_string(offset)};
    const What what = deletes[offset] ? What(UserDeleted{}) : What(ProfileSet{profile});
    return ProfileEvent{"", UserId(1), 0, what};
  };
  ProfileRow row;
  for (std::size_t next = 0; next < deletes.size(); ++next) {
    for (std::size_t at = *rc::gen::inRange<std::size_t>(0, next + 1); at <= next; ++at) {
      row = Apply(row, event(at), Version(static_cast<std::int64_t>(at) + 1));
      RC_ASSERT(!row.deleted || !row.profile);
    }
  }
  const std::size_t last = deletes.size() - 1;
  RC_ASSERT(row.version == Version(static_cast<std::int64_t>(last) + 1));
  RC_ASSERT(row.deleted == deletes[last]);
  RC_ASSERT(row.profile.has_value() == !deletes[last]);
  if (row.profile) RC_ASSERT(row.profile->name == std::to_string(last));
}

}  // namespace
}  // namespace fanfold
