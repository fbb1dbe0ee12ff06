#include "cli/deployment/deployment.h"

#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <utility>

#include "cli/deployment/serve_note.h"
#include "common/base/own_file.h"
#include "common/config/named_deployment.h"

namespace fanfold {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPidBytesMax = 32;
constexpr std::size_t kCommandLineBytesMax = std::size_t{128} << 10;  // as Linux has it

bool IsRunning(const fs::path& pid_file) {
  const std::string text = ReadOwnUpTo(pid_file.string(), kPidBytesMax).value_or("");
  long pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc() || pid <= 0) return false;
  const auto command_line = ReadUpTo(fmt::format("/proc/{}/cmdline", pid), kCommandLineBytesMax);
  return CommandLineFits(pid_file.stem().string(), command_line.value_or(""));
}

ConfigSources OfFolder(const std::string& path, std::vector<FlagValue> flags,
                       const Environment& environment) {
  flags.push_back({FindSetting("folder"), path});
  return {.mode = DeploymentMode::kFolder, .environment = environment, .flags = std::move(flags)};
}

// As deploy/local has it: a stack of release 0.1 keeps its name.
std::string FileOfStack(const fs::path& stack_dir) {
  const fs::path of_release_0_1 = stack_dir / "fanfold.json";
  std::error_code ignored;
  const bool is_old = fs::exists(of_release_0_1, ignored);
  return (is_old ? of_release_0_1 : stack_dir / "fanfold.toml").string();
}

Result<ConfigSources> SourcesOfRunning(const DeploymentChoice& choice,
                                       const DeploymentPlaces& places) {
  const bool stack = StackIsRunning(places.stack_dir);
  const bool embedded = FindServing(places.embedded_dir).has_value();
  if (stack && embedded) {
    return Fail(ErrorCode::kRefused,
                fmt::format("both {} and {} are running: name one with --config {} or --dir {}",
                            places.stack_dir, places.embedded_dir, FileOfStack(places.stack_dir),
                            places.embedded_dir));
  }
  if (stack) {
    return ConfigSources{.file = FileOfStack(places.stack_dir),
                         .environment = places.environment,
                         .flags = choice.flags};
  }
  if (embedded) return OfFolder(places.embedded_dir, choice.flags, places.environment);
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("nothing is running in {} or {}: start one with `make stack` or `fanfold "
                          "serve`, or name a deployment with --config FILE, --dir DIR or "
                          "variables (`fanfold --help`)",
                          places.stack_dir, places.embedded_dir));
}

Result<FoundDeployment> Found(ConfigSources sources) {
  Result<Configured> configured = Configure(sources);
  if (!configured) return Forward(configured);
  return FoundDeployment{std::move(sources), *std::move(configured)};
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

std::optional<ConfigSources> SourcesOf(const DeploymentChoice& choice,
                                       const Environment& environment) {
  if (choice.embedded_dir) return OfFolder(*choice.embedded_dir, choice.flags, environment);
  std::optional<std::string> file = choice.config_file;
  if (!file) file = VariableIn(environment, "FANFOLD_CONFIG");
  if (!file) return std::nullopt;
  return ConfigSources{.file = file, .environment = environment, .flags = choice.flags};
}

Result<FoundDeployment> FindDeployment(const DeploymentChoice& choice,
                                       const DeploymentPlaces& places) {
  if (auto chosen = SourcesOf(choice, places.environment)) return Found(*std::move(chosen));
  auto named = DeploymentNamedBy(choice.flags, places.environment);
  if (!named) return Forward(named);
  if (*named) {
    Result<FoundDeployment> found =
        Found({.mode = (*named)->mode, .environment = places.environment, .flags = choice.flags});
    if (found) return found;
    return Fail(found.error().code,
                fmt::format("{} names a deployment: {}", (*named)->by, found.error().message));
  }
  Result<ConfigSources> running = SourcesOfRunning(choice, places);
  if (!running) return Forward(running);
  return Found(*std::move(running));
}

}  // namespace fanfold
