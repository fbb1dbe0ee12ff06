#include "common/access/token_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "common/base/clock.h"
#include "common/base/own_file.h"
#include "common/base/read_file.h"

namespace fanfold {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kMode = 0640;
constexpr mode_t kModeBits = 07777;
// Whoever can open it can hold it.
constexpr mode_t kModeOfLock = 0600;
constexpr std::int64_t kTurnLookMs = 5;

std::unexpected<Error> CannotWrite(const std::string& path) {
  return Fail(ErrorCode::kUnavailable,
              fmt::format("{} cannot be written: {}", path, std::strerror(errno)));
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int value() const noexcept { return value_; }

 private:
  const int value_;
};

Status WaitForTurn(int lock, const std::string& turn, std::int64_t turn_max_ms) {
  const SystemClock clock;
  const std::int64_t until_ms = clock.SteadyMs() + turn_max_ms;
  while (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return CannotWrite(turn);
    if (clock.SteadyMs() >= until_ms) {
      return Fail(ErrorCode::kUnavailable,
                  fmt::format("another process has held {0} for {1} ms, nothing is changed: `fuser "
                              "{0}` tells it; end it, and do this again",
                              turn, turn_max_ms));
    }
    clock.SleepMs(kTurnLookMs);
  }
  return {};
}

bool WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return fsync(file) == 0;
}

// So that the new name outlives a power cut.
void SyncFolderOf(const std::string& path) {
  const Descriptor folder(
      open(fs::path(path).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.value() >= 0) (void)fsync(folder.value());
}

Status Replace(const std::string& path, std::string_view text) {
  const std::string fresh = path + ".new";
  unlink(fresh.c_str());
  const Descriptor file(open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
  if (file.value() < 0) return CannotWrite(fresh);
  struct stat before{};
  const bool was_there = stat(path.c_str(), &before) == 0;
  const bool has_owner = !was_there || fchown(file.value(), before.st_uid, before.st_gid) == 0;
  const mode_t mode = was_there ? before.st_mode & kModeBits : kMode;
  const bool written = has_owner && fchmod(file.value(), mode) == 0 && WriteAll(file.value(), text);
  if (!written || rename(fresh.c_str(), path.c_str()) != 0) {
    const auto failed = CannotWrite(path);
    unlink(fresh.c_str());
    return failed;
  }
  SyncFolderOf(path);
  return {};
}

// A file that no service takes keeps them all from hearing of a revocation.
Status TakesBack(std::string_view text) {
  if (text.size() > kTokenFileBytesMax) {
    return Fail(ErrorCode::kRefused,
                fmt::format("the tokens would be more than {} bytes: revoke some, or write shorter "
                            "notes",
                            kTokenFileBytesMax));
  }
  Result<std::vector<StaticToken>> tokens = ParseStaticTokens(text);
  if (!tokens) return Forward(tokens);
  return {};
}

}  // namespace

Result<std::vector<StaticToken>> ReadTokenFile(const std::string& path) {
  const auto text = ReadRegularUpTo(path, kTokenFileBytesMax);
  if (!text) {
    const bool is_there = access(path.c_str(), F_OK) == 0;
    return Fail(is_there ? ErrorCode::kInvalidArgument : ErrorCode::kNotFound,
                fmt::format("{} {}", path, text.error()));
  }
  if (text->size() > kTokenFileBytesMax) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} has more than {} bytes", path, kTokenFileBytesMax));
  }
  Result<std::vector<StaticToken>> tokens = ParseStaticTokens(*text);
  if (tokens) return tokens;
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", path, tokens.error().message));
}

Status ChangeTokenFile(const std::string& path,
                       const std::function<Status(std::vector<StaticToken>&)>& change,
                       std::int64_t turn_max_ms) {
  // A link stays one: what it leads to is changed, unless another may have put it there.
  std::error_code ignored;
  if (fs::is_symlink(path, ignored) && IsInOthersFolder(path)) {
    return Fail(ErrorCode::kRefused,
                fmt::format("{} is a link in another user's folder: name what it leads to", path));
  }
  const std::string file = fs::weakly_canonical(fs::absolute(path), ignored).string();
  if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored)) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{} is no regular file", path));
  }
  const std::string turn = file + ".lock";
  const Descriptor lock(OpenOwn(turn, O_RDWR | O_CREAT));
  if (lock.value() < 0) return CannotWrite(turn);
  // That of an earlier build; one that is not ours is as it was.
  (void)fchmod(lock.value(), kModeOfLock);
  if (Status ours = WaitForTurn(lock.value(), turn, turn_max_ms); !ours) return ours;
  Result<std::vector<StaticToken>> tokens = ReadTokenFile(file);
  if (!tokens && tokens.error().code != ErrorCode::kNotFound) return Forward(tokens);
  std::vector<StaticToken> changed = tokens ? *std::move(tokens) : std::vector<StaticToken>();
  if (Status done = change(changed); !done) return done;
  const std::string text = StaticTokensText(changed);
  if (Status taken = TakesBack(text); !taken) return taken;
  return Replace(file, text);
}

}  // namespace fanfold
