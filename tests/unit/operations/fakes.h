// A deployment in memory.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "common/stream/slot.h"
#include "operations/base/context.h"

namespace fanfold::testing {

struct FakeRecord {
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::int64_t appended_ms = 0;
  bool missing = false;  // its offset holds none
};
using FakeTopic = std::vector<std::vector<FakeRecord>>;  // by partition

class FakeLogReader final : public LogReader {
 public:
  // Before each poll `on_poll` is called.
  FakeLogReader(const FakeTopic& topic, const std::function<void()>& on_poll)
      : topic_(topic), on_poll_(on_poll) {}

  Status Start(Partition partition, Offset from) override {
    Stop(partition);
    next_.push_back({partition, from});
    return {};
  }
  void Stop(Partition partition) override {
    std::erase_if(next_, [&](const auto& entry) { return entry.first == partition; });
  }
  Result<LogBatch> Poll(std::size_t records_max, std::int64_t) override {
    on_poll_();
    LogBatch batch;
    for (auto& [partition, offset] : next_) {
      const auto& records = topic_[static_cast<std::size_t>(partition.value)];
      for (; static_cast<std::size_t>(offset.value) < records.size() &&
             batch.records.size() < records_max;
           offset = Next(offset)) {
        const FakeRecord& record = records[static_cast<std::size_t>(offset.value)];
        if (record.missing) continue;
        batch.records.push_back({partition, offset, record.appended_ms, record.key, record.value});
      }
    }
    return batch;
  }

 private:
  const FakeTopic& topic_;
  const std::function<void()>& on_poll_;
  std::vector<std::pair<Partition, Offset>> next_;
};

// What the log holds, kept apart from EventLog so that it outlives the verb.
struct FakeLogState {
  PerTopic<FakeTopic> of_topics;
  std::int64_t fail_from = -1;    // appends from this one on fail, counted from 0; −1 = never
  std::int64_t intruder_at = -1;  // before that append somebody else's gets in
  FakeRecord intruder{"1", "intruder", 0};
  AppenderOptions asked;  // of the last appender
  std::int64_t appends = 0;
  int bounds_late = 0;                                  // so many questions about bounds time out
  std::function<void(Topic)> on_bounds = [](Topic) {};  // what happens before such a question
  std::function<void()> on_poll = [] {};                // and before a reader is asked
  bool holds_acks = false;
  std::vector<std::function<void()>> held;  // the acks that are
  std::function<void()> on_flush = [] {};
  Status reached;  // what a ping says

  explicit FakeLogState(std::size_t partitions) {
    for (const Topic topic : Topic::All()) of_topics[topic].resize(partitions);
  }
  FakeTopic& Of(Topic topic) { return of_topics[topic]; }
  [[nodiscard]] const FakeTopic& Of(Topic topic) const { return of_topics[topic]; }
};

class FakeAppender final : public LogAppender {
 public:
  FakeAppender(FakeLogState& state, Topic topic) : state_(state), topic_(topic) {}

  void Append(Partition partition, std::string_view key, std::string_view value,
              Done done) override {
    const std::int64_t number = state_.appends++;
    if (state_.fail_from >= 0 && number >= state_.fail_from) {
      return done(Fail(ErrorCode::kUnavailable, "the broker is away"));
    }
    auto& records = state_.Of(topic_)[static_cast<std::size_t>(partition.value)];
    if (number == state_.intruder_at) records.push_back(state_.intruder);
    records.push_back({std::string(key), std::string(value), 0});
    const Position position{partition, Offset(static_cast<std::int64_t>(records.size()) - 1)};
    if (!state_.holds_acks) return done(position);
    state_.held.push_back([done = std::move(done), position] { done(position); });
  }
  bool Flush(std::int64_t) override {
    state_.on_flush();
    return state_.held.empty();
  }

 private:
  FakeLogState& state_;
  const Topic topic_;
};

class FakeLog final : public EventLog {
 public:
  explicit FakeLog(FakeLogState& state) : state_(state) {}

