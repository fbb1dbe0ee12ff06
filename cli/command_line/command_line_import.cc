#include <CLI/CLI.hpp>
#include <expected>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line/command_line_choice.h"
#include "cli/command_line/command_line_verbs.h"
#include "cli/command_line/import_text.h"

namespace fanfold {
namespace {

using operations::ImportFormat;
using operations::ImportOf;

const std::map<std::string, ImportFormat> kFormats = {
    {"csv", ImportFormat::kCsv}, {"jsonl", ImportFormat::kJsonl}, {"tsv", ImportFormat::kTsv}};

struct ImportTold {
  ImportOptions options;
  double seconds = 60;
  bool is_log = false;
};

// What is said of the file, unless it is a `log`.
void AddLayout(CLI::App& import, CLI::Option& log, operations::ImportLayout& layout) {
  CLI::Option* format = AddChoice(import, "--format", layout.format, kFormats,
                                  "tsv, csv or jsonl (default: by content)");
  CLI::Option* columns = import.add_option_function<std::string>(
      "--columns",
      [&layout](const std::string& text) {
        auto parsed = operations::ParseColumns(text);
        if (!parsed) throw CLI::ValidationError("--columns", parsed.error());
        layout.columns = *std::move(parsed);
      },
      "Of CSV, or of TSV with a header: subject=NAME,object=NAME[,since=NAME]; places from 1\n"
      "on where there is no header");
  std::vector<std::string> units;
  for (const auto& [unit, name] : operations::kTimeUnits) units.emplace_back(name);
  CLI::Option* time = AddNames(
      import, "--time", std::move(units),
      [&layout](const std::string& name) {
        layout.time = ValueOf(operations::kTimeUnits, name).value_or(layout.time);
      },
      "How times are written: ms or s since 1970 UTC, or iso8601 (default: ms)");
  CLI::Option* posts = import.add_flag_callback(
      "--posts", [&layout] { layout.of = ImportOf::kPosts; }, "The file is of posts");
  CLI::Option* profiles = import.add_flag_callback(
      "--profiles", [&layout] { layout.of = ImportOf::kProfiles; }, "The file is of profiles");
  for (CLI::Option* option : {format, columns, time, posts, profiles}) option->excludes(&log);
  for (CLI::Option* option : {format, columns, profiles}) option->excludes(posts);
  for (CLI::Option* option : {format, columns}) option->excludes(profiles);
  columns->excludes(format);
}

}  // namespace

void AddImport(CLI::App& app, Verb& verb) {
  CLI::App* import = app.add_subcommand(
      "import", "Append follows, posts or profiles from a file, or restore a whole log");
  const auto told = std::make_shared<ImportTold>();
  ImportOptions& options = told->options;
  import->add_option("FILE", options.source.file, "The file, gzipped or not; - is stdin")
      ->required();
  CLI::Option* log =
      import->add_flag("--log", told->is_log, "The file is a log that `export --log` wrote");
  AddLayout(*import, *log, options.source.layout);
  CLI::Option* strict = import->add_flag("--strict", options.strict,
                                         "Exit 2 when a line was bad or an event refused");
  strict->excludes(log);
  CLI::Option* timeout =
      AddSeconds(*import, "--timeout", told->seconds, "Seconds without a decision to wait at most");
  timeout->excludes(log);
  import->add_flag("!--no-wait", options.waits, "Do not wait for what is decided")
      ->excludes(log)
      ->excludes(timeout)
      ->excludes(strict);
  import->footer(kImportText);
  import->final_callback([told, &verb] {
    if (told->is_log) {
      verb = operations::ImportLogOptions{told->options.source.file};
    } else {
      told->options.timeout_ms = MillisecondsOf(told->seconds);
      verb = told->options;
    }
  });
}

}  // namespace fanfold
