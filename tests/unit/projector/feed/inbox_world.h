// A deployment of two shards whose lanes and inboxes are stepped by hand, in any order.
#pragma once

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/feed/feed_event.h"
#include "common/ports/post_reader.h"
#include "common/ports/shown_reader.h"
#include "common/post/post_outcome.h"
#include "common/relation/codec.h"
#include "common/relation/event.h"
#include "common/sqlite/memory_database.h"
#include "common/sqlite/sqlite_store.h"
#include "common/sqlite/sqlite_tables.h"
#include "projector/audit/inbox_audit.h"
#include "projector/feed/inbox_deliverer.h"
#include "projector/feed/inbox_maker.h"
#include "projector/folds.h"
#include "projector/runtime/shard_worker.h"
#include "tests/contract/tables_under_test.h"
#include "tests/simulation/passing_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_log.h"

namespace fanfold::testing {

// Passes calls on, but those that its owner lets fail.
class FailingInboxes final : public InboxStore {
 public:
  using Fails = std::function<bool()>;
  FailingInboxes(std::unique_ptr<InboxStore> store, Fails fails)
      : store_(std::move(store)), fails_(std::move(fails)) {}

  Result<std::map<Partition, InboxStood>> Stood(Generation inboxes, Stream stream) override {
    return Pass([&] { return store_->Stood(inboxes, stream); });
  }
  Status Begin(Generation inboxes, std::span<const InboxStart> starts) override {
    return store_->Begin(inboxes, starts);
  }
  Result<std::vector<ActiveInbox>> Active(std::span<const InboxOwner> owners,
                                          bool counts) override {
    return Pass([&] { return store_->Active(owners, counts); });
  }
  Status Deliver(const InboxDelivery& delivery) override {
    return Pass([&] { return store_->Deliver(delivery); });
  }
  Status Wake(const InboxWake& wake) override {
    return Pass([&] { return store_->Wake(wake); });
  }
  Result<std::vector<InboxHead>> Heads(Partition partition, UserId after,
                                       std::size_t limit) override {
    return Pass([&] { return store_->Heads(partition, after, limit); });
  }
  Result<std::optional<InboxView>> Read(const InboxQuestion& question) override {
    return Pass([&] { return store_->Read(question); });
  }
  Result<std::vector<UserId>> OwnersOfParts(UserId after, std::size_t limit) override {
    return store_->OwnersOfParts(after, limit);
  }
  Status Renew(const InboxOwner& of, const std::string& stand, std::int64_t maker) override {
    return Pass([&] { return store_->Renew(of, stand, maker); });
  }
  Result<bool> Join(const InboxMade& made) override {
    return Pass([&] { return store_->Join(made); });
  }
  Result<bool> Finish(const InboxOwner& of, std::int64_t maker) override {
    return Pass([&] { return store_->Finish(of, maker); });
  }
  Status Compact(std::span<const InboxOwner> owners, std::size_t length) override {
    return Pass([&] { return store_->Compact(owners, length); });
  }
  Status Remove(const InboxOwner& of, std::int64_t before_day) override {
    return Pass([&] { return store_->Remove(of, before_day); });
  }
  Result<std::vector<PulledAuthor>> Pulled(std::span<const UserId> authors) override {
    return Pass([&] { return store_->Pulled(authors); });
  }
  Status Push(UserId author) override {
    return Pass([&] { return store_->Push(author); });
  }
  Result<bool> Drop(std::optional<Generation> but) override { return store_->Drop(but); }
  Result<InboxMode> Mode() override { return store_->Mode(); }
  Status SetMode(const InboxMode& mode) override { return store_->SetMode(mode); }

 private:
  // Before it was done, or after, which nobody knows.
  template <class Call>
  auto Pass(const Call& call) -> decltype(call()) {
    if (fails_()) return Fail(ErrorCode::kUnavailable, "the test lets it fail");
    auto answer = call();
    if (fails_()) return Fail(ErrorCode::kUnknown, "the test loses the answer");
    return answer;
  }

  std::unique_ptr<InboxStore> store_;
  const Fails fails_;
};

class InboxWorld {
 public:
  static constexpr std::int32_t kPartitions = 4;
  static constexpr std::int32_t kShards = 2;
  static constexpr std::uint64_t kUsers = 9;
  static constexpr InboxLimits kLimits{.push_fans_max = 5, .length = 8, .active_days = 2};

