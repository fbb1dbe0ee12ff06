// One projection, one generation, one shard: takes lanes, folds what the log brings, commits,
// publishes. Everything it does happens in Step, on one thread, so that a test or a simulation can
// drive it; projector.h gives it a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/base/backoff.h"
#include "common/base/batch_pace.h"
#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/ports/lane_store.h"
#include "common/ports/record_marks.h"
#include "projector/runtime/batch.h"
#include "projector/runtime/fold.h"
#include "projector/runtime/lane.h"
#include "projector/runtime/projector_metrics.h"
#include "projector/runtime/relay.h"

namespace fanfold::projector {

// The ports that a worker stands on. All but the store outlive it.
struct WorkerPorts {
  EventLog& log;
  std::unique_ptr<LaneStore> store;
  const Clock& clock;
  ProjectorMetrics& metrics;
};

class ShardWorker {
 public:
  // Records of a batch. A batch that failed may have been more than the database can do in the time
  // of a call: the next one holds half as many, and each full one that succeeds lets the next hold
  // an eighth more.
  static constexpr std::size_t kRecordsMax = kBatchRecordsMax;
  static constexpr int kCommitAttemptsMax = 5;
  // A lane whose fence is lost is taken again only after this long: ownership has had time to say
  // that the partition is lost too. Longer than the group's heartbeat.
  static constexpr std::int64_t kFencedPauseMs = 5'000;
  static constexpr std::int64_t kRetryInitialMs = 50;
  static constexpr std::int64_t kRetryMaxMs = 5'000;
  // How often the lanes' rows are looked at: an operator may have stopped an idle lane, moved it,
  // or let a stopped one go on.
  static constexpr std::int64_t kLookMs = 2'000;
  // Polls further apart than this mean a standstill: the log may have been replaced and have grown
  // past the lanes, unseen. The lanes are taken again, which compares their last records with the
  // log's.
  static constexpr std::int64_t kStandstillMs = 5'000;
  // Behind a shorter pause than that the lanes go on, but their last records are compared before
  // anything is folded: topics may have been made again meanwhile.
  static constexpr std::int64_t kGapMs = 200;
  // How long a worker's log may take to say what it holds. A start asks twice, and must not make
  // the lanes that run beside it seem to stand still when some leader is silent.
  static constexpr std::int64_t kBoundsWaitMs = 1'500;
  static_assert(2 * (kBoundsWaitMs + MarkReader::kWaitMs) < kStandstillMs);
  // How often a lane that is to decide looks whether it may.
  static constexpr std::int64_t kDeciderLookMs = 100;
  // Published outcomes are noted by a transaction of their own once nothing else has come for this
  // long.
  static constexpr std::int64_t kIdleMs = 20;
  // How long a poll of outcomes may hold them back for companions. Nobody waits for lanes that
  // apply: readers follow the outcomes by themselves.
  static constexpr std::int64_t kGatherOutcomesMs = 50;
  // How long an outcome waits for companions before it is sent: outcomes sent piece by piece cost
  // the broker several times as much.
  static constexpr std::int64_t kRelayLingerMs = 1;
  // How long Lose waits for the outcomes in flight.
  static constexpr std::int64_t kDrainMs = 2'000;

  // `owner` is a name for people, kept in the lane's row.
  ShardWorker(const Fold& fold, const WorkPlace& place, std::string owner, WorkerPorts ports);
  ~ShardWorker();

  // Opens readers and appender. Errors: the log's.
  [[nodiscard]] Status Open();

  // These partitions are ours now; their lanes on this shard are taken in the next steps.
  void Gain(std::span<const Partition> partitions);
  // Stops these lanes, waits up to kDrainMs for what is in flight, and gives them up.
  void Lose(std::span<const Partition> partitions);

  // `wants`: the lanes of this generation are to decide; true at first. A lane that decides and is
  // not to publishes what it has decided, gives deciding up and applies. A lane that is to decide
  // begins once no other lane does and its rows hold everything that was decided.
  void OrderToDecide(bool wants) { to_decide_ = wants; }
  // `wants`: all lanes halt, those that run and those to come, since the catalog reads a newer
  // generation than the shard has.
  void OrderToHalt(bool wants) { to_halt_ = wants; }

  // Takes the lanes that are due, reads for at most poll_ms, folds, commits, publishes. Blocks for
  // poll_ms and the store's statements; after a failed append, for the end of the old appender and
  // a new one.
  void Step(std::int64_t poll_ms);

  // Says why it does not work, or that lanes of gained partitions do not fold yet; ok when all do.
  [[nodiscard]] Status Health() const;

