// A database in memory, shared by whatever opens its path in this process.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace fanfold {

namespace sqlite {
class Connection;
[[nodiscard]] bool IsMemoryPath(std::string_view path) noexcept;
}  // namespace sqlite

// Takes a path's place wherever the adapters open a file. Its contents are gone when this object
// and everything that has opened it are.
class MemoryDatabase {
 public:
  MemoryDatabase();
  ~MemoryDatabase();
  MemoryDatabase(const MemoryDatabase&) = delete;
  MemoryDatabase& operator=(const MemoryDatabase&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
  std::unique_ptr<sqlite::Connection> held_;
};

}  // namespace fanfold
