#include "common/base/read_file.h"

#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace fanfold {

std::expected<std::string, std::string_view> ReadUpTo(const std::string& path,
                                                      std::size_t bytes_max) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::unexpected("cannot be opened");
  std::string text(bytes_max + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return std::unexpected("cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::expected<std::string, std::string_view> ReadRegularUpTo(const std::string& path,
                                                             std::size_t bytes_max) {
  return ReadOpenedUpTo(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK), bytes_max);
}

std::expected<std::string, std::string_view> ReadOpenedUpTo(int file, std::size_t bytes_max) {
  if (file < 0) return std::unexpected("cannot be opened");
  struct stat is{};
  const bool regular = fstat(file, &is) == 0 && S_ISREG(is.st_mode);
  std::string text;
  std::size_t size = 0;
  ssize_t got = regular ? 1 : 0;
  while (got > 0 && size <= bytes_max) {
    // One more than there is shows the end; what grows meanwhile is read on.
    const std::size_t rest = static_cast<std::size_t>(is.st_size) + 1;
    if (size == text.size()) text.resize(std::min(bytes_max + 1, size + rest));
    got = read(file, text.data() + size, text.size() - size);
    if (got > 0) size += static_cast<std::size_t>(got);
  }
  close(file);
  if (!regular) return std::unexpected("is no regular file");
  if (got < 0) return std::unexpected("cannot be read");
  text.resize(size);
  return text;
}

}  // namespace fanfold
