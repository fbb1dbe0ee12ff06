// The configuration of a process: flags over environment over file over defaults.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/config/config.h"
#include "common/config/setting.h"

namespace fanfold {

struct FlagValue {
  const Setting* setting = nullptr;
  std::string text;
};

// Null where there is none, as std::getenv; an empty function is the process's own.
using Environment = std::function<const char*(const char* name)>;

// The variable's value; nothing where there is none, or it is empty.
[[nodiscard]] std::optional<std::string> VariableIn(const Environment& environment,
                                                    const std::string& name);

struct ConfigSources {
  std::optional<std::string> file = {};            // its path
  DeploymentMode mode = DeploymentMode::kServers;  // without a file
  Environment environment = {};                    // as above
  std::vector<FlagValue> flags = {};
};

inline constexpr std::string_view kFromDefault = "default";

struct ConfiguredValue {
  const Setting* setting = nullptr;
  std::optional<ConfigValue> value;  // nothing: it is not set
  std::string from;                  // "FILE:3", "FANFOLD_…", "--…", or "default"
};

struct Configured {
  Config config;
  std::vector<ConfiguredValue> values;  // of all that the mode knows
};

// An empty variable is none. Paths of a file are relative to its folder. Errors: kInvalidArgument,
// the message names the key, where it stands and what it must be. A value that would hold a
// password is refused, but in a file of JSON, as releases up to 0.1 had it.
[[nodiscard]] Result<Configured> Configure(const ConfigSources& sources);

// The same, without where it came from.
[[nodiscard]] Result<Config> LoadConfig(const ConfigSources& sources);

}  // namespace fanfold
