#include "operations/log/packed_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>
#include <zlib.h>

namespace fanfold::operations {
namespace {

constexpr std::size_t kPackedBufferBytes = 256 * 1024;
constexpr int kPipeWaitMs = 100;
constexpr std::string_view kGzip = "\x1F\x8B";
constexpr int kGzipWindowBits = 15 + 16;  // inflateInit2: the largest window, in gzip's frame

struct Packer {
  std::string_view magic;  // which its files begin with
  std::string_view name;
  std::string_view unpack;  // writes to stdout
};
constexpr Packer kPackers[] = {
    {"\xFD"
     "7zXZ",
     "xz", "xz -dc"},
    {"PK\x03\x04", "zip", "unzip -p"},
    {"PK\x05\x06", "zip", "unzip -p"},  // an empty one
    {"BZh", "bzip2", "bzip2 -dc"},
    {"\x28\xB5\x2F\xFD", "zstd", "zstd -dc"},
    {"7z\xBC\xAF\x27\x1C", "7z", "7z x -so"},
    {"\x04\x22\x4D\x18", "lz4", "lz4 -dc"},
    {"LZIP", "lzip", "lzip -dc"},
    {"\x1F\x9D", "compress", "uncompress -c"},
    {"Rar!", "rar", "unrar p -inul"},
};
constexpr std::size_t kMagicBytesMax = 6;

std::int64_t RegularFileBytes(int descriptor) {
  struct stat status{};
  const bool known = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  return known ? status.st_size : 0;
}

std::unexpected<Error> CannotUnpack(const std::string& path, std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("cannot read {}: {}", path, why));
}

}  // namespace

struct PackedFile::State {
  explicit State(std::string of) : path(std::move(of)), buffer(kPackedBufferBytes) {}
  ~State() {
    if (descriptor >= 0) close(descriptor);
    if (is_gzip) inflateEnd(&stream);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] std::string_view left() const { return {buffer.data() + begin, end - begin}; }
  Status Fill();
  Status FillForMagic();
  Status Begin();
  Result<std::size_t> Copy(std::span<char> to);
  Status Inflate(std::span<char>& to);
  Status InflateSome(std::span<char>& to);
  Status BeginMember();

  const std::string path;
  int descriptor = -1;
  Interrupt* interrupt = nullptr;
  std::int64_t bytes_total = 0;
  std::int64_t bytes_read = 0;
  std::vector<char> buffer;
  std::size_t begin = 0;  // buffer[begin, end) is not yet taken
  std::size_t end = 0;
  bool at_end = false;
  bool is_gzip = false;
  bool in_member = false;
  z_stream stream{};
  std::optional<Error> failed;  // told once what stands before it is given
};

// Reads behind what is left.
Status PackedFile::State::Fill() {
  std::memmove(buffer.data(), buffer.data() + begin, end - begin);
  end -= std::exchange(begin, 0);
  pollfd waited{.fd = descriptor, .events = POLLIN, .revents = 0};
  while (interrupt != nullptr && poll(&waited, 1, kPipeWaitMs) == 0) {
    if (interrupt->WaitFor(0)) return Fail(ErrorCode::kTimeout, "interrupted");
  }
  ssize_t count = 0;
  do {
    count = read(descriptor, buffer.data() + end, buffer.size() - end);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return CannotUnpack(path, std::strerror(errno));
  at_end = count == 0;
  end += static_cast<std::size_t>(count);
  bytes_read += count;
  return {};
}

// A pipe may give its first bytes one by one.
Status PackedFile::State::FillForMagic() {
  while (!at_end && end - begin < kMagicBytesMax) {
    if (Status filled = Fill(); !filled) return filled;
  }
  return {};
}

Status PackedFile::State::Begin() {
  if (Status filled = FillForMagic(); !filled) return filled;
  for (const Packer& packer : kPackers) {
    if (!left().starts_with(packer.magic)) continue;
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("{} is packed by {}: unpack it first, as `{} {} | fanfold import -` does", path,
                    packer.name, packer.unpack, path == "-" ? "FILE" : path));
  }
  if (!left().starts_with(kGzip)) return {};
  if (inflateInit2(&stream, kGzipWindowBits) != Z_OK) {
    return Fail(ErrorCode::kInternal, "out of memory");
  }
  is_gzip = true;
  in_member = true;
  return {};
}

Result<std::size_t> PackedFile::State::Copy(std::span<char> to) {
  if (left().empty() && !at_end) {
    if (Status filled = Fill(); !filled) return Forward(filled);
  }
  const std::size_t count = std::min(to.size(), left().size());
  std::memcpy(to.data(), left().data(), count);
  begin += count;
  return count;
}

// Behind a member: another one, zeros that fill a tape's block, or the end.
Status PackedFile::State::BeginMember() {
  begin = std::min(left().find_first_not_of('\0'), left().size()) + begin;
  if (left().empty()) return {};
  if (left().front() != kGzip.front()) {
    return CannotUnpack(path, "something else stands behind its gzip data");
  }
  inflateReset(&stream);
  in_member = true;
  return {};
}

Status PackedFile::State::InflateSome(std::span<char>& to) {
  stream.next_in = reinterpret_cast<Bytef*>(buffer.data() + begin);
  stream.avail_in = static_cast<uInt>(left().size());
  stream.next_out = reinterpret_cast<Bytef*>(to.data());
  stream.avail_out = static_cast<uInt>(to.size());
  const int code = inflate(&stream, Z_NO_FLUSH);
  begin = end - stream.avail_in;
  to = to.last(stream.avail_out);
  if (code == Z_STREAM_END) in_member = false;
  if (code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR) return {};
  return CannotUnpack(path, fmt::format("its gzip data is damaged: {}",
                                        stream.msg == nullptr ? "no more is known" : stream.msg));
}

// Fills `to` from its front, and leaves in it what is not filled at the end.
Status PackedFile::State::Inflate(std::span<char>& to) {
  while (!to.empty()) {
    if (left().empty() && !at_end) {
      if (Status filled = Fill(); !filled) return filled;
    }
    if (left().empty()) {
      return in_member ? CannotUnpack(path, "its gzip data ends early: it was cut") : Status();
    }
    Status done = in_member ? InflateSome(to) : BeginMember();
    if (!done) return done;
  }
  return {};
}

Result<PackedFile> PackedFile::Open(const std::string& path, Interrupt* interrupt) {
  auto state = std::make_unique<State>(path);
  state->interrupt = interrupt;
  state->descriptor = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (state->descriptor < 0) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  }
  state->bytes_total = RegularFileBytes(state->descriptor);
  if (Status begun = state->Begin(); !begun) return Forward(begun);
  return PackedFile(std::move(state));
}

Result<std::size_t> PackedFile::Read(std::span<char> to) {
  if (state_->failed) return std::unexpected(*state_->failed);
  if (!state_->is_gzip) return state_->Copy(to);
  std::span<char> rest = to;
  const Status inflated = state_->Inflate(rest);
  const std::size_t count = to.size() - rest.size();
  if (!inflated) state_->failed = inflated.error();
  if (!inflated && count == 0) return std::unexpected(*state_->failed);
  return count;
}

std::int64_t PackedFile::bytes_total() const noexcept { return state_->bytes_total; }

std::int64_t PackedFile::bytes_read() const noexcept {
  return state_->bytes_read - static_cast<std::int64_t>(state_->left().size());
}

PackedFile::PackedFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
PackedFile::PackedFile(PackedFile&&) noexcept = default;
PackedFile::~PackedFile() = default;

}  // namespace fanfold::operations
