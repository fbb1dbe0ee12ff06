#include "operations/log/deletion_ends.h"

#include <algorithm>
#include <variant>

#include "common/profile/profile_event.h"

namespace fanfold::operations {

void DeletionEnds::Note(const LogLineRecord& record) {
  const Position& position = record.stored.position;
  LogEnds& ends = read_[record.topic];
  const auto partition = static_cast<std::size_t>(position.partition.value);
  if (ends.size() <= partition) ends.resize(partition + 1);
  ends[partition] = Next(position.offset);
}

std::optional<std::string> DeletionEnds::Within(const LogLineRecord& record) {
  if (record.topic != topics::kUserEvents || !record.stored.value) return std::nullopt;
  auto event = DecodeProfileEvent(*record.stored.value);
  auto* deleted = event ? std::get_if<UserDeleted>(&event->what) : nullptr;
  if (deleted == nullptr) return std::nullopt;
  bool reached_beyond = false;
  for (const Stream stream : Stream::All()) {
    if (stream.events() <= record.topic) continue;
    const LogEnds& held = read_[stream.events()];
    for (std::size_t p = 0; p < deleted->ends[stream].size(); ++p) {
      const Offset end = p < held.size() ? held[p] : Offset(0);
      if (deleted->ends[stream][p] <= end) continue;
      deleted->ends[stream][p] = end;
      reached_beyond = true;
    }
  }
  if (!reached_beyond) return std::nullopt;
  ++cut_;
  return EncodeProfileEvent(*event);
}

}  // namespace fanfold::operations
