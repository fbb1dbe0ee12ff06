#include <fmt/format.h>
#include <vector>

#include "common/sqlite/memory_database.h"
#include "common/sqlite/sqlite_event_log.h"
#include "tests/contract/event_log_contract.h"
#include "tests/contract/tables_under_test.h"
#include "tests/support/temp_folder.h"

namespace fanfold::testing {
namespace {

const SystemClock& RealClock() {
  static const SystemClock clock;
  return clock;
}

std::unique_ptr<EventLog> LogAt(const std::string& path, std::int32_t partitions, bool own_thread) {
  return Must(
      OpenSqliteEventLog(path, RealClock(), {.partitions = partitions, .own_thread = own_thread}));
}

std::unique_ptr<EventLog> InFile(std::int32_t partitions) {
  // Each test has a file of its own in it; it goes away with the program.
  static const TempFolder folder;
  static int files = 0;
  return LogAt(fmt::format("{}/{}.db", folder.path(), ++files), partitions, true);
}

std::unique_ptr<EventLog> InMemory(std::int32_t partitions) {
  return LogAt(MemoryDatabase().path(), partitions, true);
}

std::unique_ptr<EventLog> ByHand(std::int32_t partitions) {
  return LogAt(MemoryDatabase().path(), partitions, false);
}

void CommitQueued(EventLog& log) {
  while (static_cast<SqliteEventLog&>(log).CommitQueued() > 0) {
  }
}

constexpr std::size_t kTooLarge = LogAppender::kRecordBytesMax;  // with a key it is

INSTANTIATE_TEST_SUITE_P(
    Sqlite, EventLogContract,
    ::testing::Values(
        EventLogFactory{.adapter = "File", .make = &InFile, .too_large_bytes = kTooLarge},
        EventLogFactory{.adapter = "Memory", .make = &InMemory, .too_large_bytes = kTooLarge},
        EventLogFactory{.adapter = "ByHand",
                        .make = &ByHand,
                        .too_large_bytes = kTooLarge,
                        .drive = &CommitQueued}),
    NameOf);

}  // namespace
}  // namespace fanfold::testing
