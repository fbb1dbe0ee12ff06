#include "common/sqlite/connection.h"

#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include "common/base/logging.h"
#include "common/base/own_file.h"
#include "common/sqlite/memory_database.h"

namespace fanfold::sqlite {
namespace {

namespace fs = std::filesystem;

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// How often a statement looks at the clock: some 0.1 ms of work.
constexpr int kStepsBetweenLooks = 10'000;
// What the write-ahead log is cut back to when it begins anew.
constexpr std::int64_t kWalBytesKept = std::int64_t{64} << 20;

[[noreturn]] void Throw(sqlite3* database, int error, Phase phase) {
  throw Failure(CodeOf(error, phase),
                fmt::format("sqlite error {}: {}{}", error,
                            database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(error),
                            AdviceFor(error)),
                error);
}

void RunText(sqlite3* database, const std::string& sql) {
  const int error = sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr);
  if (error != SQLITE_OK) Throw(database, sqlite3_extended_errcode(database), Phase::kPlain);
}

// Before the first connection. Counting every allocation under one lock is what threads of
// different connections would wait for each other by; nobody asks for the count.
void SetUpLibrary() {
  static const int once = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  (void)once;
}

// A null pointer would bind NULL.
const char* NotNull(std::string_view bytes) { return bytes.data() != nullptr ? bytes.data() : ""; }

}  // namespace

Statement& Statement::BindAll(std::span<const Value> values) {
  Reset();
  int index = 0;
  for (const Value& value : values) {
    ++index;
    std::visit([&](const auto& held) { BindAt(index, held); }, value);
  }
  return *this;
}

void Statement::BindNumber(int index, std::int64_t number) {
  Check(sqlite3_bind_int64(prepared_.get(), index, number), Phase::kPlain);
}

void Statement::BindAt(int index, std::string_view text) {
  Check(sqlite3_bind_text64(prepared_.get(), index, NotNull(text), text.size(), SQLITE_STATIC,
                            SQLITE_UTF8),
        Phase::kPlain);
}

void Statement::BindAt(int index, Blob blob) {
  Check(sqlite3_bind_blob64(prepared_.get(), index, NotNull(blob.bytes), blob.bytes.size(),
                            SQLITE_STATIC),
        Phase::kPlain);
}

void Statement::BindAt(int index, std::optional<Blob> blob) {
  if (blob) return BindAt(index, *blob);
  Check(sqlite3_bind_null(prepared_.get(), index), Phase::kPlain);
}

bool Statement::Next(Phase phase) {
  const int result = sqlite3_step(prepared_.get());
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) Throw(database_, sqlite3_extended_errcode(database_), phase);
  return false;
}

std::int64_t Statement::Execute(Phase phase) {
  while (Next(phase)) {
  }
  const std::int64_t changed = sqlite3_changes64(database_);
  Reset();
  return changed;
}

std::int64_t Statement::I64(int column) const {
  return sqlite3_column_int64(prepared_.get(), column);
}
std::int32_t Statement::I32(int column) const {
  return sqlite3_column_int(prepared_.get(), column);
}
std::uint64_t Statement::U64(int column) const { return static_cast<std::uint64_t>(I64(column)); }
bool Statement::IsNull(int column) const {
  return sqlite3_column_type(prepared_.get(), column) == SQLITE_NULL;
}
std::string_view Statement::Bytes(int column) const {
  const void* bytes = sqlite3_column_blob(prepared_.get(), column);
  return {static_cast<const char*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(prepared_.get(), column))};
}

void Statement::Check(int error, Phase phase) const {
  if (error != SQLITE_OK) Throw(database_, error, phase);
}

void Statement::Reset() noexcept { sqlite3_reset(prepared_.get()); }

void Connection::Closer::operator()(sqlite3* database) const noexcept { sqlite3_close(database); }

namespace {

// A new one is for its owner alone, and so is what SQLite puts beside it.
int OpenFile(const std::string& path, int flags, sqlite3** database) {
  if ((flags & SQLITE_OPEN_CREATE) != 0) {
    const int made = OpenOwn(path, O_RDWR | O_CREAT | O_EXCL);
    if (made >= 0) close(made);
  }
  if (!IsInOthersFolder(path)) return sqlite3_open_v2(path.c_str(), database, flags, nullptr);
  // SQLite takes a link anywhere in the path for one; the folder is the caller's word.
  std::error_code none;
  const fs::path folder = fs::canonical(fs::absolute(path, none).parent_path(), none);
  const fs::path named = folder / fs::path(path).filename();
  return sqlite3_open_v2(named.c_str(), database, flags | SQLITE_OPEN_NOFOLLOW, nullptr);
}

}  // namespace

