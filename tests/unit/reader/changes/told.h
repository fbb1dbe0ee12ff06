// What one who follows changes of a small deployment has received.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "common/http/body_source.h"

namespace fanfold::reader::testing {

inline constexpr std::int32_t kPartitions = 2;

struct SentEvent {
  std::string id;
  std::string type;  // "" of a checkpoint
  std::string data;
};

// As the HTML standard reads a stream: blocks of lines, an id alone is a checkpoint.
inline std::vector<SentEvent> EventsIn(const std::string& stream) {
  std::vector<SentEvent> events;
  SentEvent event;
  std::istringstream lines(stream);
  for (std::string line; std::getline(lines, line);) {
    const auto field = [&](std::string_view name) -> std::optional<std::string> {
      if (!line.starts_with(name)) return std::nullopt;
      return line.substr(name.size());
    };
    if (const auto id = field("id: ")) event.id = *id;
    if (const auto type = field("event: ")) event.type = *type;
    if (const auto data = field("data: ")) event.data = *data;
    if (!line.empty()) continue;
    if (!event.id.empty() || !event.type.empty()) events.push_back(event);
    event = {};
  }
  return events;
}

// Takes parts. Thread-safe.
class Received {
 public:
  // For the next part.
  http::PartSink Sink() {
    return http::PartSink([state = state_](std::optional<http::BodyPart> part) {
      const std::scoped_lock lock(state->mutex);
      ++state->parts;
      if (!part) state->cut = true;
      if (part) state->text += part->bytes;
      if (part && part->last) state->ended = true;
    });
  }
  [[nodiscard]] std::string text() const { return Get().text; }
  [[nodiscard]] int parts() const { return Get().parts; }
  [[nodiscard]] bool ended() const { return Get().ended; }
  [[nodiscard]] bool cut() const { return Get().cut; }
  // `type:data`, checkpoints left out.
  [[nodiscard]] std::vector<std::string> Changes() const {
    std::vector<std::string> changes;
    for (const SentEvent& event : EventsIn(text())) {
      if (!event.type.empty()) changes.push_back(event.type + ":" + event.data);
    }
    return changes;
  }
  [[nodiscard]] std::string LastId() const {
    std::string last;
    for (const SentEvent& event : EventsIn(text())) {
      if (!event.id.empty()) last = event.id;
    }
    return last;
  }

 private:
  struct Values {
    std::string text;
    int parts = 0;
    bool ended = false;
    bool cut = false;
  };
  struct State : Values {
    std::mutex mutex;
  };
  [[nodiscard]] Values Get() const {
    const std::scoped_lock lock(state_->mutex);
    return *state_;
  }

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace fanfold::reader::testing
