// Pages of feeds with what their posts say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "reader/feed/feed_reader.h"
#include "reader/feed/post_contents.h"

namespace fanfold::reader {

struct FetchedContents {
  PostLanes view;
  std::vector<std::optional<PostContent>> contents;  // in the order asked; nothing: no such post
};

// The tables of all shards, for one thread.
class PostSource : public RunSource {
 public:
  // One statement. Requires: the authors are of the shard. Errors and blocking bound: those of
  // ProjectionReader.
  [[nodiscard]] virtual Result<FetchedContents> Contents(Shard shard, Generation generation,
                                                         std::span<const FeedKey> keys) = 0;
};

struct ToldPage {
  FeedPage page;
  std::vector<PostContentPtr> contents;  // of each of its keys; never null
  bool as_tables_are = false;
};

// For one request; one thread.
class FeedPages {
 public:
  // How often a page is made again because the tables, which are asked what its posts say, know one
  // of them no more, or not yet.
  static constexpr std::size_t kTriesMax = 4;

  // The sources that FeedReader asks; all outlive this.
  FeedPages(LivePosts& live, PostContents& contents, PostSource& source, const Placement& placement,
            Generation generation, std::int64_t wait_ms)
      : live_(live),
        contents_(contents),
        source_(source),
        placement_(placement),
        generation_(generation),
        wait_ms_(wait_ms) {}

  // make(runs): MergeFeed or MergeLatest. Errors: FeedReader's; kUnavailable, the tables do not
  // come to what the page has, or leave it behind.
  using Make = std::function<FeedPage(std::span<const AuthorRuns>)>;
  // Without `memory` the page is made from the tables as they are.
  [[nodiscard]] Result<ToldPage> Ask(std::span<const UserId> authors, const Make& make,
                                     bool memory = true);

 private:
  // How a page and the tables stand to each other where they do not know all of its posts.
  enum class Missed : std::uint8_t {
    kNothing,
    kDeleted,   // the page is to be made again, where the reader has come to the deletion
    kUnfolded,  // the tables are behind the reader, and asked themselves
  };
  // Fills in the contents that are not held.
  [[nodiscard]] Result<Missed> FillIn(ToldPage& told);
  [[nodiscard]] Missed WhyMissing(const PostLanes& view, UserId author) const;

  LivePosts& live_;
  PostContents& contents_;
  PostSource& source_;
  const Placement placement_;
  const Generation generation_;
  const std::int64_t wait_ms_;
};

}  // namespace fanfold::reader
