// Inside common/sqlite only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include "common/base/cause_filter.h"
#include "common/base/clock.h"
#include "common/sqlite/connection.h"
#include "common/sqlite/sqlite_store.h"

namespace fanfold {

// A number of 52 bits, drawn.
inline constexpr const char* kDrawn = "(random() & 4503599627370495)";

class SqliteTables {
 public:
  // Throws Failure.
  SqliteTables(std::string path, const Clock& clock, const SqliteTablesOptions& options);

  // Runs work(connection, now_ms) while no other store's runs; then moves a write-ahead log that
  // has grown into the file.
  template <class Work>
  auto Write(const Work& work) {
    const std::lock_guard lock(mutex_);
    auto result = writer_.Run([&] { return work(writer_, clock_.NowMs()); });
    if (writer_.wal_pages() >= kCheckpointPages) Checkpoint();
    return result;
  }

  // The same in a transaction that is on the disk when this returns, as an operator is told. Work
  // that answers false is undone.
  template <class Work>
  Status WriteDurably(const Work& work) {
    return Write([&](sqlite::Connection& connection, std::int64_t now_ms) {
      const sqlite::DurableCommits durable(connection);
      sqlite::Transaction transaction(connection, sqlite::Access::kWrites);
      if constexpr (std::is_void_v<decltype(work(connection, now_ms))>) {
        work(connection, now_ms);
      } else if (!work(connection, now_ms)) {
        return;
      }
      transaction.Commit();
    });
  }

  // The projection's generations, held until the result goes away: for tables in memory, where
  // there is no file to lock. Null: somebody holds them.
  [[nodiscard]] std::shared_ptr<void> HoldInMemory(Projection projection);

  [[nodiscard]] sqlite::ConnectionOptions ReaderOptions() const noexcept;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  // 32 MiB: the pages that batches have in common are then written to the file once.
  static constexpr std::int64_t kCheckpointPages = 8192;

  void Checkpoint();

  const std::string path_;
  const Clock& clock_;
  const SqliteTablesOptions options_;
  std::mutex mutex_;
  std::map<Projection, std::weak_ptr<void>> held_in_memory_;
  sqlite::Connection writer_;
  CauseFilter checkpoint_failures_;  // each commit tries again
};

}  // namespace fanfold
