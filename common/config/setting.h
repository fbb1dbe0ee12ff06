// Each key of the configuration: what it is for, who takes it, what it may be. The file, the
// environment, the flags, `fanfold config` and docs/CONFIGURATION.md are all made of this table.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/config.h"
#include "common/config/config_value.h"

namespace fanfold {

enum class Program : std::uint8_t { kWriter, kProjector, kReader, kServe, kVerbs };

struct Setting {
  std::string key;     // in the file, tables joined with dots
  std::string wanted;  // behind "KEY must be"
  std::string help;    // a sentence or two
  ValueKind kind = ValueKind::kText;
  std::vector<Program> takers;  // of the variable and the flag; none: the file alone says it
  // It says by itself which deployment is meant, one of that mode.
  std::optional<DeploymentMode> names = {};
  // False: the value is not what is wanted, and nothing is set.
  std::function<bool(const ConfigValue&, Config&)> set;
  // Nothing where it is not set. Never a secret.
  std::function<std::optional<ConfigValue>(const Config&)> get;

  // FANFOLD_ and the key in capitals, dots as underscores; --key, dots and underscores as dashes.
  [[nodiscard]] std::string variable() const;
  [[nodiscard]] std::string flag() const;
  [[nodiscard]] bool TakenBy(Program program) const;
  // Does a deployment of that mode know it?
  [[nodiscard]] bool IsOf(DeploymentMode mode) const;
};

// In the order of the reference. Thread-safe.
[[nodiscard]] std::span<const Setting> Settings();

// Null when none is called so.
[[nodiscard]] const Setting* FindSetting(std::string_view key);

// Why there is no such key, and which one may be meant.
[[nodiscard]] std::string NoSuchKey(std::string_view key);

// The settings of a deployment that is told none.
[[nodiscard]] Config DefaultsOf(DeploymentMode mode);

[[nodiscard]] std::string_view NameOf(DeploymentMode mode);

}  // namespace fanfold
