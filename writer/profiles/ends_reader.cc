#include "writer/profiles/ends_reader.h"

#include <fmt/format.h>
#include <future>
#include <utility>

namespace fanfold::writer {

EndsReader::EndsReader(EventLog& log, std::int32_t partitions)
    : log_(log),
      partitions_(partitions),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void EndsReader::Ask(Told told, const CallerPtr& caller) {
  if (const Status registered = Register(told, caller); !registered) {
    return told(std::unexpected(registered.error()));
  }
  one_came_.notify_one();
}

Status EndsReader::Register(Told& told, const CallerPtr& caller) {
  auto place = caller ? caller->TakePlace() : nullptr;
  if (caller && !place) return Fail(ErrorCode::kOverloaded, "too many requests of this connection");
  const std::lock_guard lock(mutex_);
  if (waiters_.size() >= kWaitingMax) return Fail(ErrorCode::kOverloaded, "too many requests");
  waiters_.push_back({std::move(told), std::move(place)});
  return {};
}

void EndsReader::Run(const std::stop_token& stop) {
  while (true) {
    std::vector<Waiter> waiters;
    {
      std::unique_lock lock(mutex_);
      if (!one_came_.wait(lock, stop, [this] { return !waiters_.empty(); })) return;
      waiters.swap(waiters_);
    }
    const Result<StreamEnds> ends = Read();
    for (const Waiter& waiter : waiters) waiter.told(ends);
  }
}

Result<StreamEnds> EndsReader::Read() {
  using Held = std::future<Result<std::vector<LogBounds>>>;
  PerEntry<Stream, Held> reading;
  for (const Stream stream : kErasedStreams) {
    reading[stream] = std::async(std::launch::async, [this, stream] {
      return log_.AllBounds(stream.events(), partitions_);
    });
  }
  StreamEnds ends;
  for (const Stream stream : kErasedStreams) {
    const Result<std::vector<LogBounds>> bounds = reading[stream].get();
    if (!bounds) {
      return Fail(bounds.error().code, fmt::format("where {} ends is not known: {}", stream.name(),
                                                   bounds.error().message));
    }
    for (const LogBounds& held : *bounds) ends[stream].push_back(held.end);
  }
  return ends;
}

}  // namespace fanfold::writer
