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

}  // namespace

Failure SystemFailure(const std::string& path) {
  const int error = errno;
  const bool forbidden = error == EACCES || error == EPERM || error == EROFS || error == ENOTDIR;
  return {forbidden ? ErrorCode::kRefused : ErrorCode::kUnavailable,
          fmt::format("'{}': {}", path, std::strerror(error)), error};
}

void MakeFolder(const std::string& folder) {
  std::error_code error;
  const fs::path path = fs::absolute(folder, error).lexically_normal();
  if (fs::is_directory(path, error)) return;
  if (path.has_parent_path() && path.parent_path() != path) MakeFolder(ParentOf(path));
  if (mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) throw SystemFailure(path);
  Sync(ParentOf(path));
}

void SyncFolderOf(const std::string& file) { Sync(ParentOf(file)); }

}  // namespace fanfold::sqlite
