#include "operations/generate/graph_generator.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "common/base/check.h"
#include "common/base/split_mix.h"

namespace fanfold::operations {
namespace {

constexpr int kFollowingsExponent = 2;
constexpr int kFansExponent = 1;
// Nobody is followed by more than this part of those who follow.
constexpr std::uint64_t kFollowersOfOneDivisor = 8;
// A half of what a user of both roles could have in common with others is made mutual.
constexpr std::uint32_t kMutualDivisor = 2;
constexpr std::uint32_t kNobody = ~std::uint32_t{0};

template <class T>
void Shuffle(std::span<T> items, SplitMix64& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.Below(i)]);
}

bool Contains(std::span<const std::uint32_t> items, std::uint32_t wanted) {
  return std::ranges::find(items, wanted) != items.end();
}

// Ranks: those of both roles, then those who only follow, then those who are only followed.
struct Roles {
  std::uint64_t both;
  std::uint64_t only_follow;
  std::uint64_t only_followed;

  explicit Roles(std::uint64_t users)
      : both(users * 26 / 100), only_follow(users * 14 / 100), only_followed(users * 9 / 100) {}

  [[nodiscard]] std::uint64_t following() const { return both + only_follow; }
  [[nodiscard]] std::uint64_t followed() const { return both + only_followed; }
  [[nodiscard]] std::uint64_t all() const { return both + only_follow + only_followed; }
};

struct Degrees {
  std::vector<std::uint32_t> out;  // by rank, of those who follow
  std::vector<std::uint32_t> in;   // by rank, of everybody with a role
};

void Append(std::vector<std::uint32_t>& all, std::vector<std::uint32_t> part) {
  all.insert(all.end(), part.begin(), part.end());
}

Degrees DrawDegrees(const Roles& roles, SplitMix64& random) {
  // Means a hundred times: 7.9 and 8.3 followings, 10.4 fans.
  const std::uint64_t follows = roles.following() * 790 / 100;
  const std::uint64_t follows_of_both = roles.both * 830 / 100;
  const std::uint64_t fans_of_both = roles.both * 1040 / 100;
  const std::uint64_t out_cap = std::min<std::uint64_t>(
      kGeneratedFollowingsMax, roles.followed() > 0 ? roles.followed() - 1 : 0);
  const std::uint64_t in_cap = std::max<std::uint64_t>(
      roles.following() / kFollowersOfOneDivisor, std::min<std::uint64_t>(roles.following(), 1));
  Degrees degrees;
  degrees.out = PowerLawDegrees(roles.both, follows_of_both, out_cap, kFollowingsExponent);
  Append(degrees.out, PowerLawDegrees(roles.only_follow, follows - follows_of_both, out_cap,
                                      kFollowingsExponent));
  degrees.out.resize(roles.following());
  degrees.in = PowerLawDegrees(roles.both, fans_of_both, in_cap, kFansExponent);
  degrees.in.resize(roles.both);
  // Who follows many is not therefore followed by many.
  Shuffle(std::span(degrees.in), random);
  degrees.in.resize(roles.following());
  Append(degrees.in, PowerLawDegrees(roles.only_followed, follows - std::min(follows, fans_of_both),
                                     in_cap, kFansExponent));
  degrees.in.resize(roles.all());
  return degrees;
}

// The configuration model: every user's degree is given, ends are joined at random, and joints that
// are not allowed are swapped with others, which keeps all degrees.
class Joiner {
 public:
  Joiner(Degrees degrees, std::uint64_t both, SplitMix64& random)
      : random_(random), in_(std::move(degrees.in)), begin_(degrees.out.size() + 1) {
    for (std::size_t rank = 0; rank < degrees.out.size(); ++rank) {
      begin_[rank + 1] = begin_[rank] + degrees.out[rank];
    }
    objects_.assign(begin_.back(), kNobody);
    filled_.assign(degrees.out.size(), 0);
    JoinMutually(both);
    JoinRest();
    Mend();
  }