 private:
  // Taking lanes (shard_worker_lanes.cc)
  void TakeLater(Partition partition, std::int64_t wait_ms);
  void NoteStarted();
  void TakeDue();
  void LookAtLanes();
  [[nodiscard]] std::vector<LaneId> StoppedAfterLook();
  [[nodiscard]] bool NewDecide() const noexcept;
  void StartLanes(std::span<Lane* const> lanes);
  // The lanes whose last records stand in the log; the others halt, or are taken again.
  [[nodiscard]] std::vector<Lane*> Proved(std::span<Lane* const> lanes);
  [[nodiscard]] std::vector<Lane*> Prove(Topic topic, std::span<Lane* const> lanes,
                                         LogBounds Lane::* held);
  void StartLane(Lane& lane);
  [[nodiscard]] std::vector<Lane*> AskBounds(Topic topic, std::span<Lane* const> lanes,
                                             LogBounds Lane::* held);
  void TakeAgain(Partition partition, Status why);
  [[nodiscard]] Status StartAt(LogReader& reader, const LogBounds& held, Lane& lane, Offset from);
  [[nodiscard]] Status FinishRecovery(Lane& lane);
  void FinishRecoveries();
  void StopReading(Partition partition);

  // Who decides (shard_worker_decider.cc)
  void TendDeciders();
  void StopDeciding(Lane& lane);
  void StartDeciding(Lane& lane);

  // Folding (shard_worker.cc)
  [[nodiscard]] std::size_t FoldOutcomes(std::int64_t poll_ms);
  void FoldOutboxes();
  [[nodiscard]] std::size_t FoldEvents(std::int64_t poll_ms);
  // Folds in one transaction. False when the database will never take it, and nothing was taken.
  using FoldRecords = bool (ShardWorker::*)(std::span<const LogRecord>);
  [[nodiscard]] bool ApplyRecords(std::span<const LogRecord> records);
  [[nodiscard]] bool DecideRecords(std::span<const LogRecord> records);
  // Folds a batch that is too large or refused half by half, down to the record whose lane halts.
  void FoldApart(std::span<const LogRecord> records, FoldRecords fold);
  [[nodiscard]] bool Fill(FoldBatch& batch);
  // A reader, and when it was polled.
  struct Polled {
    std::unique_ptr<LogReader> reader;
    std::optional<std::int64_t> at_ms = {};  // by the steady clock
    bool has_paused = false;                 // for more than kGapMs, and nothing has come since
  };
  [[nodiscard]] std::optional<LogBatch> Poll(Polled& polled, std::int64_t poll_ms);
  // How long ago that poll ended, of any of the two or of this one; it is now again.
  [[nodiscard]] std::int64_t GapMs(std::optional<std::int64_t>& polled_ms) const;
  // One transaction for everything the lanes' drafts hold, and what was folded, if anything was.
  // `records` of the log stand behind it. False when the database will never take it: the lanes are
  // back where they were.
  [[nodiscard]] bool Commit(FoldBatch* folded, std::vector<ParkedRow> parked, std::size_t records,
                            std::span<const OutcomeCount> decided = {});
  [[nodiscard]] Status CommitWithRetries(const LaneBatch& batch);
  void Committed(std::size_t records);
  void BatchFailed(const Error& why);
  void NotePublished();
  void CommitPublishedWhenIdle();
  // Outcomes in flight, and accounts remembered.
  void Show(std::size_t outcomes, std::size_t deleted);

  // Failing (shard_worker_failing.cc)
  void Halt(Lane& lane);
  void HaltLanes();
  void ResetLanes(const Error& why);
  [[nodiscard]] Status OpenRelay();
  [[nodiscard]] bool RelayStands();
  void DropFailedFlights();

  const Fold& fold_;
  const WorkPlace place_;
  const std::string owner_;
  WorkerPorts ports_;
  const std::unique_ptr<OpenFold> open_fold_;
  MarkReader marks_;
  std::map<Partition, std::int64_t> to_take_;  // when each is due, by the steady clock
  std::set<Partition> starting_;               // gained, and not folded since
  LaneSet lanes_;
  std::size_t records_max_ = kRecordsMax;
  BatchPace pace_;  // of those that decide
  Backoff retry_{kRetryInitialMs, kRetryMaxMs};
  std::int64_t start_retry_ms_ = kRetryInitialMs;  // of the lanes that could not be started
  std::int64_t last_work_ms_ = 0;
  std::optional<std::int64_t> polled_ms_;  // any of the two, by the steady clock
  bool to_decide_ = true;
  bool to_halt_ = false;
  std::int64_t decider_due_ms_ = 0;  // by the steady clock
  std::int64_t look_due_ms_ = 0;     // by the steady clock
  Status health_;
  Polled events_;
  Polled outcomes_;
  Relay relay_;
  std::size_t outbox_shown_ = 0;
  std::size_t deleted_shown_ = 0;
};

}  // namespace fanfold::projector
