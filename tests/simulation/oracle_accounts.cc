// Whose account has ended, and when, as users' events say.
#include <algorithm>

#include "tests/simulation/oracle.h"

namespace fanfold::simulation {
namespace {

bool Stays(const ProfileEvent& event) {
  const auto* deleted = std::get_if<UserDeleted>(&event.what);
  return deleted != nullptr && deleted->stays;
}

bool Restores(const ProfileEvent& event) {
  return std::holds_alternative<UserRestored>(event.what);
}

}  // namespace

bool Oracle::EverEnded(UserId user) {
  const auto partition = static_cast<std::size_t>(placement_.PartitionOf(user).value);
  return std::ranges::any_of(ReadUserEvents()[partition], [&](const auto& event) {
    return event && event->user == user && Stays(*event);
  });
}

bool Oracle::HasEnded(UserId user) {
  const auto partition = static_cast<std::size_t>(placement_.PartitionOf(user).value);
  bool has_ended = false;
  for (const auto& event : ReadUserEvents()[partition]) {
    if (!event || event->user != user) continue;
    has_ended = Stays(*event) || (has_ended && !Restores(*event));
  }
  return has_ended;
}

// Of an end that was not restored before the record came.
bool Oracle::IsOfEnded(UserId user, Topic topic, Partition partition, Offset record) {
  const Partition own = placement_.PartitionOf(user);
  const auto& line = ReadUserEvents()[static_cast<std::size_t>(own.value)];
  const auto came = [&](Topic of, Partition in, Offset at) {
    return adapters_.log().Records(of, in).at(static_cast<std::size_t>(at.value)).appended_ms;
  };
  bool ends = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (!line[at] || line[at]->user != user) continue;
    ends = ends || Stays(*line[at]);
    if (!ends || !Restores(*line[at])) continue;
    const Offset restore(static_cast<std::int64_t>(at));
    if (came(topics::kUserEvents, own, restore) > came(topic, partition, record)) return true;
    ends = false;
  }
  return ends;
}

}  // namespace fanfold::simulation