  Result<std::int32_t> PartitionCount(Topic topic) override {
    return static_cast<std::int32_t>(state_.Of(topic).size());
  }
  std::vector<Result<LogBounds>> BoundsOf(Topic topic,
                                          std::span<const Partition> partitions) override {
    state_.on_bounds(topic);
    std::vector<Result<LogBounds>> bounds;
    const bool late = state_.bounds_late > 0;
    if (late) --state_.bounds_late;
    for (const Partition partition : partitions) {
      if (late) {
        bounds.emplace_back(Fail(ErrorCode::kUnavailable, "timed out"));
        continue;
      }
      const auto& records = state_.Of(topic)[static_cast<std::size_t>(partition.value)];
      bounds.emplace_back(LogBounds{Offset(0), Offset(static_cast<std::int64_t>(records.size()))});
    }
    return bounds;
  }
  Result<std::unique_ptr<LogReader>> NewReader(Topic topic, const ReaderOptions&) override {
    return std::make_unique<FakeLogReader>(state_.Of(topic), state_.on_poll);
  }
  Result<std::unique_ptr<LogAppender>> NewAppender(Topic topic,
                                                   const AppenderOptions& options) override {
    state_.asked = options;
    return std::make_unique<FakeAppender>(state_, topic);
  }
  Result<std::string> Id() override { return std::string("a log"); }
  Status Ping(std::int64_t) override { return state_.reached; }

 private:
  FakeLogState& state_;
};

struct FakeShard {
  std::vector<LaneStatus> lanes;
  std::vector<ParkedRow> parked;
  std::map<std::pair<Projection, EdgeKey>, EdgeView> edges;
  std::optional<Catalog> catalog;
  std::optional<SchemaIdentity> identity;
  std::vector<SampledUser> users;
  std::int64_t sessions = 0;
  bool read_only = false;  // of what init and identity write
  bool of_an_earlier_build = false;
  std::vector<GenerationRow> generations;
  bool generations_held = false;
  std::int64_t read_since_ms = 1'000'000;  // for how long the catalog has been as it is
  bool generations_away = false;
  std::map<Projection, std::vector<RowImage>> rows;  // as a snapshot tells them
  bool away = false;                                 // of its lanes nothing can be learned
  int polls = 0;                                     // of lanes
  std::function<void(FakeShard&)> on_poll = [](FakeShard&) {};
};

class FakeReader final : public ProjectionReader {
 public:
  explicit FakeReader(FakeShard& shard) : shard_(shard) {}

  Result<std::vector<ListedUser>> Page(Direction, Generation, UserId, const PageStart&,
                                       std::size_t) override {
    return std::vector<ListedUser>();
  }
  Result<std::vector<ListedUser>> FriendsPage(const ReadGenerations&, UserId, const PageStart&,
                                              std::size_t) override {
    return std::vector<ListedUser>();
  }
  Result<std::vector<ListedUser>> Among(Direction, Generation, UserId,
                                        std::span<const UserId>) override {
    return std::vector<ListedUser>();
  }
  Result<std::vector<UserCounts>> Counts(const ReadGenerations&, std::span<const UserId>) override {
    return std::vector<UserCounts>();
  }
  Result<std::vector<Directions>> Relations(const ReadGenerations&, UserId,
                                            std::span<const UserId>) override {
    return std::vector<Directions>();
  }
  Result<UserView> View(const ReadGenerations&, UserId, Partition,
                        std::span<const ListQuestion>) override {
    return UserView();
  }
  Result<EdgeView> EdgeAt(Direction list, Generation, const EdgeKey& key, Partition) override {
    return shard_.edges[{ProjectionOf(list), key}];
  }
  Result<std::vector<RepairRow>> RepairsAfter(std::uint64_t, std::size_t) override {
    return std::vector<RepairRow>();
  }
  Result<std::vector<LaneStatus>> Lanes() override {
    ++shard_.polls;
    shard_.on_poll(shard_);
    if (shard_.away) return Fail(ErrorCode::kUnavailable, "away");
    if (shard_.of_an_earlier_build) return Fail(ErrorCode::kRefused, "no such column");
    return shard_.lanes;
  }
  Result<std::vector<ParkedRow>> Parked(Projection projection,
                                        std::optional<std::pair<Partition, Offset>> after,
                                        std::size_t limit) override {
    if (shard_.away) return Fail(ErrorCode::kUnavailable, "away");
    std::vector<ParkedRow> rows;
    for (const ParkedRow& row : shard_.parked) {
      const bool is_behind = !after || *after < std::pair(row.lane.partition, row.offset);
      const bool fits = rows.size() < std::min(limit, kPageMax);
      if (row.lane.projection == projection && is_behind && fits) rows.push_back(row);
    }
    return rows;
  }
  Result<std::optional<ParkedRow>> ParkedAt(Projection projection, Partition partition,
                                            Offset offset) override {
    for (const ParkedRow& row : shard_.parked) {
      const bool here = row.lane.projection == projection && row.lane.partition == partition &&
                        row.offset == offset;
      if (here) return row;
    }
    return std::nullopt;
  }
  Result<Catalog> ReadCatalog() override {
    if (shard_.away) return Fail(ErrorCode::kUnavailable, "away");
    if (!shard_.catalog) return Fail(ErrorCode::kRefused, "no catalog");
    return *shard_.catalog;
  }
  Result<SlotMap> ReadSlotMap(SlotMapId) override {
    return SlotMap::Modulo(shard_.catalog->shape.shards);
  }
  Status Ping() override { return {}; }

