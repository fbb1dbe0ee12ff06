// Lists asked of the tables, for what memory does not hold.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "common/ports/projection_reader.h"
#include "reader/cache/list_fetcher.h"
#include "reader/cache/live_lists.h"
#include "reader/tables/sharded_reader.h"

namespace fanfold::reader {

// For one request; one thread. Errors are those of ProjectionReader; without tables each answer is
// kNotFound.
class TableLists {
 public:
  // `tables` may be null. All outlive this.
  TableLists(LiveLists& live, ListFetcher& fetcher, const Deployment& deployment,
             ShardedReader* tables)
      : live_(live), fetcher_(fetcher), deployment_(deployment), tables_(tables) {}

  [[nodiscard]] bool AreThere() const noexcept { return tables_ != nullptr; }
  // Some of the answers stand where the tables do, not at the reader's position.
  [[nodiscard]] bool as_they_are() const noexcept { return as_they_are_; }
  // Some of the rows are ahead of the reader, which did not come there in time.
  [[nodiscard]] bool ahead() const noexcept { return ahead_; }
  void ForgetAhead() noexcept { ahead_ = false; }

  // Fetches lists into memory, or for one answer.
  [[nodiscard]] Result<FetchedLists> Fetch(UserId user, const ListsNeeded& needed);
  // Rows at the reader's position; a page that begins at an offset is as the tables are.
  [[nodiscard]] Result<std::vector<ListedUser>> Page(Direction list, UserId user,
                                                     const PageStart& start, std::size_t limit);
  [[nodiscard]] Result<std::vector<ListedUser>> Among(Direction list, UserId user,
                                                      std::span<const UserId> others);
  // As the tables are.
  [[nodiscard]] Result<std::vector<ListedUser>> FriendsPage(UserId user, const PageStart& start,
                                                            std::size_t limit);
  [[nodiscard]] Result<UserCounts> Counts(UserId user);

 private:
  // Rows asked for beyond a page, to stand in for those that have left since. Where more have left,
  // further pieces are asked for, each kPieceGrowth times as long.
  static constexpr std::size_t kSpareRows = 64;
  static constexpr std::size_t kPieceGrowth = 4;
  static constexpr int kPageTriesMax = 8;

  // Rows of a table, brought to the reader's position; a table that is ahead waits for the reader.
  struct Piece {
    std::vector<ListedUser> rows;
    std::optional<Cursor> last;  // the last row of it in the table; nothing: the list ends there
  };
  [[nodiscard]] Result<Piece> Look(UserId user, const ListQuestion& question);
  [[nodiscard]] Result<ProjectionReader*> Of(UserId user);
  // The tables, asked for what cannot be brought to the reader's position.
  [[nodiscard]] Result<ProjectionReader*> AsTheyAre(UserId user);

  LiveLists& live_;
  ListFetcher& fetcher_;
  const Deployment& deployment_;
  ShardedReader* const tables_;
  bool as_they_are_ = false;
  bool ahead_ = false;
  bool waited_in_vain_ = false;  // for the reader, once for the whole request
};

}  // namespace fanfold::reader
