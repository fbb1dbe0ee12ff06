// Inside common/kafka only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/kafka/in_flight.h"
#include "common/stream/ids.h"

namespace fanfold::kafka {

// Lets the first record of a producer in each partition go alone. A broker that knows nothing of a
// producer takes any batch of it, whatever its sequence number (Kafka's ProducerAppendInfo,
// checkSequence): one sent behind another that is refused would get in and leave a gap, and
// librdkafka take its ack for both. From the first ack on the broker refuses what does not follow.
// Holds everything, too, while one producer takes over from another. Pure, time is a parameter
// (steady milliseconds). Thread-compatible.
class FirstAppends {
 public:
  // A broker forgets a producer that is silent in a partition for producer.id.expiration.ms, a day
  // unless configured otherwise.
  static constexpr std::int64_t kForgottenMs = 600'000;

  struct Held {
    Partition partition;
    std::string key;
    std::string value;
    InFlight::Ticket ticket = 0;
  };

  // `alone`: as above; else records are held by Pause only.
  explicit FirstAppends(bool alone) : alone_(alone) {}

  // May a record of this partition be sent now? If not, it is to be held.
  [[nodiscard]] bool MaySend(Partition partition, std::int64_t now_ms);
  void Hold(Held record);

  // A record of this partition was acked. Gives what was held, in order, to be sent now.
  [[nodiscard]] std::vector<Held> Acked(Partition partition);
  // Nothing may be sent until another producer does.
  void Pause() { paused_ = true; }
  // It does. Gives what was held, in order within each partition, to be sent now.
  [[nodiscard]] std::vector<Held> Restart();
  // Takes the records held for all partitions; they are not to be sent any more.
  [[nodiscard]] std::vector<InFlight::Ticket> GiveUp();

 private:
  struct State {
    bool waits = false;  // for the ack of the first
    std::optional<std::int64_t> sent_ms;
    std::vector<Held> held;
  };
  const bool alone_;
  bool paused_ = false;
  std::map<Partition, State> partitions_;
};

}  // namespace fanfold::kafka
