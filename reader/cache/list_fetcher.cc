#include "reader/cache/list_fetcher.h"

#include <chrono>
#include <utility>
#include <vector>

#include "reader/cache/list_rows.h"

namespace fanfold::reader {
namespace {

// The newest rows of each list needed, all there are unless a list is very long.
struct TableRows {
  LiveLists::Ticket ticket;
  ViewPosition position;
  ListRows following;
  ListRows fans;
};

std::vector<ListQuestion> QuestionsFor(const ListsNeeded& needed, std::size_t rows_max) {
  std::vector<ListQuestion> questions;
  if (needed.following) questions.push_back({Direction::kFollowing, {}, rows_max + 1, {}});
  if (needed.fans) questions.push_back({Direction::kFans, {}, rows_max + 1, {}});
  return questions;
}

ListRows RowsOf(std::vector<ListedUser> rows, std::size_t rows_max, EdgeCount count) {
  const bool whole = rows.size() <= rows_max;
  if (!whole) rows.resize(std::min(rows.size(), kHeadRows));
  return {std::move(rows), whole, count};
}

Result<TableRows> AskUpTo(std::size_t rows_max, const LiveLists& live, ShardedReader& tables,
                          const Deployment& deployment, UserId user, const ListsNeeded& needed) {
  const Shard shard = deployment.placement.ShardOf(user);
  const Result<ProjectionReader*> reader = tables.On(shard);
  if (!reader) return std::unexpected(reader.error());
  TableRows lists;
  lists.ticket = live.NewTicket(shard, deployment.read);
  Result<UserView> view =
      (*reader)->View(deployment.read, user, deployment.placement.PartitionOf(user),
                      QuestionsFor(needed, rows_max));
  if (!view) return Forward(view);
  lists.position = std::move(view->position);
  if (needed.following) {
    lists.following = RowsOf(std::move(view->answers.front()), rows_max, view->following);
  }
  if (needed.fans) lists.fans = RowsOf(std::move(view->answers.back()), rows_max, view->fans);
  return lists;
}

// Few lists are long, so the short question comes first.
Result<TableRows> AskFor(const LiveLists& live, ShardedReader& tables, const Deployment& deployment,
                         UserId user, const ListsNeeded& needed) {
  Result<TableRows> lists = AskUpTo(kHeadRows, live, tables, deployment, user, needed);
  if (!lists) return lists;
  const auto fits_whole = [](const ListRows& list) {
    return !list.whole && list.count.value <= static_cast<std::int64_t>(kWholeRowsMax);
  };
  if (!fits_whole(lists->following) && !fits_whole(lists->fans)) return lists;
  return AskUpTo(kWholeRowsMax, live, tables, deployment, user, needed);
}

}  // namespace

class ListFetcher::Flight {
 public:
  // Waits while another thread fetches the user, for at most kSingleFlightMs.
  Flight(ListFetcher& fetcher, UserId user) : fetcher_(fetcher), user_(user) {
    std::unique_lock lock(fetcher.mutex_);
    fetcher.landed_.wait_for(lock, std::chrono::milliseconds(kSingleFlightMs),
                             [&] { return !fetcher.in_flight_.contains(user); });
    is_first_ = fetcher.in_flight_.insert(user).second;
  }
  ~Flight() {
    if (!is_first_) return;
    const std::scoped_lock lock(fetcher_.mutex_);
    fetcher_.in_flight_.erase(user_);
    fetcher_.landed_.notify_all();
  }
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

 private:
  ListFetcher& fetcher_;
  const UserId user_;
  bool is_first_ = false;
};

Result<FetchedLists> ListFetcher::Fetch(ShardedReader& tables, const Deployment& deployment,
                                        UserId user, const ListsNeeded& needed) {
  const Flight flight(*this, user);
  const ListsNeeded missing = NotHeld(user, needed);
  FetchedLists fetched;
  if (!missing.following && !missing.fans) return fetched;
  Result<TableRows> lists = AskFor(live_, tables, deployment, user, missing);
  if (!lists) return Forward(lists);
  const auto take = [&](Direction list, const ListRows& rows,
                        std::unique_ptr<HeldList>& for_one_answer) {
    const LiveLists::Source source{list, user, &lists->position, lists->ticket};
    if (InstallOrWait(source, rows)) return;
    for_one_answer = ForOneAnswer(source, rows, fetched);
  };
  if (missing.following) take(Direction::kFollowing, lists->following, fetched.following);
  if (missing.fans) take(Direction::kFans, lists->fans, fetched.fans);
  return fetched;
}

ListsNeeded ListFetcher::NotHeld(UserId user, const ListsNeeded& needed) {
  return live_.cache().With(user, [&](const HeldLists& held) {
    return ListsNeeded{needed.following && held.following == nullptr,
                       needed.fans && held.fans == nullptr};
  });
}

bool ListFetcher::InstallOrWait(const LiveLists::Source& source, const ListRows& rows) {
  ViewState state = live_.Install(source, rows);
  if (state == ViewState::kAhead && WaitForReader(source)) {
    state = live_.Install(source, rows);
  }
  return state == ViewState::kAtReader;
}

std::unique_ptr<HeldList> ListFetcher::ForOneAnswer(const LiveLists::Source& source,
                                                    const ListRows& rows,
                                                    FetchedLists& fetched) const {
  auto list = std::make_unique<HeldList>(rows);
  const auto [state, moves] = live_.Missing(source);
  fetched.as_they_are = fetched.as_they_are || IsAsTablesAre(state);
  fetched.ahead = fetched.ahead || state == ViewState::kAhead;
  BringList(list, rows, source.list, moves);
  return list;
}

}  // namespace fanfold::reader
