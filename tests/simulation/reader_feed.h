// The posts in a reader's memory, and feeds merged of them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "reader/feed/feed_pages.h"
#include "reader/feed/post_feed.h"
#include "reader/freshness/topic_reading.h"
#include "reader/tables/sharded_reader.h"
#include "tests/simulation/ground.h"

namespace fanfold::simulation {

class ReaderFeed {
 public:
  // All outlive this.
  ReaderFeed(Ground& ground, EventLog& log, reader::PositionBoard& board);

  [[nodiscard]] reader::TableWatcher& watcher() { return live_; }
  // A step of who follows what was decided about posts.
  void Follow();
  // It has all that was decided.
  [[nodiscard]] bool IsAtEnd();
  // Sees where the rows stand of which these stretches are read.
  void Saw(Shard shard, std::span<const PostStretch> stretches, const PostLanes& at);

  // A question to the feed of these authors, and whether its answer is what it has to be.
  void Ask(std::span<const UserId> authors, const Deployment& deployment,
           reader::ShardedReader& tables);
  // The whole feed, in both directions. Requires: everything is folded and read.
  void CheckWhole(std::span<const UserId> authors, const Deployment& deployment,
                  reader::ShardedReader& tables);

 private:
  // Knows at every moment where the reader stands: a page may be of an earlier one.
  class Noted final : public reader::TopicFeed {
   public:
    Noted(ReaderFeed& of, reader::PostFeed& feed) : of_(of), feed_(feed) {}
    std::string_view what() const override { return feed_.what(); }
    Projection begins_with() const override { return feed_.begins_with(); }
    const reader::ReaderPosition& position() const override { return feed_.position(); }
    void Start(const Placement& placement, const std::vector<Offset>& next) override;
    Status Take(std::span<const LogRecord> records) override;
    void Trim(Partition partition, Offset below) override { feed_.Trim(partition, below); }
    void Stop() override { feed_.Stop(); }

   private:
    ReaderFeed& of_;
    reader::PostFeed& feed_;
  };
  using Keys = std::vector<reader::FeedKey>;

  void NoteNext();
  // Newest first.
  [[nodiscard]] Keys FeedAt(std::span<const UserId> authors, const std::vector<Offset>& ends);
  [[nodiscard]] reader::FeedQuery AnyQuery(std::span<const UserId> authors);
  void AskPage(std::span<const UserId> authors, const reader::FeedQuery& query, bool latest,
               const Deployment& deployment, reader::ShardedReader& tables);
  void AskUnread(std::span<const UserId> authors, const reader::FeedKey& since,
                 const Deployment& deployment, reader::ShardedReader& tables);
  void ExpectPage(const reader::ToldPage& told, const reader::FeedPage& expected,
                  const std::vector<Offset>& ends);
  void Complain(std::string_view what, bool as_tables_are);

  Ground& ground_;
  reader::LivePosts live_;
  reader::PostContents contents_;
  reader::PostFeed posts_;
  Noted feed_{*this, posts_};
  reader::TopicReading reading_;
  bool is_following_ = false;
  std::vector<Offset> next_;       // where the reader stands, by partition
  std::vector<Offset> at_merge_;   // where it stood when the last answer was merged
  std::vector<Offset> in_tables_;  // where rows stood when they were last read
};

}  // namespace fanfold::simulation
