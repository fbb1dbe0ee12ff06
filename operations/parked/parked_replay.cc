#include "operations/parked/parked_replay.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <future>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "common/base/random.h"
#include "common/ports/deployment_check.h"
#include "common/relation/codec.h"
#include "operations/lanes/lanes.h"
#include "operations/log/partition_scan.h"
#include "operations/parked/parked_rows.h"
#include "operations/parked/replay.h"

namespace fanfold::operations {
namespace {

constexpr std::int64_t kDeliveryTimeoutMs = 30'000;
constexpr std::int64_t kAnswerTimeoutMs = kDeliveryTimeoutMs + 10'000;
// Records of one partition are read one after the other, and a reading is bounded in time.
constexpr std::size_t kRecordsReadAtOnce = 100;
constexpr std::int64_t kReplayProvedMs = 1'000;

// The answer of one append, waited for.
Result<Position> AppendOne(LogAppender& appender, Partition partition, const Event& event) {
  const auto answer = std::make_shared<std::promise<Result<Position>>>();
  std::future<Result<Position>> answered = answer->get_future();
  appender.Append(partition, ToString(event.subject), EncodeEvent(event),
                  [answer](Result<Position> position) { answer->set_value(std::move(position)); });
  if (answered.wait_for(std::chrono::milliseconds(kAnswerTimeoutMs)) != std::future_status::ready) {
    return Fail(ErrorCode::kUnknown, "the log does not answer");
  }
  return answered.get();
}

class Replay {
 public:
  Replay(Context& context, const ParkedReplayOptions& options, EventLog& log,
         const ShardReaders& readers, std::int32_t partitions)
      : context_(context),
        options_(options),
        log_(log),
        readers_(readers),
        partitions_(partitions),
        proof_(log) {}

  Status Run() {
    Result<std::vector<ShardParked>> rows = Asked();
    if (!rows) return Forward(rows);
    if (Status read = ReadCandidates(*rows, true); !read) return read;
    if (Status read = ReadSiblings(); !read) return read;
    CompareCandidates(candidates_);
    std::set<Partition> homes;
    for (const ReplayCandidate& candidate : candidates_) {
      if (candidate.asked) homes.insert(candidate.home);
    }
    if (!options_.dry_run && !homes.empty()) {
      auto made =
          log_.NewAppender(topics::kRelationEvents, {.delivery_timeout_ms = kDeliveryTimeoutMs});
      if (!made) return Forward(made);
      appender_ = std::move(*made);
    }
    for (const Partition home : homes) {
      if (Status done = ReplayInto(home); !done) return done;
    }
    std::ranges::sort(results_, {}, &ReplayResult::parked);
    return {};
  }

  // Whether the log is the tables'. A run may take minutes: asks again when the last answer is
  // older than kReplayProvedMs.
  Status Prove() {
    const std::int64_t now_ms = context_.clock.SteadyMs();
    if (options_.dry_run || (proved_ms_ && now_ms - *proved_ms_ < kReplayProvedMs)) return {};
    const Result<Deployment> read = ReadNow(context_.backend, *readers_.front());
    if (!read) return std::unexpected(read.error());
    Status same = ProveLog(context_.backend, proof_, streams::kRelations, read->read);
    if (same) proved_ms_ = now_ms;
    return same;
  }

  [[nodiscard]] std::vector<ReplayResult>& results() noexcept { return results_; }

 private:
  // The rows that were asked for; of positions where nothing is parked, a result.
  Result<std::vector<ShardParked>> Asked() {
    std::vector<ShardParked> rows;
    for (const Position position : options_.positions) {
      auto found = FindParked(readers_, options_.projection, position);
      if (!found) return found;
      if (found->empty()) Tell(position, ReplayEnd::kUnreadable, "nothing is parked there");
      // An event and an outcome may have the same position; it is the event that can be replayed.
      std::ranges::stable_sort(
          *found, {}, [](const ShardParked& parked) { return TopicOf(parked.row).of_outcomes(); });
      if (!found->empty()) rows.push_back(std::move(found->front()));
    }
    if (!options_.positions.empty()) return rows;
    for (const Projection projection : ProjectionsOf(options_.projection)) {
      auto all = AllParked(readers_, projection, kReplaysAtOnceMax + 1, options_.reason);
      if (!all) return all;
      std::ranges::move(*all, std::back_inserter(rows));
    }
    CutToLimit(rows);
    return rows;
  }

  void CutToLimit(std::vector<ShardParked>& rows) {
    if (rows.size() <= kReplaysAtOnceMax) return;
    rows.resize(kReplaysAtOnceMax);
    context_.sink.Note(fmt::format(
        "the first {} are looked at: `fanfold parked drop` those that were replayed, then "
        "run it again for the others",
        kReplaysAtOnceMax));
  }

  // The records of rows that are not candidates yet. `asked`: tells of those that are none.
  Status ReadCandidates(const std::vector<ShardParked>& rows, bool asked) {
    std::vector<Position> positions;
    for (const ShardParked& parked : rows) {
      const Position position = PositionOf(parked.row);
      const Topic topic = TopicOf(parked.row);
      if (topic != topics::kRelationEvents) {
        if (asked) TellOther(position, topic);
      } else if (known_.insert(position).second) {
        positions.push_back(position);
      }
    }
    for (std::size_t i = 0; i < positions.size(); i += kRecordsReadAtOnce) {
      const std::size_t end = std::min(i + kRecordsReadAtOnce, positions.size());
      if (Status read = ReadSome({positions.data() + i, positions.data() + end}, asked); !read) {
        return read;
      }
    }
    return {};
  }

