#include "cli/deployment/deployment.h"

#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "cli/deployment/serve_note.h"

namespace fanfold {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool IsRunning(const fs::path& pid_file) {
  const std::string text = ReadFile(pid_file);
  long pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc() || pid <= 0) return false;
  const std::string command_line = ReadFile(fmt::format("/proc/{}/cmdline", pid));
  return CommandLineFits(pid_file.stem().string(), command_line);
}

Result<FoundDeployment> Configured(const std::string& file) {
  Result<Config> config = LoadConfig(file);
  if (!config) return Forward(config);
  return std::move(*config);
}

}  // namespace

bool CommandLineFits(std::string_view service, std::string_view command_line) {
  constexpr std::pair<std::string_view, std::string_view> kPrograms[] = {
      {"kafka", "kafka.Kafka"},
      {"mariadb", "mariadbd"},
      {"mariadb", "mysqld"},
      {"writer", "fanfold-writer"},
      {"projector", "fanfold-projector"},
      {"reader", "fanfold-reader"},
  };
  for (const auto& [name, program] : kPrograms) {
    if (service.starts_with(name) && command_line.find(program) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

bool StackIsRunning(const std::string& stack_dir) {
  std::error_code error;
  for (fs::directory_iterator entry(fs::path(stack_dir) / "run", error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".pid" && IsRunning(entry->path())) return true;
  }
  return false;
}

Result<FoundDeployment> FindDeployment(const DeploymentChoice& choice,
                                       const DeploymentPlaces& places) {
  if (choice.config_file) return Configured(*choice.config_file);
  if (choice.embedded_dir) return EmbeddedFolder{*choice.embedded_dir};
  const bool stack = StackIsRunning(places.stack_dir);
  const bool embedded = FindServing(places.embedded_dir).has_value();
  if (stack && embedded) {
    return Fail(
        ErrorCode::kRefused,
        fmt::format("both {} and {} are running: name one with --config {}/fanfold.json or "
                    "--dir {}",
                    places.stack_dir, places.embedded_dir, places.stack_dir, places.embedded_dir));
  }
  if (stack) return Configured((fs::path(places.stack_dir) / "fanfold.json").string());
  if (embedded) return EmbeddedFolder{places.embedded_dir};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("nothing is running in {} or {}: start one with `make stack` or `fanfold "
                          "serve`, or name a deployment with --config FILE or --dir DIR",
                          places.stack_dir, places.embedded_dir));
}

}  // namespace fanfold