 private:
  FakeShard& shard_;
};

// Rows alone, of any generation.
class FakeSnapshot final : public TableSnapshot {
 public:
  explicit FakeSnapshot(const FakeShard& shard) : shard_(shard) {}

  Result<std::vector<LaneStatus>> Lanes() override { return shard_.lanes; }
  Result<std::vector<OutboxRow>> Outbox(Projection, Generation) override {
    return std::vector<OutboxRow>();
  }
  Result<std::vector<RowImage>> Rows(Projection projection, Generation,
                                     const std::optional<RowKey>&, UserId, std::size_t) override {
    const auto found = shard_.rows.find(projection);
    return found == shard_.rows.end() ? std::vector<RowImage>() : found->second;
  }
  Result<std::vector<UserCount>> Counts(Projection, Generation, const std::optional<UserId>&,
                                        UserId, std::size_t) override {
    return std::vector<UserCount>();
  }
  Result<RowTally> Tally(Projection, Generation, UserId, UserId, std::size_t) override {
    return RowTally();
  }
  Result<std::uint64_t> LastRepair() override { return 0; }

 private:
  const FakeShard& shard_;
};

// Lanes alone.
class FakeOperations final : public TableOperations {
 public:
  explicit FakeOperations(FakeShard& shard) : shard_(shard) {}

  Status Pause(const LaneId& lane, const std::string& reason) override {
    LaneStatus& status = Find(lane);
    if (status.state == LaneState::kHalted) return Fail(ErrorCode::kRefused, "halted already");
    status.state = LaneState::kPaused;
    status.state_reason = reason;
    return {};
  }
  Status Resume(const LaneId& lane) override {
    Find(lane).state = LaneState::kRunning;
    return {};
  }
  Status Rewind(const LaneId& lane, Offset to) override {
    Find(lane).progress.event_offset = to;
    return {};
  }
  Status DropParked(Projection projection, Partition partition, Offset offset) override {
    const auto dropped = std::erase_if(shard_.parked, [&](const ParkedRow& row) {
      return row.lane.projection == projection && row.lane.partition == partition &&
             row.offset == offset;
    });
    if (dropped == 0) return Fail(ErrorCode::kNotFound, "nothing is parked there");
    return {};
  }
  Result<RepairDone> Repair(const RepairScope&, const RepairBase&, const FoldAgain&) override {
    return RepairDone();
  }

 private:
  LaneStatus& Find(const LaneId& lane) {
    return *std::ranges::find(shard_.lanes, lane, &LaneStatus::lane);
  }
  FakeShard& shard_;
};

// Their list, whether somebody holds them, which one is read and is to decide.
class FakeGenerations final : public GenerationOperations {
 public:
  explicit FakeGenerations(FakeShard& shard) : shard_(shard) {}

  Result<std::vector<GenerationRow>> List() override {
    if (shard_.away || shard_.generations_away) return Fail(ErrorCode::kUnavailable, "away");
    return shard_.generations;
  }
  Status Hold(Projection) override {
    return shard_.generations_held ? Status(Fail(ErrorCode::kRefused, "held")) : Status();
  }
  Status Create(Projection, Generation, SlotMapId, std::span<const Partition>,
                std::optional<std::int64_t>) override {
    return {};
  }
  Status ShowLoad(Projection, Generation, LoadProgress) override { return {}; }
  Status FinishLoading(Projection, Generation) override { return {}; }
  Status OrderToDecide(Projection projection, Generation generation) override {
    for (GenerationRow& row : shard_.generations) {
      if (row.projection == projection) row.to_decide = row.generation == generation;
    }
    return {};
  }
  Status Read(Projection projection, Generation generation) override {
    shard_.catalog->read[projection] = generation;
    return {};
  }
  Status NameLog(const std::string& log) override {
    shard_.catalog->log = log;
    return {};
  }
  Result<std::int64_t> ReadSinceMs() override { return shard_.read_since_ms; }
  Status Drop(Projection, Generation generation) override {
    std::erase_if(shard_.generations,
                  [&](const GenerationRow& row) { return row.generation == generation; });
    return {};
  }

