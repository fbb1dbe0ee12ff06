#include "operations/log/import_line.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/base/trimmed.h"
#include "common/relation/edge.h"
#include "common/stream/no_id.h"
#include "operations/log/json_line.h"

namespace fanfold::operations {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kFieldsMin = 2;
constexpr std::size_t kFieldsMax = 3;

std::unexpected<BadLine> Bad(std::string why) { return std::unexpected(std::move(why)); }

// A value from the file as a message may show it.
std::string Shown(std::string_view text) {
  constexpr std::size_t kShownBytesMax = 40;
  std::string shown;
  for (const char c : text.substr(0, kShownBytesMax)) shown += c >= 0x20 && c < 0x7f ? c : '?';
  return shown + (text.size() > kShownBytesMax ? "…" : "");
}

ParsedLine Checked(const ImportLine& line) {
  if (RefuseAtOnce(line.subject, line.object)) return Bad("subject and object are the same user");
  return line;
}

// A follow of texts; `since`: empty where there is none.
ParsedLine FollowOf(std::string_view subject, std::string_view object, std::string_view since,
                    TimeUnit unit) {
  ImportLine line;
  const std::optional<UserId> follower = ParseUserId(subject);
  if (!follower) return Bad(NotAnId("subject", subject));
  const std::optional<UserId> followed = ParseUserId(object);
  if (!followed) return Bad(NotAnId("object", object));
  line.subject = *follower;
  line.object = *followed;
  if (!since.empty()) {
    line.at_ms = ParseTimeIn(unit, since);
    if (!line.at_ms) return Bad(NotATime("since", unit, since));
  }
  return Checked(line);
}

// A name that is not known may be a known one, mistyped.
std::expected<void, BadLine> CheckMembers(const Json& object) {
  constexpr std::array<std::string_view, 4> kMembers = {"type", "subject", "object", "at"};
  for (const auto& member : object.items()) {
    if (std::ranges::find(kMembers, member.key()) == kMembers.end()) {
      const bool is_of_posts = member.key() == "author" || member.key() == "post_id";
      return Bad("unknown member " + Shown(member.key()) +
                 (is_of_posts ? "; a file of posts? --posts" : ""));
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

}  // namespace

ParsedLine ParseJsonLine(std::string_view text, TimeUnit unit) {
  const std::expected<Json, BadLine> parsed = ParseJsonObject<Json>(text);
  if (!parsed) return Bad(parsed.error());
  const Json& object = *parsed;
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
    line.at_ms = TimeOf(*at, unit);
    if (!line.at_ms) return Bad(NotATime("at", unit, TextOf(*at)));
  }
  return Checked(line);
}

bool IsSkippedLine(std::string_view line) noexcept {
  const std::string_view text = TrimmedLeft(line);
  return text.empty() || text.front() == '#';
}

ImportFormat FormatOf(std::string_view line) noexcept {
  if (TrimmedLeft(line).starts_with('{')) return ImportFormat::kJsonl;
  const bool is_csv = line.find_first_of(",;") != std::string_view::npos;
  return is_csv ? ImportFormat::kCsv : ImportFormat::kTsv;
}

ParsedLine ParseTsvLine(std::string_view line, TimeUnit unit) {
  std::array<std::string_view, kFieldsMax> fields;
  std::size_t count = 0;
  for (std::string_view rest = TrimmedLeft(line); !rest.empty(); rest = TrimmedLeft(rest)) {
    if (count == kFieldsMax) return Bad("more than three fields");
    // A time of ISO 8601 may have a blank in it.
    const bool is_rest = count == kFieldsMin && unit == TimeUnit::kIso8601;
    const std::size_t end =
        is_rest ? TrimmedRight(rest).size() : std::min(rest.find_first_of(kBlanks), rest.size());
    fields[count++] = Unquoted(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  if (count < kFieldsMin) return Bad("fewer than two fields");
  if (count == kFieldsMax && fields[2].empty()) return Bad(NotATime("since", unit, fields[2]));
  return FollowOf(fields[0], fields[1], fields[2], unit);
}

ParsedLine ParseCsvFields(const std::vector<std::string>& fields, const CsvPlaces& places,
                          TimeUnit unit) {
  const std::size_t last =
      std::max({places.subject, places.object, places.since.value_or(places.object)});
  if (last >= fields.size()) {
    return Bad(fmt::format("has {} fields, column {} is wanted", fields.size(), last + 1));
  }
  return FollowOf(fields[places.subject], fields[places.object],
                  places.since ? std::string_view(fields[*places.since]) : std::string_view(),
                  unit);
}

BadLine NotAnId(std::string_view name, std::string_view text) { return NoId(name, Shown(text)); }

BadLine NotATime(std::string_view name, TimeUnit unit, std::string_view text) {
  return fmt::format("{} is not {}: {}", name, TimeWanted(unit), Shown(text));
}

}  // namespace fanfold::operations
