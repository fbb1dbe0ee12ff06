#include "cli/console/line_file.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "common/base/check.h"

namespace fanfold::console {

LineFile::LineFile(Told told)
    : told_(std::move(told)),
      file_(fopencookie(this, "w",
                        {.read = nullptr, .write = Written, .seek = nullptr, .close = nullptr})) {
  FANFOLD_CHECK(file_ != nullptr, "no memory for a file");
}

LineFile::~LineFile() {
  std::fclose(file_);
  if (!line_.empty()) (void)told_(line_);
}

// A cookie says by 0 that it failed.
ssize_t LineFile::Written(void* self, const char* bytes, std::size_t size) {
  const int failed = static_cast<LineFile*>(self)->Take({bytes, size});
  if (failed == 0) return static_cast<ssize_t>(size);
  errno = failed;
  return 0;
}

int LineFile::Take(std::string_view bytes) {
  int failed = 0;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    if (!too_long_ && line_.size() + end > kLineBytesMax) {
      too_long_ = true;
      failed = EMSGSIZE;
      line_.clear();
    }
    if (!too_long_) line_.append(bytes.substr(0, end));
    if (end == bytes.size()) break;
    if (!std::exchange(too_long_, false) && !told_(std::exchange(line_, {}))) return EPIPE;
    bytes.remove_prefix(end + 1);
  }
  return failed;
}

}  // namespace fanfold::console
