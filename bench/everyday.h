// What the programs of the benchmark `everyday` share: who follows whom, when a write is due, and
// what is told of the time that writes took.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fanfold::bench {

using Clock = std::chrono::steady_clock;

struct Follow {
  std::uint64_t user;
  std::uint64_t other;
};

// Follows of random users, the same in every run. Each of kUsers follows once and is followed once
// before anybody does again, so most are people whom nobody has asked for; no pair comes twice.
class EverydayFollows {
 public:
  static constexpr std::uint64_t kUsers = 200'000;

  EverydayFollows();
  [[nodiscard]] Follow operator[](std::uint64_t number) const;

 private:
  std::vector<std::uint64_t> users_;
  std::vector<std::uint64_t> others_;
};

// Which load: FIRST SECONDS CLIENTS PER_SECOND on the command line.
struct EverydayLoad {
  static constexpr int kArguments = 4;

  std::uint64_t first_follow = 0;
  std::chrono::seconds seconds{0};
  std::size_t clients = 0;       // writes under way at the most
  std::uint64_t per_second = 0;  // 0: a closed loop

  // Throws std::runtime_error when clients or seconds are none.
  static EverydayLoad Parse(const char* const* arguments);
};

// When writes are due, from construction on. Open loop: one each interval, whether a client is free
// or not; closed loop: whenever a client is free.
class EverydaySchedule {
 public:
  // How late a thread may wake.
  static constexpr std::chrono::milliseconds kLateMax{20};

  explicit EverydaySchedule(const EverydayLoad& load);

  // `index` counts from 0. At or after end() there is none.
  [[nodiscard]] Clock::time_point Due(std::uint64_t index, Clock::time_point now) const;
  [[nodiscard]] Clock::time_point start() const noexcept { return start_; }
  [[nodiscard]] Clock::time_point end() const noexcept { return end_; }
  // A write that was due before the end may begin until then.
  [[nodiscard]] Clock::time_point closed() const noexcept { return end_ + kLateMax; }

 private:
  Clock::time_point start_ = Clock::now();
  Clock::time_point end_;
  std::chrono::nanoseconds interval_{0};  // 0: a closed loop
};

// All times are since the write was due.
class WriteTimes {
 public:
  void Acked(Clock::time_point due, Clock::time_point now);
  void Seen(Clock::time_point due, Clock::time_point now);
  // Not seen, and waited for no more: counts with the time that it has taken by now, which is too
  // little.
  void Left(Clock::time_point due, Clock::time_point now);
  // An answer 409 or 503, behind which the write is tried again.
  void Refused(int status);
  void Add(const WriteTimes& other);

  // {"writes":…,"left":…,"refused_409":…,"refused_503":…,"seconds":…,"per_second":…,"p50_ms":…,
  // "p99_ms":…,"acked_p50_ms":…,"acked_p99_ms":…}: from `start` to the last that was seen.
  [[nodiscard]] std::string Json(Clock::time_point start) const;

 private:
  std::vector<double> acked_ms_;
  std::vector<double> seen_or_left_ms_;
  std::size_t left_ = 0;
  std::size_t refused_409_ = 0;
  std::size_t refused_503_ = 0;
  Clock::time_point last_seen_;
};

}  // namespace fanfold::bench
