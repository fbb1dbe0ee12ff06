// A reader with its memory. What are threads there are parts here that go a step at a time, and
// each may be held up while the others go on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "reader/cache/list_fetcher.h"
#include "reader/cache/live_lists.h"
#include "reader/cache/live_reader.h"
#include "reader/freshness/outcome_feed.h"
#include "reader/freshness/position_board.h"
#include "reader/freshness/shard_look.h"
#include "reader/freshness/topic_reading.h"
#include "reader/queries.h"
#include "reader/tables/sharded_reader.h"
#include "tests/model/relation_model.h"
#include "tests/simulation/faulty_log.h"
#include "tests/simulation/ground.h"
#include "tests/simulation/life.h"
#include "tests/simulation/processes.h"
#include "tests/simulation/reader_feed.h"

namespace fanfold::simulation {

class ReaderMemory final : private reader::ShardedReader {
 public:
  ReaderMemory(Ground& ground, const Others& others);

  // One of those who follow the outcomes and look at the shards does something.
  void Step();
  // A question about anybody, and whether its answer is what it has to be.
  void Ask();
  // The same of anybody's feed.
  void AskFeed();
  // Until it has all that the outcome topic has. Requires: nothing fails any more.
  void CatchUp();
  // Every list that is not at the reader's position complains to the oracle.
  void CheckEverything(const RelationModel& model);

  // One of its parts has died: all go once nobody is inside a call.
  [[nodiscard]] bool dead() const noexcept { return dead_; }
  [[nodiscard]] bool busy() const noexcept;

 private:
  // What was seen of a user's tables while a question was answered.
  struct Viewed {
    ViewPosition position;
    RowsAt rows_at;
    bool following = false;
    bool fans = false;
  };
  [[nodiscard]] Result<ProjectionReader*> On(Shard shard) override {
    return readers_.at(static_cast<std::size_t>(shard.value)).get();
  }
  void Watch(Shard shard, std::span<const ListQuestion> questions, UserView& view);
  template <class Act>
  void Drive(Life& life, const Act& act);
  void Follow();
  [[nodiscard]] bool IsAtEnd();
  // Where the rows that an answer is made of may stand, by partition.
  [[nodiscard]] std::vector<std::vector<Offset>> PlacesOf(Direction list, bool as_tables_are) const;
  template <class Answer>
  void Expect(UserId user, bool as_tables_are, std::string_view what, const Answer& is_right);
  void AskOne(UserId user);
  void AskCounts(reader::LiveReader& lists, UserId user);
  void AskRelations(reader::LiveReader& lists, UserId user);
  void AskList(reader::LiveReader& lists, reader::ListKind kind, UserId user);
  void AskFeedOf(UserId owner);

  Ground& ground_;
  Life answers_;
  Life follows_;
  Life follows_posts_;
  Life looks_;
  FaultyLog log_;
  FaultyLog log_of_posts_;
  reader::PositionBoard board_;
  reader::LiveLists live_;
  ReaderFeed posts_;
  reader::TableWatchers watchers_{{&live_, &posts_.watcher()}};
  reader::ListFetcher fetcher_;
  reader::OutcomeFeed feed_;
  reader::TopicReading outcomes_;
  reader::ReaderFactory look_factory_;
  std::vector<reader::ShardLook> shard_looks_;
  std::vector<std::unique_ptr<ProjectionReader>> readers_;
  Deployment deployment_;
  std::optional<Viewed> viewed_;
  bool following_outcomes_ = false;
  bool dead_ = false;
};

}  // namespace fanfold::simulation
