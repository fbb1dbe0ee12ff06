// Why a lane goes no further until an operator says so.
#pragma once

#include <array>
#include <string_view>

#include "common/base/registry.h"

namespace fanfold {

// Does it say that the log is another, or not all of it?
inline constexpr bool kOfTheLog = true;

// Tables store a lane's reason by its name.
struct HaltReasonEntry {
  std::string_view name;
  bool is_of_the_log = false;
};
inline constexpr std::array kHaltReasons = {
    // The log begins above the lane's position.
    HaltReasonEntry{"retention_gap", kOfTheLog},
    // The log ends below the lane's position: truncated, or created again.
    HaltReasonEntry{"log_truncated", kOfTheLog},
    // Another record stands where the last one stood that the lane knows.
    HaltReasonEntry{"log_mismatch", kOfTheLog},
    // The partition lacks an offset.
    HaltReasonEntry{"log_gap", kOfTheLog},
    // A decided outcome is in neither topic nor outbox.
    HaltReasonEntry{"outcomes_truncated", kOfTheLog},
    // An outcome of a later event came first.
    HaltReasonEntry{"outcome_gap", kOfTheLog},
    // An outcome of a later event came first, behind one that could not be read.
    HaltReasonEntry{"outcome_unreadable", kOfTheLog},
    // More outcomes were noted as published than decided. Migration 0006 finds that.
    HaltReasonEntry{"published_ahead"},
    // The database refuses the rows that the record at the lane's position leads to.
    HaltReasonEntry{"batch_refused"},
    // The log refuses an outcome.
    HaltReasonEntry{"outcome_refused"},
    // The shard was restored: the catalog reads a newer generation than it has.
    HaltReasonEntry{"other_generations"},
    // A shard was restored: two generations decide about one partition.
    HaltReasonEntry{"two_deciders"},
};

class HaltReason : public Registered<HaltReason, kHaltReasons> {
 public:
  [[nodiscard]] constexpr bool is_of_the_log() const noexcept { return entry().is_of_the_log; }
};

namespace halt_reasons {
inline constexpr HaltReason kRetentionGap = HaltReason::Find("retention_gap").value();
inline constexpr HaltReason kLogTruncated = HaltReason::Find("log_truncated").value();
inline constexpr HaltReason kLogMismatch = HaltReason::Find("log_mismatch").value();
inline constexpr HaltReason kLogGap = HaltReason::Find("log_gap").value();
inline constexpr HaltReason kOutcomesTruncated = HaltReason::Find("outcomes_truncated").value();
inline constexpr HaltReason kOutcomeGap = HaltReason::Find("outcome_gap").value();
inline constexpr HaltReason kOutcomeUnreadable = HaltReason::Find("outcome_unreadable").value();
inline constexpr HaltReason kBatchRefused = HaltReason::Find("batch_refused").value();
inline constexpr HaltReason kOutcomeRefused = HaltReason::Find("outcome_refused").value();
inline constexpr HaltReason kOtherGenerations = HaltReason::Find("other_generations").value();
inline constexpr HaltReason kTwoDeciders = HaltReason::Find("two_deciders").value();
}  // namespace halt_reasons

}  // namespace fanfold
