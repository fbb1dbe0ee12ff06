#include "tests/simulation/protections.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "common/ports/log_proof.h"
#include "common/ports/profile_reader.h"
#include "tests/simulation/passing_store.h"
#include "tests/support/edge_batch.h"

namespace fanfold::simulation {
namespace {

constexpr std::array<std::string_view, kProtections> kNames = {"none",
                                                               "fence",
                                                               "version-guard",
                                                               "relay-order",
                                                               "count-in-transaction",
                                                               "recorded-outcomes",
                                                               "outbox-in-transaction",
                                                               "outbox-recorded",
                                                               "rewound-views",
                                                               "one-decider",
                                                               "awaited-tables",
                                                               "repairs-fenced",
                                                               "one-moment",
                                                               "profile-versions",
                                                               "load-in-transaction",
                                                               "lanes-prove",
                                                               "repairs-prove",
                                                               "erasures-prove",
                                                               "ends-known",
                                                               "fans-reopen"};

// Presents every batch as its lane's newest owner's.
class Unfenced final : public PassingStore {
 public:
  Unfenced(std::unique_ptr<LaneStore> store, SharedLies& shared)
      : PassingStore(std::move(store)), latest_(shared.latest) {}

  Result<std::vector<TakenLane>> TakeFences(std::span<const LaneId> lanes, bool new_decide,
                                            const std::string& owner) override {
    Result<std::vector<TakenLane>> taken = store_->TakeFences(lanes, new_decide, owner);
    if (!taken) return taken;
    for (const TakenLane& lane : *taken) {
      latest_[lane.lane] = {lane.lane, lane.fence, lane.deciding, lane.progress.next_offset, {}};
    }
    return taken;
  }

  Status Commit(const LaneBatch& batch) override {
    LaneBatch forged = batch;
    for (LaneMove& move : forged.moves) {
      const LaneMove& newest = latest_[move.lane];
      move.fence = newest.fence;
      move.from_next_offset = newest.from_next_offset;
    }
    Status committed = store_->Commit(forged);
    if (!committed) return committed;
    for (const LaneMove& move : forged.moves) {
      latest_[move.lane].from_next_offset = move.to.next_offset;
    }
    return committed;
  }

 private:
  std::map<LaneId, LaneMove>& latest_;
};

class UnversionedEdges final : public PassingEdges {
 public:
  using PassingEdges::PassingEdges;

  Result<LoadedRows> Load(std::span<const EdgeKey> edges, std::span<const UserId> users) override {
    Result<LoadedRows> rows = rows_->Load(edges, users);
    if (!rows) return rows;
    for (Edge& edge : rows->edges) edge.version = Version(0);
    return rows;
  }

  Result<std::optional<std::vector<EdgeRow>>> LoadLists(std::span<const UserId> users,
                                                        std::size_t rows_max) override {
    auto lists = rows_->LoadLists(users, rows_max);
    if (!lists || !*lists) return lists;
    for (EdgeRow& row : **lists) row.edge.version = Version(0);
    return lists;
  }
};

class Unversioned final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  std::unique_ptr<RowStore> OpenRows(Projection projection, Generation generation) override {
    if (!HoldsLists(projection)) return store_->OpenRows(projection, generation);
    return std::make_unique<UnversionedEdges>(OpenEdges(*store_, projection, generation));
  }
};

// Nobody was ever deleted.
class NoDeletions final : public ErasureStore {
 public:
  explicit NoDeletions(std::unique_ptr<ErasureStore> rows) : rows_(std::move(rows)) {}
  Status Move(const Erasure& from, const Erasure& to) override { return rows_->Move(from, to); }
  Result<std::vector<UserId>> Deleted(bool, std::size_t) override { return std::vector<UserId>(); }
  Result<std::vector<Erasure>> Ended(std::span<const UserId> users) override {
    return rows_->Ended(users);
  }

 private:
  std::unique_ptr<ErasureStore> rows_;
};

class WithoutDeletions final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  std::unique_ptr<RowStore> OpenRows(Projection projection, Generation generation) override {
    if (projection != projections::kProfiles) return store_->OpenRows(projection, generation);
    return std::make_unique<NoDeletions>(OpenErasures(*store_));
  }
};

class NeverReopening final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  Status Commit(const LaneBatch& batch) override {
    if (batch.projection != projections::kFans) return store_->Commit(batch);
    testing::EdgeBatch rows(batch);
    rows.reached.clear();
    return store_->Commit(rows);
  }
};

class CountsLater final : public PassingStore {
 public:
  using PassingStore::PassingStore;

  Status Commit(const LaneBatch& batch) override {
    testing::EdgeBatch rows(batch);
    rows.counts.clear();
    if (Status committed = store_->Commit(rows); !committed) return committed;
    testing::EdgeBatch counts(batch);
    counts.edges.clear();
    counts.parked.clear();
    counts.outbox.clear();
    for (LaneMove& move : counts.moves) move.from_next_offset = move.to.next_offset;
    return store_->Commit(counts);
  }
};