 private:
  FakeShard& shard_;
};

class FakeBackend final : public operations::Backend {
 public:
  FakeBackend(std::int32_t partitions, std::int32_t shards)
      : log(static_cast<std::size_t>(partitions)),
        shard_states(static_cast<std::size_t>(shards)),
        partitions_configured(partitions) {
    shard_states[0].catalog = Catalog{{}, {partitions, shards}};
  }

  std::int32_t shards() const override { return static_cast<std::int32_t>(shard_states.size()); }
  std::int32_t partitions() const override { return partitions_configured; }
  Result<bool> ReaderReached(std::span<const StreamPosition> positions, std::int64_t) override {
    asked_of_reader.assign(positions.begin(), positions.end());
    return reader_reached;
  }
  Result<std::shared_ptr<EventLog>> OpenLog() override { return std::make_unique<FakeLog>(log); }
  Result<std::unique_ptr<ProjectionReader>> OpenReader(Shard shard) override {
    return std::make_unique<FakeReader>(shard_states[static_cast<std::size_t>(shard.value)]);
  }
  Result<std::unique_ptr<TableOperations>> OpenOperations(Shard shard) override {
    ++operations_opened;
    return std::make_unique<FakeOperations>(shard_states[static_cast<std::size_t>(shard.value)]);
  }
  Result<std::unique_ptr<TableSnapshot>> OpenSnapshot(Shard shard) override {
    return std::make_unique<FakeSnapshot>(shard_states[static_cast<std::size_t>(shard.value)]);
  }
  Result<std::unique_ptr<GenerationOperations>> OpenGenerations(Shard shard) override {
    return std::make_unique<FakeGenerations>(shard_states[static_cast<std::size_t>(shard.value)]);
  }
  Result<std::unique_ptr<LaneStore>> OpenStore(Shard) override {
    return Fail(ErrorCode::kUnavailable, "nothing is folded into a fake");
  }
  Result<std::int32_t> Projectors(Projection projection) override { return projectors[projection]; }
  Result<LogFacts> ReadLogFacts() override { return log_facts; }
  Result<DatabaseFacts> ReadDatabaseFacts(Shard shard, const ReadGenerations&) override {
    if (shard_states[static_cast<std::size_t>(shard.value)].away) {
      return Fail(ErrorCode::kUnavailable, "away");
    }
    return database_facts;
  }
  std::vector<std::string> plaintext() const override { return sent_plain; }
  std::string IndexStatement(const TableIndex& index) const override {
    return "make " + index.table + ' ' + index.name;
  }
  Status AddIndex(Shard, const TableIndex& index) override {
    if (index.name == kPrimaryName) return Fail(ErrorCode::kRefused, "rows are there twice");
    if (table_held-- > 0) return Fail(ErrorCode::kConflict, "held");
    database_facts->indexes.push_back(index);
    return {};
  }
  Status CreateTopics() override {
    ++topics_created;
    return {};
  }
  Result<DeploymentId> Migrate(Shard shard, const std::optional<DeploymentId>& known) override {
    FakeShard& state = shard_states[static_cast<std::size_t>(shard.value)];
    if (state.read_only) return Fail(ErrorCode::kUnavailable, "read only");
    migrated.push_back(shard);
    state.of_an_earlier_build = false;
    std::optional<Catalog>& catalog = shard_states[0].catalog;
    if (!catalog) catalog = Catalog{{}, {partitions(), shards()}};
    if (!state.identity) state.identity = IdentityOf(shard, known.value_or(DeploymentId::Draw()));
    return state.identity->deployment;
  }
  std::optional<DeploymentId> pinned() const override { return pinned_id; }
  Result<SchemaTraces> LookAtSchema(Shard shard) override {
    const FakeShard& state = shard_states[static_cast<std::size_t>(shard.value)];
    if (state.away) return Fail(ErrorCode::kUnavailable, "away");
    SchemaTraces traces{state.identity, state.catalog, {}, state.users};
    for (const LaneStatus& lane : state.lanes) traces.lanes.push_back(lane.lane);
    return traces;
  }
  Result<std::int64_t> SessionsOn(Shard shard) override {
    return shard_states[static_cast<std::size_t>(shard.value)].sessions;
  }
  Status RenewIdentity(Shard shard, const DeploymentId& from, const DeploymentId& to) override {
    FakeShard& state = shard_states[static_cast<std::size_t>(shard.value)];
    if (state.read_only) return Fail(ErrorCode::kUnavailable, "read only");
    if (state.identity->deployment != from) return Fail(ErrorCode::kConflict, "not of it");
    state.identity->deployment = to;
    state.identity->renewed_from = from;
    return {};
  }

