// A worker's memory of its users' rows, instead of asking the store. True as long as the worker
// owns the lanes it asks for: nobody else writes a row of an owned lane without bumping its epoch,
// so a worker that takes a lane forgets first. Rows of other lanes in a user's list may be out of
// date; they are never asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/ports/edge_store.h"
#include "common/relation/edge.h"
#include "common/stream/ids.h"

namespace fanfold::projector {

// A row of a user's list.
class KnownRow {
 public:
  KnownRow(UserId other, const Edge& edge) noexcept
      : other_(other), since_ms_(edge.since_ms), version_(edge.version), active_(edge.active) {}

  [[nodiscard]] UserId other() const noexcept { return other_; }
  [[nodiscard]] Edge edge() const noexcept { return {active_, since_ms_, version_}; }

 private:
  UserId other_;
  std::int64_t since_ms_;
  Version version_;
  bool active_;
};

// A user as remembered. A list that is not whole says nothing of any row.
struct KnownUser {
  EdgeCount count;  // meaningful where all rows of the user belong to one lane
  bool whole = false;
  std::vector<KnownRow> rows;  // by other; every row of the user when whole, none otherwise

  // The row's edge; version 0 where there is none. Requires: whole.
  [[nodiscard]] Edge EdgeTo(UserId other) const noexcept;
};

// Bounded: MakeRoom forgets users that nobody has asked for since it last did. Thread-compatible.
class RowMemory {
 public:
  // Rows and users together. A row takes 32 bytes and a user about 100: some 400 MB when full.
  static constexpr std::size_t kEntriesMax = 8'000'000;
  // A longer list is not worth moving about at each insertion.
  static constexpr std::size_t kUserRowsMax = 4'096;

  explicit RowMemory(std::size_t entries_max = kEntriesMax) : entries_max_(entries_max) {}

  // Null for a user never learned, or forgotten. Valid until the next call of MakeRoom, Note or
  // Forget.
  [[nodiscard]] const KnownUser* Find(UserId user);
  // A user's count and, when `whole`, every row, by other.
  void Learn(UserId user, EdgeCount count, bool whole, std::span<const EdgeRow> rows);
  // Takes in what was written.
  void Note(const EdgeWrites& writes);
  void MakeRoom();
  void Forget();

  [[nodiscard]] std::size_t entries() const noexcept { return young_entries_ + old_entries_; }

 private:
  using Users = std::unordered_map<UserId, KnownUser>;

  [[nodiscard]] KnownUser* FindMutable(UserId user);
  void NoteRow(const EdgeRow& row);

  std::size_t entries_max_;
  Users young_;  // asked for since the last time room was made
  Users old_;
  std::size_t young_entries_ = 0;
  std::size_t old_entries_ = 0;
};

}  // namespace fanfold::projector
