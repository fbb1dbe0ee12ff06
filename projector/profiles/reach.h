// Finds how far the end of an account that stays deleted reaches: everything that was in the log at
// a moment when the account was ended still. The deciders knew of the deletion by then, and take
// nothing more of the account.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "common/ports/profile_erasure.h"
#include "projector/accounts/ended_accounts.h"
#include "projector/profiles/tables_look.h"
#include "projector/runtime/task.h"

namespace fanfold::projector {

// One thread at a time.
class Reach {
 public:
  // For so long a deletion is seen before the log is asked where it ends.
  static constexpr std::int64_t kSeenMs = EndedAccounts::kOpenMs;

  // Both outlive it.
  Reach(const TaskPorts& ports, TablesLook& look) : ports_(ports), look_(look) {}

  // A look begins: what the one before did not ask about is forgotten.
  void BeginAnew() {
    before_ = std::exchange(measured_, {});
    now_ = nullptr;
  }
  // Where the log ended, once the tables of profiles hold what users' events held after that: a
  // restore that is not among them came later. Nothing before. Errors: the log's, the tables'.
  [[nodiscard]] Result<std::optional<StreamEnds>> Of(Shard shard, const Erasure& erasure);

 private:
  struct LogEnds {
    std::int64_t asked_ms = 0;  // steady
    StreamEnds ends = {};
    Ends users = {};  // of users' events, behind them
  };
  using LogEndsPtr = std::shared_ptr<const LogEnds>;
  struct Measured {
    UserId reached;  // as it stood, and
    StreamEnds told;
    std::int64_t since_ms = 0;  // steady
    LogEndsPtr by = nullptr;
  };

  // Once a look.
  [[nodiscard]] Status AskLog();

  const TaskPorts& ports_;
  TablesLook& look_;
  LogEndsPtr now_;                           // as this look has learned it
  std::map<ErasureKey, Measured> measured_;  // in this look
  std::map<ErasureKey, Measured> before_;    // in the one before
};

// Each end the further one.
[[nodiscard]] StreamEnds Furthest(StreamEnds one, const StreamEnds& other);

}  // namespace fanfold::projector
