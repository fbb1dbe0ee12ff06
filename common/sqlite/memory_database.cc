#include "common/sqlite/memory_database.h"

#include <atomic>
#include <cstdint>
#include <fmt/format.h>

#include "common/sqlite/connection.h"

namespace fanfold {
namespace {

constexpr std::string_view kPathBegin = "file:/fanfold-memory-";

// Names that begin with '/' are shared within the process.
std::string NextPath() {
  static std::atomic<std::uint64_t> next = 0;
  return fmt::format("{}{}?vfs=memdb", kPathBegin, next.fetch_add(1));
}

}  // namespace

bool sqlite::IsMemoryPath(std::string_view path) noexcept { return path.starts_with(kPathBegin); }

MemoryDatabase::MemoryDatabase()
    : path_(NextPath()),
      held_(std::make_unique<sqlite::Connection>(path_,
                                                 sqlite::ConnectionOptions{.durable = false})) {}

MemoryDatabase::~MemoryDatabase() = default;

}  // namespace fanfold
