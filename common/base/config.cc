#include "common/base/config.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <ranges>
#include <sstream>
#include <string_view>

#include "common/base/json_text.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

Status Wrong(const std::string& key, const char* wanted) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{} must be {}", key, wanted));
}

Status SetText(const std::string& key, const Json& value, std::string& member) {
  if (!value.is_string()) return Wrong(key, "a string");
  member = value.get<std::string>();
  return {};
}

template <class Integer>
Status SetNumber(const std::string& key, const Json& value, std::int64_t lowest, Integer& member) {
  constexpr std::int64_t kHighest = std::numeric_limits<Integer>::max();
  const bool fits = value.is_number_integer() && value.get<std::int64_t>() >= lowest &&
                    value.get<std::int64_t>() <= kHighest;
  if (!fits) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} must be an integer {} … {}", key, lowest, kHighest));
  }
  member = value.get<Integer>();
  return {};
}

Status SetSpace(const std::string& key, const Json& value, std::string& member) {
  constexpr std::size_t kSpaceBytesMax = 16;
  if (!value.is_string()) return Wrong(key, "a string");
  const std::string text = value.get<std::string>();
  const bool plain =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") == std::string::npos &&
      text.size() <= kSpaceBytesMax;
  if (!plain) return Wrong(key, "at most 16 of a-z and 0-9");
  member = text;
  return {};
}

Status SetShards(const std::string& key, const Json& value, std::vector<std::string>& member) {
  if (!value.is_array() || value.empty()) return Wrong(key, "a list of DSNs, one a shard");
  member.clear();
  for (const Json& dsn : value) {
    if (!dsn.is_string()) return Wrong(key, "a list of DSNs, one a shard");
    member.push_back(dsn.get<std::string>());
    if (std::ranges::count(member, member.back()) > 1) {
      return Wrong(key, "a list of DSNs, one a shard: one is named twice");
    }
  }
  return {};
}

// Of members that `is_one` accepts.
Status SetList(const std::string& key, const Json& value, bool (*is_one)(std::string_view),
               const char* wanted, std::vector<std::string>& member) {
  if (!value.is_array()) return Wrong(key, wanted);
  member.clear();
  for (const Json& one : value) {
    if (!one.is_string() || !is_one(one.get_ref<const std::string&>())) return Wrong(key, wanted);
    member.push_back(one.get<std::string>());
  }
  return {};
}

// A name without a port, or an address; one of IPv6 in brackets, which ends in one.
bool IsHost(std::string_view text) {
  constexpr std::string_view kOfNames =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
  const bool in_brackets = text.starts_with('[') && text.ends_with(']');
  return !text.empty() && (in_brackets || text.find_first_not_of(kOfNames) == text.npos);
}

// As browsers send it.
bool IsOrigin(std::string_view text) {
  constexpr std::string_view kOfHosts = "abcdefghijklmnopqrstuvwxyz0123456789-._:[]";
  const std::size_t colon = text.find("://");
  const std::string_view scheme = text.substr(0, colon);
  if (scheme != "http" && scheme != "https") return false;
  const std::string_view host = text.substr(colon + std::string_view("://").size());
  const std::string_view port_left_out = scheme == "http" ? ":80" : ":443";
  return !host.empty() && host.find_first_not_of(kOfHosts) == host.npos &&
         !host.ends_with(port_left_out);
}

Status SetDeploymentId(const std::string& key, const Json& value,
                       std::optional<DeploymentId>& member) {
  member =
      value.is_string() ? DeploymentId::Parse(value.get_ref<const std::string&>()) : std::nullopt;
  if (!member) return Wrong(key, "32 of 0-9 and a-f, as `fanfold identity show` says it");
  return {};
}

Status SetAudit(const std::string& key, const Json& value, std::string& member) {
  if (value != "repair" && value != "report" && value != "off") {
    return Wrong(key, "repair, report or off");
  }
  member = value.get<std::string>();
  return {};
}

