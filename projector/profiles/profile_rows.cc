#include "projector/profiles/profile_rows.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace fanfold::projector {

std::vector<std::expected<Decided, Unreadable>> ProfileRows::Read(
    std::span<const LogRecord> records) {
  std::vector<std::expected<Decided, Unreadable>> said;
  said.reserve(records.size());
  read_.clear();
  read_.reserve(records.size());
  for (const LogRecord& record : records) {
    const ReadRecord& read = read_.emplace_back(
        record.offset, ReadProfileRecord(record.key, record.value, record.partition, placement_));
    if (read.event) {
      said.push_back(
          Decided{Position{record.partition, record.offset}, std::nullopt, read.event->event_id});
    } else {
      said.push_back(std::unexpected(read.event.error()));
    }
  }
  return said;
}

void ProfileRows::Keep(std::span<const std::size_t> places) {
  for (const std::size_t place : places) {
    const ReadRecord& read = read_[place];
    const Version version(Next(read.offset).value);
    rows_.push_back({read.event->user, fanfold::Apply({}, *read.event, version)});
  }
}

void ProfileRows::Seal() {
  std::ranges::sort(rows_, {}, [](const ProfileWrite& write) {
    return std::tuple(write.user, -write.row.version.value);
  });
  const auto older = std::ranges::unique(rows_, {}, &ProfileWrite::user);
  rows_.erase(older.begin(), older.end());
}

}  // namespace fanfold::projector
