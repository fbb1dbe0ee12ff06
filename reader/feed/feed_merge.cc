#include "reader/feed/feed_merge.h"

#include <algorithm>

#include "common/base/check.h"

namespace fanfold::reader {
namespace {

constexpr FeedKey kAboveAllKeys(UserId(kUserIdMax + 1), kAboveAll);

struct Older {
  using Walk = PostsDown;
  static constexpr PostStretch::Side kSide = PostStretch::Side::kBelow;
  static bool ComesFirst(const FeedKey& a, const FeedKey& b) noexcept { return a > b; }
};

struct Newer {
  using Walk = PostsUp;
  static constexpr PostStretch::Side kSide = PostStretch::Side::kAtOrAbove;
  static bool ComesFirst(const FeedKey& a, const FeedKey& b) noexcept { return a < b; }
};

template <class Way>
PostStretch GapAt(const typename Way::Walk& walk) {
  return {walk.runs().author, Way::kSide, walk.key()};
}

// Whose very newest post is not known is asked for it first, whatever the cursor: it tells whether
// there is anything newer, and what comes with it is mostly all that is needed.
bool LacksNewest(const AuthorRuns& runs, std::vector<PostStretch>& gaps) {
  if (runs.newest != nullptr && !runs.newest->IsSpent()) return false;
  gaps.push_back({runs.author, PostStretch::Side::kBelow, kAboveAll});
  return true;
}

// The first keys that come after a bound, and where nobody knows what comes.
template <class Way>
class FirstKeys {
 public:
  FirstKeys(std::size_t most, std::vector<PostStretch>& gaps) : most_(most), gaps_(gaps) {}

  // The posts of one author.
  void Enter(typename Way::Walk walk) {
    switch (walk.Next()) {
      case Step::kPost:
        Select(walk);
        return;
      case Step::kUnknown:
        unknown_.push_back(GapAt<Way>(walk));
        return;
      case Step::kEnd:
        return;
    }
  }

  [[nodiscard]] std::vector<FeedKey> Take() {
    std::ranges::make_heap(heads_, FirstOnTop);
    std::vector<FeedKey> keys;
    keys.reserve(most_);
    while (keys.size() < most_ && !heads_.empty()) {
      std::ranges::pop_heap(heads_, FirstOnTop);
      Head& head = heads_.back();
      keys.push_back(head.key);
      if (StepOn(head)) {
        std::ranges::push_heap(heads_, FirstOnTop);
      } else {
        heads_.pop_back();
      }
    }
    for (const PostStretch& gap : unknown_) {
      const bool is_needed =
          keys.size() < most_ || Way::ComesFirst(FeedKey(gap.author, gap.bound), keys.back());
      if (is_needed) gaps_.push_back(gap);
    }
    return keys;
  }

 private:
  struct Head {
    FeedKey key;
    std::size_t walk;
  };
  static bool FirstOnTop(const Head& a, const Head& b) noexcept {
    return Way::ComesFirst(b.key, a.key);
  }
  static bool LastOnTop(const Head& a, const Head& b) noexcept {
    return Way::ComesFirst(a.key, b.key);
  }

  // So many keys are of no more authors than that: those whose first come first.
  void Select(const typename Way::Walk& walk) {
    const FeedKey key(walk.runs().author, walk.key());
    if (heads_.size() < most_) {
      heads_.push_back({key, walks_.size()});
      walks_.push_back(walk);
    } else {
      if (!Way::ComesFirst(key, heads_.front().key)) return;
      std::ranges::pop_heap(heads_, LastOnTop);
      heads_.back().key = key;
      walks_[heads_.back().walk] = walk;
    }
    std::ranges::push_heap(heads_, LastOnTop);
  }

  bool StepOn(Head& head) {
    typename Way::Walk& walk = walks_[head.walk];
    const Step step = walk.Next();
    if (step == Step::kUnknown) unknown_.push_back(GapAt<Way>(walk));
    head.key = FeedKey(walk.runs().author, walk.key());
    return step == Step::kPost;
  }

