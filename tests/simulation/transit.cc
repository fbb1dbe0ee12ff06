#include "tests/simulation/transit.h"

#include <algorithm>
#include <optional>

#include "common/base/check.h"

namespace fanfold::simulation {
namespace {

// How many records of one line land at once, at most.
constexpr std::uint64_t kLandsMax = 6;
constexpr std::int64_t kRealFlushMs = 1'000;

std::unexpected<Error> SenderBroke() { return Fail(ErrorCode::kUnknown, "the sender broke"); }

}  // namespace

Transit::Transit(EventLog& log, SplitMix64& random, Nemesis& nemesis, Trace& trace)
    : log_(log), random_(random), nemesis_(nemesis), trace_(trace) {
  for (const Topic topic : Topic::All()) {
    Result<std::unique_ptr<LogAppender>> appender = log_.NewAppender(topic, {});
    FANFOLD_CHECK(appender.has_value(), "the log in memory gave no appender");
    real_[topic] = std::move(*appender);
  }
}

Transit::~Transit() = default;

Transit::Sender Transit::Open(Topic topic, const AppenderOptions& options) {
  senders_.push_back({topic, options.delivery_timeout_ms > 0, options.stop_on_failure, false});
  return static_cast<Sender>(senders_.size()) - 1;
}

bool Transit::Stopped(Sender sender) const {
  return senders_[static_cast<std::size_t>(sender)].stopped;
}

void Transit::Refused(Sender sender) {
  SenderState& state = senders_[static_cast<std::size_t>(sender)];
  state.stopped = state.stop_on_failure;
}

void Transit::Send(Sender sender, Partition partition, std::string_view key, std::string_view value,
                   LogAppender::Done done) {
  lines_[{sender, partition}].waiting.push_back(
      {std::string(key), std::string(value), std::move(done)});
}

void Transit::FailAll(Line& line) {
  std::deque<LogAppender::Done> owed;
  for (Answer& answer : line.answers) owed.push_back(std::move(answer.done));
  for (Record& record : line.waiting) owed.push_back(std::move(record.done));
  line.answers.clear();
  for (Record& record : line.waiting) record.done = nullptr;
  for (const LogAppender::Done& done : owed) {
    if (done) done(SenderBroke());
  }
}

void Transit::Close(Sender sender) {
  for (auto& [id, line] : lines_) {
    if (id.first != sender) continue;
    FailAll(line);
    line.waiting.resize(random_.Below(line.waiting.size() + 1));
  }
}

void Transit::Break(Sender sender) {
  SenderState& state = senders_[static_cast<std::size_t>(sender)];
  state.stopped = state.stop_on_failure;
  for (auto& [id, line] : lines_) {
    if (id.first != sender) continue;
    FailAll(line);
    line.waiting.clear();
  }
}

Result<Position> Transit::Put(Topic topic, Partition partition, const Record& record) {
  std::optional<Result<Position>> answer;
  LogAppender& appender = *real_.at(topic);
  appender.Append(partition, record.key, record.value,
                  [&answer](const Result<Position>& result) { answer = result; });
  const bool flushed = appender.Flush(kRealFlushMs);
  FANFOLD_CHECK(flushed && answer && *answer, "the log in memory does not append");
  return *answer;
}

void Transit::Land(const LineId& id, Line& line) {
  const SenderState state = senders_[static_cast<std::size_t>(id.first)];
  Record record = std::move(line.waiting.front());
  line.waiting.pop_front();
  if (state.may_time_out && record.done && nemesis_.Strikes(Fault::kAppendFailed)) {
    const bool known = random_.Below(2) == 0;
    line.answers.push_back({Fail(known ? ErrorCode::kUnavailable : ErrorCode::kUnknown, "failed"),
                            std::move(record.done)});
    return;
  }
  Result<Position> landed = Put(state.topic, id.second, record);
  trace_.Say("landed", {static_cast<std::int64_t>(state.topic.index()), id.second.value,
                        landed->offset.value});
  if (!record.done) return;
  if (state.may_time_out && nemesis_.Strikes(Fault::kAckLost)) landed = SenderBroke();
  line.answers.push_back({std::move(landed), std::move(record.done)});
}

template <class Has>
std::vector<Transit::LineId> Transit::LinesWhere(Has has) const {
  std::vector<LineId> found;
  for (const auto& [id, line] : lines_) {
    if (has(line)) found.push_back(id);
  }
  return found;
}

bool Transit::LandSome() {
  const std::vector<LineId> waiting =
      LinesWhere([](const Line& line) { return !line.waiting.empty(); });
  if (waiting.empty()) return false;
  const LineId id = waiting[random_.Below(waiting.size())];
  Line& line = lines_.at(id);
  const std::uint64_t count = std::min(1 + random_.Below(kLandsMax), line.waiting.size());
  for (std::uint64_t i = 0; i < count; ++i) Land(id, line);
  if (nemesis_.Strikes(Fault::kProducerBroke)) Break(id.first);
  return true;
}

bool Transit::AnswerSome() {
  const std::vector<LineId> owing =
      LinesWhere([](const Line& line) { return !line.answers.empty(); });
  if (owing.empty()) return false;
  Line& line = lines_.at(owing[random_.Below(owing.size())]);
  for (std::uint64_t i = 1 + random_.Below(line.answers.size()); i > 0; --i) {
    const Answer answer = std::move(line.answers.front());
    line.answers.pop_front();
    answer.done(answer.result);
  }
  return true;
}

void Transit::Drain(Sender sender) {
  for (auto& [id, line] : lines_) {
    if (id.first != sender) continue;
    while (!line.waiting.empty()) Land(id, line);
    while (!line.answers.empty()) {
      const Answer answer = std::move(line.answers.front());
      line.answers.pop_front();
      answer.done(answer.result);
    }
  }
}

void Transit::DrainAll() {
  for (Sender sender = 0; sender < static_cast<Sender>(senders_.size()); ++sender) Drain(sender);
}

}  // namespace fanfold::simulation
