// An event in a log of another number of partitions, where it is decided afresh.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "common/base/result.h"
#include "common/stream/slot.h"
#include "operations/log/log_line.h"
#include "operations/log/record_reader.h"

namespace fanfold::operations {

struct AfreshEvent {
  Partition partition;
  // In place of its own, where that tells of positions of the old log: a deletion's ends, an
  // `if_version`.
  std::optional<std::string> value;
};

// Thread-compatible. Pure but for what it was told.
class Afresh {
 public:
  // Moves the events of a file that begins so into a log with `to` partitions.
  Afresh(const LogHeader& from, std::int32_t to) noexcept : from_(from), to_(to) {}

  // An outcome of the old log; all are told before the first event is asked for. Keeps how far each
  // partition was decided, and the positions of events that a later one had superseded, some 64
  // bytes each.
  void Note(Topic topic, const StoredRecord& outcome);

  // The event's partition is that of its key's user; an event that stood astray, and so was parked,
  // goes where it is parked again. An event that named a version superseded then is superseded
  // again, whatever the offsets; otherwise it names no version. A deletion tells no ends: the
  // events that it led to move as others do. Errors: kRefused, with words to stand behind its
  // position: it was parked for its partition, and in a log of one partition every partition is
  // right; it names a version, and no outcome tells what it led to; it ends an account that
  // relations may be left of.
  [[nodiscard]] Result<AfreshEvent> Of(Topic topic, const StoredRecord& event) const;

 private:
  using Value = std::optional<std::string>;
  [[nodiscard]] std::optional<Partition> PlaceOf(const StoredRecord& event) const;
  // The value in an event's place; nothing where it tells of no positions.
  [[nodiscard]] Result<Value> WithoutVersion(const StoredRecord& event) const;
  [[nodiscard]] Result<Value> WithoutEnds(const StoredRecord& event) const;

  const LogHeader from_;
  const std::int32_t to_;
  std::set<Position> superseded_;        // of relation-events
  std::map<Partition, Offset> decided_;  // of relation-events: the last one with an outcome
};

}  // namespace fanfold::operations
