#include "tests/simulation/reader_memory.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "reader/query_service.h"
#include "tests/simulation/faulty_store.h"
#include "tests/simulation/read_check.h"

namespace fanfold::simulation {
namespace {

constexpr auto kFollowing = Direction::kFollowing;
constexpr auto kFans = Direction::kFans;

// Few recent moves leave their floor close behind the reader; little room makes lists leave and
// come back.
constexpr std::size_t kRecentMoves[] = {8, 64, 4096};
constexpr std::size_t kListBytes[] = {24 << 10, 40 << 10, 1 << 20};
constexpr std::uint64_t kFollowsAnewOf = 64;
constexpr std::uint64_t kListLimitMax = 8;
constexpr int kCatchUpStepsMax = 2'000;

reader::CacheLimits LimitsFrom(SplitMix64& random) {
  return {.lists_bytes = kListBytes[random.Below(std::size(kListBytes))],
          .recent_moves_bytes = reader::RecentMoves::kMoveBytes *
                                kRecentMoves[random.Below(std::size(kRecentMoves))]};
}

// The user's list when each partition is folded up to its end.
std::vector<ListedUser> ListAt(const Ground& ground, Direction list, UserId user,
                               const std::vector<Offset>& ends) {
  std::vector<ListedUser> rows;
  for (std::uint64_t id = 1; id <= kUsers; ++id) {
    const UserId subject = list == kFollowing ? user : UserId(id);
    const UserId object = list == kFollowing ? UserId(id) : user;
    const auto partition = static_cast<std::size_t>(ground.placement.PartitionOf(subject).value);
    const Edge edge = ground.oracle.ledger().RowAt(subject, object, ends[partition]);
    if (edge.active) rows.push_back({UserId(id), edge.since_ms});
  }
  std::ranges::sort(rows, ListedBefore);
  return rows;
}

std::vector<ListedUser> FriendsIn(std::span<const ListedUser> following,
                                  std::span<const ListedUser> fans) {
  std::vector<ListedUser> friends;
  for (const ListedUser& row : following) {
    const auto fan = std::ranges::find(fans, row.user, &ListedUser::user);
    if (fan != fans.end()) friends.push_back({row.user, std::max(row.since_ms, fan->since_ms)});
  }
  std::ranges::sort(friends, ListedBefore);
  return friends;
}

}  // namespace

ReaderMemory::ReaderMemory(Ground& ground, const Others& others)
    : ground_(ground),
      answers_(ground.nemesis, ground.random, others),
      follows_(ground.nemesis, ground.random, others),
      follows_posts_(ground.nemesis, ground.random, others),
      looks_(ground.nemesis, ground.random, others),
      log_(ground.adapters->log(),
           {follows_, ground.nemesis, ground.random, ground.transit, ground.clock}),
      log_of_posts_(ground.adapters->log(),
                    {follows_posts_, ground.nemesis, ground.random, ground.transit, ground.clock}),
      board_(ground.clock, {kPartitions, kShards}),
      live_(kShards, LimitsFrom(ground.random), ground.series.metrics),
      posts_(ground, log_of_posts_, board_),
      fetcher_(live_, /*ahead_wait_ms=*/0),
      feed_(live_, ground.series.metrics),
      outcomes_(board_, feed_, log_, [] {}),
      look_factory_([this](Shard shard) -> Result<std::unique_ptr<ProjectionReader>> {
        return MakeFaulty(ground_.adapters->NewReader(shard), looks_, ground_.nemesis);
      }),
      deployment_{ground.placement, ground.Read()} {
  live_.SetRead(deployment_.read);
  Gauge& repairs = ground.series.metrics.GetGauge("repairs", "Of whatever shard");
  shard_looks_.reserve(kShards);
  for (std::int32_t number = 0; number < kShards; ++number) {
    const Shard shard(number);
    shard_looks_.emplace_back(shard, board_, watchers_, look_factory_, repairs, ground.clock);
    readers_.push_back(MakeFaulty(
        ground.adapters->NewReader(shard), answers_, ground.nemesis,
        [this, shard](std::span<const ListQuestion> questions, UserView& view) {
          Watch(shard, questions, view);
        },
        nullptr,
        [this, shard](std::span<const PostStretch> stretches, PostLanes& at) {
          LieAbout(ground_.without, at);
          posts_.Saw(shard, stretches, at);
        }));
  }
}

void ReaderMemory::Watch(Shard shard, std::span<const ListQuestion> questions, UserView& view) {
  const auto asks = [&](Direction list) {
    return std::ranges::any_of(questions,
                               [&](const ListQuestion& question) { return question.list == list; });
  };
  LieAbout(ground_.without, view);
  viewed_ = Viewed{view.position, ground_.oracle.rows_at(shard), asks(kFollowing), asks(kFans)};
}

bool ReaderMemory::busy() const noexcept {
  return answers_.busy() || follows_.busy() || follows_posts_.busy() || looks_.busy();
}

template <class Act>
void ReaderMemory::Drive(Life& life, const Act& act) {
  if (dead_ || life.busy()) return;
  try {
    const Life::Busy busy(life);
    act();
  } catch (const Crash& crash) {
    ground_.trace.Say("reader died", {static_cast<int>(crash.call)});
    dead_ = true;
    for (Life* part : {&answers_, &follows_, &follows_posts_, &looks_}) part->Kill();
  }
}

void ReaderMemory::Step() {
  const std::uint64_t part = ground_.random.Below(4);
  if (part == 0) return Drive(follows_posts_, [this] { posts_.Follow(); });
  if (part < 3) return Drive(follows_, [this] { Follow(); });
  const auto shard = static_cast<std::size_t>(ground_.random.Below(kShards));
  Drive(looks_, [&] { (void)shard_looks_[shard].Look(); });
}

void ReaderMemory::Follow() {
  if (!following_outcomes_) {
    following_outcomes_ = outcomes_.Begin().has_value();
    return;
  }
  const Status stepped = outcomes_.Step(0);
  const bool lost = !stepped && stepped.error().code == ErrorCode::kOutOfRange;
  if (lost) ground_.oracle.Complain("the reader lost its place: " + stepped.error().message);
  const bool resting = ground_.nemesis.resting();
  if (resting || ground_.random.Below(kFollowsAnewOf) != 0) return;
  outcomes_.End();
  following_outcomes_ = false;
}

bool ReaderMemory::IsAtEnd() {
  for (std::int32_t p = 0; p < kPartitions; ++p) {
    const Partition partition(p);
    if (live_.Next(partition) != ground_.oracle.ledger().published(partition)) return false;
  }
  return posts_.IsAtEnd();
}

void ReaderMemory::CatchUp() {
  ground_.oracle.ReadOutcomes();
  for (int step = 0; step < kCatchUpStepsMax && !dead_; ++step) {
    if (IsAtEnd()) return;
    for (reader::ShardLook& look : shard_looks_) (void)look.Look();
    Drive(follows_, [this] { Follow(); });
    Drive(follows_posts_, [this] { posts_.Follow(); });
  }
  ground_.oracle.Complain("the reader does not come to the end of the outcomes");
}

void ReaderMemory::CheckEverything(const RelationModel& model) {
  reader::LiveReader lists(live_, fetcher_, deployment_, this);
  CheckReads(ground_, model, lists);
  for (const auto& [owner, following] : model.following) {
    std::vector<UserId> authors;
    for (const auto& [author, since] : following) authors.push_back(author);
    posts_.CheckWhole(authors, deployment_, *this);
  }
  if (!lists.as_tables_are()) return;
  ground_.oracle.Complain("everything is folded, and an answer is as the tables are");
}

void ReaderMemory::Ask() {
  const UserId user(1 + ground_.random.Below(kUsers));
  Drive(answers_, [&] { AskOne(user); });
}

void ReaderMemory::AskFeed() {
  const UserId owner(1 + ground_.random.Below(kUsers));
  Drive(answers_, [&] { AskFeedOf(owner); });
}

std::vector<std::vector<Offset>> ReaderMemory::PlacesOf(Direction list, bool as_tables_are) const {
  const bool from_tables = viewed_ && (list == kFollowing ? viewed_->following : viewed_->fans);
  std::vector<Offset> at_reader(kPartitions);
  std::vector<Offset> as_is(kPartitions);
  for (std::int32_t p = 0; p < kPartitions; ++p) {
    const auto at = static_cast<std::size_t>(p);
    at_reader[at] = live_.Next(Partition(p)).value_or(Offset(0));
    if (!from_tables) continue;
    const std::vector<Offset>& fans = viewed_->position.fans;
    const Offset shown = list == kFollowing ? viewed_->position.following : fans.at(at);
    at_reader[at] = std::max(at_reader[at], shown);
    const auto rows = viewed_->rows_at.find(
        {ProjectionOf(list), deployment_.read[ProjectionOf(list)], Partition(p)});
    if (rows != viewed_->rows_at.end()) as_is[at] = rows->second;
  }
  std::vector<std::vector<Offset>> places;
  if (live_.running()) places.push_back(at_reader);
  if (from_tables && as_tables_are) places.push_back(as_is);
  if (places.empty()) places.push_back(as_is);  // not asked for
  return places;
}

// `is_right(following, fans)`: what must have been answered when the lists are these.
template <class Answer>
void ReaderMemory::Expect(UserId user, bool as_tables_are, std::string_view what,
                          const Answer& is_right) {
  for (const auto& following : PlacesOf(kFollowing, as_tables_are)) {
    for (const auto& fans : PlacesOf(kFans, as_tables_are)) {
      const bool right = is_right(ListAt(ground_, kFollowing, user, following),
                                  ListAt(ground_, kFans, user, fans));
      if (right) return;
    }
  }
  std::string where;
  for (const Direction list : {kFollowing, kFans}) {
    for (const auto& place : PlacesOf(list, as_tables_are)) {
      where += fmt::format(" {}", ToString(ProjectionOf(list)));
      for (const Offset end : place) where += fmt::format(":{}", end.value);
    }
  }
  ground_.oracle.Complain(fmt::format("the reader's {} of {} {} not as of{}", what, user.value,
                                      as_tables_are ? "(as the tables are) is" : "is", where));
}

void ReaderMemory::AskOne(UserId user) {
  if (!live_.Holds(deployment_.read)) return;
  ground_.oracle.ReadOutcomes();
  viewed_.reset();
  reader::LiveReader lists(live_, fetcher_, deployment_, this);
  const std::uint64_t kind = ground_.random.Below(5);
  if (kind == 3) return AskCounts(lists, user);
  if (kind == 4) return AskRelations(lists, user);
  AskList(lists, static_cast<reader::ListKind>(kind), user);
}

void ReaderMemory::AskCounts(reader::LiveReader& lists, UserId user) {
  const auto counts = lists.Counts(deployment_.read, std::span(&user, 1));
  if (!counts) return;
  Expect(user, lists.as_tables_are(), "counts", [&](const auto& following, const auto& fans) {
    return counts->front() == UserCounts{user, std::ssize(following), std::ssize(fans),
                                         std::ssize(FriendsIn(following, fans))};
  });
}

void ReaderMemory::AskRelations(reader::LiveReader& lists, UserId user) {
  const UserId other(1 + ground_.random.Below(kUsers));
  const auto seen = lists.Relations(deployment_.read, user, std::span(&other, 1));
  if (!seen) return;
  const auto is_in = [other](const std::vector<ListedUser>& rows) {
    return std::ranges::find(rows, other, &ListedUser::user) != rows.end();
  };
  Expect(user, lists.as_tables_are(), "relations", [&](const auto& following, const auto& fans) {
    return seen->front() == Directions{is_in(following), is_in(fans)};
  });
}

void ReaderMemory::AskList(reader::LiveReader& lists, reader::ListKind kind, UserId user) {
  reader::ListQuery query;
  query.list = kind;
  query.user = user;
  query.limit = 1 + ground_.random.Below(kListLimitMax);
  const Result<reader::ListAnswer> answer = reader::QueryService(lists, deployment_).List(query);
  if (!answer) return;
  Expect(user, lists.as_tables_are(), "list", [&](const auto& following, const auto& fans) {
    std::vector<ListedUser> rows = kind == reader::ListKind::kFollowing ? following
                                   : kind == reader::ListKind::kFans    ? fans
                                                                     : FriendsIn(following, fans);
    const bool more = rows.size() > query.limit;
    if (more) rows.resize(query.limit);
    return answer->items == rows && answer->next.has_value() == more;
  });
}

// Reads whom the owner follows, or the owner's friends; then what they published.
void ReaderMemory::AskFeedOf(UserId owner) {
  if (!live_.Holds(deployment_.read)) return;
  ground_.oracle.ReadOutcomes();
  viewed_.reset();
  reader::LiveReader lists(live_, fetcher_, deployment_, this);
  const bool friends_alone = ground_.random.Below(4) == 0;
  const auto rows =
      friends_alone
          ? lists.FriendsPage(deployment_.read, owner, {}, ListReader::kPageMax)
          : lists.Page(kFollowing, deployment_.read[kFollowing], owner, {}, ListReader::kPageMax);
  if (!rows) return;
  Expect(owner, lists.as_tables_are(), "authors", [&](const auto& following, const auto& fans) {
    return *rows == (friends_alone ? FriendsIn(following, fans) : following);
  });
  std::vector<UserId> authors;
  for (const ListedUser& row : *rows) authors.push_back(row.user);
  posts_.Ask(authors, deployment_, *this);
}

}  // namespace fanfold::simulation
