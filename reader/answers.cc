#include "reader/answers.h"

#include <charconv>
#include <concepts>
#include <cstring>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <utility>

#include "common/base/json_text.h"
#include "common/stream/position.h"

namespace fanfold::reader {
namespace {

// A rough size of one entry, so that a body is allocated once.
constexpr std::size_t kItemBytes = 80;

// Writes into memory that is known to be large enough.
class Pen {
 public:
  explicit Pen(char* at) : at_(at) {}

  template <std::size_t size>
  void Put(const char (&literal)[size]) {
    std::memcpy(at_, literal, size - 1);
    at_ += size - 1;
  }
  void Put(std::string_view text) {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  template <std::integral Integer>
  void PutNumber(Integer number) {
    at_ = std::to_chars(at_, at_ + kNumberBytesMax, number).ptr;
  }
  [[nodiscard]] char* at() const { return at_; }

  static constexpr std::size_t kNumberBytesMax = 20;

 private:
  char* at_;
};

// What write(pen) puts down, at most bytes_max.
template <class Write>
std::string Written(std::size_t bytes_max, const Write& write) {
  std::string text;
  text.resize_and_overwrite(bytes_max, [&](char* begin, std::size_t) {
    Pen pen(begin);
    write(pen);
    return static_cast<std::size_t>(pen.at() - begin);
  });
  return text;
}

// The end of an entry that tells a relation.
std::string_view RelationEnd(Relation relation) {
  switch (relation) {
    case Relation::kNone:
      return R"(,"relation":"none"})";
    case Relation::kFollowing:
      return R"(,"relation":"following"})";
    case Relation::kFollowedBy:
      return R"(,"relation":"followed_by"})";
    case Relation::kFriend:
      return R"(,"relation":"friend"})";
    case Relation::kSelf:
      return R"(,"relation":"self"})";
  }
  return R"(,"relation":"none"})";
}

constexpr std::size_t kListFrameBytesMax = 128;  // what stands around the entries
constexpr std::size_t kListedBytesMax = 96;      // one entry: two numbers, a relation, the words

// Calls add(i) for each of n, with commas between.
template <class Add>
void Joined(std::string& json, std::size_t n, Add add) {
  for (std::size_t i = 0; i < n; ++i) {
    if (i != 0) json += ',';
    add(i);
  }
}

// What stands between a user's id and what comes next.
void AddMembers(Members members, std::size_t i, std::string& json) {
  if (members.empty()) return;
  json += ',';
  json += members[i];
}

void AddCounts(std::span<const UserCounts> counts, std::size_t i, Members members,
               std::string& json) {
  const auto out = std::back_inserter(json);
  fmt::format_to(out, FMT_COMPILE(R"({{"user_id":"{}")"), counts[i].user.value);
  AddMembers(members, i, json);
  fmt::format_to(out, FMT_COMPILE(R"(,"following":{},"fans":{},"friends":{}}})"),
                 counts[i].following, counts[i].fans, counts[i].friends);
}

void AddSuggestion(std::span<const Suggestion> suggestions, std::size_t at, Members members,
                   std::string& json) {
  const Suggestion& suggestion = suggestions[at];
  const auto out = std::back_inserter(json);
  fmt::format_to(out, FMT_COMPILE(R"({{"user_id":"{}")"), suggestion.user.value);
  AddMembers(members, at, json);
  fmt::format_to(out, FMT_COMPILE(R"(,"score":{},"via":[)"), suggestion.score);
  Joined(json, suggestion.via.size(), [&](std::size_t i) {
    fmt::format_to(out, FMT_COMPILE(R"("{}")"), suggestion.via[i].value);
  });
  json += "]}";
}

void AddLane(const ReportedLane& report, std::string& json) {
  const LaneStatus& status = report.status;
  const Offset applied = status.progress.event_offset;
  const Position last{status.lane.partition, Offset(applied.value - 1)};
  const std::string position = applied > Offset(0) ? '"' + ToString(last) + '"' : "null";
  fmt::format_to(
      std::back_inserter(json),
      R"({{"partition":{},"shard":{},"position":{},"end":{},"lag_events":{},"lag_ms":{},)"
      R"("state":"{}","reason":{},"owner":{},"role":"{}"}})",
      status.lane.partition.value, report.shard.value, position, report.end.value,
      report.lag.events, report.lag.ms, ToString(status.state), JsonQuoted(status.state_reason),
      JsonQuoted(status.owner), RoleText(status.deciding));
}

void AddProjection(const ProjectionReport& report, std::string& json) {
  fmt::format_to(std::back_inserter(json),
                 R"({{"projection":"{}","generation":{},"read":{},"state":"{}","lag_events":{},)"
                 R"("lag_ms":{},"positions":"{}","lanes":[)",
                 ToString(report.projection), report.generation.value, report.read, report.state,
                 report.lag.events, report.lag.ms, report.positions);
  Joined(json, report.lanes.size(), [&](std::size_t i) { AddLane(report.lanes[i], json); });
  json += "]}";
}

}  // namespace

std::string ToJson(const ListAnswer& answer, Members members) {
  const std::string cursor = answer.next ? '"' + EncodeCursor(*answer.next) + '"' : "null";
  std::size_t bytes_max =
      kListFrameBytesMax + cursor.size() + answer.items.size() * kListedBytesMax;
  for (const std::string& each : members) bytes_max += each.size();
  return Written(bytes_max, [&](Pen& pen) {
    pen.Put(R"({"items":[)");
    for (std::size_t i = 0; i < answer.items.size(); ++i) {
      if (i != 0) pen.Put(",");
      pen.Put(R"({"user_id":")");
      pen.PutNumber(answer.items[i].user.value);
      if (!members.empty()) {
        pen.Put(R"(",)");
        pen.Put(std::string_view(members[i]));
        pen.Put(R"(,"since":)");
      } else {
        pen.Put(R"(","since":)");
      }
      pen.PutNumber(answer.items[i].since_ms);
      pen.Put(answer.relations.empty() ? std::string_view("}") : RelationEnd(answer.relations[i]));
    }
    pen.Put(R"(],"next_cursor":)");
    pen.Put(std::string_view(cursor));
    pen.Put("}");
  });
}

std::string ToJson(const UserCounts& counts, Members members) {
  std::string json;
  AddCounts(std::span(&counts, 1), 0, members, json);
  return json;
}

std::string ToJson(std::span<const UserCounts> counts, Members members) {
  std::string json = R"({"items":[)";
  json.reserve((counts.size() + 1) * kItemBytes);
  Joined(json, counts.size(), [&](std::size_t i) { AddCounts(counts, i, members, json); });
  json += "]}";
  return json;
}

std::string ToJsonOfOne(const RelationsAnswer& answer) {
  return fmt::format(R"({{"user_id":"{}"{})", answer.targets.at(0).value,
                     RelationEnd(answer.relations.at(0)));
}

std::string ToJson(const RelationsAnswer& answer) {
  const std::size_t bytes_max = kListFrameBytesMax + answer.targets.size() * kListedBytesMax;
  return Written(bytes_max, [&](Pen& pen) {
    pen.Put(R"({"user_id":")");
    pen.PutNumber(answer.user.value);
    pen.Put(R"(","items":[)");
    for (std::size_t i = 0; i < answer.targets.size(); ++i) {
      if (i != 0) pen.Put(",");
      pen.Put(R"({"user_id":")");
      pen.PutNumber(answer.targets[i].value);
      pen.Put("\"");
      pen.Put(RelationEnd(answer.relations[i]));
    }
    pen.Put("]}");
  });
}

std::string ToJson(std::span<const Suggestion> suggestions, Members members) {
  std::string json = R"({"items":[)";
  json.reserve((suggestions.size() + 1) * kItemBytes);
  Joined(json, suggestions.size(),
         [&](std::size_t i) { AddSuggestion(suggestions, i, members, json); });
  json += "]}";
  return json;
}

std::string ToNdjson(std::span<const ListedUser> listed) {
  std::string lines;
  lines.reserve(listed.size() * kItemBytes);
  const auto out = std::back_inserter(lines);
  for (const ListedUser& entry : listed) {
    fmt::format_to(out, FMT_COMPILE("{{\"user_id\":\"{}\",\"since\":{}}}\n"), entry.user.value,
                   entry.since_ms);
  }
  return lines;
}

std::string ToJson(std::span<const ProjectionReport> projections) {
  std::string json = R"({"projections":[)";
  Joined(json, projections.size(), [&](std::size_t i) { AddProjection(projections[i], json); });
  json += "]}";
  return json;
}

http::ProblemKind ProblemOf(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kOverloaded:
      return http::problems::kOverloaded;
    case ErrorCode::kConflict:
    case ErrorCode::kUnavailable:
    case ErrorCode::kUnknown:
    case ErrorCode::kTimeout:
    case ErrorCode::kRefused:
      return kStoreUnavailable;
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound:
    case ErrorCode::kOutOfRange:
    case ErrorCode::kFenced:
    case ErrorCode::kInternal:
      return http::problems::kInternal;
  }
  return http::problems::kInternal;
}

bool MayBeTold(const Error& why) noexcept { return why.code == ErrorCode::kOverloaded; }

http::Response ReadFailed(const Error& why) {
  constexpr std::string_view kUntold = "the read failed; the process logs why";
  return http::Problem(ProblemOf(why.code),
                       MayBeTold(why) ? std::string_view(why.message) : kUntold);
}

http::Response WithLag(http::Response response, Lag lag) {
  response.headers.emplace_back("Fanfold-Lag-Ms", std::to_string(lag.ms));
  return response;
}

http::Response Ok(std::string body) {
  http::Response response;
  response.body = std::move(body);
  return response;
}

}  // namespace fanfold::reader
