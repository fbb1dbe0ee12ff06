#include "cli/console/line_stream.h"

#include <utility>

namespace fanfold::console {

struct LineStream::Reading {
  explicit Reading(std::shared_ptr<LineStream> stream_in) : stream(std::move(stream_in)) {}
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() { stream->Leave(); }

  const std::shared_ptr<LineStream> stream;
};

std::shared_ptr<LineStream> LineStream::Make(std::function<void()> left) {
  return std::shared_ptr<LineStream>(new LineStream(std::move(left)));
}

bool LineStream::Push(std::string_view line) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_left_ || waiting_.size() < kWaitingBytesMax; });
  if (is_left_) return false;
  waiting_.append(line).push_back('\n');
  Send(std::move(lock));
  return true;
}

void LineStream::End() {
  std::unique_lock lock(mutex_);
  ended_ = true;
  Send(std::move(lock));
}

http::BodySource LineStream::Source() {
  return [reading = std::make_shared<const Reading>(shared_from_this())](http::PartSink sink) {
    reading->stream->Ask(std::move(sink));
  };
}

void LineStream::Ask(http::PartSink sink) {
  std::unique_lock lock(mutex_);
  asked_ = std::move(sink);
  Send(std::move(lock));
}

// A sink takes its part without the lock, since it may lead back here.
void LineStream::Send(std::unique_lock<std::mutex> lock) {
  if (!asked_ || (waiting_.empty() && !ended_)) return;
  const http::PartSink sink = *std::exchange(asked_, std::nullopt);
  http::BodyPart part{std::exchange(waiting_, {}), ended_};
  lock.unlock();
  changed_.notify_all();
  sink(std::move(part));
}

void LineStream::Leave() {
  std::optional<http::PartSink> dropped;
  {
    const std::scoped_lock lock(mutex_);
    is_left_ = true;
    dropped = std::exchange(asked_, std::nullopt);
  }
  changed_.notify_all();
  left_();
}

}  // namespace fanfold::console