  explicit InboxWorld(std::uint32_t seed) : random_(seed) {
    for (std::size_t s = 0; s < kShards; ++s) {
      tables_[s] = Must(OpenSqliteTables(databases_[s].path(), Shard(static_cast<std::int32_t>(s)),
                                         {kPartitions, kShards}, clock_));
    }
    for (const Projection projection :
         {projections::kFollowing, projections::kFans, projections::kPosts, projections::kFeed}) {
      AddLanes(projection);
    }
    TurnOn();
    for (Keeper& keeper : keepers_) Restart(keeper);
    for (std::int32_t p = 0; p < kPartitions; ++p) keepers_[0].owned.insert(Partition(p));
  }

  // ---- what is asked for ----
  void Relate(EventType type, std::uint64_t subject, std::uint64_t object) {
    const Event event{"e", type, UserId(subject), UserId(object), ++at_ms_, AskedBy::kSubject, {},
                      {},  {}};
    Put(topics::kRelationEvents, event.subject, EncodeEvent(event));
  }
  void Publish(PostEventType type, std::uint64_t author, std::uint64_t post, std::int64_t at_ms) {
    const PostEvent event{.event_id = "p",
                          .type = type,
                          .author = UserId(author),
                          .post_id = PostId(post),
                          .at_ms = at_ms};
    Put(topics::kPostEvents, event.author, EncodePostEvent(event));
  }
  void Look(std::uint64_t owner, FeedEventType type = FeedEventType::kActive) {
    FeedEvent event;
    event.type = type;
    event.owner = UserId(owner);
    event.at_ms = clock_.now_ms;
    Put(topics::kFeedEvents, event.owner, EncodeFeedEvent(event));
  }
  std::uint64_t User() { return 1 + random_() % users_; }
  void SomeEvent() {
    const std::uint64_t user = User();
    switch (random_() % 8) {
      case 0:
      case 1:
        return Relate(EventType::kFollow, user, 1 + (user + random_() % (users_ - 1)) % users_);
      case 2:
        return Relate(EventType::kUnfollow, user, User());
      case 3:
        return Look(user, random_() % 8 == 0 ? FeedEventType::kForget : FeedEventType::kActive);
      case 4:
        return Publish(PostEventType::kDeletePost, user, 1 + random_() % (4 * users_), 1);
      default:
        return Publish(PostEventType::kPost, user, 1 + random_() % (4 * users_),
                       static_cast<std::int64_t>(1 + random_() % 40));
    }
  }

  Shard ShardOf(std::uint64_t user) const { return placement_.ShardOf(UserId(user)); }
  // One whom nothing else names.
  std::uint64_t UserOn(Shard shard) const {
    std::uint64_t user = kUsers + 1;
    while (placement_.ShardOf(UserId(user)) != shard) ++user;
    return user;
  }

