#include "reader/parameters.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "common/base/json_text.h"
#include "common/stream/no_id.h"

namespace fanfold::reader {
namespace {

using Json = nlohmann::json;
namespace problems = http::problems;

constexpr std::int64_t kGenerationMax = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kBodyDepthMax = 2;  // an object with a list
constexpr std::string_view kMinPositionHeader = "Fanfold-Min-Position";

// An id in a body: a decimal string or a JSON integer.
std::optional<UserId> UserOf(const Json& value) {
  if (value.is_string()) return ParseUserId(value.get_ref<const std::string&>());
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    return number >= 1 && number <= kUserIdMax ? std::optional(UserId(number)) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Parameters::Parameters(const http::Routed& routed, std::initializer_list<std::string_view> known)
    : routed_(routed), refusal_(routed.query.RefuseUnknown(known)) {}

UserId Parameters::PathUser() {
  return Required(ParseUserId(routed_.path.at(0)), "the user in the path");
}

UserId Parameters::PathOther() {
  return Required(ParseUserId(routed_.path.at(1)), "the other user in the path");
}

UserId Parameters::User(std::string_view name) {
  return Required(ParseUserId(Present(name)), name);
}

std::optional<UserId> Parameters::OptionalUser(std::string_view name) {
  const std::optional<std::string_view> text = routed_.query.Get(name);
  if (!text) return std::nullopt;
  return Required(ParseUserId(*text), name);
}

std::vector<UserId> Parameters::Users(std::string_view name, std::size_t users_max) {
  std::vector<UserId> users;
  std::string_view rest = Present(name);
  const auto commas = static_cast<std::size_t>(std::ranges::count(rest, ','));
  users.reserve(std::min(commas, users_max) + 1);
  for (bool more = true; more && !refusal_;) {
    const std::size_t comma = rest.find(',');
    users.push_back(Required(ParseUserId(rest.substr(0, comma)), name));
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
    if (users.size() > users_max) Refuse(fmt::format("{} takes at most {} ids", name, users_max));
  }
  return users;
}

std::vector<UserId> Parameters::BodyUsers(std::size_t users_max) {
  const std::string_view text = routed_.request.body;
  const Status checked = CheckJson(text, {.depth_max = kBodyDepthMax, .values_max = users_max + 2});
  if (!checked) Refuse("the body " + checked.error().message);
  if (refusal_) return {};
  const Json body = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto to = body.is_object() ? body.find("to") : body.end();
  if (!body.is_object() || to == body.end() || !to->is_array()) {
    Refuse(R"(the body must be a JSON object {"to":[ids]})");
    return {};
  }
  if (to->empty() || to->size() > users_max) {
    Refuse(fmt::format("to takes 1 … {} ids", users_max));
    return {};
  }
  std::vector<UserId> users;
  users.reserve(to->size());
  for (const Json& value : *to) users.push_back(Required(UserOf(value), "one of to"));
  return users;
}

std::size_t Parameters::Limit() {
  return static_cast<std::size_t>(Number("limit", 1, kListLimitMax, kListLimitDefault));
}

std::optional<Cursor> Parameters::After() { return CursorBy(DecodeCursor); }

PageStart Parameters::StartWithOffset() {
  const PageStart start{.after = After(), .offset = Number("offset", 0, kListOffsetMax, 0)};
  if (start.after && start.offset != 0) Refuse("cursor and offset exclude each other");
  return start;
}

void Parameters::Expand(const Expansions& expansions) {
  const std::optional<std::string_view> text = routed_.query.Get("expand");
  if (!text) return;
  const auto found = expansions.find(*text);
  if (found != expansions.end()) return void(expansion_ = found->second);
  std::string known;
  for (const auto& [name, expansion] : expansions) known.append(known.empty() ? "" : ", ") += name;
  Refuse(fmt::format("expand takes {}", known.empty() ? "nothing here" : known));
}

ParsedRead Parameters::Finish(ReadQuery query) {
  ReadRequest request{.query = std::move(query), .expansion = expansion_};
  AddPositions("min_position", routed_.query.Get("min_position"), request.min_position);
  AddPositions(kMinPositionHeader, routed_.request.HeaderValue(kMinPositionHeader),
               request.min_position);
  if (routed_.query.Get("generation")) {
    request.generation =
        Generation(static_cast<std::int32_t>(Number("generation", 1, kGenerationMax, 1)));
  }
  request.timeout_ms = Number("timeout_ms", 0, kPositionTimeoutMaxMs, kPositionTimeoutDefaultMs);
  if (refusal_) return std::unexpected(*std::move(refusal_));
  return request;
}

bool Parameters::Word(std::string_view name, std::string_view word) {
  const std::optional<std::string_view> text = routed_.query.Get(name);
  if (text && *text != word) Refuse(fmt::format("{} takes {}", name, word));
  return text.has_value();
}

void Parameters::RefuseCursor(std::string_view name) {
  Refuse(fmt::format("{} is not one that an answer gave", name), problems::kInvalidCursor);
}

void Parameters::Refuse(std::string_view detail, const http::ProblemKind& kind) {
  if (!refusal_) refusal_ = http::Problem(kind, detail);
}

std::string_view Parameters::Present(std::string_view name) {
  const std::optional<std::string_view> text = routed_.query.Get(name);
  if (!text) Refuse(fmt::format("{} is missing", name));
  return text.value_or("");
}

UserId Parameters::Required(std::optional<UserId> user, std::string_view name) {
  if (!user) Refuse(NoId(name));
  return user.value_or(UserId());
}

std::int64_t Parameters::Number(std::string_view name, std::int64_t lowest, std::int64_t highest,
                                std::int64_t otherwise) {
  const std::optional<std::string_view> text = routed_.query.Get(name);
  if (!text) return otherwise;
  const std::optional<std::int64_t> number = ParseNonNegative(*text);
  if (number && *number >= lowest && *number <= highest) return *number;
  Refuse(fmt::format("{} must be {} … {}", name, lowest, highest));
  return otherwise;
}

void Parameters::AddPositions(std::string_view name, std::optional<std::string_view> text,
                              std::vector<StreamPosition>& to) {
  if (!text) return;
  const std::optional<std::vector<StreamPosition>> positions = ParsePositions(*text);
  if (!positions) {
    Refuse(
        fmt::format("{} is PARTITION:OFFSET, or STREAM/PARTITION:OFFSET for another stream than "
                    "relation-events; several are joined with commas",
                    name));
    return;
  }
  to.insert(to.end(), positions->begin(), positions->end());
}

}  // namespace fanfold::reader
