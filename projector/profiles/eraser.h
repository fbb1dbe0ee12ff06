// Ends what deleted accounts have left: a page of a list at a time, of each account in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "common/ports/log_proof.h"
#include "common/ports/profile_erasure.h"
#include "common/stream/event_ids.h"
#include "projector/profiles/erased_list.h"
#include "projector/profiles/open_accounts.h"
#include "projector/profiles/tables_look.h"
#include "projector/runtime/task.h"

namespace fanfold::projector {

// The findings and the work of a round.
struct EraseRound : OpenCounts {
  std::int64_t appended = 0;  // events
  bool moved = false;
  std::vector<Error> failures;  // each is tried again in the next round
};

// The owner of the user's partition of user-events erases. Where two own it for a moment, the
// events of the second change nothing, except that a look between them is forgotten, too. An
// account waits as OpenAccounts says: where a log was moved, or tables are folded again, everything
// erased before is then seen as erased. An account that fails is tried again in the next round, and
// keeps no other from its step. Before each step the logs are proved: ends in one log say nothing
// of another.
//
// One thread at a time.
class Eraser {
 public:
  static constexpr std::size_t kPageRows = 500;  // of a list; so many events are in flight
  // How long a partition's log is taken for the right one, once it was proved.
  static constexpr std::int64_t kProvedMs = 1'000;
  static constexpr std::int64_t kAppendWaitMs = 10'000;
  // How long a round goes on with the accounts that it found before all are looked at again; a step
  // that has begun ends.
  static constexpr std::int64_t kRoundMs = 5'000;

  // Told how many events were appended, 0 before each step. Blocks for as long as their rate asks
  // for. False: stop.
  using Pace = std::function<bool(std::int64_t events)>;

  explicit Eraser(const TaskPorts& ports);

  // Looks at every account, then a step of each that can go on. Blocks as ports and pace do.
  [[nodiscard]] EraseRound Round(const Pace& pace);
  // One step more of each account that its last step left in the midst of a list. False: there is
  // none, pace said stop, the log did not take something, or the round has lasted long enough.
  [[nodiscard]] bool Again(const Pace& pace, EraseRound& round);

 private:
  // The account's end as it stands now; nothing where it could not go on.
  using Moved = std::optional<Erasure>;
  // Nothing: the tables have not come far enough.
  using Page = std::optional<std::vector<RowImage>>;

  // Proves the log by these partitions' deciders, or where nothing is decided, lanes; leaves out
  // those proved within kProvedMs. Errors: LogProof's.
  [[nodiscard]] Status Prove(Stream stream, const std::set<Partition>& asked);
  // Proves the log of the deletion itself.
  [[nodiscard]] Status ProveDeletion(const Erasure& erasure);
  [[nodiscard]] Result<Moved> Step(const OpenAccount& account, EraseRound& round);
  // Its reach is what was found out, where the account is ended by this deletion still.
  [[nodiscard]] Result<Moved> Begin(const OpenAccount& account);
  [[nodiscard]] Result<Moved> Walk(const OpenAccount& account, const ErasedList& list,
                                   EraseRound& round);
  [[nodiscard]] Result<Page> NextPage(const OpenAccount& account, const ErasedList& list);
  // The progress behind a page that was appended. Errors: the log's.
  [[nodiscard]] Result<ErasureProgress> Behind(const OpenAccount& account, const ErasedList& list,
                                               std::span<const RowImage> page);
  // How far the tables have to come until the account is done. Errors: the log's.
  [[nodiscard]] Result<StreamEnds> EndsBehind(const Erasure& erasure);
  // Returns when all are in the log. Errors: some may not be.
  [[nodiscard]] Status Append(Stream stream, const std::vector<EndEvent>& events);
  [[nodiscard]] Result<Moved> Move(const OpenAccount& account, const ErasureProgress& to);
  [[nodiscard]] static Result<Moved> Move(ErasureStore& erasures, const Erasure& from,
                                          const Erasure& to);

  const TaskPorts ports_;
  TablesLook look_;
  OpenAccounts accounts_;
  LogProof proof_;
  std::map<std::pair<Stream, Partition>, std::int64_t> proved_ms_;  // steady
  EventIds event_ids_;
  PerEntry<Stream, std::unique_ptr<LogAppender>> appenders_;  // each made when it is needed
  // Failed since the last look: a shard or log that is away costs its time-out for each account.
  bool log_failed_ = false;
  std::set<Shard> failed_;
  std::int64_t until_ms_ = 0;  // steady
  std::vector<OpenAccount> ready_;
};

}  // namespace fanfold::projector
