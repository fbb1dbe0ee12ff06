#include "reader/cache/list_loader.h"

#include <chrono>
#include <utility>
#include <vector>

#include "reader/cache/list_rows.h"

namespace fanfold::reader {
namespace {

// The newest rows of each list needed, all there are unless a list is very long.
struct FetchedLists {
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

Result<FetchedLists> FetchUpTo(std::size_t rows_max, const LiveLists& live, ShardedReader& tables,
                               const Deployment& deployment, UserId user,
                               const ListsNeeded& needed) {
  const Shard shard = deployment.placement.ShardOf(user);
  const Result<ProjectionReader*> reader = tables.On(shard);
  if (!reader) return std::unexpected(reader.error());
  FetchedLists lists;
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
Result<FetchedLists> Fetch(const LiveLists& live, ShardedReader& tables,
                           const Deployment& deployment, UserId user, const ListsNeeded& needed) {
  Result<FetchedLists> lists = FetchUpTo(kHeadRows, live, tables, deployment, user, needed);
  if (!lists) return lists;
  const auto fits_whole = [](const ListRows& list) {
    return !list.whole && list.count.value <= static_cast<std::int64_t>(kWholeRowsMax);
  };
  if (!fits_whole(lists->following) && !fits_whole(lists->fans)) return lists;
  return FetchUpTo(kWholeRowsMax, live, tables, deployment, user, needed);
}

}  // namespace

class ListLoader::Flight {
 public:
  // Waits while another thread fetches the user, for at most kSingleFlightMs.
  Flight(ListLoader& loader, UserId user) : loader_(loader), user_(user) {
    std::unique_lock lock(loader.mutex_);
    loader.landed_.wait_for(lock, std::chrono::milliseconds(kSingleFlightMs),
                            [&] { return !loader.in_flight_.contains(user); });
    is_first_ = loader.in_flight_.insert(user).second;
  }
  ~Flight() {
    if (!is_first_) return;
    const std::scoped_lock lock(loader_.mutex_);
    loader_.in_flight_.erase(user_);
    loader_.landed_.notify_all();
  }
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

 private:
  ListLoader& loader_;
  const UserId user_;
  bool is_first_ = false;
};

Result<LoadedLists> ListLoader::Load(ShardedReader& tables, const Deployment& deployment,
                                     UserId user, const ListsNeeded& needed) {
  const Flight flight(*this, user);
  const ListsNeeded missing = NotHeld(user, needed);
  LoadedLists loaded;
  if (!missing.following && !missing.fans) return loaded;
  Result<FetchedLists> lists = Fetch(live_, tables, deployment, user, missing);
  if (!lists) return Forward(lists);
  const auto take = [&](Direction list, const ListRows& rows,
                        std::unique_ptr<HeldList>& for_one_answer) {
    const LiveLists::Source source{list, user, &lists->position, lists->ticket};
    if (InstallOrWait(source, rows)) return;
    for_one_answer = ForOneAnswer(source, rows, loaded);
  };
  if (missing.following) take(Direction::kFollowing, lists->following, loaded.following);
  if (missing.fans) take(Direction::kFans, lists->fans, loaded.fans);
  return loaded;
}

ListsNeeded ListLoader::NotHeld(UserId user, const ListsNeeded& needed) {
  return live_.cache().With(user, [&](const HeldLists& held) {
    return ListsNeeded{needed.following && held.following == nullptr,
                       needed.fans && held.fans == nullptr};
  });
}

bool ListLoader::InstallOrWait(const LiveLists::Source& source, const ListRows& rows) {
  ViewState state = live_.Install(source, rows);
  if (state == ViewState::kAhead && WaitForR(source)) {
    state = live_.Install(source, rows);
  }
  return state == ViewState::kAtR;
}

std::unique_ptr<HeldList> ListLoader::ForOneAnswer(const LiveLists::Source& source,
                                                   const ListRows& rows,
                                                   LoadedLists& loaded) const {
  auto list = std::make_unique<HeldList>(rows);
  const auto [state, moves] = live_.Missing(source);
  loaded.as_they_are = loaded.as_they_are || IsAsTablesAre(state);
  loaded.ahead = loaded.ahead || state == ViewState::kAhead;
  BringList(list, rows, source.list, moves);
  return list;
}

}  // namespace fanfold::reader