  Status ReadSome(const std::vector<Position>& positions, bool asked) {
    if (context_.interrupt.WaitFor(0)) return Fail(ErrorCode::kInternal, "interrupted");
    const auto records = ReadRecords(log_, topics::kRelationEvents, positions);
    if (!records) return std::unexpected(records.error());
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const std::optional<StoredRecord>& record = (*records)[i];
      if (!record) {
        if (asked) Tell(positions[i], ReplayEnd::kUnreadable, "its record is not in the log");
        continue;
      }
      auto candidate = CandidateOf(*record, partitions_);
      if (candidate) {
        candidate->asked = asked;
        candidates_.push_back(std::move(*candidate));
      } else if (asked) {
        Tell(positions[i], candidate.error().refused ? ReplayEnd::kRefused : ReplayEnd::kUnreadable,
             candidate.error().why);
      }
    }
    return {};
  }

  // Other parked records with these subjects' keys: they lie in foreign partitions, where the scan
  // of the home partition does not see them.
  Status ReadSiblings() {
    std::set<std::string> subjects;
    for (const ReplayCandidate& candidate : candidates_) {
      subjects.insert(ToString(candidate.event.subject));
    }
    if (subjects.empty()) return {};
    auto rows = AllParked(readers_, DeciderOf(streams::kRelations).value(), kReplaysAtOnceMax);
    if (!rows) return Forward(rows);
    std::erase_if(*rows,
                  [&](const ShardParked& parked) { return !subjects.contains(parked.row.key); });
    return ReadCandidates(*rows, false);
  }

  Status ReplayInto(Partition home) {
    const Result<LogBounds> bounds = log_.Bounds(topics::kRelationEvents, home);
    if (!bounds) return std::unexpected(bounds.error());
    ReplayWatch watch(candidates_, home);
    Offset seen = watch.FirstOf(bounds->begin);
    for (const ReplayCandidate& candidate : candidates_) {
      if (candidate.home != home || !candidate.asked) continue;
      // Anew for each: `if_version` holds a replay back only behind what has changed the edge.
      if (Status caught_up = CatchUp(home, watch, seen); !caught_up) return caught_up;
      if (Status same = Prove(); !same) return same;
      ReplayOne(candidate, seen);
    }
    return {};
  }

  // Sees what the home partition holds from `seen` to its end, and moves `seen` there.
  Status CatchUp(Partition home, ReplayWatch& watch, Offset& seen) {
    const Result<LogBounds> bounds = log_.Bounds(topics::kRelationEvents, home);
    if (!bounds) return std::unexpected(bounds.error());
    const ScanRange range{topics::kRelationEvents, home, seen, bounds->end};
    PartitionScan scan(context_, log_, range.records());
    const Status scanned = scan.Run(range, [&](const LogRecord& record) { watch.See(record); });
    if (scanned) seen = std::max(seen, bounds->end);
    return scanned;
  }

  void ReplayOne(const ReplayCandidate& candidate, Offset& seen) {
    if (const auto refusal = RefusalOf(candidate)) {
      return Tell(candidate.parked, ReplayEnd::kRefused, *refusal, candidate.event);
    }
    if (options_.dry_run) {
      return Tell(candidate.parked, ReplayEnd::kWouldReplay, "", candidate.event);
    }
    const Event event =
        ReplayOf(candidate, seen, fmt::format("{:016x}{:016x}", RandomBits(), RandomBits()));
    const Result<Position> appended = AppendOne(*appender_, candidate.home, event);
    if (!appended) {
      return Tell(candidate.parked, ReplayEnd::kFailed,
                  appended.error().message +
                      ". Running it again is safe: one that is in the log already is refused",
                  event);
    }
    Tell(candidate.parked, ReplayEnd::kReplayed, "", event);
    results_.back().appended = *appended;
    if (appended->offset == seen) seen = Next(seen);  // nothing came between
  }

  void TellOther(Position parked, Topic topic) {
    Tell(parked, ReplayEnd::kRefused,
         topic.of_outcomes()
             ? "it is an outcome, not an event: what was decided is never asked for again. "
               "`fanfold verify` finds the rows that lack it"
             : fmt::format("it is a record of {}, of which whoever sent it sends the whole again",
                           topic.name()));
  }

  void Tell(Position parked, ReplayEnd end, std::string why,
            std::optional<Event> event = std::nullopt) {
    results_.push_back({parked, end, std::move(why), std::move(event), std::nullopt});
  }

  Context& context_;
  const ParkedReplayOptions& options_;
  EventLog& log_;
  const ShardReaders& readers_;
  const std::int32_t partitions_;
  LogProof proof_;
  std::optional<std::int64_t> proved_ms_;  // by the steady clock
  std::unique_ptr<LogAppender> appender_;  // of a run that appends
  std::set<Position> known_;               // of candidates, and of records that are none
  std::vector<ReplayCandidate> candidates_;
  std::vector<ReplayResult> results_;
};

}  // namespace

Result<ReplayRun> ReplayParked(Context& context, const ParkedReplayOptions& options) {
  Result<ShardReaders> readers = OpenReaders(context.backend);
  if (!readers) return Forward(readers);
  Result<std::shared_ptr<EventLog>> log = context.backend.OpenLog();
  if (!log) return Forward(log);
  const std::int32_t partitions = context.backend.partitions();
  Status fits = CheckTopic(**log, topics::kRelationEvents, partitions);
  if (!fits) return Forward(fits);
  Replay replay(context, options, **log, *readers, partitions);
  if (Status same = replay.Prove(); !same) return Forward(same);
  Status done = replay.Run();
  // What was appended before it failed is told in any case.
  return ReplayRun{std::move(replay.results()), std::move(done)};
}

}  // namespace fanfold::operations