  const std::size_t most_;
  std::vector<PostStretch>& gaps_;
  std::vector<PostStretch> unknown_;
  std::vector<typename Way::Walk> walks_;
  std::vector<Head> heads_;
};

// Requires: everybody's newest posts are known. These tell of each author's very newest.
bool HasAtOrAbove(std::span<const AuthorRuns> authors, const FeedKey& bound) {
  return std::ranges::any_of(authors, [&](const AuthorRuns& runs) {
    const PostRun& newest = *runs.newest;
    return !newest.empty() && FeedKey(runs.author, newest.Newest()) >= bound;
  });
}

bool HasBelow(std::span<const AuthorRuns> authors, const FeedKey& bound,
              std::vector<PostStretch>& gaps) {
  std::vector<PostStretch> unknown;
  for (const AuthorRuns& runs : authors) {
    PostsDown walk(runs, BoundIn(runs.author, bound));
    const Step step = walk.Next();
    if (step == Step::kPost) return true;
    if (step == Step::kUnknown) unknown.push_back(GapAt<Older>(walk));
  }
  gaps.insert(gaps.end(), unknown.begin(), unknown.end());
  return false;
}

// One key more than the page has tells whether there are more.
bool CutToLimit(std::vector<FeedKey>& keys, std::size_t limit) {
  if (keys.size() <= limit) return false;
  keys.pop_back();
  return true;
}

template <class Way>
FeedPage FirstPage(std::span<const AuthorRuns> authors, const FeedKey& bound, std::size_t limit) {
  FeedPage page;
  FirstKeys<Way> first(limit + 1, page.gaps);
  for (const AuthorRuns& runs : authors) {
    if (LacksNewest(runs, page.gaps)) continue;
    first.Enter(typename Way::Walk(runs, BoundIn(runs.author, bound)));
  }
  page.keys = first.Take();
  return page;
}

FeedPage OlderPage(std::span<const AuthorRuns> authors, const FeedQuery& query) {
  FeedPage page = FirstPage<Older>(authors, query.cursor.value_or(kAboveAllKeys), query.limit);
  page.has_older = CutToLimit(page.keys, query.limit);
  if (!page.gaps.empty() || !query.cursor) return page;
  const FeedKey above = Next(page.keys.empty() ? *query.cursor : page.keys.front());
  page.has_newer = HasAtOrAbove(authors, above);
  if (page.keys.empty()) page.has_older = HasBelow(authors, Next(*query.cursor), page.gaps);
  return page;
}

FeedPage NewerPage(std::span<const AuthorRuns> authors, const FeedQuery& query) {
  FANFOLD_CHECK(query.cursor.has_value(), "what is newer is newer than a cursor");
  FeedPage page = FirstPage<Newer>(authors, Next(*query.cursor), query.limit);
  page.has_newer = CutToLimit(page.keys, query.limit);
  std::ranges::reverse(page.keys);
  if (!page.gaps.empty()) return page;
  const FeedKey below = page.keys.empty() ? Next(*query.cursor) : page.keys.back();
  page.has_older = HasBelow(authors, below, page.gaps);
  return page;
}

}  // namespace

FeedPage MergeFeed(std::span<const AuthorRuns> authors, const FeedQuery& query) {
  switch (query.towards) {
    case FeedQuery::Towards::kOlder:
      return OlderPage(authors, query);
    case FeedQuery::Towards::kNewer:
      return NewerPage(authors, query);
  }
  return {};
}

Unread CountUnread(std::span<const AuthorRuns> authors, const FeedKey& since) {
  Unread unread;
  for (const AuthorRuns& runs : authors) {
    if (LacksNewest(runs, unread.gaps)) continue;
    const PostPlace bound = BoundIn(runs.author, Next(since));
    PostsDown walk(runs, kAboveAll);
    Step step = walk.Next();
    for (; step == Step::kPost && walk.key() >= bound; step = walk.Next()) {
      if (unread.count == kUnreadMax) return {kUnreadMax, true, {}};
      ++unread.count;
    }
    if (step == Step::kUnknown && walk.key() > bound) unread.gaps.push_back(GapAt<Older>(walk));
  }
  return unread;
}

FeedPage MergeLatest(std::span<const AuthorRuns> authors, const FeedQuery& query,
                     const IsLeftOut& is_left_out) {
  FeedPage page;
  const FeedKey bound = query.cursor.value_or(kAboveAllKeys);
  for (const AuthorRuns& runs : authors) {
    if (LacksNewest(runs, page.gaps) || runs.newest->empty()) continue;
    const FeedKey key(runs.author, runs.newest->Newest());
    if (key < bound && !is_left_out(key)) page.keys.push_back(key);
  }
  const std::size_t told = std::min(query.limit, page.keys.size());
  page.has_older = page.keys.size() > told;
  std::ranges::partial_sort(page.keys, page.keys.begin() + static_cast<std::ptrdiff_t>(told),
                            std::greater<>());
  page.keys.resize(told);
  return page;
}

}  // namespace fanfold::reader
