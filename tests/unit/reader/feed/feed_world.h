// Posts as the tables have them, and a feed by its definition: everything sorted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <ostream>
#include <set>
#include <span>
#include <vector>

#include "reader/feed/author_table.h"
#include "reader/feed/feed_merge.h"
#include "reader/feed/filled_gaps.h"

namespace fanfold::reader {

inline void PrintTo(const PostPlace& key, std::ostream* out) {
  *out << key.score << '/' << key.post.value;
}
inline void PrintTo(const FeedKey& key, std::ostream* out) {
  *out << key.score << '/' << key.author.value << '/' << key.post.value;
}
inline void PrintTo(const PostStretch& gap, std::ostream* out) {
  *out << gap.author.value << (gap.side == PostStretch::Side::kBelow ? " below " : " from ");
  PrintTo(gap.bound, out);
}

inline constexpr std::int64_t kScoreMax = std::numeric_limits<std::int64_t>::max();

inline PostPlace Post(std::int64_t score, std::uint64_t post = 1) { return {score, PostId(post)}; }
inline FeedKey Key(std::int64_t score, std::uint64_t author, std::uint64_t post = 1) {
  return {UserId(author), Post(score, post)};
}

class FeedWorld {
 public:
  void Move(const PostMove& move) {
    std::set<PostPlace>& posts = posts_[move.author];
    if (move.is_posted) {
      posts.insert(move.post);
    } else {
      std::erase_if(posts, [&](const PostPlace& key) { return key.post == move.post.post; });
    }
  }

  [[nodiscard]] const std::set<PostPlace>& PostsOf(UserId author) { return posts_[author]; }

  // What a statement for the gap answers.
  [[nodiscard]] PostRun Fetch(const PostStretch& gap, std::size_t asked) {
    const std::set<PostPlace>& posts = posts_[gap.author];
    const auto bound = posts.lower_bound(gap.bound);
    std::vector<PostPlace> rows;
    switch (gap.side) {
      case PostStretch::Side::kBelow:
        for (auto at = bound; at != posts.begin() && rows.size() < asked;) rows.push_back(*--at);
        return PostRun::Below(gap.bound, rows, asked);
      case PostStretch::Side::kAtOrAbove:
        for (auto at = bound; at != posts.end() && rows.size() < asked;) rows.push_back(*at++);
        return PostRun::AtOrAbove(gap.bound, rows, asked);
    }
    return {kBelowAll, kAboveAll, {}};
  }

  // Newest first.
  [[nodiscard]] std::vector<FeedKey> Feed(std::span<const UserId> authors) {
    std::vector<FeedKey> keys;
    for (const UserId author : authors) {
      for (const PostPlace& key : posts_[author]) keys.emplace_back(author, key);
    }
    std::ranges::sort(keys, std::greater<>());
    return keys;
  }

 private:
  std::map<UserId, std::set<PostPlace>> posts_;
};

// The page as its definition says, out of the whole feed.
inline FeedPage PageOf(const std::vector<FeedKey>& feed, const FeedQuery& query) {
  FeedPage page;
  std::vector<FeedKey> fit;
  const bool newer = query.towards == FeedQuery::Towards::kNewer;
  for (const FeedKey& key : feed) {
    if (!query.cursor || (newer ? key > *query.cursor : key < *query.cursor)) fit.push_back(key);
  }
  const std::size_t told = std::min(query.limit, fit.size());
  page.keys = newer ? std::vector(fit.end() - static_cast<std::ptrdiff_t>(told), fit.end())
                    : std::vector(fit.begin(), fit.begin() + static_cast<std::ptrdiff_t>(told));
  for (const FeedKey& key : feed) {
    if (page.keys.empty()) {
      page.has_newer |= query.cursor && key > *query.cursor;
      page.has_older |= query.cursor && key <= *query.cursor;
    } else {
      page.has_newer |= key > page.keys.front();
      page.has_older |= key < page.keys.back();
    }
  }
  return page;
}

// Asks as a reader does, until nothing is missing.
class FeedAsker {
 public:
  FeedAsker(FeedWorld& world, AuthorTable& table) : world_(world), table_(table) {}

  // Called whenever something is fetched, before it is looked at.
  std::function<void(FilledGaps&)> meanwhile = [](FilledGaps&) {};
  std::size_t asked_first = kNewestHeld;
  std::size_t fetched = 0;  // gaps that were filled, of all answers

  template <class Make>
  auto Ask(std::span<const UserId> authors, const Make& make) {
    FilledGaps filled;
    for (std::size_t asked = asked_first;; asked *= 2) {
      std::vector<AuthorRuns> runs = table_.Find(authors);
      filled.LendTo(runs);
      auto answer = make(std::span<const AuthorRuns>(runs));
      if (answer.gaps.empty()) return answer;
      for (const PostStretch& gap : answer.gaps) {
        ++fetched;
        filled.Fill(gap.author, world_.Fetch(gap, asked));
        table_.Install(gap.author, world_.Fetch(gap, asked));
      }
      meanwhile(filled);
    }
  }

  FeedPage Page(std::span<const UserId> authors, const FeedQuery& query) {
    return Ask(authors, [&](std::span<const AuthorRuns> runs) { return MergeFeed(runs, query); });
  }

 private:
  FeedWorld& world_;
  AuthorTable& table_;
};

}  // namespace fanfold::reader
