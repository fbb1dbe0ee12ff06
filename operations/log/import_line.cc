#include "operations/log/import_line.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/json_text.h"
#include "common/relation/edge.h"

namespace fanfold::operations {
namespace {

using Json = nlohmann::json;
using Parsed = std::expected<ImportLine, BadLine>;

constexpr std::string_view kBlanks = " \t\r";
constexpr std::size_t kFieldsMin = 2;
constexpr std::size_t kFieldsMax = 3;

std::unexpected<BadLine> Bad(std::string why) { return std::unexpected(std::move(why)); }

std::string_view WithoutLeadingBlanks(std::string_view line) noexcept {
  const std::size_t first = line.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view() : line.substr(first);
}

// A value from the file as a message may show it.
std::string Shown(std::string_view text) {
  constexpr std::size_t kShownBytesMax = 40;
  std::string shown;
  for (const char c : text.substr(0, kShownBytesMax)) shown += c >= 0x20 && c < 0x7f ? c : '?';
  return shown + (text.size() > kShownBytesMax ? "…" : "");
}

std::unexpected<BadLine> NotAnId(const char* name, std::string_view text) {
  return Bad(fmt::format("{} is not an id 1 … 2^63-1: {}", name, Shown(text)));
}

std::unexpected<BadLine> NotATime(const char* name, std::string_view text) {
  return Bad(fmt::format("{} is not an integer 0 … 2^63-1: {}", name, Shown(text)));
}

Parsed Checked(const ImportLine& line) {
  if (RefuseAtOnce(line.subject, line.object)) return Bad("subject and object are the same user");
  return line;
}

Parsed ParseTsv(std::string_view line) {
  std::array<std::string_view, kFieldsMax> fields;
  std::size_t count = 0;
  for (std::string_view rest = WithoutLeadingBlanks(line); !rest.empty();
       rest = WithoutLeadingBlanks(rest)) {
    if (count == kFieldsMax) return Bad("more than three fields");
    const std::size_t end = std::min(rest.find_first_of(kBlanks), rest.size());
    fields[count++] = rest.substr(0, end);
    rest.remove_prefix(end);
  }
  if (count < kFieldsMin) return Bad("fewer than two fields");
  ImportLine result;
  const std::optional<UserId> subject = ParseUserId(fields[0]);
  if (!subject) return NotAnId("subject", fields[0]);
  const std::optional<UserId> object = ParseUserId(fields[1]);
  if (!object) return NotAnId("object", fields[1]);
  result.subject = *subject;
  result.object = *object;
  if (count == kFieldsMax) {
    result.at_ms = ParseNonNegative(fields[2]);
    if (!result.at_ms) return NotATime("since_ms", fields[2]);
  }
  return Checked(result);
}

std::string TextOf(const Json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::expected<UserId, BadLine> IdOf(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return Bad(fmt::format("{} is missing", name));
  if (!found->is_string() && !found->is_number_integer()) return NotAnId(name, TextOf(*found));
  const std::optional<UserId> user = ParseUserId(TextOf(*found));
  if (!user) return NotAnId(name, TextOf(*found));
  return *user;
}

// A name that is not known may be a known one, mistyped.
std::expected<void, BadLine> CheckMembers(const Json& object) {
  constexpr std::array<std::string_view, 4> kMembers = {"type", "subject", "object", "at"};
  for (const auto& member : object.items()) {
    if (std::ranges::find(kMembers, member.key()) == kMembers.end()) {
      return Bad("unknown member " + Shown(member.key()));
    }
  }
  return {};
}

std::expected<void, BadLine> SetType(const Json& object, ImportLine& line) {
  const auto found = object.find("type");
  if (found == object.end()) return Bad("type is missing");
  const std::string type = TextOf(*found);
  if (type == "remove_fan") {
    line.type = EventType::kUnfollow;
    line.by = AskedBy::kObject;
    return {};
  }
  const std::optional<EventType> known = ParseEventType(type);
  if (!known) return Bad("type is not follow, unfollow or remove_fan: " + Shown(type));
  line.type = *known;
  return {};
}

Parsed ParseJson(std::string_view text) {
  const Json object = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return Bad("not a JSON object");
  constexpr JsonBounds kBounds{.depth_max = 4, .values_max = 64};
  if (const Status checked = CheckJson(text, kBounds); !checked) {
    return Bad("the line " + checked.error().message);
  }
  if (auto members = CheckMembers(object); !members) return Bad(members.error());
  ImportLine line;
  if (auto type = SetType(object, line); !type) return Bad(type.error());
  const auto subject = IdOf(object, "subject");
  if (!subject) return Bad(subject.error());
  const auto followed = IdOf(object, "object");
  if (!followed) return Bad(followed.error());
  line.subject = *subject;
  line.object = *followed;
  if (const auto at = object.find("at"); at != object.end()) {
    if (at->is_number_integer()) line.at_ms = ParseNonNegative(at->dump());
    if (!line.at_ms) return NotATime("at", TextOf(*at));
  }
  return Checked(line);
}

}  // namespace

bool IsSkippedLine(std::string_view line) noexcept {
  const std::string_view text = WithoutLeadingBlanks(line);
  return text.empty() || text.front() == '#';
}

ImportFormat FormatOf(std::string_view line) noexcept {
  return WithoutLeadingBlanks(line).starts_with('{') ? ImportFormat::kJsonl : ImportFormat::kTsv;
}

std::expected<ImportLine, BadLine> ParseImportLine(ImportFormat format, std::string_view line) {
  return format == ImportFormat::kTsv ? ParseTsv(line) : ParseJson(line);
}

}  // namespace fanfold::operations
