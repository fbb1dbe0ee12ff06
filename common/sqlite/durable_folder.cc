#include "common/sqlite/durable_folder.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fanfold::sqlite {
namespace {

namespace fs = std::filesystem;

// Beside what the process's umask takes away.
constexpr mode_t kOfAll = 0777;
constexpr mode_t kOfOwnerAlone = 0700;

fs::path ParentOf(const fs::path& path) {
  const fs::path parent = path.parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

void Sync(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw SystemFailure(folder);
  const bool synced = fsync(descriptor) == 0;
  const Failure failure = SystemFailure(folder);  // before close has a say in errno
  close(descriptor);
  if (!synced) throw failure;
}

void MakeOne(const fs::path& path, mode_t mode) {
  std::error_code error;
  if (fs::is_directory(path, error)) return;
  if (path.has_parent_path() && path.parent_path() != path) MakeOne(ParentOf(path), kOfAll);
  if (mkdir(path.c_str(), mode) != 0 && errno != EEXIST) throw SystemFailure(path);
  Sync(ParentOf(path));
}

}  // namespace

Failure SystemFailure(const std::string& path) {
  const int error = errno;
  const bool forbidden = error == EACCES || error == EPERM || error == EROFS || error == ENOTDIR;
  return {forbidden ? ErrorCode::kRefused : ErrorCode::kUnavailable,
          fmt::format("'{}': {}", path, std::strerror(error)), error};
}

void MakeFolder(const std::string& folder) {
  std::error_code error;
  MakeOne(fs::absolute(folder, error).lexically_normal(), kOfOwnerAlone);
}

void SyncFolderOf(const std::string& file) { Sync(ParentOf(file)); }

}  // namespace fanfold::sqlite
