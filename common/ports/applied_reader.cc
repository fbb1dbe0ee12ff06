#include "common/ports/applied_reader.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fanfold {
namespace {

constexpr std::size_t kEventsMax = 10'000;  // of one poll
// Events of a partition that are kept for outcomes still to come; above it they are read again.
constexpr std::size_t kEventsAheadMax = 20'000;
// After so many polls in vain it is asked whether the log holds the events at all.
constexpr int kEmptyPollsMax = 100;

// A record as it was polled, with what keeps its bytes.
struct HeldRecord {
  LogRecord record;
  std::shared_ptr<void> bytes;
};

// A published outcome on its way.
struct HeldOutcome {
  HeldRecord held;
  std::optional<Offset> lacks;  // its event, until they are joined
  std::shared_ptr<std::string> joined = {};
};

// The events of one partition: those that have come and may be asked for, in order.
class EventsAhead {
 public:
  enum class Found : std::uint8_t { kHere, kNotYet, kNever };

  // Where the reader has to be moved for that event to come; nothing where it will come anyway.
  [[nodiscard]] std::optional<Offset> MoveFor(Offset event) {
    if (is_read_ && event >= from_) return std::nullopt;
    events_.clear();
    from_ = event;
    is_read_ = true;
    return event;
  }
  void Add(HeldRecord event) {
    if (is_read_ && event.record.offset >= from_) events_.push_back(std::move(event));
  }
  // Requires: MoveFor(event) moved the reader, if it had to be. Lets go of what is before.
  [[nodiscard]] Found Find(Offset event) {
    while (!events_.empty() && events_.front().record.offset < event) events_.pop_front();
    from_ = event;
    if (events_.empty()) return Found::kNotYet;
    return events_.front().record.offset == event ? Found::kHere : Found::kNever;
  }
  [[nodiscard]] const LogRecord& front() const { return events_.front().record; }
  [[nodiscard]] bool IsTooMany() const { return events_.size() > kEventsAheadMax; }

 private:
  std::deque<HeldRecord> events_;
  Offset from_;  // events from here on are here, or will come
  bool is_read_ = false;
};

// What keeps the bytes of the records that are handed over.
struct TakenBytes {
  std::vector<std::shared_ptr<void>> polled;
  std::vector<std::shared_ptr<std::string>> joined;
};

class JoiningReader final : public LogReader {
 public:
  using BoundsOfEvents = std::function<Result<LogBounds>(Partition)>;

  JoiningReader(std::unique_ptr<LogReader> published, std::unique_ptr<LogReader> events,
                BoundsOfEvents bounds, const OutcomeCut& cut)
      : published_(std::move(published)),
        events_(std::move(events)),
        bounds_(std::move(bounds)),
        cut_(cut) {}

  Status Start(Partition partition, Offset from) override {
    Drop(partition);
    return published_->Start(partition, from);
  }

  void Stop(Partition partition) override {
    published_->Stop(partition);
    Drop(partition);
  }

  Result<LogBatch> Poll(std::size_t records_max, std::int64_t timeout_ms) override {
    if (held_.size() < records_max) {
      Result<LogBatch> polled = published_->Poll(records_max, held_.empty() ? timeout_ms : 0);
      if (!polled) return polled;
      Hold(*polled);
    }
    while (true) {
      Status joined = JoinHeld();
      if (joined && waiting_.empty()) break;
      Result<LogBatch> events =
          joined ? events_->Poll(kEventsMax, AnyReady() ? 0 : timeout_ms) : Forward(joined);
      const bool is_outside = !events && events.error().code == ErrorCode::kOutOfRange;
      if (!events && !is_outside) return events;
      if (events && !events->records.empty()) {
        empty_polls_ = 0;
        Keep(*events);
        continue;
      }
      if (!is_outside && ++empty_polls_ < kEmptyPollsMax) break;
      empty_polls_ = 0;
      const Result<bool> any = GiveUpLost();
      if (!any) return std::unexpected(any.error());
      if (!*any && is_outside) return events;
      if (!*any) break;
    }
    return TakeReady(records_max);
  }

 private:
  void Drop(Partition partition) {
    std::erase_if(held_, [partition](const HeldOutcome& outcome) {
      return outcome.held.record.partition == partition;
    });
    StopEvents(partition);
  }

  void StopEvents(Partition partition) {
    events_->Stop(partition);
    ahead_.erase(partition);
  }

  void Hold(const LogBatch& polled) {
    for (const LogRecord& record : polled.records) {
      const std::optional<Position> lacks = record.value ? cut_.lacks(*record.value) : std::nullopt;
      // Of another partition's event nothing can be said: whoever reads it refuses it.
      const bool is_own = lacks && lacks->partition == record.partition;
      held_.push_back({.held = {record, polled.bytes},
                       .lacks = is_own ? std::optional(lacks->offset) : std::nullopt});
    }
  }

