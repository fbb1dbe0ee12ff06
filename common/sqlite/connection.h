// One connection to a database file: opened and set up in one place, statements prepared once.
// Internal to the adapter: calls throw Failure, which the adapters' public methods turn into
// results through Run.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

#include "common/base/result.h"
#include "common/sql/failure.h"
#include "common/sqlite/error_codes.h"

struct sqlite3;
struct sqlite3_stmt;

namespace fanfold::sqlite {

// A value that is bound as bytes; texts are bound as text.
struct Blob {
  std::string_view bytes;
};

// A value whose type is known when the query is made.
using Value = std::variant<std::int64_t, std::string>;

// A prepared statement in use. While it lives nobody else uses the same text on the connection.
// Columns count from 0. Unsigned 64-bit numbers are kept as the signed ones with the same bits.
class Statement {
 public:
  Statement(sqlite3* database, std::shared_ptr<sqlite3_stmt> prepared)
      : database_(database), prepared_(std::move(prepared)) {}
  // Ends it; the next use begins anew.
  ~Statement() { Reset(); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Binds ?1, ?2, … Texts and bytes must outlive the execution.
  template <class... Values>
  Statement& Bind(const Values&... values) {
    Reset();
    int index = 0;
    (BindAt(++index, values), ...);
    return *this;
  }
  Statement& BindAll(std::span<const Value> values);

  // Moves to the next row; false at the end.
  [[nodiscard]] bool Next(Phase phase = Phase::kPlain);
  // Executes to the end: how many rows it changed, or matched to change.
  std::int64_t Execute(Phase phase = Phase::kPlain);

  [[nodiscard]] std::int64_t I64(int column) const;
  [[nodiscard]] std::int32_t I32(int column) const;
  [[nodiscard]] std::uint64_t U64(int column) const;
  [[nodiscard]] bool IsNull(int column) const;
  // Valid until the next row.
  [[nodiscard]] std::string_view Bytes(int column) const;
  [[nodiscard]] std::string Text(int column) const { return std::string(Bytes(column)); }

 private:
  template <std::integral Integer>
  void BindAt(int index, Integer number) {
    BindNumber(index, static_cast<std::int64_t>(number));
  }
  void BindAt(int index, std::string_view text);
  void BindAt(int index, Blob blob);
  void BindAt(int index, std::optional<Blob> blob);
  void BindNumber(int index, std::int64_t number);
  void Check(int error, Phase phase) const;
  void Reset() noexcept;

  sqlite3* database_;
  std::shared_ptr<sqlite3_stmt> prepared_;
};

struct ConnectionOptions {
  // A commit is on the disk when it returns. Otherwise the last ones before a power failure may be
  // undone, whole and in order; a killed process loses nothing either way.
  bool durable = true;
  bool writes = true;
  std::int64_t cache_kib = 16 * 1024;
  // The longest a call may take.
  std::int64_t timeout_ms = 10'000;
};

// Thread-compatible.
class Connection {
 public:
  // Opens `path`, a file that is made when it is missing and writes is set. Throws Failure.
  Connection(const std::string& path, const ConnectionOptions& options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Runs the adapter's work; the clock of the call starts here. No exception leaves.
  template <class Work>
  auto Run(const Work& work) noexcept -> Result<std::invoke_result_t<Work>> {
    StartCall();
    return ResultOf(work);
  }

  // Keeps what it prepares for the next use of the same text. So values are bound: a text for each
  // user would be prepared each time.
  [[nodiscard]] Statement Prepare(std::string_view sql);
  // Of so many texts it forgets all, but for those in use.
  static constexpr std::size_t kPreparedMax = 1024;
  [[nodiscard]] std::size_t prepared() const noexcept { return prepared_.size(); }
  template <class... Values>
  std::int64_t Execute(std::string_view sql, const Values&... values) {
    return Prepare(sql).Bind(values...).Execute();
  }

  // How many pages the write-ahead log held after the last commit made here.
  [[nodiscard]] std::int64_t wal_pages() const noexcept { return wal_pages_; }
  // Moves what the write-ahead log holds into the file, as far as nobody reads an older state.
  void Checkpoint();

  void SetDurable(bool durable);

  // Whether another file, or none, has the name that was opened: what is written here is lost then.
  // One system call.
  [[nodiscard]] bool IsMoved() const noexcept;

 private:
  friend class Transaction;
  struct Closer {
    void operator()(sqlite3* database) const noexcept;
  };
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  static int OnProgress(void* connection);
  static int OnCommitted(void* connection, sqlite3* database, const char* name, int pages);
  void SetUp(bool in_memory, const ConnectionOptions& options);
  void StartCall();
  void RollBack() noexcept;

  std::unique_ptr<sqlite3, Closer> database_;
  std::unordered_map<std::string, std::shared_ptr<sqlite3_stmt>, TextHash, std::equal_to<>>
      prepared_;
  std::int64_t timeout_ms_;
  std::chrono::steady_clock::time_point deadline_;
  std::int64_t wal_pages_ = 0;
};

enum class Access : std::uint8_t { kReads, kWrites };

// Sees one state of the database; rolls back unless committed. A writing transaction waits for
// another connection's to end.
class Transaction {
 public:
  Transaction(Connection& connection, Access access);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void Commit();
  // At once, so that what follows sees what others see.
  void RollBack() noexcept;

 private:
  Connection& connection_;
  bool open_ = true;
};

// A commit inside is on the disk when it returns, whatever the connection's other ones are.
class DurableCommits {
 public:
  explicit DurableCommits(Connection& connection) : connection_(connection) {
    connection.SetDurable(true);
  }
  ~DurableCommits();
  DurableCommits(const DurableCommits&) = delete;
  DurableCommits& operator=(const DurableCommits&) = delete;

 private:
  Connection& connection_;
};

}  // namespace fanfold::sqlite