  [[nodiscard]] SchemaIdentity IdentityOf(Shard shard, const DeploymentId& deployment) const {
    return {deployment, std::nullopt, shard, partitions(), shards()};
  }
  // As init leaves them.
  void IdentifyAll(const DeploymentId& deployment) {
    for (std::size_t s = 0; s < shard_states.size(); ++s) {
      shard_states[s].identity = IdentityOf(Shard(static_cast<std::int32_t>(s)), deployment);
    }
  }

  FakeLogState log;
  std::vector<FakeShard> shard_states;
  int operations_opened = 0;
  std::int32_t partitions_configured;
  std::map<Projection, Result<std::int32_t>> projectors;  // 0 unless told
  Result<LogFacts> log_facts;
  int table_held = 0;  // so many tries of AddIndex
  Result<DatabaseFacts> database_facts;
  std::vector<std::string> sent_plain;
  int topics_created = 0;
  std::vector<Shard> migrated;
  bool reader_reached = true;
  std::optional<DeploymentId> pinned_id;
  std::vector<StreamPosition> asked_of_reader;
};

class FakeClock final : public Clock {
 public:
  std::int64_t NowMs() const noexcept override { return now_ms; }
  std::int64_t SteadyMs() const noexcept override { return steady_ms; }
  std::int64_t now_ms = 1'700'000'000'000;
  std::int64_t steady_ms = 0;
};

// Sleeping moves the clock; interrupted at the nth look.
class FakeInterrupt final : public operations::Interrupt {
 public:
  explicit FakeInterrupt(FakeClock& clock) : clock_(clock) {}
  bool WaitFor(std::int64_t timeout_ms) override {
    clock_.steady_ms += timeout_ms;
    return ++looks >= interrupt_at;
  }
  int looks = 0;
  int interrupt_at = 1'000'000;

 private:
  FakeClock& clock_;
};

// Keeps what an operation tells.
class KeptProgress final : public operations::ProgressSink {
 public:
  [[nodiscard]] std::int64_t period_ms() const override { return 0; }
  void Show(const operations::ProgressState& state) override { shown.push_back(state); }
  void ShowText(std::string_view text) override { texts.emplace_back(text); }
  void Clear() override { ++cleared; }
  void Step(const operations::StepDone& step) override { steps.emplace_back(step.what); }
  void Note(std::string_view text) override { notes.emplace_back(text); }

  std::vector<operations::ProgressState> shown;
  std::vector<std::string> texts;
  std::vector<std::string> steps;
  std::vector<std::string> notes;
  int cleared = 0;
};

struct FakeContext {
  explicit FakeContext(std::int32_t partitions, std::int32_t shards = 1)
      : backend(partitions, shards) {}

  FakeBackend backend;
  FakeClock clock;
  FakeInterrupt interrupt{clock};
  KeptProgress progress;
  operations::Context context{backend, clock, interrupt, progress};
};

inline LaneStatus RunningLane(Projection projection, std::int32_t partition,
                              std::int64_t event_offset) {
  LaneStatus status;
  status.lane = {projection, Generation(1), Partition(partition)};
  status.deciding = projection == projections::kFollowing ? kDeciding : kApplying;
  status.owner = "tester";
  status.progress.next_offset = Offset(event_offset);
  status.progress.event_offset = Offset(event_offset);
  return status;
}

}  // namespace fanfold::testing
