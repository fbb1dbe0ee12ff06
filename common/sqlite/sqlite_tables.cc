#include "common/sqlite/sqlite_tables.h"

#include "common/base/logging.h"
#include "common/sqlite/migrations.h"

namespace fanfold {
namespace {

constexpr std::int64_t kWriterCacheKib = 256 * 1024;
constexpr std::int64_t kReaderCacheKib = 16 * 1024;

sqlite::ConnectionOptions WriterOptions(const SqliteTablesOptions& options) {
  // Not durable: what a power failure undoes is folded again from the log, which is.
  return {
      .durable = false, .cache_kib = kWriterCacheKib, .timeout_ms = options.statement_timeout_ms};
}

}  // namespace

SqliteTables::SqliteTables(std::string path, const Clock& clock, const SqliteTablesOptions& options)
    : path_(std::move(path)),
      clock_(clock),
      options_(options),
      writer_(path_, WriterOptions(options)) {}

std::shared_ptr<void> SqliteTables::HoldInMemory(Projection projection) {
  const std::lock_guard lock(mutex_);
  std::weak_ptr<void>& holder = held_in_memory_[projection];
  if (!holder.expired()) return nullptr;
  auto hold = std::make_shared<char>();
  holder = hold;
  return hold;
}

sqlite::ConnectionOptions SqliteTables::ReaderOptions() const noexcept {
  return {.durable = false,
          .writes = false,
          .cache_kib = kReaderCacheKib,
          .timeout_ms = options_.statement_timeout_ms};
}

void SqliteTables::Checkpoint() {
  // The log stays as it is, and the next commit tries again.
  const Status moved = writer_.Run([this] { writer_.Checkpoint(); });
  if (moved) return;
  const std::string& why = moved.error().message;
  const std::int64_t times = checkpoint_failures_.Tell(why, clock_.SteadyMs());
  if (times == 0) return;
  LogWarning("checkpoint failed", {{"file", path_}, {"why", why}, {"times", times}});
}

Result<std::shared_ptr<SqliteTables>> OpenSqliteTables(const std::string& path, Shard shard,
                                                       const Shape& seed, const Clock& clock,
                                                       const SqliteTablesOptions& options) {
  auto tables = ResultOf([&] { return std::make_shared<SqliteTables>(path, clock, options); });
  if (!tables) return tables;
  const Status migrated =
      (*tables)->Write([&](sqlite::Connection& connection, std::int64_t now_ms) {
        sqlite::Migrate(connection, shard, seed, options.deployment, now_ms);
      });
  if (!migrated) return std::unexpected(migrated.error());
  return tables;
}

}  // namespace fanfold
