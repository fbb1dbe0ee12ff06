// The deleted accounts that are being ended, and which of them can go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/ports/profile_erasure.h"
#include "projector/profiles/erased_list.h"
#include "projector/profiles/reach.h"
#include "projector/profiles/tables_look.h"
#include "projector/runtime/task.h"

namespace fanfold::projector {

struct OpenAccount {
  Shard shard;
  Erasure erasure;
  // The reach of an account whose reach had to be found out.
  std::optional<StreamEnds> reach = std::nullopt;
};

// The counts of a look.
struct OpenCounts {
  std::int64_t open = 0;       // accounts of this process's partitions that are being erased
  std::int64_t waiting = 0;    // of them, accounts that wait for the tables
  std::int64_t oldest_ms = 0;  // when the oldest of them was asked for; 0: there is none
  std::int64_t still_ms = 0;   // for how long the one that stands longest has stood
};

// An account waits until the tables hold what the log held when it was first looked at, and every
// event below its deletion's ends. One thread at a time.
class OpenAccounts {
 public:
  static constexpr std::size_t kPageMax = 1'000;   // read at once
  static constexpr std::size_t kReadyMax = 1'000;  // that go on between two looks

  // `ports` and `look` outlive it.
  OpenAccounts(const TaskPorts& ports, TablesLook& look)
      : ports_(ports), look_(look), reach_(ports, look) {}

  // Accounts that can go on, at most kReadyMax, those behind the last one given to IsTaken first.
  // Asks `stops` before each. A failure on a shard goes to `failures`; the other shards are looked
  // at all the same.
  [[nodiscard]] std::vector<OpenAccount> Ready(const std::function<bool()>& stops,
                                               OpenCounts& counts, std::vector<Error>& failures);
  // May this list of the account be walked, when the shard's rows hold the events below `held`?
  [[nodiscard]] bool MayWalk(const Erasure& erasure, const ErasedList& list,
                             const Ends& held) const;
  // A step of this account begins.
  void IsTaken(const OpenAccount& account) { last_ = PlaceOf(account); }
  // The account has come further.
  void HasMoved(const OpenAccount& account);

 private:
  using Place = std::pair<Shard, ErasureKey>;
  struct Seen {
    // When it was seen first, of the streams that the deletion says the ends of, or will.
    PerEntry<Stream, std::shared_ptr<const Ends>> log_ends;
    std::int64_t still_since_ms = 0;  // steady
  };
  // Accounts behind the last that was taken, and the others.
  struct Found {
    std::vector<OpenAccount> behind, before;
  };

  [[nodiscard]] static Place PlaceOf(const OpenAccount& account) {
    return {account.shard, account.erasure.key};
  }
  [[nodiscard]] Status LookAt(Shard shard, const std::function<bool()>& stops, OpenCounts& counts,
                              Found& found);
  [[nodiscard]] Result<bool> IsReady(OpenAccount& account);
  [[nodiscard]] Result<bool> HasSettled(const Erasure& erasure);
  [[nodiscard]] Status See(const Erasure& erasure);
  void Count(const OpenAccount& account, bool is_ready, OpenCounts& counts) const;

  const TaskPorts& ports_;
  TablesLook& look_;
  Reach reach_;
  std::map<ErasureKey, Seen> seen_;         // in this look
  std::map<ErasureKey, Seen> seen_before_;  // in the one before
  std::optional<Place> last_;
};

}  // namespace fanfold::projector
