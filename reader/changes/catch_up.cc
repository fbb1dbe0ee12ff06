#include "reader/changes/catch_up.h"

#include <utility>

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

// A part is made once it is asked for.
void CatchUp::Run(const std::stop_token& stop) {
  bool goes_on = true;
  while (goes_on) {
    std::unique_lock lock(mutex_);
    if (!asked_.wait(lock, stop, [this] { return sink_.has_value(); })) break;
    lock.unlock();
    Result<std::string> text = Next(stop);
    goes_on = text && !text->empty();
    http::BodyPart part{.bytes = {}, .last = !text};
    if (text) {
      part.bytes = *std::move(text);
    } else {
      AppendWhy(part.bytes, text.error().message);
    }
    lock.lock();
    http::PartSink sink = *std::exchange(sink_, std::nullopt);
    has_arrived_ = !goes_on;
    lock.unlock();
    if (stop.stop_requested()) break;
    if (!part.bytes.empty()) {
      sink(std::move(part));
    } else {
      board_.StandAt(listener_, place_);
      board_.Ask(listener_, std::move(sink));
    }
  }
  over_ = true;
}

Result<std::string> CatchUp::Next(const std::stop_token& stop) {
  std::string text;
  if (!std::exchange(greeted_, true)) AppendGreeting(text, place_);
  const std::int64_t began_ms = clock_.SteadyMs();
  while (text.empty() && !stop.stop_requested()) {
    const std::optional<ChangePlace> floor = board_.FloorFor(listener_);
    if (!floor) return Fail(ErrorCode::kUnavailable, "come again");
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
  for (const auto& [event, change] : *told) {
    if (change && filter_.Wants(*change)) wanted.push_back(change.get());
  }
  hints_.Mark(wanted);
  for (const auto& [event, change] : *told) {
    place_.Pass(event);
    if (change && filter_.Wants(*change)) AppendChange(text, *change, IdOf(place_));
  }
  return {};
}

}  // namespace fanfold::reader
