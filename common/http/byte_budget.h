// What the bytes of all connections hold: of answers until they are sent, of requests' bodies until
// they are handed over. Each of the two has one. Internal to common/http.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace fanfold::http {

// Thread-safe. Outlives what it has lent.
class ByteBudget {
 public:
  explicit ByteBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  struct GiveBack {
    std::size_t bytes = 0;
    void operator()(ByteBudget* all) const noexcept {
      all->held_.fetch_sub(bytes, std::memory_order_relaxed);
    }
  };
  using Room = std::unique_ptr<ByteBudget, GiveBack>;  // gives back when it goes

  // Nothing when there is none for so many.
  [[nodiscard]] Room Take(std::size_t bytes) noexcept {
    if (held_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= bytes_max_) {
      return {this, {bytes}};
    }
    held_.fetch_sub(bytes, std::memory_order_relaxed);
    return {};
  }
  // For what cannot be refused: others have less.
  [[nodiscard]] Room TakeAnyway(std::size_t bytes) noexcept {
    held_.fetch_add(bytes, std::memory_order_relaxed);
    return {this, {bytes}};
  }
  // Is less than a quarter left?
  [[nodiscard]] bool IsShort() const noexcept {
    return held_.load(std::memory_order_relaxed) > bytes_max_ - bytes_max_ / 4;
  }

 private:
  const std::size_t bytes_max_;
  std::atomic<std::size_t> held_ = 0;
};

}  // namespace fanfold::http