  void Keep(const LogBatch& events) {
    for (const LogRecord& record : events.records) {
      const auto ahead = ahead_.find(record.partition);
      if (ahead != ahead_.end()) ahead->second.Add({record, events.bytes});
    }
  }

  // Joins what can be, in order, and says who waits for events.
  Status JoinHeld() {
    waiting_.clear();
    for (HeldOutcome& outcome : held_) {
      const Partition partition = outcome.held.record.partition;
      if (!outcome.lacks || waiting_.contains(partition)) continue;
      EventsAhead& ahead = ahead_[partition];
      const std::optional<Offset> from = ahead.MoveFor(*outcome.lacks);
      waiting_.insert(partition);
      if (from) {
        if (Status moved = events_->Start(partition, *from); !moved) return moved;
      }
      const EventsAhead::Found found = ahead.Find(*outcome.lacks);
      if (found == EventsAhead::Found::kNotYet) continue;
      if (found == EventsAhead::Found::kHere) Join(outcome, ahead.front());
      outcome.lacks.reset();
      waiting_.erase(partition);
    }
    for (auto ahead = ahead_.begin(); ahead != ahead_.end();) {
      const auto [partition, events] = std::pair(ahead->first, &ahead->second);
      ++ahead;
      if (events->IsTooMany() && !waiting_.contains(partition)) StopEvents(partition);
    }
    return {};
  }

  void Join(HeldOutcome& outcome, const LogRecord& event) const {
    outcome.joined = std::make_shared<std::string>(
        cut_.join(*outcome.held.record.value, event.value.value_or(std::string_view())));
    outcome.held.record.value = *outcome.joined;
  }

  // Those that wait for an event which the log does not hold, as after a loss, wait no longer. An
  // outcome is published long after its event: it is not one that is still to come.
  Result<bool> GiveUpLost() {
    bool any = false;
    for (const Partition partition : std::exchange(waiting_, {})) {
      const Result<LogBounds> held = bounds_(partition);
      if (!held) return std::unexpected(held.error());
      const auto first = std::ranges::find_if(held_, [partition](const HeldOutcome& outcome) {
        return outcome.lacks && outcome.held.record.partition == partition;
      });
      const Offset event = *first->lacks;
      if (held->begin <= event && event < held->end) continue;
      first->lacks.reset();
      StopEvents(partition);
      any = true;
    }
    return any;
  }

  [[nodiscard]] bool AnyReady() const {
    std::set<Partition> behind;
    return std::ranges::any_of(held_, [&](const HeldOutcome& outcome) {
      if (outcome.lacks) behind.insert(outcome.held.record.partition);
      return !behind.contains(outcome.held.record.partition);
    });
  }

  LogBatch TakeReady(std::size_t records_max) {
    LogBatch ready;
    auto bytes = std::make_shared<TakenBytes>();
    std::set<Partition> behind;
    std::deque<HeldOutcome> rest;
    for (HeldOutcome& outcome : held_) {
      const Partition partition = outcome.held.record.partition;
      if (outcome.lacks) behind.insert(partition);
      if (ready.records.size() == records_max || behind.contains(partition)) {
        rest.push_back(std::move(outcome));
        continue;
      }
      ready.records.push_back(outcome.held.record);
      if (outcome.joined) bytes->joined.push_back(std::move(outcome.joined));
      const bool is_kept = !bytes->polled.empty() && bytes->polled.back() == outcome.held.bytes;
      if (!is_kept) bytes->polled.push_back(std::move(outcome.held.bytes));
    }
    held_ = std::move(rest);
    ready.bytes = std::move(bytes);
    return ready;
  }

  const std::unique_ptr<LogReader> published_;
  const std::unique_ptr<LogReader> events_;
  const BoundsOfEvents bounds_;
  const OutcomeCut& cut_;
  std::deque<HeldOutcome> held_;  // as they came
  std::map<Partition, EventsAhead> ahead_;
  std::set<Partition> waiting_;  // for an event
  int empty_polls_ = 0;          // of events, one behind the other
};

}  // namespace

Result<std::unique_ptr<LogReader>> NewAppliedReader(EventLog& log, Stream stream,
                                                    const ReaderOptions& options) {
  const OutcomeCut* cut = CutOf(stream);
  if (cut == nullptr) return log.NewReader(stream.applied(), options);
  return NewJoiningReader(log, stream.applied(), stream.events(), *cut, options);
}

Result<std::unique_ptr<LogReader>> NewJoiningReader(EventLog& log, Topic published, Topic events,
                                                    const OutcomeCut& cut,
                                                    const ReaderOptions& options) {
  Result<std::unique_ptr<LogReader>> of_published = log.NewReader(published, options);
  if (!of_published) return of_published;
  Result<std::unique_ptr<LogReader>> of_events = log.NewReader(events);
  if (!of_events) return of_events;
  return std::make_unique<JoiningReader>(
      std::move(*of_published), std::move(*of_events),
      [&log, events](Partition partition) { return log.Bounds(events, partition); }, cut);
}

}  // namespace fanfold
