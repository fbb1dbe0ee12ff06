// Inside common/kafka only: this header shows librdkafka's types.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <librdkafka/rdkafka.h>
#include <memory>

namespace fanfold::kafka {

struct AdminOptionsDeleter {
  void operator()(rd_kafka_AdminOptions_t* options) const noexcept {
    rd_kafka_AdminOptions_destroy(options);
  }
};
struct EventDeleter {
  void operator()(rd_kafka_event_t* event) const noexcept { rd_kafka_event_destroy(event); }
};
using AdminOptionsPtr = std::unique_ptr<rd_kafka_AdminOptions_t, AdminOptionsDeleter>;
using EventPtr = std::unique_ptr<rd_kafka_event_t, EventDeleter>;

// Between two questions about what brokers do not know yet.
inline constexpr std::int64_t kAskAgainMs = 200;

// At least 1.
[[nodiscard]] inline int MsUntil(std::chrono::steady_clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                        deadline - std::chrono::steady_clock::now())
                        .count();
  return static_cast<int>(std::max<std::int64_t>(left, 1));
}

}  // namespace fanfold::kafka
