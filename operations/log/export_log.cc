#include "operations/log/export_log.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <ranges>
#include <utility>

#include "common/ports/deployment_check.h"
#include "common/stream/position.h"
#include "operations/erase/naming.h"
#include "operations/erase/remains.h"
#include "operations/lanes/lanes.h"
#include "operations/log/partition_scan.h"

namespace fanfold::operations {
namespace {

constexpr std::size_t kExportRecordsMax = 2000;

// The ends of a topic whose every record from offset 0 on is there.
Result<LogEnds> WholeEnds(EventLog& log, Topic topic, std::int32_t partitions) {
  if (Status fits = CheckTopic(log, topic, partitions); !fits) return Forward(fits);
  const Result<std::vector<LogBounds>> bounds = log.AllBounds(topic, partitions);
  if (!bounds) return std::unexpected(bounds.error());
  LogEnds ends;
  for (const LogBounds& held : *bounds) {
    if (held.begin != Offset(0)) {
      const Partition partition(static_cast<std::int32_t>(ends.size()));
      return Fail(ErrorCode::kRefused,
                  fmt::format("{} begins at {}: what was before is gone, so the log cannot be "
                              "moved with its offsets",
                              topic.name(), ToString(Position{partition, held.begin})));
    }
    ends.push_back(held.end);
  }
  return ends;
}

class LogExport {
 public:
  LogExport(Context& context, EventLog& log, AllEnds ends, bool nothing_open,
            std::optional<UserId> without, LineFile& file)
      : context_(context),
        log_(log),
        ends_(std::move(ends)),
        nothing_open_(nothing_open),
        without_(without),
        total_(SumOf(ends_, true) + SumOf(ends_, false)),
        file_(file),
        progress_(context) {}

  Status Run() {
    const LogHeader header{static_cast<std::int32_t>(ends_[Topic()].size()), nothing_open_};
    Status done = file_.Put(ToLine(header));
    for (const Topic topic : Topic::All() | std::views::reverse) {
      if (done) done = WriteTopic(topic);
    }
    if (done) done = file_.Put(ToLine(ends_));
    if (done) done = file_.Finish();
    progress_.Clear();
    return done;
  }

  [[nodiscard]] std::int64_t elapsed_ms() const { return progress_.elapsed_ms(); }

 private:
  Status WriteTopic(Topic topic) {
    Result<std::unique_ptr<LogReader>> reader = log_.NewReader(topic);
    if (!reader) return Forward(reader);
    const LogEnds& ends = ends_[topic];
    for (std::size_t p = 0; p < ends.size(); ++p) {
      if (ends[p] == Offset(0)) continue;
      const Partition partition(static_cast<std::int32_t>(p));
      if (Status begun = (*reader)->Start(partition, Offset(0)); !begun) return begun;
      if (Status done = WritePartition(topic, partition, ends[p], **reader); !done) return done;
      (*reader)->Stop(partition);
    }
    return {};
  }

  Status WritePartition(Topic topic, Partition partition, Offset end, LogReader& reader) {
    Offset next(0);
    std::int64_t heard_ms = context_.clock.SteadyMs();
    while (next < end) {
      Result<LogBatch> batch = reader.Poll(kExportRecordsMax, kRangePollMs);
      if (!batch && batch.error().code != ErrorCode::kUnavailable) return Forward(batch);
      if (context_.interrupt.WaitFor(batch ? 0 : kRangeRetryMs)) {
        return Fail(ErrorCode::kInternal, "interrupted; the file is not whole");
      }
      const std::int64_t now_ms = context_.clock.SteadyMs();
      if (batch && !batch->records.empty()) {
        heard_ms = now_ms;
      } else if (now_ms - heard_ms > kSilenceMaxMs) {
        return Fail(ErrorCode::kUnavailable, fmt::format("{} {} does not come", topic.name(),
                                                         ToString(Position{partition, next})));
      }
      if (!batch) continue;
      if (Status written = WriteBatch(topic, *batch, end, next); !written) return written;
      ShowProgress();
    }
    return {};
  }

  Status WriteBatch(Topic topic, const LogBatch& batch, Offset end, Offset& next) {
    for (const LogRecord& record : batch.records) {
      if (record.offset >= end) break;
      if (record.offset != next) {
        return Fail(ErrorCode::kRefused, fmt::format("{} {} is missing in the log", topic.name(),
                                                     ToString(Position{record.partition, next})));
      }
      if (Status put = file_.Put(LineOf(topic, record)); !put) {
        const std::string position = ToString(Position{record.partition, record.offset});
        return Fail(put.error().code,
                    fmt::format("{} {}: {}", topic.name(), position, put.error().message));
      }
      next = Next(next);
      ++written_;
    }
    return {};
  }

