#include "operations/generate/graph_generator.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

namespace fanfold::operations {
namespace {

// What a graph looks like from its lines alone.
struct Census {
  std::unordered_map<std::uint64_t, std::int64_t> followings;
  std::unordered_map<std::uint64_t, std::int64_t> fans;
  std::set<std::pair<std::uint64_t, std::uint64_t>> pairs;
  bool self = false;

  explicit Census(const FollowGraph& graph) {
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const GeneratedFollow follow = graph[i];
      ++followings[follow.subject.value];
      ++fans[follow.object.value];
      pairs.insert({follow.subject.value, follow.object.value});
      self = self || follow.subject == follow.object;
    }
  }

  [[nodiscard]] std::int64_t Both() const {
    return std::ranges::count_if(followings,
                                 [&](const auto& user) { return fans.contains(user.first); });
  }
  // The average of one side over those who have both.
  [[nodiscard]] static double AverageOfBoth(
      const std::unordered_map<std::uint64_t, std::int64_t>& side,
      const std::unordered_map<std::uint64_t, std::int64_t>& other) {
    double sum = 0;
    double users = 0;
    for (const auto& [user, count] : side) {
      if (!other.contains(user)) continue;
      sum += static_cast<double>(count);
      ++users;
    }
    return sum / users;
  }
};

class GraphOf100000 : public ::testing::Test {
 protected:
  static constexpr double kUsers = 100'000;
  static const FollowGraph& Graph() {
    static const FollowGraph graph({.users = 100'000, .seed = 1});
    return graph;
  }
  static const Census& Counted() {
    static const Census census(Graph());
    return census;
  }
};

void ExpectNear(double measured, double wanted) { EXPECT_NEAR(measured / wanted, 1.0, 0.03); }

TEST_F(GraphOf100000, HasTheMeasuredMarginals) {
  const Census& census = Counted();
  const auto edges = static_cast<double>(Graph().size());
  ExpectNear(static_cast<double>(census.followings.size()) / kUsers, 0.40);
  ExpectNear(static_cast<double>(census.fans.size()) / kUsers, 0.35);
  ExpectNear(static_cast<double>(census.Both()) / kUsers, 0.26);
  ExpectNear(edges / static_cast<double>(census.followings.size()), 7.9);
  ExpectNear(edges / static_cast<double>(census.fans.size()), 9.03);
  ExpectNear(Census::AverageOfBoth(census.followings, census.fans), 8.3);
  ExpectNear(Census::AverageOfBoth(census.fans, census.followings), 10.4);
}

TEST_F(GraphOf100000, HasNoSelfFollowsAndNoRepeats) {
  EXPECT_FALSE(Counted().self);
  EXPECT_EQ(Counted().pairs.size(), Graph().size());
}

TEST_F(GraphOf100000, TailsAreHeavyAndFollowingsCapped) {
  std::int64_t most_followings = 0;
  for (const auto& [user, count] : Counted().followings) {
    most_followings = std::max(most_followings, count);
  }
  std::int64_t most_fans = 0;
  for (const auto& [user, count] : Counted().fans) most_fans = std::max(most_fans, count);
  EXPECT_LE(most_followings, kGeneratedFollowingsMax);
  EXPECT_GT(most_followings, 500);
  EXPECT_GT(most_fans, 2000);
}

TEST_F(GraphOf100000, SomeAreFriends) {
  std::size_t mutual = 0;
  for (const auto& [subject, object] : Counted().pairs) {
    if (Counted().pairs.contains({object, subject})) ++mutual;
  }
  EXPECT_GT(static_cast<double>(mutual) / static_cast<double>(Graph().size()), 0.05);
}

TEST_F(GraphOf100000, TimesNeverFallAndStayInTheYear) {
  std::int64_t before = kGeneratedFromMs;
  for (std::size_t i = 0; i < Graph().size(); ++i) {
    const std::int64_t since_ms = Graph()[i].since_ms;
    ASSERT_GE(since_ms, before);
    before = since_ms;
  }
  EXPECT_LT(before, kGeneratedFromMs + kGeneratedSpanMs);
  EXPECT_GT(before, kGeneratedFromMs + kGeneratedSpanMs * 9 / 10);
}

// FNV-1a over all fields.
std::uint64_t DigestOf(const FollowGraph& graph) {
  std::uint64_t digest = 0xcbf29ce484222325ULL;
  const auto add = [&](std::uint64_t value) { digest = (digest ^ value) * 0x100000001b3ULL; };
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const GeneratedFollow follow = graph[i];
    add(follow.subject.value);
    add(follow.object.value);
    add(static_cast<std::uint64_t>(follow.since_ms));
  }
  return digest;
}

TEST(FollowGraph, IsTheSameOnEveryMachine) {
  EXPECT_EQ(DigestOf(FollowGraph({.users = 10'000, .seed = 7})), 2'518'942'733'853'490'979ULL);
}

TEST(FollowGraph, SeedsDiffer) {
  EXPECT_NE(DigestOf(FollowGraph({.users = 1000, .seed = 1})),
            DigestOf(FollowGraph({.users = 1000, .seed = 2})));
}

TEST(FollowGraph, FewUsersGiveASimpleGraph) {
  for (std::uint64_t users = 1; users <= 200; ++users) {
    const FollowGraph graph({.users = users, .seed = users});
    const Census census(graph);
    EXPECT_FALSE(census.self) << users;
    EXPECT_EQ(census.pairs.size(), graph.size()) << users;
    for (const auto& [user, count] : census.fans) EXPECT_LE(user, users);
  }
}

TEST(PowerLawDegrees, SumUpExactlyWithinTheCap) {
  for (const int exponent : {1, 2}) {
    for (const std::uint64_t users : {1, 10, 1000, 50'000}) {
      const auto degrees = PowerLawDegrees(users, users * 79 / 10, 500, exponent);
      ASSERT_EQ(degrees.size(), users);
      EXPECT_EQ(std::accumulate(degrees.begin(), degrees.end(), std::uint64_t{0}), users * 79 / 10);
      EXPECT_TRUE(std::ranges::is_sorted(degrees, std::ranges::greater()));
      EXPECT_LE(degrees.front(), 500U);
      EXPECT_GE(degrees.back(), 1U);
    }
  }
}

TEST(PowerLawDegrees, WhatCannotBeMetIsMetAsNearlyAsPossible) {
  EXPECT_EQ(PowerLawDegrees(3, 1, 5, 2), (std::vector<std::uint32_t>{1, 1, 1}));
  EXPECT_EQ(PowerLawDegrees(3, 100, 5, 2), (std::vector<std::uint32_t>{5, 5, 5}));
  EXPECT_TRUE(PowerLawDegrees(0, 100, 5, 2).empty());
  EXPECT_TRUE(PowerLawDegrees(3, 100, 0, 2).empty());
}

}  // namespace
}  // namespace fanfold::operations
