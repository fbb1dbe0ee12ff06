// Somebody who follows others, one at a time, and looks whether that is seen. Whoever owns it says
// when it sends and takes.
#pragma once

#include <cstdint>
#include <string>

#include "bench/bare_http.h"
#include "bench/everyday.h"

namespace fanfold::bench {

// All throw std::runtime_error, with what was answered, when it is not what a follow comes to.
class EverydayClient {
 public:
  enum class Came : std::uint8_t {
    kNothing,
    kAck,      // the writer's; the fans are asked for
    kFans,     // the follower among them; the counts are asked for
    kCounts,   // the end: the follow is seen
    kRefusal,  // 409 or 503, see status(); SendAgain when it is time
  };

  EverydayClient(std::uint16_t writer_port, std::uint16_t reader_port);

  [[nodiscard]] const BareHttp& writer() const noexcept { return writer_; }
  [[nodiscard]] const BareHttp& reader() const noexcept { return reader_; }
  [[nodiscard]] Clock::time_point due() const noexcept { return due_; }
  [[nodiscard]] int status() const noexcept { return status_; }  // of the last answer

  void Start(const Follow& follow, Clock::time_point due);
  void SendAgain() { Send(); }
  // Takes what has come, and goes on. Does not block.
  Came Receive();

 private:
  enum class Step : std::uint8_t { kPut, kFans, kCounts };

  void Send();
  Came Take(const BareAnswer& answer);
  void CheckFans(const BareAnswer& answer) const;
  void CheckCounts(const BareAnswer& answer) const;
  [[noreturn]] void Fail(const BareAnswer& answer) const;

  BareHttp writer_;
  BareHttp reader_;
  Follow follow_{};
  Clock::time_point due_;
  Step step_ = Step::kPut;
  std::string wait_;  // how a read's request ends
  int status_ = 0;
};

}  // namespace fanfold::bench
