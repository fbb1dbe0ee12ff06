// One client connection, for those who keep its requests a while. Who the client is: Principal.
#pragma once

#include <atomic>
#include <memory>

namespace fanfold {

// Thread-safe; made by std::make_shared.
class Caller : public std::enable_shared_from_this<Caller> {
 public:
  // Of one caller's requests that wait for something to happen. Most callers ask one at a time.
  static constexpr int kWaitsMax = 8;

  // He sends no more, and may not read any more either: nothing is waited for in his name.
  void Leave() noexcept { gone_.store(true); }
  [[nodiscard]] bool is_gone() const noexcept { return gone_.load(); }

  // A place to wait in, given back when the last copy is gone; null when kWaitsMax are taken.
  [[nodiscard]] std::shared_ptr<const void> TakePlace() {
    if (waits_.fetch_add(1) >= kWaitsMax) {
      waits_.fetch_sub(1);
      return nullptr;
    }
    return {this, [self = shared_from_this()](const void*) { self->waits_.fetch_sub(1); }};
  }

 private:
  std::atomic<bool> gone_ = false;
  std::atomic<int> waits_ = 0;
};

using CallerPtr = std::shared_ptr<Caller>;

}  // namespace fanfold
