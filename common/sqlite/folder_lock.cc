#include "common/sqlite/folder_lock.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/own_file.h"
#include "common/sqlite/durable_folder.h"

namespace fanfold {
namespace {

// Whoever can open it can hold it.
constexpr mode_t kOfOwnerAlone = 0600;

// The owner's process id; empty while it is not written yet.
std::string OwnerOf(int descriptor) {
  std::array<char, 24> text{};
  const ssize_t size = pread(descriptor, text.data(), text.size(), 0);
  const std::string_view read(text.data(), static_cast<std::size_t>(size > 0 ? size : 0));
  return std::string(read.substr(0, read.find('\n')));
}

// Not what one left that is gone.
bool IsThere(const std::string& owner) {
  pid_t pid = 0;
  std::from_chars(owner.data(), owner.data() + owner.size(), pid);
  return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM);
}

Failure InUse(const std::string& what, const std::string& path, int descriptor) {
  const std::string owner = OwnerOf(descriptor);
  return {ErrorCode::kRefused,
          fmt::format("{} is in use by {}", what,
                      IsThere(owner) ? "process " + owner
                                     : fmt::format("another process: `fuser {}` tells it", path))};
}

}  // namespace

Result<FolderLock> FolderLock::Take(const std::string& folder, std::string_view file) {
  return ResultOf([&] {
    sqlite::MakeFolder(folder);
    const std::string path = fmt::format("{}/{}", folder, file);
    FolderLock lock(OpenOwn(path, O_RDWR | O_CREAT));
    if (lock.descriptor_ < 0) throw sqlite::SystemFailure(path);
    // That of an earlier build; one that is not ours is as it was.
    (void)fchmod(lock.descriptor_, kOfOwnerAlone);
    if (flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) throw sqlite::SystemFailure(path);
      throw InUse(file == kFile ? fmt::format("folder '{}'", folder) : path, path,
                  lock.descriptor_);
    }
    // For whoever is refused; the lock holds without it.
    const std::string owner = fmt::format("{}\n", getpid());
    if (ftruncate(lock.descriptor_, 0) != 0 ||
        pwrite(lock.descriptor_, owner.data(), owner.size(), 0) < 0) {
      throw sqlite::SystemFailure(path);
    }
    return lock;
  });
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace fanfold
