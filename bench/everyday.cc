#include "bench/everyday.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <numeric>
#include <random>
#include <stdexcept>

namespace fanfold::bench {
namespace {

constexpr std::uint64_t kSeed = 14;
constexpr int kConflict = 409;

std::vector<std::uint64_t> Shuffled(std::mt19937_64& random) {
  std::vector<std::uint64_t> users(EverydayFollows::kUsers);
  std::iota(users.begin(), users.end(), 1);
  std::ranges::shuffle(users, random);
  return users;
}

double Milliseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

double Percentile(const std::vector<double>& ascending, std::size_t percent) {
  return ascending.empty() ? 0 : ascending[ascending.size() * percent / 100];
}

}  // namespace

EverydayFollows::EverydayFollows() {
  std::mt19937_64 random(kSeed);
  users_ = Shuffled(random);
  others_ = Shuffled(random);
}

Follow EverydayFollows::operator[](std::uint64_t number) const {
  const std::uint64_t user = users_[number % kUsers];
  const std::uint64_t other = others_[(number + number / kUsers) % kUsers];
  // A user never follows themselves.
  return {user, user == other ? other + kUsers : other};
}

EverydayLoad EverydayLoad::Parse(const char* const* arguments) {
  const auto number = [&](int i) { return std::strtoull(arguments[i], nullptr, 10); };
  const EverydayLoad load{number(0), std::chrono::seconds(number(1)), number(2), number(3)};
  if (load.seconds.count() == 0 || load.clients == 0) throw std::runtime_error("nothing to do");
  return load;
}

EverydaySchedule::EverydaySchedule(const EverydayLoad& load) : end_(start_ + load.seconds) {
  if (load.per_second > 0) interval_ = std::chrono::nanoseconds(std::nano::den / load.per_second);
}

Clock::time_point EverydaySchedule::Due(std::uint64_t index, Clock::time_point now) const {
  if (interval_.count() == 0) return now;
  return start_ + interval_ * static_cast<std::int64_t>(index);
}

void WriteTimes::Acked(Clock::time_point due, Clock::time_point now) {
  acked_ms_.push_back(Milliseconds(due, now));
}

void WriteTimes::Seen(Clock::time_point due, Clock::time_point now) {
  seen_or_left_ms_.push_back(Milliseconds(due, now));
  last_seen_ = std::max(last_seen_, now);
}

void WriteTimes::Left(Clock::time_point due, Clock::time_point now) {
  seen_or_left_ms_.push_back(Milliseconds(due, now));
  ++left_;
}

void WriteTimes::Refused(int status) { ++(status == kConflict ? refused_409_ : refused_503_); }

void WriteTimes::Add(const WriteTimes& other) {
  acked_ms_.insert(acked_ms_.end(), other.acked_ms_.begin(), other.acked_ms_.end());
  seen_or_left_ms_.insert(seen_or_left_ms_.end(), other.seen_or_left_ms_.begin(),
                          other.seen_or_left_ms_.end());
  left_ += other.left_;
  refused_409_ += other.refused_409_;
  refused_503_ += other.refused_503_;
  last_seen_ = std::max(last_seen_, other.last_seen_);
}

std::string WriteTimes::Json(Clock::time_point start) const {
  std::vector<double> acked = acked_ms_;
  std::vector<double> all = seen_or_left_ms_;
  std::ranges::sort(acked);
  std::ranges::sort(all);
  const std::size_t writes = all.size() - left_;
  const double seconds = writes == 0 ? 0 : Milliseconds(start, last_seen_) / std::milli::den;
  return fmt::format(
      "{{\"writes\":{},\"left\":{},\"refused_409\":{},\"refused_503\":{},\"seconds\":{:.3f},"
      "\"per_second\":{:.1f},\"p50_ms\":{:.3f},\"p99_ms\":{:.3f},\"acked_p50_ms\":{:.3f},"
      "\"acked_p99_ms\":{:.3f}}}",
      writes, left_, refused_409_, refused_503_, seconds,
      writes == 0 ? 0 : static_cast<double>(writes) / seconds, Percentile(all, 50),
      Percentile(all, 99), Percentile(acked, 50), Percentile(acked, 99));
}

}  // namespace fanfold::bench