  [[nodiscard]] std::string LineOf(Topic topic, const LogRecord& record) const {
    if (!without_ || !Names(topic, record, *without_)) return ToLine(topic, record);
    const std::string value = ValueInItsPlace(topic, record);
    LogRecord blank = record;
    blank.key = "";
    blank.value = value;
    return ToLine(topic, blank);
  }

  void ShowProgress() {
    if (!progress_.Due()) return;
    progress_.Show({.done = written_,
                    .total = total_,
                    .items = written_,
                    .items_name = "records",
                    .elapsed_ms = progress_.elapsed_ms()});
  }

  Context& context_;
  EventLog& log_;
  AllEnds ends_;
  const bool nothing_open_;
  const std::optional<UserId> without_;
  const std::int64_t total_;
  LineFile& file_;
  Stretch progress_;
  std::int64_t written_ = 0;
};

// Of users' events: the stream whose records ask for more than their own rows.
constexpr Stream kAsking = streams::kUsers;

// A record is within only if what it names is: deletions name ends of events, outcomes their
// events. So those who name are asked for before those who are named.
Result<AllEnds> EndsOf(EventLog& log, std::int32_t partitions) {
  const auto rank = [](Topic topic) {
    if (topic.stream() == kAsking) return 0;
    return topic.of_outcomes() ? 1 : 2;
  };
  AllEnds all;
  for (int asked = 0; asked <= 2; ++asked) {
    for (const Topic topic : Topic::All()) {
      if (rank(topic) != asked) continue;
      Result<LogEnds> ends = WholeEnds(log, topic, partitions);
      if (!ends) return Forward(ends);
      all[topic] = std::move(*ends);
    }
  }
  return all;
}

// Has all been done that the records below `ends` ask for? Then what it led to stands in the log
// now. What a shard that does not answer has open is not known.
bool NothingIsOpen(const ShardReaders& readers, const LogEnds& ends) {
  std::vector<Offset> folded(ends.size(), Offset(0));  // by any generation
  for (const auto& reader : readers) {
    const Result<std::vector<LaneStatus>> lanes = reader->Lanes();
    if (!lanes) return false;
    for (const LaneStatus& lane : *lanes) {
      const auto partition = static_cast<std::size_t>(lane.lane.partition.value);
      if (lane.lane.stream != kAsking || partition >= folded.size()) continue;
      folded[partition] = std::max(folded[partition], lane.progress.event_offset);
    }
    for (const Projection projection : Projection::All()) {
      const std::unique_ptr<RowReader> rows = reader->OpenRows(projection);
      if (!rows) continue;
      const Result<OpenWork> open = rows->Open();
      if (!open || open->count != 0) return false;
    }
  }
  return std::ranges::equal(folded, ends, std::ranges::greater_equal());
}

struct Whole {
  AllEnds ends;
  bool nothing_open = false;
};

// The ends are taken again once nothing is open: what was appended meanwhile is within, and where
// somebody has asked for more, it may be open.
Result<Whole> WholeLog(Context& context, EventLog& log) {
  const std::int32_t partitions = context.backend.partitions();
  const Result<AllEnds> before = EndsOf(log, partitions);
  if (!before) return std::unexpected(before.error());
  const Result<ShardReaders> readers = OpenReaders(context.backend);
  const Topic asked = kAsking.events();
  const bool nothing_open = readers && NothingIsOpen(*readers, (*before)[asked]);
  Result<AllEnds> ends = EndsOf(log, partitions);
  if (!ends) return Forward(ends);
  return Whole{*ends, nothing_open && (*ends)[asked] == (*before)[asked]};
}

}  // namespace

Result<ExportedLog> ExportLog(Context& context, const OpenLineFile& open,
                              std::optional<UserId> without) {
  if (without) {
    const Result<AccountState> account = StateOfAccount(context, *without);
    if (!account) return std::unexpected(account.error());
    if (*account != AccountState::kErased) {
      return Fail(
          ErrorCode::kRefused,
          fmt::format("the account of {} is not erased: DELETE /v1/users/{} first, and wait "
                      "until `erase` says done",
                      without->value, without->value));
    }
  }
  Result<std::shared_ptr<EventLog>> log = context.backend.OpenLog();
  if (!log) return Forward(log);
  Result<Whole> whole = WholeLog(context, **log);
  if (!whole) return Forward(whole);
  if (!whole->nothing_open) {
    context.sink.Note(
        "fanfold: accounts may still be erased, or lanes lag: `import --log` takes this file into "
        "as "
        "many partitions alone, where it ends an account. For others stop the writers, wait until "
        "`fanfold status` shows neither, and export again");
  }
  Result<LineFile> file = open();
  if (!file) return Forward(file);
  LogExport run(context, **log, whole->ends, whole->nothing_open, without, *file);
  if (Status done = run.Run(); !done) return Forward(done);
  return ExportedLog{std::move(whole->ends), run.elapsed_ms()};
}

}  // namespace fanfold::operations
