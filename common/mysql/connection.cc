#include "common/mysql/connection.h"

#include <algorithm>
#include <cppconn/exception.h>
#include <cppconn/resultset.h>
#include <cppconn/statement.h>
#include <fmt/format.h>
#include <mutex>
#include <mysql_connection.h>
#include <mysql_driver.h>

#include "common/base/logging.h"
#include "common/mysql/connect_options.h"
#include "common/sql/schema_identity.h"

namespace fanfold::mysql {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// get_driver_instance is not thread-safe.
sql::mysql::MySQL_Driver& Driver() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  return *sql::mysql::get_driver_instance();
}

// Each thread that talks to the server has to say so to the client library, and when it ends.
class ThreadRegistration {
 public:
  ThreadRegistration() { Driver().threadInit(); }
  ~ThreadRegistration() { Driver().threadEnd(); }
  ThreadRegistration(const ThreadRegistration&) = delete;
  ThreadRegistration& operator=(const ThreadRegistration&) = delete;
};

void RegisterThread() { static thread_local const ThreadRegistration registration; }

// MySQL reads what stands in /*!80000, MariaDB what stands in /*M!: variables that the other lacks.
std::string SetupStatement(const TimeLimits& limits) {
  const double statement_s = static_cast<double>(limits.StatementMs()) / 1000;
  return fmt::format(
      "SET SESSION sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,"
      "NO_ENGINE_SUBSTITUTION', autocommit = 1, innodb_lock_wait_timeout = {}"
      "/*M!100000 , max_statement_time = {:.3f}, in_predicate_conversion_threshold = 0*/"
      "/*!80000 , max_execution_time = {}, range_optimizer_max_mem_size = 0*/",
      WholeSeconds(limits.LockWaitMs()), statement_s, limits.StatementMs());
}

// Nothing where the schema has no such table, or no row in it.
std::optional<SchemaIdentity> WhatItSays(sql::Statement& statement) {
  constexpr int kNoSuchTable = 1146;
  try {
    Rows rows(statement.executeQuery(sql::SQLString(SelectIdentity())));
    if (rows.Next()) return ReadIdentityRow(rows);
  } catch (const sql::SQLException& exception) {
    if (exception.getErrorCode() != kNoSuchTable) throw;
  }
  return std::nullopt;
}

}  // namespace

struct Connection::Session {
  std::unique_ptr<sql::Connection> connection;
  std::unique_ptr<sql::Statement> statement;
  std::size_t packet_bytes_max = 0;  // the server takes less: a byte and the text
};

Rows::Rows(sql::ResultSet* rows) : rows_(rows) {}
Rows::~Rows() = default;
Rows::Rows(Rows&&) noexcept = default;
Rows& Rows::operator=(Rows&&) noexcept = default;
bool Rows::Next() { return rows_->next(); }
std::uint64_t Rows::U64(std::uint32_t column) const { return rows_->getUInt64(column + 1); }
std::int64_t Rows::I64(std::uint32_t column) const { return rows_->getInt64(column + 1); }
std::int32_t Rows::I32(std::uint32_t column) const { return rows_->getInt(column + 1); }
std::string Rows::Text(std::uint32_t column) const {
  return rows_->getString(column + 1).asStdString();
}
bool Rows::IsNull(std::uint32_t column) const { return rows_->isNull(column + 1); }

Connection::Connection(Dsn dsn, TimeLimits limits, SchemaCheck check, bool sends_files)
    : dsn_(std::move(dsn)), limits_(limits), check_(std::move(check)), sends_files_(sends_files) {}

Connection::~Connection() { Close(); }

void Connection::StartCall() {
  RegisterThread();
  last_start_ = steady_clock::now() + milliseconds(limits_.call_ms - limits_.StatementMs());
}

void Connection::CheckTime() const {
  if (steady_clock::now() > last_start_) {
    throw Failure(ErrorCode::kUnavailable,
                  fmt::format("the database takes more than the {} ms of a call", limits_.call_ms));
  }
}

// Turns what the connector throws into a Failure, and closes a session that is of no more use.
template <class Call>
auto Connection::Guarded(Phase phase, const Call& call) {
  try {
    return call();
  } catch (const sql::SQLException& exception) {
    const int error = exception.getErrorCode();
    if (EndsSession(error)) Close();
    throw Failure(CodeOf(error, phase),
                  fmt::format("database error {}: {}{}", error, exception.what(),
                              AdviceFor(error, exception.what())),
                  error);
  }
}

void Connection::Open() {
  sql::ConnectOptionsMap options = OptionsFor(dsn_, limits_);
  if (sends_files_) options["OPT_LOCAL_INFILE"] = 1;
  Guarded(Phase::kPlain, [&] {
    auto session = std::make_unique<Session>();
    session->connection.reset(Driver().connect(options));
    session->statement.reset(session->connection->createStatement());
    session->statement->execute(SetupStatement(limits_));
    session->statement->execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
    Rows limits(session->statement->executeQuery("SELECT @@max_allowed_packet"));
    if (limits.Next()) session->packet_bytes_max = limits.U64(0);
    if (check_) CheckAgain(WhatItSays(*session->statement));
    session_ = std::move(session);
  });
  ++sessions_opened_;
}

