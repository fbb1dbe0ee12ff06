// Questions to feeds, answered at the reader's position: from memory, else from what is fetched and
// brought there, else from the tables as they are.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/stream/slot.h"
#include "reader/feed/feed_merge.h"
#include "reader/feed/filled_gaps.h"
#include "reader/feed/live_posts.h"

namespace fanfold::reader {

struct FetchedRuns {
  PostLanes view;
  std::vector<FetchedRun> runs;
};

// The tables of all shards, for one thread.
class RunSource {
 public:
  static constexpr std::size_t kGapsMax = 1'024;

  virtual ~RunSource() = default;
  // Fetches posts that fill these gaps, at most kGapsMax, with `posts` rows each at most, in one
  // statement. Requires: the authors are of the shard. Errors and blocking bound: those of
  // ProjectionReader.
  [[nodiscard]] virtual Result<FetchedRuns> Fetch(Shard shard, Generation generation,
                                                  std::span<const PostStretch> gaps,
                                                  std::size_t posts) = 0;
  // The newest posts of those of these authors whom an inbox covers. Nothing: there is none that
  // tells.
  [[nodiscard]] virtual Result<std::optional<FetchedRuns>> FromInbox(
      std::span<const UserId> /*authors*/) {
    return std::nullopt;
  }
};

// For one answer; one thread.
class FeedReader {
 public:
  // How often an answer is made with more of what it lacked, each time twice as much of each
  // author.
  static constexpr std::size_t kRoundsMax = 16;
  static constexpr std::size_t kPostsMax = 1'024;
  // Where there are more authors than this, each is asked for one post, twice at the most: a page
  // has few items, so that only of few authors more is needed.
  static constexpr std::size_t kFewAuthors = 64;
  static constexpr std::size_t kOfManyMax = 2;
  // How often it is begun anew because the tables moved between two of its statements.
  static constexpr std::size_t kStartsMax = 4;

  // Where the tables are ahead, waits for the reader for at most wait_ms. `live` and `source`
  // outlive this.
  FeedReader(LivePosts& live, RunSource& source, const Placement& placement, Generation generation,
             std::int64_t wait_ms)
      : live_(live),
        source_(source),
        placement_(placement),
        generation_(generation),
        wait_ms_(wait_ms) {}

  // Whatever an inbox says.
  FeedReader& WithoutInbox() {
    asks_inbox_ = false;
    return *this;
  }

  // make(runs), without gaps: MergeFeed, CountUnread or MergeLatest. Errors: the source's;
  // kUnavailable, the tables move on faster than they are read.
  template <class Make>
  [[nodiscard]] auto Ask(std::span<const UserId> authors, const Make& make)
      -> Result<decltype(make(std::span<const AuthorRuns>()))> {
    decltype(make(std::span<const AuthorRuns>())) answer;
    const auto look = [&](std::span<const AuthorRuns> runs) { answer = make(runs); };
    for (std::size_t round = 0; round < kRoundsMax; ++round) {
      if (!live_.WhileStanding(generation_, authors, filled_, look)) break;
      if (answer.gaps.empty()) return answer;
      if (std::exchange(asks_inbox_, false) && FillFromInbox(answer.gaps)) continue;
      Result<bool> brought = Bring(answer.gaps);
      if (!brought) return Forward(brought);
      if (!*brought) break;
    }
    return AskTables(authors, make);
  }
  // The same, as the tables are.
  template <class Make>
  [[nodiscard]] auto AskTables(std::span<const UserId> authors, const Make& make)
      -> Result<decltype(make(std::span<const AuthorRuns>()))> {
    decltype(make(std::span<const AuthorRuns>())) answer;
    as_tables_are_ = true;
    for (std::size_t round = 0; starts_ <= kStartsMax && round < kRoundsMax; ++round) {
      answer = make(LentByTables(authors));
      if (answer.gaps.empty()) return answer;
      Status filled = FillFromTables(answer.gaps);
      if (!filled) return Forward(filled);
    }
    return Fail(ErrorCode::kUnavailable, "the posts' tables move on faster than they are read");
  }

  // The last answer stands where the tables do, not at the reader's position.
  [[nodiscard]] bool as_tables_are() const noexcept { return as_tables_are_; }

 private:
  // False: there is none, or it cannot be brought to the reader's position.
  [[nodiscard]] bool FillFromInbox(std::span<const PostStretch> gaps);
  // False: what was fetched cannot be brought to the reader's position.
  [[nodiscard]] Result<bool> Bring(std::span<const PostStretch> gaps);
  // install(): LivePosts::Install or Fill; once more where the reader came to what was fetched.
  template <class Install>
  [[nodiscard]] ViewState InTime(const FetchedRuns& fetched, const Install& install);
  [[nodiscard]] std::span<const AuthorRuns> LentByTables(std::span<const UserId> authors);
  // Forgets what was filled in where the tables have moved since.
  [[nodiscard]] Status FillFromTables(std::span<const PostStretch> gaps);
  [[nodiscard]] bool HasMoved(const FetchedRuns& fetched);
  // Each of one shard, and no more than are asked for at once.
  [[nodiscard]] std::vector<std::pair<Shard, std::vector<PostStretch>>> InPieces(
      std::span<const PostStretch> gaps) const;
  // How many posts each of so many authors is asked for.
  [[nodiscard]] std::size_t NextAsked(std::size_t authors) noexcept;

  LivePosts& live_;
  RunSource& source_;
  const Placement placement_;
  const Generation generation_;
  const std::int64_t wait_ms_;
  std::size_t asked_ = kNewestHeld;
  std::size_t asked_of_many_ = 0;
  FilledPosts filled_;
  bool was_stale_ = false;
  bool asks_inbox_ = true;

  bool as_tables_are_ = false;
  FilledGaps from_tables_;
  std::map<Partition, Offset> tables_at_;
  std::size_t starts_ = 1;
  std::vector<AuthorRuns> lent_;
};

}  // namespace fanfold::reader