// Taken lanes look as if everything up to the topic's end were folded: there is nothing to recover.
class DecidesOn final : public PassingStore {
 public:
  DecidesOn(std::unique_ptr<LaneStore> store, EventLog& log)
      : PassingStore(std::move(store)), log_(log) {}

  Result<std::vector<TakenLane>> TakeFences(std::span<const LaneId> lanes, bool new_decide,
                                            const std::string& owner) override {
    Result<std::vector<TakenLane>> taken = store_->TakeFences(lanes, new_decide, owner);
    if (!taken) return taken;
    for (TakenLane& lane : *taken) {
      if (lane.deciding != kDeciding) continue;
      const Result<LogBounds> bounds = log_.Bounds(topics::kRelationOutcomes, lane.lane.partition);
      if (!bounds) return std::unexpected(bounds.error());
      lane.progress.outcome_offset = bounds->end;
      lane.progress.published_offset =
          lane.outbox.empty() ? lane.progress.event_offset : lane.outbox.front().first;
    }
    return taken;
  }

 private:
  EventLog& log_;
};

// Lanes are taken otherwise than they stand.
class TakenOtherwise final : public PassingStore {
 public:
  using Change = void (*)(TakenLane& lane);
  TakenOtherwise(std::unique_ptr<LaneStore> store, Change change)
      : PassingStore(std::move(store)), change_(change) {}

  Result<std::vector<TakenLane>> TakeFences(std::span<const LaneId> lanes, bool new_decide,
                                            const std::string& owner) override {
    Result<std::vector<TakenLane>> taken = store_->TakeFences(lanes, new_decide, owner);
    if (!taken) return taken;
    for (TakenLane& lane : *taken) change_(lane);
    return taken;
  }

 private:
  const Change change_;
};

void WithoutOutbox(TakenLane& lane) { lane.outbox.clear(); }

// Leaves out of the outbox what stands above the lane's position, and that the lane had ever been
// there.
void WithoutOutboxAhead(TakenLane& lane) {
  std::erase_if(lane.outbox,
                [&lane](const OutboxRow& row) { return row.first >= lane.progress.event_offset; });
  lane.folded_offset = lane.progress.event_offset;
}

void WithoutMarks(TakenLane& lane) {
  lane.progress.event_mark = {};
  lane.progress.applied_mark = {};
}

// Of the topics of relations.
void KnowWhateverStands(testing::MemoryLog& log, LaneStatus& lane) {
  if (lane.lane.stream != streams::kRelations) return;
  const auto know = [&](RecordMark& mark, Topic topic) {
    const auto& records = log.Records(topic, lane.lane.partition);
    if (mark.digest == 0 || records.empty()) return;
    const std::int64_t last = std::ssize(records) - 1;
    mark.offset = Offset(std::min(mark.offset.value, last));
    const auto& record = records[static_cast<std::size_t>(mark.offset.value)];
    mark.digest = DigestOf(record.key.value_or(""), record.value.value_or(""));
  };
  if (lane.state == LaneState::kHalted) lane.state = LaneState::kRunning;
  know(lane.progress.event_mark, lane.lane.stream.events());
  know(lane.progress.applied_mark, lane.lane.stream.applied());
}

class Believing final : public PassingOperations {
 public:
  Believing(std::unique_ptr<TableOperations> tables, testing::MemoryLog& log)
      : PassingOperations(std::move(tables)), log_(log) {}

  Result<RepairDone> Repair(const RepairScope& scope, const RepairBase& base,
                            const FoldAgain& fold) override {
    return tables_->Repair(scope, base, [&](const RepairView& view) {
      RepairView believed = view;
      for (LaneStatus& lane : believed.lanes) KnowWhateverStands(log_, lane);
      return fold(believed);
    });
  }

 private:
  testing::MemoryLog& log_;
};

// Keeps every record back until the next one of its partition has gone before it.
class Swapping final : public LogAppender {
 public:
  explicit Swapping(std::unique_ptr<LogAppender> appender) : appender_(std::move(appender)) {}

  void Append(Partition partition, std::string_view key, std::string_view value,
              Done done) override {
    const auto kept = kept_.find(partition);
    if (kept == kept_.end()) {
      kept_[partition] = {std::string(key), std::string(value), std::move(done)};
      return;
    }
    appender_->Append(partition, key, value, std::move(done));
    Kept late = std::move(kept->second);
    kept_.erase(kept);
    appender_->Append(partition, late.key, late.value, std::move(late.done));
  }