Connection::Connection(const std::string& path, const ConnectionOptions& options)
    : timeout_ms_(options.timeout_ms) {
  SetUpLibrary();
  StartCall();
  const bool in_memory = IsMemoryPath(path);
  // Each connection is one thread's at a time, which its owner sees to: no lock of SQLite's own.
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                    (options.writes ? SQLITE_OPEN_CREATE : 0) | (in_memory ? SQLITE_OPEN_URI : 0);
  sqlite3* database = nullptr;
  const int error = in_memory ? sqlite3_open_v2(path.c_str(), &database, flags, nullptr)
                              : OpenFile(path, flags, &database);
  database_.reset(database);
  if (error != SQLITE_OK) {
    throw Failure(CodeOf(error, Phase::kPlain),
                  fmt::format("'{}': sqlite error {}: {}{}", path, error, sqlite3_errstr(error),
                              AdviceFor(error)),
                  error);
  }
  SetUp(in_memory, options);
}

Connection::~Connection() = default;

void Connection::SetUp(bool in_memory, const ConnectionOptions& options) {
  sqlite3* database = database_.get();
  sqlite3_busy_timeout(database, static_cast<int>(options.timeout_ms));
  sqlite3_progress_handler(database, kStepsBetweenLooks, &OnProgress, this);
  // In place of automatic checkpoints, which would make somebody's commit wait.
  sqlite3_wal_hook(database, &OnCommitted, this);
  RunText(database, in_memory ? "PRAGMA journal_mode = MEMORY" : "PRAGMA journal_mode = WAL");
  // Debian's SQLite is built to overwrite what is deleted: each outbox row, once published, would
  // be written again as zeros. FAST does so only in pages that are written anyway.
  RunText(database, fmt::format("PRAGMA cache_size = -{}; PRAGMA journal_size_limit = {}; "
                                "PRAGMA temp_store = MEMORY; PRAGMA secure_delete = FAST; "
                                "PRAGMA query_only = {:d}",
                                options.cache_kib, kWalBytesKept, !options.writes));
  SetDurable(options.durable);
}

void Connection::SetDurable(bool durable) {
  RunText(database_.get(), durable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
}

DurableCommits::~DurableCommits() {
  const Status reset = ResultOf([this] { connection_.SetDurable(false); });
  if (!reset) LogWarning("commits stay durable", {{"why", reset.error().message}});
}

int Connection::OnProgress(void* connection) {
  return steady_clock::now() > static_cast<Connection*>(connection)->deadline_ ? 1 : 0;
}

int Connection::OnCommitted(void* connection, sqlite3* /*database*/, const char* /*name*/,
                            int pages) {
  static_cast<Connection*>(connection)->wal_pages_ = pages;
  return SQLITE_OK;
}

void Connection::StartCall() { deadline_ = steady_clock::now() + milliseconds(timeout_ms_); }

Statement Connection::Prepare(std::string_view sql) {
  auto found = prepared_.find(sql);
  if (found == prepared_.end()) {
    if (prepared_.size() >= kPreparedMax) prepared_.clear();
    sqlite3_stmt* prepared = nullptr;
    const int error = sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()),
                                         SQLITE_PREPARE_PERSISTENT, &prepared, nullptr);
    if (error != SQLITE_OK) Throw(database_.get(), error, Phase::kPlain);
    std::shared_ptr<sqlite3_stmt> kept(prepared, sqlite3_finalize);
    found = prepared_.emplace(std::string(sql), std::move(kept)).first;
  }
  return {database_.get(), found->second};
}

void Connection::Checkpoint() {
  const int error = sqlite3_wal_checkpoint_v2(database_.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE,
                                              nullptr, nullptr);
  if (error != SQLITE_OK && error != SQLITE_BUSY) Throw(database_.get(), error, Phase::kPlain);
}

bool Connection::IsMoved() const noexcept {
  int moved = 0;  // stays so where there is no file, in memory
  (void)sqlite3_file_control(database_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

void Connection::RollBack() noexcept {
  // Some failures roll back by themselves.
  if (sqlite3_get_autocommit(database_.get()) != 0) return;
  sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

Transaction::Transaction(Connection& connection, Access access) : connection_(connection) {
  connection.Execute(access == Access::kWrites ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() { RollBack(); }

void Transaction::RollBack() noexcept {
  if (open_) connection_.RollBack();
  open_ = false;
}

void Transaction::Commit() {
  connection_.Prepare("COMMIT").Execute(Phase::kCommits);
  open_ = false;
}

}  // namespace fanfold::sqlite
