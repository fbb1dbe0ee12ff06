#include "common/base/own_file.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace fanfold {
namespace {

constexpr mode_t kOfOwnerAlone = 0600;

std::string FolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

void GiveToOwnerOf(const std::string& folder, int file, uid_t owner) {
  struct stat of{};
  const bool gives =
      geteuid() == 0 && owner == 0 && stat(folder.c_str(), &of) == 0 && of.st_uid != 0;
  if (gives) (void)fchown(file, of.st_uid, of.st_gid);
}

}  // namespace

bool IsInOthersFolder(const std::string& path) {
  struct stat is{};
  return stat(FolderOf(path).c_str(), &is) == 0 && is.st_uid != 0 && is.st_uid != geteuid();
}

int OpenAsNamed(const std::string& path, int flags, mode_t mode) {
  return open(path.c_str(), flags | O_CLOEXEC | (IsInOthersFolder(path) ? O_NOFOLLOW : 0), mode);
}

int OpenOwn(const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, kOfOwnerAlone);
  if (file < 0) return file;
  struct stat is{};
  if (fstat(file, &is) != 0 || !S_ISREG(is.st_mode) || is.st_nlink != 1) {
    close(file);
    errno = EINVAL;
    return -1;
  }
  if ((flags & O_CREAT) != 0) GiveToOwnerOf(FolderOf(path), file, is.st_uid);
  return file;
}

std::expected<std::string, std::string_view> ReadOwnUpTo(const std::string& path,
                                                         std::size_t bytes_max) {
  return ReadOpenedUpTo(OpenOwn(path, O_RDONLY), bytes_max);
}

}  // namespace fanfold
