#include "operations/log/line_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>
#include <zlib.h>

namespace fanfold::operations {
namespace {

constexpr std::size_t kReadBytes = 1 << 20;
constexpr unsigned kGzipBufferBytes = 256 * 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

struct CloseGzip {
  void operator()(gzFile file) const noexcept { gzclose_r(file); }
};
using GzipFile = std::unique_ptr<gzFile_s, CloseGzip>;

std::int64_t RegularFileBytes(int descriptor) {
  struct stat status{};
  const bool known = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  return known ? status.st_size : 0;
}

}  // namespace

struct LineSource::State {
  std::string path;
  GzipFile file;  // reads plain files as they are
  std::size_t line_bytes_max = 0;
  std::int64_t bytes_total = 0;
  std::vector<char> buffer;
  std::size_t begin = 0;  // buffer[begin, end) is not yet given out
  std::size_t end = 0;
  std::size_t searched = 0;  // no newline in buffer[begin, begin + searched)
  bool skipping = false;     // inside a line that is too long
  bool begun = false;
  bool at_end = false;

  [[nodiscard]] std::size_t left() const { return end - begin; }
  Status Fill();
  std::optional<SourceLine> Take();
  SourceLine Give(std::size_t length, std::size_t newline);
};

// Moves what is left to the front and reads behind it.
Status LineSource::State::Fill() {
  std::memmove(buffer.data(), buffer.data() + begin, left());
  end = left();
  begin = 0;
  const int count =
      gzread(file.get(), buffer.data() + end, static_cast<unsigned>(buffer.size() - end));
  int code = Z_OK;
  const char* message = gzerror(file.get(), &code);
  if (count < 0 || (code != Z_OK && code != Z_STREAM_END)) {
    const std::string why = code == Z_ERRNO ? std::strerror(errno) : std::string(message);
    return Fail(ErrorCode::kInvalidArgument, fmt::format("cannot read {}: {}", path, why));
  }
  at_end = count == 0;
  end += static_cast<std::size_t>(count);
  // The first reading holds the whole mark: gzread gives less than asked for only at the end.
  const bool first = !std::exchange(begun, true);
  if (first && std::string_view(buffer.data(), end).starts_with(kByteOrderMark)) {
    begin = kByteOrderMark.size();
  }
  return {};
}

SourceLine LineSource::State::Give(std::size_t length, std::size_t newline) {
  SourceLine line{std::string_view(buffer.data() + begin, length), false};
  if (line.text.ends_with('\r')) line.text.remove_suffix(1);
  if (std::exchange(skipping, false) || line.text.size() > line_bytes_max) line = {{}, true};
  begin += length + newline;
  searched = 0;
  return line;
}

// A line that is in the buffer, or what remains at the end of the file.
std::optional<SourceLine> LineSource::State::Take() {
  const char* from = buffer.data() + begin + searched;
  const void* newline = std::memchr(from, '\n', left() - searched);
  if (newline != nullptr) {
    const auto length =
        static_cast<std::size_t>(static_cast<const char*>(newline) - (buffer.data() + begin));
    return Give(length, 1);
  }
  if (at_end && (left() > 0 || skipping)) return Give(left(), 0);
  searched = left();
  if (left() > line_bytes_max + 1) {  // one more for a carriage return
    skipping = true;
    begin = end;
    searched = 0;
  }
  return std::nullopt;
}

Result<LineSource> LineSource::Open(const std::string& path, std::size_t line_bytes_max) {
  const int descriptor = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  }
  auto state = std::make_unique<State>();
  state->path = path;
  state->bytes_total = RegularFileBytes(descriptor);
  state->file.reset(gzdopen(descriptor, "rb"));
  if (!state->file) {
    close(descriptor);
    return Fail(ErrorCode::kInternal, "out of memory");
  }
  gzbuffer(state->file.get(), kGzipBufferBytes);
  state->line_bytes_max = line_bytes_max;
  state->buffer.resize(kReadBytes + line_bytes_max);
  return LineSource(std::move(state));
}

Result<std::optional<SourceLine>> LineSource::Next() {
  while (true) {
    if (std::optional<SourceLine> line = state_->Take()) return line;
    if (state_->at_end) return std::nullopt;
    if (Status filled = state_->Fill(); !filled) return Forward(filled);
  }
}

std::int64_t LineSource::bytes_total() const noexcept { return state_->bytes_total; }

std::int64_t LineSource::bytes_read() const noexcept {
  return std::max<std::int64_t>(gzoffset(state_->file.get()), 0);
}

LineSource::LineSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
LineSource::LineSource(LineSource&&) noexcept = default;
LineSource::~LineSource() = default;

}  // namespace fanfold::operations
