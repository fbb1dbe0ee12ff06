#include "cli/deployment/deployment.h"

#include <charconv>
#include <cstdlib>
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

ConfigSources OfFolder(const std::string& path, std::vector<FlagValue> flags) {
  flags.push_back({FindSetting("folder"), path});
  return {.mode = DeploymentMode::kFolder, .flags = std::move(flags)};
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

std::optional<ConfigSources> SourcesOf(const DeploymentChoice& choice) {
  if (choice.embedded_dir) return OfFolder(*choice.embedded_dir, choice.flags);
  const char* variable = std::getenv("FANFOLD_CONFIG");
  const bool is_set = variable != nullptr && *variable != '\0';
  if (!choice.config_file && !is_set) return std::nullopt;
  return ConfigSources{.file = choice.config_file.value_or(is_set ? variable : ""),
                       .flags = choice.flags};
}

Result<Configured> FindDeployment(const DeploymentChoice& choice, const DeploymentPlaces& places) {
  if (const auto named = SourcesOf(choice)) return Configure(*named);
  const bool stack = StackIsRunning(places.stack_dir);
  const bool embedded = FindServing(places.embedded_dir).has_value();
  if (stack && embedded) {
    return Fail(
        ErrorCode::kRefused,
        fmt::format("both {} and {} are running: name one with --config {}/fanfold.json or "
                    "--dir {}",
                    places.stack_dir, places.embedded_dir, places.stack_dir, places.embedded_dir));
  }
  if (stack) {
    return Configure(
        {.file = (fs::path(places.stack_dir) / "fanfold.json").string(), .flags = choice.flags});
  }
  if (embedded) return Configure(OfFolder(places.embedded_dir, choice.flags));
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("nothing is running in {} or {}: start one with `make stack` or `fanfold "
                          "serve`, or name a deployment with --config FILE or --dir DIR",
                          places.stack_dir, places.embedded_dir));
}

}  // namespace fanfold
