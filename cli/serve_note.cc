#include "cli/serve_note.h"

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace fanfold {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::string PathIn(const std::string& folder) { return (fs::path(folder) / "serve.json").string(); }

std::string ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A pid may have been given to somebody else since.
bool Serves(std::int64_t pid) {
  const std::string command_line = ReadWhole(fmt::format("/proc/{}/cmdline", pid));
  return command_line.find("fanfold") != std::string::npos &&
         command_line.find("serve") != std::string::npos;
}

}  // namespace

std::optional<ServeNote> FindServing(const std::string& folder) {
  const Json note = Json::parse(ReadWhole(PathIn(folder)), nullptr, /*allow_exceptions=*/false);
  if (!note.is_object() || !note.contains("pid") || !note.contains("host") ||
      !note.contains("port") || !note["pid"].is_number_integer() || !note["host"].is_string() ||
      !note["port"].is_number_unsigned()) {
    return std::nullopt;
  }
  ServeNote found{note["pid"].get<std::int64_t>(), note["host"].get<std::string>(),
                  note["port"].get<std::uint16_t>()};
  if (!Serves(found.pid)) return std::nullopt;
  return found;
}

ServeNoteFile::ServeNoteFile(const std::string& folder, const ServeNote& note)
    : path_(PathIn(folder)) {
  const std::string fresh = path_ + ".new";
  std::ofstream(fresh) << Json({{"pid", note.pid}, {"host", note.host}, {"port", note.port}}).dump()
                       << '\n';
  std::rename(fresh.c_str(), path_.c_str());
}

ServeNoteFile::~ServeNoteFile() { std::remove(path_.c_str()); }

}  // namespace fanfold
