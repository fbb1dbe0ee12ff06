// What large answers of all connections hold until their clients have read them. Internal to
// common/http.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace fanfold::http {

// Thread-safe. Outlives what it has lent.
class LargeAnswers {
 public:
  // Smaller ones are not counted: they are answered whatever slow clients hold.
  static constexpr std::size_t kBytesMin = std::size_t{64} << 10;

  explicit LargeAnswers(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  struct GiveBack {
    std::size_t bytes = 0;
    void operator()(LargeAnswers* all) const noexcept { all->held_ -= bytes; }
  };
  using Room = std::unique_ptr<LargeAnswers, GiveBack>;  // gives back when it goes

  // Nothing when there is none for so many.
  [[nodiscard]] Room Take(std::size_t bytes) noexcept {
    if (held_ += bytes; held_ <= bytes_max_) return {this, {bytes}};
    held_ -= bytes;
    return {};
  }

 private:
  const std::size_t bytes_max_;
  std::atomic<std::size_t> held_ = 0;
};

}  // namespace fanfold::http
