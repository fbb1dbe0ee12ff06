// Generations of a projection's tables on one shard: made, loaded, folded, read, dropped. Adapters:
// MySQL, SQLite; each passes tests/contract/generation_operations_contract.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/ports/lane.h"

namespace fanfold {

// Persisted by name.
enum class GenerationState : std::uint8_t {
  kLoading = 1,  // a rebuild loads it; no projector looks at it
  kFolding = 2,  // the projectors run its lanes
  kSide = 3,     // loaded up to a moment of the past, where it stays: nobody folds it
};
[[nodiscard]] constexpr std::string_view ToString(GenerationState state) noexcept {
  switch (state) {
    case GenerationState::kLoading:
      return "loading";
    case GenerationState::kFolding:
      return "folding";
    case GenerationState::kSide:
      return "side";
  }
  return "unknown";
}

// "generation 2 of fans"
[[nodiscard]] inline std::string NameOf(Projection projection, Generation generation) {
  return "generation " + std::to_string(generation.value) + " of " +
         std::string(ToString(projection));
}

// May a generation of `own` be read beside what is of `read`? A view of a user is one statement on
// one shard. Pure. Errors: kRefused, naming both.
[[nodiscard]] inline Status CheckReadTogether(Projection projection, Generation generation,
                                              SlotMapId own, SlotMapId read) {
  if (own == read) return {};
  return Fail(ErrorCode::kRefused, NameOf(projection, generation) + " is of slot map " +
                                       std::to_string(own.value) + ", what is read of " +
                                       std::to_string(read.value) +
                                       ": all that is read have one map");
}

struct GenerationRow {
  Projection projection;
  Generation generation{1};
  GenerationState state = GenerationState::kFolding;
  bool to_decide = false;                // its lanes decide, or are to
  std::optional<std::int64_t> until_ms;  // the moment of a side generation, ms since 1970 UTC
  SlotMapId slot_map = kFirstSlotMap;    // where its rows are
  friend bool operator==(const GenerationRow&, const GenerationRow&) = default;
};

// Each call may be repeated: what has been done already stays. Thread-compatible: one instance is
// one connection. Calls block for as long as the database needs for the tables' size. Errors
// besides those named: kUnavailable, kConflict, kUnknown: call again.
class GenerationOperations {
 public:
  virtual ~GenerationOperations() = default;

  // By projection and generation.
  [[nodiscard]] virtual Result<std::vector<GenerationRow>> List() = 0;

  // Nobody else holds this projection's generations while this object and its process live. To
  // make, load, promote or drop some, hold them from the first look to the last change; the calls
  // below make sure that it is still so. Errors: kRefused, somebody holds them.
  [[nodiscard]] virtual Status Hold(Projection projection) = 0;

  // Makes empty tables, which have no index for pages yet, and lanes at the log's beginning that
  // apply. State: loading. With `until_ms` it will be a side generation. `partitions`: those with a
  // lane on this shard by the slot map.
  [[nodiscard]] virtual Status Create(Projection projection, Generation generation,
                                      SlotMapId slot_map, std::span<const Partition> partitions,
                                      std::optional<std::int64_t> until_ms) = 0;

  // For the metrics of readers. Requires: shard 0.
  [[nodiscard]] virtual Status ShowLoad(Projection projection, Generation generation,
                                        LoadProgress load) = 0;

  // Counts the loaded rows, makes the index for pages, and lets the projectors go on, if it is no
  // side generation. Errors: kNotFound.
  [[nodiscard]] virtual Status FinishLoading(Projection projection, Generation generation) = 0;

  // Its lanes are to decide, those of no other generation. Requires: a projection that decides.
  // Errors: kRefused, it is not folded.
  [[nodiscard]] virtual Status OrderToDecide(Projection projection, Generation generation) = 0;

  // Readers read this generation from within a second on. Requires: shard 0. Errors: kRefused, it
  // is not folded, or of another slot map than what is read beside it.
  [[nodiscard]] virtual Status Read(Projection projection, Generation generation) = 0;

  // Notes in the catalog from which log (EventLog::Id) the tables are folded. Requires: shard 0.
  [[nodiscard]] virtual Status NameLog(const std::string& log) = 0;

  // For how long the catalog has named the generations that it names, by the clock it is written
  // by; below 0 when that one went back. Requires: shard 0.
  [[nodiscard]] virtual Result<std::int64_t> ReadSinceMs() = 0;

  // Drops tables and lanes. Records that its lanes parked stay listed. Until it is dropped to its
  // end it is listed as loading. Errors: kRefused, a lane of it decides or is to decide.
  [[nodiscard]] virtual Status Drop(Projection projection, Generation generation) = 0;
};

}  // namespace fanfold