  // Calls visit(subject, object) for each follow.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (std::uint32_t subject = 0; subject + 1 < begin_.size(); ++subject) {
      for (const std::uint32_t object : BlockOf(subject)) {
        if (object != kNobody) visit(subject, object);
      }
    }
  }

 private:
  [[nodiscard]] std::span<const std::uint32_t> BlockOf(std::uint32_t subject) const {
    return std::span(objects_).subspan(begin_[subject], begin_[subject + 1] - begin_[subject]);
  }

  [[nodiscard]] std::uint32_t SubjectAt(std::size_t slot) const {
    const auto after = std::ranges::upper_bound(begin_, slot);
    return static_cast<std::uint32_t>(after - begin_.begin() - 1);
  }

  void Join(std::uint32_t subject, std::uint32_t object) {
    objects_[begin_[subject] + filled_[subject]++] = object;
    --in_[object];
  }

  // Pairs some ends of those of both roles with each other, in both directions.
  void JoinMutually(std::uint64_t both) {
    std::vector<std::uint32_t> ends;
    for (std::uint32_t rank = 0; rank < both; ++rank) {
      const auto out = static_cast<std::uint32_t>(begin_[rank + 1] - begin_[rank]);
      ends.insert(ends.end(), std::min(out, in_[rank]) / kMutualDivisor, rank);
    }
    Shuffle(std::span(ends), random_);
    for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
      Join(ends[i], ends[i + 1]);
      Join(ends[i + 1], ends[i]);
    }
  }

  void JoinRest() {
    std::vector<std::uint32_t> ends;
    ends.reserve(objects_.size());
    for (std::uint32_t rank = 0; rank < in_.size(); ++rank) {
      ends.insert(ends.end(), in_[rank], rank);
    }
    Shuffle(std::span(ends), random_);
    auto end = ends.begin();
    for (std::uint32_t subject = 0; subject + 1 < begin_.size(); ++subject) {
      for (std::size_t slot = begin_[subject] + filled_[subject]; slot < begin_[subject + 1];
           ++slot) {
        if (end == ends.end()) return;
        objects_[slot] = *end++;
      }
    }
  }

  // Blocks before the one at hand are in order and stay so.
  void Mend() {
    std::vector<std::uint32_t> seen_by(in_.size(), kNobody);
    for (std::uint32_t subject = 0; subject + 1 < begin_.size(); ++subject) {
      for (std::size_t slot = begin_[subject]; slot < begin_[subject + 1]; ++slot) {
        const std::uint32_t object = objects_[slot];
        if (object == kNobody) continue;
        const bool allowed = object != subject && seen_by[object] != subject;
        if (!allowed) SwapAway(subject, slot);
        if (objects_[slot] != kNobody) seen_by[objects_[slot]] = subject;
      }
    }
  }

  // Swaps the slot's object with another subject's where both may have the other's. Where none is
  // found, which happens to a handful of users only, the follow is left out.
  void SwapAway(std::uint32_t subject, std::size_t slot) {
    constexpr int kAttemptsMax = 1000;
    const std::uint32_t object = objects_[slot];
    for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
      const std::size_t other_slot = random_.Below(objects_.size());
      const std::uint32_t other = SubjectAt(other_slot);
      const std::uint32_t offered = objects_[other_slot];
      if (other == subject || offered == kNobody) continue;
      if (offered == subject || object == other) continue;
      if (Contains(BlockOf(subject), offered)) continue;
      if (Contains(BlockOf(other), object)) continue;
      std::swap(objects_[slot], objects_[other_slot]);
      return;
    }
    objects_[slot] = kNobody;
  }

  SplitMix64& random_;
  std::vector<std::uint32_t> in_;       // ends that are not yet joined
  std::vector<std::uint64_t> begin_;    // a subject's slots are [begin_[rank], begin_[rank + 1])
  std::vector<std::uint32_t> objects_;  // by slot
  std::vector<std::uint32_t> filled_;   // slots of a subject that JoinMutually took
};

}  // namespace

FollowGraph::FollowGraph(const GraphOptions& options) : seed_(options.seed) {
  FANFOLD_CHECK(options.users >= 1 && options.users <= kGraphUsersMax, "users of a graph");
  SplitMix64 random(options.seed);
  const Roles roles(options.users);
  ids_.resize(options.users);
  std::iota(ids_.begin(), ids_.end(), 1U);
  Shuffle(std::span(ids_), random);
  const Joiner joiner(DrawDegrees(roles, random), roles.both, random);
  joiner.ForEach([this](std::uint32_t subject, std::uint32_t object) {
    follows_.push_back({subject, object});
  });
  Shuffle(std::span(follows_), random);
}

GeneratedFollow FollowGraph::operator[](std::size_t index) const noexcept {
  const Ranks& ranks = follows_[index];
  // Each follow has a stretch of the year of its own, and falls somewhere in it.
  const std::int64_t stretch_ms =
      std::max<std::int64_t>(kGeneratedSpanMs / static_cast<std::int64_t>(size()), 1);
  SplitMix64 random(seed_ ^ (index * 0xD1342543DE82EF95ULL));
  __extension__ using Wide = unsigned __int128;
  const auto start_ms = static_cast<std::int64_t>(
      Wide{index} * static_cast<std::uint64_t>(kGeneratedSpanMs) / size());
  const auto jitter_ms =
      static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(stretch_ms)));
  return {UserId(ids_[ranks.subject]), UserId(ids_[ranks.object]),
          kGeneratedFromMs + start_ms + jitter_ms};
}

}  // namespace fanfold::operations
