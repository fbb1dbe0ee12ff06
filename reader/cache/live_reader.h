// Questions about lists, answered at R: from memory, else from the tables brought there.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "common/ports/projection_reader.h"
#include "reader/cache/list_loader.h"
#include "reader/cache/live_lists.h"
#include "reader/tables/deployment.h"
#include "reader/tables/sharded_reader.h"

namespace fanfold::reader {

// For one request; one thread. Generations asked for are those of the deployment. Errors are those
// of ProjectionReader.
class LiveReader final : public ListReader, public ShardedLists {
 public:
  // Without tables whatever is not in memory fails, and missed() says so. All outlive this.
  LiveReader(LiveLists& live, ListLoader& loader, const Deployment& deployment,
             ShardedReader* tables)
      : live_(live), loader_(loader), deployment_(deployment), tables_(tables) {}

  // What is in memory was brought there for this request.
  void CountsAsMissed() noexcept { was_fetched_ = true; }
  // Memory alone did not do.
  [[nodiscard]] bool missed() const noexcept { return missed_; }
  // Some of the rows stand where the tables do, not at R.
  [[nodiscard]] bool as_tables_are() const noexcept { return as_tables_are_; }

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
  static constexpr int kLoadTriesMax = 3;
  // Rows asked for beyond a page, for those that have left since. Where more have, further pieces
  // are asked for, each so many times as long.
  static constexpr std::size_t kSpareRows = 64;
  static constexpr std::size_t kPieceGrowth = 4;
  static constexpr int kPageTriesMax = 8;
  // How often the friends of a user whose list is held in part are counted anew because he moved.
  static constexpr int kCountTriesMax = 3;

  // answer(HeldLists) with the lists needed, fetched where they are not held.
  template <class Answer>
  [[nodiscard]] auto Ask(UserId user, const ListsNeeded& needed, const Answer& answer)
      -> Result<decltype(answer(HeldLists{}))>;
  [[nodiscard]] std::unexpected<Error> Missed();
  [[nodiscard]] Result<ProjectionReader*> TablesOf(UserId user);
  // For what cannot be brought to R.
  [[nodiscard]] Result<ProjectionReader*> TablesAsTheyAre(UserId user);

  // What a table shows, brought to R, for which it waits where the table is ahead of it.
  struct TablePiece {
    std::vector<ListedUser> rows;
    std::optional<Cursor> last;  // the table's last row of it; nothing: the list ends there
  };
  [[nodiscard]] Result<TablePiece> Look(UserId user, const ListQuestion& question);
  [[nodiscard]] Result<std::vector<ListedUser>> PageOfTable(Direction list, UserId user,
                                                            const PageStart& start,
                                                            std::size_t limit);
  // Of users whom the list as held does not show: from their own lists, else from the table.
  [[nodiscard]] Result<std::vector<ListedUser>> TurnedRound(Direction list, UserId user,
                                                            std::span<const UserId> others);
  [[nodiscard]] Result<std::vector<ListedUser>> AmongOfTable(Direction list, UserId user,
                                                             std::span<const UserId> others);
  // All of them, newest first; nothing when the user follows more than are held.
  [[nodiscard]] Result<std::optional<std::vector<ListedUser>>> Friends(UserId user);
  // Friends and the counts they are among at one position of R, else the tables'.
  [[nodiscard]] Result<UserCounts> CountsOf(UserId user);
  [[nodiscard]] Result<UserCounts> CountsOfTables(UserId user);
  [[nodiscard]] std::optional<UserCounts> CountStanding(UserId user,
                                                        std::span<const ListedUser> friends,
                                                        LiveLists::Mark since);

  LiveLists& live_;
  ListLoader& loader_;
  const Deployment& deployment_;
  ShardedReader* const tables_;
  bool was_fetched_ = false;
  bool missed_ = false;
  bool as_tables_are_ = false;
  bool ahead_ = false;           // some rows looked at for these counts: R did not come there
  bool waited_in_vain_ = false;  // for R, once for the whole request
};

}  // namespace fanfold::reader
