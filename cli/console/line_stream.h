// Lines of one thread, as the streamed body of an answer.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "common/http/body_source.h"

namespace fanfold::console {

// Thread-safe; one thread writes. Lives as long as its writer or its body.
class LineStream : public std::enable_shared_from_this<LineStream> {
 public:
  // Bytes that are written and not sent: above it the writer waits.
  static constexpr std::size_t kWaitingBytesMax = std::size_t{1} << 20;

  // `left` is called once, from any thread, when nobody reads any more; it must not block.
  [[nodiscard]] static std::shared_ptr<LineStream> Make(std::function<void()> left);

  // A line, without its end. Blocks while the reader is behind; false: nobody reads any more.
  bool Push(std::string_view line);
  // The last line was pushed.
  void End();
  // Called once.
  [[nodiscard]] http::BodySource Source();

 private:
  struct Reading;  // the body's hold on it

  explicit LineStream(std::function<void()> left) : left_(std::move(left)) {}
  void Ask(http::PartSink sink);
  void Leave();
  void Send(std::unique_lock<std::mutex> lock);

  const std::function<void()> left_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;
  std::optional<http::PartSink> asked_;
  bool ended_ = false;
  bool is_left_ = false;
};

}  // namespace fanfold::console
