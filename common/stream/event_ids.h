#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace fanfold {

// Event ids: 32 lowercase hex digits, the process's 64 random bits and a counter. Thread-safe.
class EventIds {
 public:
  explicit EventIds(std::uint64_t process_bits);
  [[nodiscard]] std::string Next();

 private:
  const std::string prefix_;
  std::atomic<std::uint64_t> counter_{0};
};

}  // namespace fanfold
