#include "operations/log/line_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "common/base/own_file.h"
#include "operations/log/log_line.h"

namespace fanfold::operations {

LineFile::LineFile(std::string name, std::FILE* file) : name_(std::move(name)), file_(file) {}

Result<LineFile> LineFile::Open(const std::string& path) {
  constexpr mode_t kOfOwner = 0600;  // it holds what the folder's log does
  return Of(OpenAsNamed(path, O_WRONLY | O_CREAT | O_TRUNC, kOfOwner), path);
}

Result<LineFile> LineFile::Of(int descriptor, const std::string& name) {
  return Opened(name, descriptor < 0 ? nullptr : fdopen(descriptor, "wb"));
}

Result<LineFile> LineFile::Opened(const std::string& name, std::FILE* file) {
  if (file != nullptr) return LineFile(name, file);
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("cannot write {}: {}", name, std::strerror(errno)));
}

Status LineFile::Put(std::string line) {
  if (line.size() > kLogLineBytesMax) {
    return Fail(ErrorCode::kRefused,
                fmt::format("a record takes more than {} bytes", kLogLineBytesMax));
  }
  line += '\n';
  const bool written = std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size();
  return written ? Status() : Failed();
}

Status LineFile::Finish() {
  if (std::fflush(file_.get()) != 0) return Failed();
  // Pipes and terminals have no disk under them.
  if (fsync(fileno(file_.get())) != 0 && errno != EINVAL && errno != EROFS) return Failed();
  return {};
}

Status LineFile::Failed() const {
  return Fail(ErrorCode::kInternal,
              fmt::format("cannot write {}: {}", name_, std::strerror(errno)));
}

}  // namespace fanfold::operations
