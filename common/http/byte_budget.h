// Bounds bytes over all connections. There are two: answers until they are sent, and bodies of
// requests until they are handed over. Internal to common/http.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace fanfold::http {

// Thread-safe. Outlives what it has lent.
class ByteBudget {
 public:
  explicit ByteBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // Who holds the bytes, by a hash of their name; kNobody holds as many as there are.
  using Owner = std::uint64_t;
  static constexpr Owner kNobody = 0;

  struct GiveBack {
    std::size_t bytes = 0;
    Owner owner = kNobody;
    void operator()(ByteBudget* all) const noexcept {
      all->held_.fetch_sub(bytes, std::memory_order_relaxed);
      if (owner != kNobody) all->owners_.GiveBack(owner, bytes);
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
  // The same for one of several, each of whom may have half of it.
  [[nodiscard]] Room TakeFor(Owner owner, std::size_t bytes) {
    if (owner == kNobody) return Take(bytes);
    if (!owners_.Take(owner, bytes, bytes_max_ / 2)) return {};
    if (Room room = Take(bytes)) {
      room.get_deleter().owner = owner;
      return room;
    }
    owners_.GiveBack(owner, bytes);
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
  class Owners {
   public:
    [[nodiscard]] bool Take(Owner owner, std::size_t bytes, std::size_t bytes_max) {
      const std::scoped_lock lock(mutex_);
      const auto held = held_.try_emplace(owner).first;
      if (held->second + bytes > bytes_max) {
        if (held->second == 0) held_.erase(held);
        return false;
      }
      held->second += bytes;
      return true;
    }
    void GiveBack(Owner owner, std::size_t bytes) noexcept {
      const std::scoped_lock lock(mutex_);
      const auto held = held_.find(owner);
      if ((held->second -= bytes) == 0) held_.erase(held);
    }

   private:
    std::mutex mutex_;
    std::unordered_map<Owner, std::size_t> held_;
  };

  const std::size_t bytes_max_;
  std::atomic<std::size_t> held_ = 0;
  Owners owners_;
};

}  // namespace fanfold::http
