#include "reader/changes/catch_up.h"

#include <utility>

#include "reader/changes/change_proof.h"
#include "reader/changes/event_stream.h"

namespace fanfold::reader {

CatchUp::CatchUp(EventLog& log, ChangeBoard& board, FriendHints hints, ListenerPtr listener,
                 ChangeFilter filter, ChangePlace from, const Clock& clock)
    : log_(log),
      board_(board),
      listener_(std::move(listener)),
      filter_(filter),
      clock_(clock),
      hints_(std::move(hints)),
      place_(std::move(from)),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

bool CatchUp::Ask(http::PartSink sink) {
  const std::scoped_lock lock(mutex_);
  if (has_arrived_) return false;
  sink_ = std::move(sink);
  asked_.notify_one();
  return true;
}

void CatchUp::Prove(std::optional<std::uint64_t> proof, Proved then) {
  const std::scoped_lock lock(mutex_);
  question_ = {proof, std::move(then)};
  asked_.notify_one();
}

// A part is made once it is asked for.
void CatchUp::Run(const std::stop_token& stop) {
  for (bool goes_on = true; goes_on;) {
    std::unique_lock lock(mutex_);
    if (!asked_.wait(lock, stop, [this] { return sink_ || question_; })) break;
    const std::optional<Question> question = std::exchange(question_, std::nullopt);
    lock.unlock();
    goes_on = question ? Answers(*question, stop) : GivesNext(stop);
  }
  DropQuestion();
  over_ = true;
}

// Whoever waits for its answer holds this.
void CatchUp::DropQuestion() {
  std::unique_lock lock(mutex_);
  const std::optional<Question> question = std::exchange(question_, std::nullopt);
  lock.unlock();
  if (question) question->then(Fail(ErrorCode::kUnavailable, "this process stops"));
}

bool CatchUp::Answers(const Question& question, const std::stop_token& stop) {
  ChangeId id{place_, question.proof};
  const Status proved = ProvePlace(log_, id, clock_, stop);
  place_ = std::move(id.place);
  question.then(proved ? proved : std::unexpected(ToldOfLog(proved.error(), clock_)));
  return proved.has_value();
}

bool CatchUp::GivesNext(const std::stop_token& stop) {
  Result<std::string> text = Next(stop);
  const bool goes_on = text && !text->empty();
  http::BodyPart part{.bytes = {}, .last = !text};
  if (text) {
    part.bytes = *std::move(text);
  } else {
    AppendWhy(part.bytes, ToldOfLog(text.error(), clock_).message + ": come again");
  }
  std::unique_lock lock(mutex_);
  http::PartSink sink = *std::exchange(sink_, std::nullopt);
  has_arrived_ = !goes_on;
  lock.unlock();
  if (stop.stop_requested()) return false;
  if (!part.bytes.empty()) {
    sink(std::move(part));
  } else {
    board_.StandAt(listener_, place_);
    board_.Ask(listener_, std::move(sink));
  }
  return goes_on;
}

Result<std::string> CatchUp::Next(const std::stop_token& stop) {
  std::string text;
  if (!std::exchange(greeted_, true)) AppendGreeting(text, place_);
  const std::int64_t began_ms = clock_.SteadyMs();
  while (text.empty() && !stop.stop_requested()) {
    const std::optional<ChangePlace> floor = board_.FloorFor(listener_);
    if (!floor) return Fail(ErrorCode::kUnavailable, "the place in the log is lost");
    if (place_.Reaches(*floor)) return text;
    for (const Stream stream : kChangeStreams) {
      if (place_.Reaches(*floor, stream)) continue;
      if (Status read = Read(stream, text); !read) return Forward(read);
    }
    if (text.empty() && clock_.SteadyMs() - began_ms >= ChangeBoard::kCheckpointMs) {
      AppendCheckpoint(text, place_);
    }
  }
  if (place_.partitions() > kPartitionsWithIdsMax) AppendCheckpoint(text, place_);
  return text;
}

Status CatchUp::Read(Stream stream, std::string& text) {
  auto reader = readers_.find(stream);
  if (reader == readers_.end()) {
    Result<ChangeLogReader> opened = ChangeLogReader::Open(log_, stream, place_);
    if (!opened) return Forward(opened);
    reader = readers_.emplace(stream, *std::move(opened)).first;
  }
  const auto told = reader->second.Poll(kPollRecordsMax, kPollTimeoutMs);
  if (!told) {
    return told.error().code == ErrorCode::kOutOfRange ? Status(std::unexpected(told.error()))
                                                       : Status();
  }
  std::vector<Change*> wanted;
  const auto wants = [this](const ToldEvent& one) {
    return one.change && !place_.HasPassed(one.event) && filter_.Wants(*one.change);
  };
  for (const ToldEvent& one : *told) {
    if (wants(one)) wanted.push_back(one.change.get());
  }
  hints_.Mark(wanted);
  for (const ToldEvent& one : *told) {
    const bool is_wanted = wants(one);
    place_.Pass(one.event, one.digest);
    if (is_wanted) AppendChange(text, *one.change, IdOf(place_));
  }
  return {};
}

}  // namespace fanfold::reader