  // ---- who works ----
  struct Keeper {
    std::set<Partition> owned;
    std::unique_ptr<projector::TaskPorts> ports;
    std::unique_ptr<projector::InboxShards> shards;
    std::unique_ptr<projector::InboxDeliverer> deliverer;
    std::unique_ptr<projector::InboxMaker> maker;
    std::string stand;
  };
  void SomeStep() {
    clock_.now_ms += random_() % 60 == 0 ? projector::InboxMaker::kLookMs
                                         : static_cast<std::int64_t>(random_() % 60);
    switch (random_() % 10) {
      case 0:
      case 1:
      case 2:
      case 3: {
        const std::size_t place = random_() % workers_.size();
        if (place != held_) static_cast<void>(workers_[place]->Step(0));
        return;
      }
      case 4:
        if (random_() % 40 == 0) return is_on_ ? TurnOff() : TurnOn();
        if (random_() % 4 == 0) held_ = random_() % workers_.size();
        if (random_() % 4 == 0) held_ = kNone;
        return MoveSome();
      default:
        return StepKeeper(keepers_[random_() % keepers_.size()]);
    }
  }
  void StepKeeper(Keeper& keeper) {
    std::vector<Error> failures;
    if (!Look(keeper)) return;
    if (random_() % 2 == 0) {
      static_cast<void>(keeper.maker->Step(failures));
    } else {
      static_cast<void>(keeper.deliverer->Step(0, failures));
    }
  }
  // As the task does. False: no inboxes are kept. A look may be old by the time that is worked by
  // it.
  bool Look(Keeper& keeper) {
    if (!failing_ || random_() % 4 > 0 || !keeper.shards->on()) {
      if (!keeper.shards->Look()) return false;
    }
    const std::string stand = keeper.shards->on() ? keeper.shards->Stand() : "";
    if (stand != keeper.stand) {
      keeper.stand = stand;
      keeper.deliverer->Forget();
      keeper.maker->Forget();
    }
    return keeper.shards->on();
  }
  // A partition goes to the other, who may come before the first has let go; or one is killed.
  void MoveSome() {
    const auto partition = Partition(static_cast<std::int32_t>(random_() % kPartitions));
    const std::size_t one = random_() % 2;
    if (random_() % 6 == 0) return Restart(keepers_[one]);
    if (keepers_[one].owned.contains(partition) && keepers_[1 - one].owned.contains(partition)) {
      keepers_[one].owned.erase(partition);
    } else {
      keepers_[one].owned.insert(partition);
    }
  }
  void Restart(Keeper& keeper) {
    keeper.maker.reset();
    keeper.deliverer.reset();
    keeper.shards.reset();
    keeper.ports = std::make_unique<projector::TaskPorts>(projector::TaskPorts{
        log_, [this](Shard shard) { return NewSqliteProjectionReader(TablesOf(shard)); },
        [this](Shard shard) { return NewSqliteTableSnapshot(TablesOf(shard)); },
        [this](Shard shard) -> Result<std::unique_ptr<LaneStore>> {
          return std::make_unique<Store>(NewSqliteLaneStore(TablesOf(shard)), [this, shard] {
            return refuses_ == shard || (failing_ && random_() % 40 == 0);
          });
        },
        placement_.shape(),
        [&keeper](Partition partition) { return keeper.owned.contains(partition); }, clock_,
        metrics_});
    keeper.shards = std::make_unique<projector::InboxShards>(*keeper.ports);
    keeper.deliverer =
        std::make_unique<projector::InboxDeliverer>(*keeper.ports, *keeper.shards, kLimits);
    keeper.maker = std::make_unique<projector::InboxMaker>(*keeper.ports, *keeper.shards, kLimits);
  }

  // The lanes of a projection on a shard do not come on, until others are held.
  void Hold(Projection projection, Shard shard) {
    const auto at = std::ranges::find_if(
        places_, [&](const auto& place) { return place == std::pair(projection, shard); });
    held_ = static_cast<std::size_t>(at - places_.begin());
  }
  void HoldNone() { held_ = kNone; }
  // Inboxes of that shard are not written.
  void Refuse(std::optional<Shard> shard) { refuses_ = shard; }
  // All that is asked for is done, without failures.
  void Settle() {
    failing_ = false;
    if (!is_on_) TurnOn();
    using Maker = projector::InboxMaker;
    for (int round = 0; round < 60; ++round) {
      clock_.now_ms += 100;
      if (round == 20) clock_.now_ms += Maker::kAgainMs;
      for (std::size_t place = 0; place < workers_.size(); ++place) {
        if (place != held_) workers_[place]->Step(0);
      }
      for (Keeper& keeper : keepers_) {
        std::vector<Error> failures;
        ASSERT_TRUE(Look(keeper));
        for (int step = 0; step < 8; ++step) {
          static_cast<void>(keeper.deliverer->Step(0, failures));
          static_cast<void>(keeper.maker->Step(failures));
        }
        for (const Error& failure : failures) {
          EXPECT_TRUE(failure.code == ErrorCode::kFenced || refuses_) << failure.message;
        }
      }
    }
  }