Status Set(Config& config, const std::string& key, const Json& value) {
  if (key == "space") return SetSpace(key, value, config.space);
  if (key == "kafka_brokers") return SetText(key, value, config.kafka_brokers);
  if (key == "shards") return SetShards(key, value, config.shards);
  if (key == "partitions") return SetNumber(key, value, 1, config.partitions);
  if (key == "deployment_id") return SetDeploymentId(key, value, config.deployment_id);
  if (key == "follow_limit") return SetNumber(key, value, 0, config.follow_limit);
  if (key == "bind") return SetText(key, value, config.bind);
  if (key == "hosts") {
    return SetList(key, value, IsHost, "a list of names without ports", config.hosts);
  }
  if (key == "origins") {
    return SetList(key, value, IsOrigin,
                   "a list of origins as browsers send them: https://app.example.com, "
                   "http://localhost:3000",
                   config.origins);
  }
  if (key == "reader_port") return SetNumber(key, value, 0, config.reader_port);
  if (key == "writer_port") return SetNumber(key, value, 0, config.writer_port);
  if (key == "projector_port") return SetNumber(key, value, 0, config.projector_port);
  if (key == "audit") return SetAudit(key, value, config.audit);
  if (key == "audit_rows_per_second") {
    return SetNumber(key, value, 1, config.audit_rows_per_second);
  }
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{} is not a known key", key));
}

enum class VariableKind : std::uint8_t { kText, kNumber, kList };

// Environment variables are text; numbers and lists, joined with commas, are read as such.
Json FromEnvironment(std::string_view text, VariableKind kind) {
  if (kind == VariableKind::kText) return Json(std::string(text));
  if (kind == VariableKind::kList) {
    Json list = Json::array();
    for (const auto part : std::views::split(text, ',')) {
      list.push_back(std::string(part.begin(), part.end()));
    }
    return list;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? Json(number) : Json(std::string(text));
}

Status ApplyEnvironment(Config& config) {
  struct Variable {
    const char* name;
    const char* key;
    VariableKind kind;
  };
  constexpr Variable kVariables[] = {
      {"FANFOLD_READER_PORT", "reader_port", VariableKind::kNumber},
      {"FANFOLD_WRITER_PORT", "writer_port", VariableKind::kNumber},
      {"FANFOLD_PROJECTOR_PORT", "projector_port", VariableKind::kNumber},
      {"FANFOLD_FOLLOW_LIMIT", "follow_limit", VariableKind::kNumber},
      {"FANFOLD_SPACE", "space", VariableKind::kText},
      {"FANFOLD_DEPLOYMENT_ID", "deployment_id", VariableKind::kText},
      {"FANFOLD_BIND", "bind", VariableKind::kText},
      {"FANFOLD_AUDIT", "audit", VariableKind::kText},
      {"FANFOLD_HOSTS", "hosts", VariableKind::kList},
      {"FANFOLD_ORIGINS", "origins", VariableKind::kList},
  };
  for (const Variable& variable : kVariables) {
    const char* text = std::getenv(variable.name);
    if (text == nullptr || *text == '\0') continue;
    const Json value = FromEnvironment(text, variable.kind);
    if (Status set = Set(config, variable.key, value); !set) {
      return Fail(set.error().code, fmt::format("{}: {}", variable.name, set.error().message));
    }
  }
  return {};
}

}  // namespace

Result<Config> ParseConfig(const std::string& text) {
  constexpr JsonBounds kBounds{.depth_max = 2, .values_max = 10'000};
  if (const Status checked = CheckJson(text, kBounds); !checked) {
    return Fail(checked.error().code, "the text " + checked.error().message);
  }
  const Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return Fail(ErrorCode::kInvalidArgument, "not a JSON object");
  Config config;
  for (const auto& [key, value] : document.items()) {
    if (Status set = Set(config, key, value); !set) return Forward(set);
  }
  if (!document.contains("partitions")) {
    return Fail(ErrorCode::kInvalidArgument,
                "partitions is missing: the number that the deployment was made with");
  }
  return config;
}

Result<Config> ConfigFromEnvironment() {
  Config config;
  if (Status applied = ApplyEnvironment(config); !applied) return Forward(applied);
  return config;
}

Result<Config> LoadConfig(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Fail(ErrorCode::kInvalidArgument, fmt::format("cannot read {}", path));
  std::stringstream text;
  text << file.rdbuf();
  Result<Config> config = ParseConfig(text.str());
  if (!config) return Fail(config.error().code, path + ": " + config.error().message);
  if (Status applied = ApplyEnvironment(*config); !applied) return Forward(applied);
  return config;
}

}  // namespace fanfold