void Connection::CheckAgain(const std::optional<SchemaIdentity>& says) const {
  if (check_) CheckSays(check_, says);
}

void Connection::Close() noexcept {
  in_transaction_ = false;
  if (!session_) return;
  const std::unique_ptr<Session> session = std::move(session_);
  try {
    session->statement.reset();
    session->connection.reset();
  } catch (const std::exception& error) {
    // The session is gone either way.
    Log(LogLevel::kDebug, "a session did not close in order", {{"error", error.what()}});
  }
}

Connection::Session& Connection::SessionFor(std::string_view sql) {
  CheckTime();
  if (!session_) {
    // A transaction whose session is gone must not go on in another one.
    if (in_transaction_)
      throw Failure(ErrorCode::kUnavailable, "the transaction's session is gone");
    Open();
    CheckTime();
  }
  if (sql.size() + 1 >= session_->packet_bytes_max) {
    throw Failure(ErrorCode::kInvalidArgument,
                  fmt::format("a statement of {} bytes, where max_allowed_packet is {}", sql.size(),
                              session_->packet_bytes_max));
  }
  return *session_;
}

std::uint64_t Connection::Execute(std::string_view sql, Phase phase) {
  Session& session = SessionFor(sql);
  return Guarded(phase, [&] {
    const int affected = session.statement->executeUpdate(sql::SQLString(sql.data(), sql.size()));
    return static_cast<std::uint64_t>(affected);
  });
}

// Each result has to be asked for: that tells of the statement that failed.
void Connection::SendTogether(Session& session, std::string_view statements, int count) {
  session.statement->execute(sql::SQLString(statements.data(), statements.size()));
  for (int i = 1; i < count; ++i) session.statement->getMoreResults();
}

void Connection::ExecuteTogether(std::string_view statements, int count) {
  Session& session = SessionFor(statements);
  Guarded(Phase::kPlain, [&] { SendTogether(session, statements, count); });
}

std::size_t Connection::packet_bytes_max() const noexcept {
  return session_ ? session_->packet_bytes_max : 0;
}

// Once more when the session proves to be dead, if nothing stands on it.
template <class Call>
auto Connection::RepeatedOnce(bool may_repeat, const Call& call) {
  try {
    return call();
  } catch (const Failure&) {
    if (!may_repeat || session_) throw;
  }
  return call();
}

Rows Connection::Query(std::string_view sql) {
  return RepeatedOnce(session_ && !in_transaction_, [&] {
    Session& session = SessionFor(sql);
    return Guarded(Phase::kPlain, [&] {
      return Rows(session.statement->executeQuery(sql::SQLString(sql.data(), sql.size())));
    });
  });
}

void Connection::Begin(std::string_view statement) {
  RepeatedOnce(session_ != nullptr, [&] { Execute(statement); });
  in_transaction_ = true;
}

// The connector tells the count of the first of several results alone, so that it is asked for.
std::uint64_t Connection::BeginWith(std::string_view first) {
  const std::string statements = fmt::format("START TRANSACTION;{};SELECT ROW_COUNT()", first);
  const std::uint64_t matched = RepeatedOnce(session_ != nullptr, [&] {
    Session& session = SessionFor(statements);
    return Guarded(Phase::kPlain, [&] {
      SendTogether(session, statements, 3);
      Rows count(session.statement->getResultSet());
      return count.Next() ? count.U64(0) : 0;
    });
  });
  in_transaction_ = true;
  return matched;
}

void Connection::RollBack() noexcept {
  in_transaction_ = false;
  if (!session_) return;
  try {
    session_->statement->executeUpdate("ROLLBACK");
  } catch (const std::exception&) {
    Close();  // which rolls back as well
  }
}

Transaction::Transaction(Connection& connection, View view) : connection_(connection) {
  if (view == View::kOfEachStatement) {
    connection.Begin("START TRANSACTION");
  } else {
    // For the next transaction alone.
    connection.Execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    connection.Begin("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
  }
}

Transaction::Transaction(Connection& connection, std::string_view first) : connection_(connection) {
  try {
    matched_ = connection.BeginWith(first);
  } catch (const Failure&) {
    connection.RollBack();  // the server may have begun it
    throw;
  }
}

Transaction::~Transaction() { RollBack(); }

void Transaction::RollBack() noexcept {
  if (open_) connection_.RollBack();
  open_ = false;
}

void Transaction::Commit() {
  connection_.Execute("COMMIT", Phase::kCommits);
  open_ = false;
  connection_.in_transaction_ = false;
}

}  // namespace fanfold::mysql
