#include "cli/deployment/serve_note.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/own_file.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr mode_t kOfOwnerAlone = 0600;
constexpr mode_t kOfOthers = 0077;
constexpr std::size_t kNoteBytesMax = 8'192;

std::string TokenPathIn(const std::string& folder) {
  return (fs::path(folder) / "serve.token").string();
}

std::string PathIn(const std::string& folder) { return (fs::path(folder) / "serve.json").string(); }

std::string ReadWhole(const std::string& path) {
  return ReadOwnUpTo(path, kNoteBytesMax).value_or("");
}

// The writer holds a lock on the note itself, which the system takes away with the process. What a
// killed one left is nobody's, whoever has the folder, the pid or the port by now. Whoever can open
// a file can hold a lock on it, so that a note which others can open says nothing.
bool HasItsWriter(const std::string& path) {
  const int note = OpenOwn(path, O_RDONLY);
  if (note < 0) return false;
  struct stat is{};
  const bool held = fstat(note, &is) == 0 && (is.st_mode & kOfOthers) == 0 &&
                    flock(note, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(note);
  return held;
}

}  // namespace

std::optional<ServeNote> FindServing(const std::string& folder) {
  if (!HasItsWriter(PathIn(folder))) return std::nullopt;
  const Json note = Json::parse(ReadWhole(PathIn(folder)), nullptr, /*allow_exceptions=*/false);
  if (!note.is_object() || !note.contains("pid") || !note.contains("host") ||
      !note.contains("port") || !note["pid"].is_number_integer() || !note["host"].is_string() ||
      !note["port"].is_number_unsigned()) {
    return std::nullopt;
  }
  return ServeNote{note["pid"].get<std::int64_t>(), note["host"].get<std::string>(),
                   note["port"].get<std::uint16_t>(), ReadWhole(TokenPathIn(folder)),
                   note.value("certificate_file", "")};
}

ServeNoteFile::ServeNoteFile(const std::string& folder, const ServeNote& note)
    : path_(PathIn(folder)), token_path_(TokenPathIn(folder)) {
  // Before the note: whoever finds that finds it.
  unlink(token_path_.c_str());
  if (!note.token.empty()) WriteToken(note.token);
  const std::string fresh = path_ + ".new";
  const std::string text = Json({{"pid", note.pid},
                                 {"host", note.host},
                                 {"port", note.port},
                                 {"certificate_file", note.certificate_file}})
                               .dump() +
                           '\n';
  unlink(fresh.c_str());
  descriptor_ = open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOfOwnerAlone);
  // Locked before it has its name: a note that is found is held, or is nobody's.
  if (descriptor_ < 0 || flock(descriptor_, LOCK_EX | LOCK_NB) != 0) return;
  if (write(descriptor_, text.data(), text.size()) < 0) return;
  std::rename(fresh.c_str(), path_.c_str());
}

void ServeNoteFile::WriteToken(const std::string& token) const {
  const int file =
      open(token_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOfOwnerAlone);
  if (file < 0) return;
  // Cut short it is no token, and the verbs say so.
  (void)!write(file, token.data(), token.size());
  close(file);
}

ServeNoteFile::~ServeNoteFile() {
  std::remove(token_path_.c_str());
  std::remove(path_.c_str());
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace fanfold
