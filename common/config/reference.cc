#include "common/config/reference.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace fanfold {
namespace {

constexpr std::string_view kIntroduction = R"(# Configuration

Made by `fanfold config reference`; a test compares.

A process takes each setting from its flag, else from its environment variable, else from the file
that `--config` (or FANFOLD_CONFIG) names, else it is the default. The names are the same in all
three. An empty variable is none. An unknown key, or a value that is not what it must be, is refused
when the process starts: the message says where it stands. A variable that begins with FANFOLD_ and is
no setting is a warning. In a variable or a flag a list is joined with commas, and spaces round them.
`fanfold config check` looks at all of it without starting anything, and `fanfold config print` shows
every value and where it came from.

Without a file, `kafka_brokers` or `shards` name a deployment on servers, and `folder` one in a folder.
Verbs take what their flags name, else what variables name, before whatever runs in `./var`; variables
that name both are refused.

The file is TOML and names its `mode`. Paths in it are relative to its folder. Examples are in
`deploy/config/`: one folder, one machine, three machines. A file of JSON, as release 0.1 had it, is
read as one of servers.

Secrets stand in files of their own (`..._file`, `password_file` of a DSN), which are read again when
they change. `config print` never shows one.

)";

std::string_view NameOf(Program program) {
  switch (program) {
    case Program::kWriter:
      return "writer";
    case Program::kProjector:
      return "projector";
    case Program::kReader:
      return "reader";
    case Program::kServe:
      return "`serve`";
    case Program::kVerbs:
      return "verbs";
  }
  return {};
}

std::string DefaultText(const Setting& setting) {
  std::string text;
  for (const DeploymentMode mode : {DeploymentMode::kServers, DeploymentMode::kFolder}) {
    if (!setting.IsOf(mode)) continue;
    const std::optional<ConfigValue> value = setting.get(DefaultsOf(mode));
    const std::string shown = value ? fmt::format("`{}`", TomlOf(*value)) : "not set";
    if (text.empty()) {
      text = shown;
    } else if (text != shown) {
      text += fmt::format(", in a folder {}", shown);
    }
  }
  return text;
}

std::string Section(const Setting& setting) {
  std::string text =
      fmt::format("## `{}`\n\n{}\n\n- {}\n", setting.key, setting.help, setting.wanted);
  if (setting.takers.empty()) return text + "- in the file alone\n\n";
  std::string takers;
  for (const Program taker : setting.takers) {
    takers += fmt::format("{}{}", takers.empty() ? "" : ", ", NameOf(taker));
  }
  return text + fmt::format("- default: {}\n- `{}`, `{}`\n- taken by: {}\n\n", DefaultText(setting),
                            setting.variable(), setting.flag(), takers);
}

}  // namespace

std::string ConfigAsToml(std::span<const ConfiguredValue> values) {
  std::vector<std::string> lines;
  std::size_t width = 0;
  for (const ConfiguredValue& one : values) {
    lines.push_back(one.value ? fmt::format("{} = {}", one.setting->key, TomlOf(*one.value))
                              : fmt::format("# {} is not set", one.setting->key));
    constexpr std::size_t kColumnMax = 40;
    width = std::max(width, std::min(lines.back().size(), kColumnMax));
  }
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += values[i].value ? fmt::format("{:<{}}  # {}\n", lines[i], width, values[i].from)
                            : lines[i] + "\n";
  }
  return text;
}

std::string ConfigurationPage() {
  std::string page(kIntroduction);
  for (const Setting& setting : Settings()) page += Section(setting);
  page.pop_back();
  return page;
}

}  // namespace fanfold
