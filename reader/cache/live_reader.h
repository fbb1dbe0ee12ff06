// Questions about lists, answered at the reader's position: from memory, else from the tables
// brought there.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "common/ports/projection_reader.h"
#include "reader/cache/list_fetcher.h"
#include "reader/cache/live_lists.h"
#include "reader/cache/table_lists.h"
#include "reader/tables/sharded_reader.h"

namespace fanfold::reader {

// For one request; one thread. The generations asked for are those of the deployment. Errors are
// those of ProjectionReader.
class LiveReader final : public ListReader, public ShardedLists {
 public:
  // Without tables whatever is not in memory is kNotFound. All outlive this.
  LiveReader(LiveLists& live, ListFetcher& fetcher, const Deployment& deployment,
             ShardedReader* tables)
      : live_(live), tables_(live, fetcher, deployment, tables) {}

  // This request brought into memory what it finds there: it counts as missed.
  void CountsAsMissed() noexcept { was_fetched_ = true; }
  // Some of the rows stand where the tables do, not at the reader's position.
  [[nodiscard]] bool as_tables_are() const noexcept { return tables_.as_they_are(); }

  // Everybody's lists are answered by this one object.
  [[nodiscard]] Result<ListReader*> ListsOn(Shard) override { return this; }

  [[nodiscard]] Result<std::vector<ListedUser>> Page(Direction list, Generation generation,
                                                     UserId user, const PageStart& start,
                                                     std::size_t limit) override;
  [[nodiscard]] Result<std::vector<ListedUser>> FriendsPage(const ReadGenerations& read,
                                                            UserId user, const PageStart& start,
                                                            std::size_t limit) override;
  [[nodiscard]] Result<std::vector<ListedUser>> Among(Direction list, Generation generation,
                                                      UserId user,
                                                      std::span<const UserId> others) override;
  [[nodiscard]] Result<std::vector<UserCounts>> Counts(const ReadGenerations& read,
                                                       std::span<const UserId> users) override;
  [[nodiscard]] Result<std::vector<Directions>> Relations(const ReadGenerations& read, UserId user,
                                                          std::span<const UserId> targets) override;

 private:
  // How often a list that left the cache before it was used is fetched again.
  static constexpr int kFetchTriesMax = 3;
  // How often friends are counted anew because the user, whose list is held in part, moved.
  static constexpr int kCountTriesMax = 3;

  // answer(HeldLists) with the lists needed, which are fetched where they are not held.
  template <class Answer>
  [[nodiscard]] auto Ask(UserId user, const ListsNeeded& needed, const Answer& answer)
      -> Result<decltype(answer(HeldLists{}))>;
  // The users among these who are in the list, where the held part does not show them: asks their
  // own lists, else the table.
  [[nodiscard]] Result<std::vector<ListedUser>> TurnedRound(Direction list, UserId user,
                                                            std::span<const UserId> others);
  // All friends, newest first; nothing when the user follows more than are held.
  [[nodiscard]] Result<std::optional<std::vector<ListedUser>>> Friends(UserId user);
  // Friends and the other counts at one position of the reader, else the tables'.
  [[nodiscard]] Result<UserCounts> CountsOf(UserId user);
  [[nodiscard]] std::optional<UserCounts> CountStanding(UserId user,
                                                        std::span<const ListedUser> friends,
                                                        LiveLists::Mark since);

  LiveLists& live_;
  TableLists tables_;
  bool was_fetched_ = false;
};

}  // namespace fanfold::reader