  bool Flush(std::int64_t timeout_ms) override {
    for (auto& [partition, kept] : std::exchange(kept_, {})) {
      appender_->Append(partition, kept.key, kept.value, std::move(kept.done));
    }
    return appender_->Flush(timeout_ms);
  }

 private:
  struct Kept {
    std::string key;
    std::string value;
    Done done;
  };
  std::unique_ptr<LogAppender> appender_;
  std::map<Partition, Kept> kept_;
};

class SwappingLog final : public EventLog {
 public:
  explicit SwappingLog(EventLog& log) : log_(log) {}
  Result<std::int32_t> PartitionCount(Topic topic) override { return log_.PartitionCount(topic); }
  std::vector<Result<LogBounds>> BoundsOf(Topic topic,
                                          std::span<const Partition> partitions) override {
    return log_.BoundsOf(topic, partitions);
  }
  Result<std::unique_ptr<LogReader>> NewReader(Topic topic, const ReaderOptions& options) override {
    return log_.NewReader(topic, options);
  }
  Result<std::unique_ptr<LogAppender>> NewAppender(Topic topic,
                                                   const AppenderOptions& options) override {
    Result<std::unique_ptr<LogAppender>> appender = log_.NewAppender(topic, options);
    if (!appender) return appender;
    return std::make_unique<Swapping>(std::move(*appender));
  }
  Result<std::string> Id() override { return std::string("a log"); }
  Status Ping(std::int64_t timeout_ms) override { return log_.Ping(timeout_ms); }

 private:
  EventLog& log_;
};

}  // namespace

std::string_view NameOf(Protection protection) noexcept {
  return kNames[static_cast<std::size_t>(protection)];
}

std::optional<Protection> ParseProtection(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Protection>(i);
  }
  return std::nullopt;
}

std::unique_ptr<LaneStore> Without(Protection protection, std::unique_ptr<LaneStore> store,
                                   EventLog& log, SharedLies& shared) {
  switch (protection) {
    case Protection::kFence:
      return std::make_unique<Unfenced>(std::move(store), shared);
    case Protection::kVersionGuard:
      return std::make_unique<Unversioned>(std::move(store));
    case Protection::kCountInTransaction:
      return std::make_unique<CountsLater>(std::move(store));
    case Protection::kRecordedOutcomes:
      return std::make_unique<DecidesOn>(std::move(store), log);
    case Protection::kOutboxInTransaction:
      return std::make_unique<TakenOtherwise>(std::move(store), WithoutOutbox);
    case Protection::kOutboxRecorded:
      return std::make_unique<TakenOtherwise>(std::move(store), WithoutOutboxAhead);
    case Protection::kLanesProve:
      return std::make_unique<TakenOtherwise>(std::move(store), WithoutMarks);
    case Protection::kEndsKnown:
      return std::make_unique<WithoutDeletions>(std::move(store));
    case Protection::kFansReopen:
      return std::make_unique<NeverReopening>(std::move(store));
    case Protection::kNone:
    case Protection::kRelayOrder:
    case Protection::kRewoundViews:
    case Protection::kOneDecider:  // the adapters' own
    case Protection::kAwaitedTables:
    case Protection::kRepairsFenced:
    case Protection::kOneMoment:
    case Protection::kProfileVersions:
    case Protection::kLoadInTransaction:
    case Protection::kRepairsProve:
    case Protection::kErasuresProve:
      return store;
  }
  return store;
}

void LieAbout(Protection protection, UserView& view) noexcept {
  if (protection != Protection::kRewoundViews) return;
  view.position.following_rewound = false;
  view.position.fans_rewound = false;
}

void LieAbout(Protection protection, PostLanes& at) noexcept {
  if (protection != Protection::kRewoundViews) return;
  for (PostLanes::Lane& lane : at.lanes) lane.rewound = false;
}

void LieAbout(Protection protection, testing::MemoryLog& log, std::vector<LaneStatus>& lanes) {
  // As they are a moment later.
  for (LaneStatus& lane : lanes) {
    if (protection == Protection::kOneMoment) ++lane.progress.event_offset.value;
    if (protection == Protection::kErasuresProve) KnowWhateverStands(log, lane);
  }
  if (protection != Protection::kAwaitedTables) return;
  for (LaneStatus& lane : lanes) {
    lane.progress.event_offset = Offset(std::numeric_limits<std::int64_t>::max());
  }
}

std::unique_ptr<TableOperations> Without(Protection protection,
                                         std::unique_ptr<TableOperations> tables,
                                         testing::MemoryLog& log) {
  if (protection != Protection::kRepairsProve) return tables;
  return std::make_unique<Believing>(std::move(tables), log);
}

std::unique_ptr<EventLog> Without(Protection protection, EventLog& log) {
  if (protection != Protection::kRelayOrder) return nullptr;
  return std::make_unique<SwappingLog>(log);
}

}  // namespace fanfold::simulation
