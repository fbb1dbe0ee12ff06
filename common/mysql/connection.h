// One session with the server: opened when it is needed, set up in one place, closed when it fails.
// The only file that includes the connector is this one's source. Internal to the adapter: calls
// throw Failure, which the adapters' public methods turn into results through Run.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "common/base/result.h"
#include "common/mysql/dsn.h"
#include "common/mysql/error_codes.h"
#include "common/ports/schema_identity.h"
#include "common/sql/failure.h"

namespace sql {
class ResultSet;
}  // namespace sql

namespace fanfold::mysql {

// The rows of an answer, read to its end by the client already. Columns count from 0.
class Rows {
 public:
  explicit Rows(sql::ResultSet* rows);
  ~Rows();
  Rows(Rows&&) noexcept;
  Rows& operator=(Rows&&) noexcept;

  [[nodiscard]] bool Next();
  [[nodiscard]] std::uint64_t U64(std::uint32_t column) const;
  [[nodiscard]] std::int64_t I64(std::uint32_t column) const;
  [[nodiscard]] std::int32_t I32(std::uint32_t column) const;
  [[nodiscard]] std::string Text(std::uint32_t column) const;
  [[nodiscard]] bool IsNull(std::uint32_t column) const;

 private:
  std::unique_ptr<sql::ResultSet> rows_;
};

// How the time of a call is spent, so that the whole stays within call_ms: no statement begins
// after half of it, and none takes longer than the other half.
struct TimeLimits {
  std::int64_t call_ms = 10'000;
  [[nodiscard]] std::int64_t StatementMs() const noexcept { return call_ms / 2; }
  [[nodiscard]] std::int64_t ConnectMs() const noexcept { return call_ms / 4; }
  [[nodiscard]] std::int64_t LockWaitMs() const noexcept { return call_ms / 5; }
};

// Thread-compatible.
class Connection {
 public:
  // With an empty schema the session starts without one. `check` and `sends_files`: as MysqlOptions
  // says.
  Connection(Dsn dsn, TimeLimits limits, SchemaCheck check = {}, bool sends_files = false);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Runs the adapter's work; the clock of the call starts here. No exception leaves.
  template <class Work>
  auto Run(const Work& work) noexcept -> Result<std::invoke_result_t<Work>>;

  // A statement longer than the server takes would end the session. It is not sent: Execute and
  // Query fail with kInvalidArgument.

  // A statement without rows: how many it matched, changed or not.
  std::uint64_t Execute(std::string_view sql, Phase phase = Phase::kPlain);
  // So many of them, with semicolons between, in one way to the server and back. None is carried
  // out after one that fails.
  void ExecuteTogether(std::string_view statements, int count);
  // A statement with rows. Outside a transaction it is sent once more when the session proves to be
  // dead, as it is after the server's idle limit.
  [[nodiscard]] Rows Query(std::string_view sql);

  // The bytes of a statement that the open session's server takes; 0 without a session.
  [[nodiscard]] std::size_t packet_bytes_max() const noexcept;
  // As a session's opening does, of what the schema says by now. Throws what the check says.
  void CheckAgain(const std::optional<SchemaIdentity>& says) const;
  [[nodiscard]] bool sends_files() const noexcept { return sends_files_; }
  [[nodiscard]] std::uint64_t sessions_opened() const noexcept { return sessions_opened_; }

 private:
  friend class Transaction;
  struct Session;

  void StartCall();
  template <class Call>
  auto RepeatedOnce(bool may_repeat, const Call& call);
  void Begin(std::string_view statement);
  std::uint64_t BeginWith(std::string_view first);
  void SendTogether(Session& session, std::string_view statements, int count);
  void RollBack() noexcept;
  void Open();
  void Close() noexcept;
  void CheckTime() const;
  Session& SessionFor(std::string_view sql);
  template <class Call>
  auto Guarded(Phase phase, const Call& call);

  Dsn dsn_;
  TimeLimits limits_;
  SchemaCheck check_;
  bool sends_files_;
  std::unique_ptr<Session> session_;
  bool in_transaction_ = false;
  std::chrono::steady_clock::time_point last_start_;
  std::uint64_t sessions_opened_ = 0;
};

enum class View : std::uint8_t {
  kOfEachStatement,  // what was committed when the statement began
  kOfOneMoment,      // what was committed when the transaction began; for reading only
};

// Rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(Connection& connection, View view = View::kOfEachStatement);
  // With View::kOfEachStatement; its first statement is sent along.
  Transaction(Connection& connection, std::string_view first);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // How many rows the first statement matched.
  [[nodiscard]] std::uint64_t matched() const noexcept { return matched_; }

  // Throws kUnknown when the answer was lost.
  void Commit();
  // At once, so that what follows sees what others see.
  void RollBack() noexcept;

 private:
  Connection& connection_;
  std::uint64_t matched_ = 0;
  bool open_ = true;
};

template <class Work>
auto Connection::Run(const Work& work) noexcept -> Result<std::invoke_result_t<Work>> {
  auto result = ResultOf([&] {
    StartCall();
    return work();
  });
  // Nobody knows what state the session is in.
  if (!result && result.error().code == ErrorCode::kInternal) Close();
  return result;
}

}  // namespace fanfold::mysql
