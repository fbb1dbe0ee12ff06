// The streamed body of one answer on its way out. Internal to common/http.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/http/body_source.h"
#include "common/http/reply_queue.h"

namespace fanfold::http {

// On the connection's IO thread; the parts come in through the queue.
class BodyStream {
 public:
  enum class Step : std::uint8_t {
    kOwed,    // nothing to write until the queue wakes the connection
    kPart,    // something to write, if the part was not empty
    kEnded,   // the last there is to write
    kFailed,  // there will be no more: the client must not take the body for whole
  };

  [[nodiscard]] bool IsOpen() const noexcept { return source_ != nullptr; }
  // The head tells a length: the answer holds the body whole.
  [[nodiscard]] bool has_length() const noexcept { return has_length_; }
  // HTTP/1.0 has no chunks: a body of unknown length ends with the connection.
  [[nodiscard]] bool EndsWithConnection() const noexcept { return ends_with_connection_; }

  // Requires: IsStreamed(answer), just taken from the queue.
  void Begin(Answered& answer, std::shared_ptr<ReplyQueue> queue);
  // Appends the part that has come, or asks for the next. Requires: IsOpen, and all that was
  // appended before is written.
  [[nodiscard]] Step Append(std::string& out);
  // Forgets the source.
  void Drop() { source_ = nullptr; }

 private:
  void Ask();

  std::shared_ptr<ReplyQueue> queue_;
  BodySource source_;
  bool has_length_ = false;
  bool chunked_ = true;
  bool ends_with_connection_ = false;
  bool owed_ = false;
};

}  // namespace fanfold::http
