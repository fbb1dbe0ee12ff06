// What large bodies of all connections hold: of answers until their clients have read them, of
// requests until they are handed over. Each of the two has one. Internal to common/http.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

namespace fanfold::http {

// Thread-safe. Outlives what it has lent.
class LargeBodies {
 public:
  explicit LargeBodies(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  struct GiveBack {
    std::size_t bytes = 0;
    void operator()(LargeBodies* all) const noexcept { all->held_ -= bytes; }
  };
  using Room = std::unique_ptr<LargeBodies, GiveBack>;  // gives back when it goes

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