  // ---- what is right ----
  std::optional<InboxView> ViewOf(std::uint64_t owner) {
    const InboxOwner of = OwnerOf(owner);
    const auto store = NewSqliteLaneStore(TablesOf(placement_.ShardOf(of.partition)));
    return Must(OpenInboxes(*store)->Read({of, Generation(turns_), kG1}));
  }
  InboxOwner OwnerOf(std::uint64_t owner) const {
    return {placement_.PartitionOf(UserId(owner)), UserId(owner)};
  }
  // The users whom the owner follows by events below that one, each with its event (a version).
  std::map<UserId, Version> FollowedBy(std::uint64_t owner, Offset below) {
    std::map<UserId, Version> followed;
    for (const MemoryRecord& record :
         log_.Records(topics::kRelationOutcomes, OwnerOf(owner).partition)) {
      const auto outcome = DecodeOutcome(*record.value);
      if (outcome->subject != UserId(owner) || outcome->position.offset >= below) continue;
      const Version version(outcome->position.offset.value + 1);
      if (outcome->kind == OutcomeKind::kFollowed) followed[outcome->object] = version;
      if (outcome->kind == OutcomeKind::kUnfollowed) followed.erase(outcome->object);
    }
    return followed;
  }
  std::vector<InboxEntry> PostsOf(UserId author, Offset below) {
    std::map<PostId, InboxEntry> posts;
    for (const MemoryRecord& record :
         log_.Records(topics::kPostOutcomes, placement_.PartitionOf(author))) {
      const auto outcome = DecodePostOutcome(*record.value);
      if (outcome->author != author || outcome->position.offset >= below) continue;
      if (outcome->kind == PostOutcomeKind::kPosted) {
        posts[outcome->post_id] = {outcome->score, author, outcome->post_id};
      }
      if (outcome->kind == PostOutcomeKind::kPostDeleted) posts.erase(outcome->post_id);
    }
    std::vector<InboxEntry> all;
    for (const auto& [id, entry] : posts) all.push_back(entry);
    return all;
  }
  // One that is read says, of all whom it covers, just what was posted above its floor. How many it
  // covers.
  std::size_t Check(std::uint64_t owner) {
    std::optional<InboxView> view = ViewOf(owner);
    const bool is_read = is_on_ && view && view->head.made && view->following &&
                         view->head.stand == InboxStandOf(Generation(turns_), {});
    if (!is_read) return 0;
    view->inbox.Trim(std::numeric_limits<std::size_t>::max());
    const std::map<Partition, Offset> delivered(view->delivered.begin(), view->delivered.end());
    std::size_t covered = 0;
    for (const auto& [author, version] : FollowedBy(owner, *view->following)) {
      if (std::ranges::binary_search(view->changed, author)) continue;
      EXPECT_LE(version.value, view->head.follows_at.value);
      if (std::ranges::binary_search(view->inbox.all.pulled, author)) continue;
      ++covered;
      std::set<InboxEntry> expected;
      for (const InboxEntry& entry :
           PostsOf(author, delivered.at(placement_.PartitionOf(author)))) {
        if (entry >= view->inbox.floor) expected.insert(entry);
      }
      std::set<InboxEntry> told;
      for (const InboxEntry& entry : view->inbox.all.posted) {
        if (entry.author == author) told.insert(entry);
      }
      EXPECT_EQ(told == expected, true) << Differences(told, expected) << " for " << owner;
    }
    return covered;
  }

  // Those that the auditor finds wrong; they are made anew where that is wished.
  std::size_t Audit(bool mends = false) {
    class Pace final : public projector::ScanPace {
     public:
      bool Read(std::int64_t) override { return true; }
    } pace;
    const Deployment deployment{placement_, {}, Generation(turns_)};
    projector::InboxAudit audit(
        {[this](Shard shard) { return NewSqliteProjectionReader(TablesOf(shard)); },
         [this](Shard shard) -> Result<std::unique_ptr<LaneStore>> {
           return NewSqliteLaneStore(TablesOf(shard));
         },
         deployment, pace});
    projector::VerifyReport report;
    EXPECT_TRUE(audit.All(report));
    EXPECT_EQ(report.found, report.differences.size());
    if (mends) {
      EXPECT_EQ(Must(audit.Mend(report.differences)), report.found);
    }
    return report.found;
  }
  // Beside the store, on every shard.
  void Sql(const std::string& statement) {
    for (const auto& tables : tables_) {
      ASSERT_TRUE(tables->Write(
          [&](sqlite::Connection& connection, std::int64_t) { connection.Execute(statement); }));
    }
  }
  std::mt19937& random() { return random_; }
  ManualClock& clock() { return clock_; }
  std::array<Keeper, 2>& keepers() { return keepers_; }

  const std::shared_ptr<SqliteTables>& TablesOf(Shard shard) const {
    return tables_[static_cast<std::size_t>(shard.value)];
  }
  // As `fanfold feed mode` does it.
  void TurnOn() {
    ++turns_;
    std::vector<InboxStart> starts;
    for (const Projection projection : {projections::kPosts, projections::kFeed}) {
      for (std::int32_t p = 0; p < kPartitions; ++p) {
        const Offset begin = StandsAt({projection, kG1, Partition(p)});
        starts.push_back({projection.stream(), Partition(p), {begin, begin}});
      }
    }
    for (const auto& tables : tables_) {
      const auto store = NewSqliteLaneStore(tables);
      ASSERT_TRUE(OpenInboxes(*store)->Begin(Generation(turns_), starts));
    }
    SetMode(true);
  }
  void TurnOff() {
    SetMode(false);
    for (const auto& tables : tables_) {
      const auto store = NewSqliteLaneStore(tables);
      while (Must(OpenInboxes(*store)->Drop(std::nullopt))) {
      }
    }
  }

