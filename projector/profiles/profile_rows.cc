#include "projector/profiles/profile_rows.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace fanfold::projector {

std::size_t BytesOf(const ProfileWrite& write) noexcept {
  std::size_t bytes = sizeof write;
  if (const auto& profile = write.row.profile) {
    for (const auto* text : {&profile->name, &profile->avatar_url, &profile->bio}) {
      bytes += *text ? (*text)->size() : 0;
    }
  }
  return bytes;
}

std::size_t BytesOf(const Erasure& erasure) noexcept {
  std::size_t bytes = sizeof erasure;
  for (const Stream stream : Stream::All()) bytes += erasure.ends[stream].size() * sizeof(Offset);
  return bytes;
}

void ProfileRows::Clear() {
  writes_ = {};
  bytes_ = 0;
}

std::vector<std::expected<Decided, Unreadable>> ProfileRows::Read(
    std::span<const LogRecord> records) {
  std::vector<std::expected<Decided, Unreadable>> said;
  said.reserve(records.size());
  read_.clear();
  read_.reserve(records.size());
  for (const LogRecord& record : records) {
    const ReadRecord& read = read_.emplace_back(
        record.offset, ReadProfileRecord(record.key, record.value, record.partition, partitions_));
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
    writes_.profiles.push_back({read.event->user, fanfold::Apply({}, *read.event, version)});
    bytes_ += BytesOf(writes_.profiles.back());
    const auto* deleted = std::get_if<UserDeleted>(&read.event->what);
    if (deleted == nullptr) continue;
    writes_.erasures.push_back(
        {{read.event->user, version}, read.event->at_ms, deleted->ends, ErasureProgress()});
    bytes_ += BytesOf(writes_.erasures.back());
  }
}

void ProfileRows::Seal() {
  std::ranges::sort(writes_.profiles, {}, [](const ProfileWrite& write) {
    return std::tuple(write.user, -write.row.version.value);
  });
  const auto older = std::ranges::unique(writes_.profiles, {}, &ProfileWrite::user);
  writes_.profiles.erase(older.begin(), older.end());
  // Those of two generations insert the same rows: in one order.
  std::ranges::sort(writes_.erasures, {}, &Erasure::key);
}

}  // namespace fanfold::projector
