// One owner at a time of an embedded deployment's folder, or of a part of what is in it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "common/base/result.h"

namespace fanfold {

// The two files of the folder.
inline constexpr std::string_view kSqliteLogFile = "log.db";
inline constexpr std::string_view kSqliteTablesFile = "tables.db";

// Held as long as the object lives and no longer than the process: the system takes the lock away
// with it, however it ends. Move only.
class FolderLock {
 public:
  static constexpr std::string_view kFile = "lock";

  // Makes the folder where it is missing. Does not wait. Errors: kRefused, somebody has it (the
  // message names the folder, or the other file, and the owner's process), or it cannot be written;
  // kUnavailable.
  [[nodiscard]] static Result<FolderLock> Take(const std::string& folder,
                                               std::string_view file = kFile);

  FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FolderLock& operator=(FolderLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~FolderLock();

 private:
  explicit FolderLock(int descriptor) noexcept : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace fanfold