 private:
  class Store final : public simulation::PassingStore {
   public:
    Store(std::unique_ptr<LaneStore> store, FailingInboxes::Fails fails)
        : PassingStore(std::move(store)), fails_(std::move(fails)) {}
    std::unique_ptr<RowStore> OpenRows(Projection projection, Generation generation) override {
      return std::make_unique<FailingInboxes>(
          As<InboxStore>(store_->OpenRows(projection, generation)), fails_);
    }

   private:
    const FailingInboxes::Fails fails_;
  };

  static std::string Differences(const std::set<InboxEntry>& told,
                                 const std::set<InboxEntry>& expected) {
    std::string text;
    for (const InboxEntry& entry : expected) {
      if (!told.contains(entry)) text += " misses " + TextOf(entry);
    }
    for (const InboxEntry& entry : told) {
      if (!expected.contains(entry)) text += " has " + TextOf(entry);
    }
    return text;
  }
  static std::string TextOf(const InboxEntry& entry) {
    return std::to_string(entry.author.value) + "/" + std::to_string(entry.post.value);
  }

  void Put(Topic topic, UserId key, const std::string& value) {
    log_.Put(topic, placement_.PartitionOf(key), ToString(key), value);
  }

  void AddLanes(Projection projection) {
    folds_.push_back(projector::NewFold(projection, FollowLimit(1'000)));
    series_.push_back(std::make_unique<projector::ProjectorMetrics>(metrics_, projection));
    std::vector<Partition> all;
    for (std::int32_t p = 0; p < kPartitions; ++p) all.emplace_back(p);
    for (std::int32_t s = 0; s < kShards; ++s) {
      workers_.push_back(std::make_unique<projector::ShardWorker>(
          *folds_.back(), projector::WorkPlace{placement_, Shard(s), kG1}, "test",
          projector::WorkerPorts{log_, NewSqliteLaneStore(TablesOf(Shard(s))), clock_,
                                 *series_.back()}));
      places_.emplace_back(projection, Shard(s));
      ASSERT_TRUE(workers_.back()->Open());
      workers_.back()->Gain(all);
    }
  }

  // An event whose outcome is in the topic, and all before it in the rows.
  Offset StandsAt(const LaneId& id) {
    const auto reader = Must(NewSqliteProjectionReader(TablesOf(placement_.ShardOf(id.partition))));
    const std::vector<LaneStatus> lanes = Must(reader->Lanes());
    const auto lane = std::ranges::find(lanes, id, &LaneStatus::lane);
    if (lane == lanes.end()) return Offset(0);
    return lane->deciding ? lane->progress.published_offset : lane->progress.event_offset;
  }
  void SetMode(bool is_on) {
    is_on_ = is_on;
    const auto first = NewSqliteLaneStore(tables_[0]);
    ASSERT_TRUE(OpenInboxes(*first)->SetMode({Generation(turns_), is_on}));
  }

  static constexpr auto kNone = static_cast<std::size_t>(-1);

  std::mt19937 random_;
  const std::uint64_t users_ = 3 + random_() % (kUsers - 2);
  std::size_t held_ = kNone;  // a worker that does not come on
  std::int32_t turns_ = 0;
  bool is_on_ = false;
  bool failing_ = true;
  std::optional<Shard> refuses_;
  std::int64_t at_ms_ = 0;
  ManualClock clock_;
  const Placement placement_ = Placement::Modulo({kPartitions, kShards});
  MemoryLog log_{kPartitions};
  Metrics metrics_;
  std::array<MemoryDatabase, kShards> databases_;
  std::array<std::shared_ptr<SqliteTables>, kShards> tables_;
  std::vector<std::unique_ptr<const projector::Fold>> folds_;
  std::vector<std::unique_ptr<projector::ProjectorMetrics>> series_;
  std::vector<std::unique_ptr<projector::ShardWorker>> workers_;
  std::vector<std::pair<Projection, Shard>> places_;  // of the workers
  std::array<Keeper, 2> keepers_;
};

}  // namespace fanfold::testing
