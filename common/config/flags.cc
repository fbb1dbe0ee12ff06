#include "common/config/flags.h"

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace fanfold {
namespace {

// Shorter, where the program says which is meant.
struct Short {
  Program program;
  std::string_view key;
  std::string_view flag;
};
constexpr Short kShorts[] = {
    {Program::kWriter, "writer_port", "--port"},
    {Program::kProjector, "projector_port", "--port"},
    {Program::kReader, "reader_port", "--port"},
    {Program::kServe, "reader_port", "--port"},
    {Program::kReader, "reader_threads", "--threads"},
    {Program::kReader, "reader_io_threads", "--io-threads"},
};

std::string NamesOf(const Setting& setting, Program program) {
  std::string names = setting.flag();
  for (const Short& one : kShorts) {
    if (one.program == program && one.key == setting.key) names += "," + std::string(one.flag);
  }
  return names;
}

}  // namespace

std::string WhyNoPath(const std::string& path) { return path.empty() ? "an empty path" : ""; }

void AddConfigFlags(CLI::App& app, Program program, ConfigSources& sources) {
  app.add_option("--config", sources.file, "The configuration: a file of TOML")
      ->envname("FANFOLD_CONFIG")
      ->check(WhyNoPath);
  AddSettingFlags(app, program, "Settings, over environment and file (docs/CONFIGURATION.md)",
                  sources.flags);
}

void AddSettingFlags(CLI::App& app, Program program, const char* part,
                     std::vector<FlagValue>& given) {
  for (const Setting& setting : Settings()) {
    if (!setting.TakenBy(program)) continue;
    app.add_option_function<std::string>(
           NamesOf(setting, program),
           [&setting, &given](const std::string& text) { given.push_back({&setting, text}); },
           setting.help + " (" + setting.wanted + ")")
        ->group(part)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
}

}  // namespace fanfold
