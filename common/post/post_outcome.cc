#include "common/post/post_outcome.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "common/base/enum_names.h"
#include "common/base/json_text.h"
#include "common/post/post_fields.h"
#include "common/stream/canonical_scanner.h"
#include "common/stream/event_id.h"
#include "common/stream/outcome_head.h"

namespace fanfold {
namespace {

constexpr Names<PostOutcomeKind, 5> kPostOutcomeKinds = {
    {{PostOutcomeKind::kPosted, "posted"},
     {PostOutcomeKind::kPostDeleted, "post_deleted"},
     {PostOutcomeKind::kUnchanged, "unchanged"},
     {PostOutcomeKind::kParked, "parked"},
     {PostOutcomeKind::kRejected, "rejected"}}};

constexpr Names<PostRejection, 1> kPostRejections = {
    {{PostRejection::kUserDeleted, "user_deleted"}}};

// Nothing before it can hold a quote that is not a member's own.
constexpr std::string_view kContentMember = R"(,"content":)";

using OutcomeRead = std::expected<PostOutcome, Unreadable>;

template <class Reason>
std::optional<Reason> ReadReason(RecordFields& fields,
                                 std::optional<Reason> (*parse)(std::string_view) noexcept) {
  const std::optional<Reason> reason = parse(fields.Text("reason"));
  if (!reason) fields.Refuse(ParkReason::kInvalidField, "reason is not one of this outcome");
  return reason;
}

OutcomeRead ReadParked(RecordFields& fields, PostOutcome outcome) {
  outcome.parked = ReadReason(fields, &ParseParkReason);
  if (!fields.ok()) return fields.Wrong();
  return outcome;
}

OutcomeRead ReadOutcome(RecordFields& fields) {
  PostOutcome outcome;
  outcome.position = fields.PositionOf("position").value_or(Position());
  outcome.event_id = fields.EventId();
  const std::string kind = fields.Text("outcome");
  if (!fields.ok()) return fields.Wrong();
  const std::optional<PostOutcomeKind> known = ParsePostOutcomeKind(kind);
  if (!known) {
    fields.Refuse(ParkReason::kUnknownType, "outcome is not one of the known");
    return fields.Wrong();
  }
  outcome.kind = *known;
  if (outcome.kind == PostOutcomeKind::kParked) return ReadParked(fields, std::move(outcome));
  outcome.author = fields.User("author");
  outcome.post_id = ReadPostId(fields);
  outcome.at_ms = fields.Number("at");
  outcome.score = fields.Number("score");
  outcome.post_type = ReadPostType(fields, "post_type");
  const bool has_content = outcome.kind == PostOutcomeKind::kPosted && fields.Has("content");
  if (has_content) outcome.content = ReadContent(fields);
  if (outcome.kind == PostOutcomeKind::kRejected) {
    outcome.rejected = ReadReason(fields, &ParsePostRejection);
  }
  if (!fields.ok()) return fields.Wrong();
  return outcome;
}

// What nearly every record of the topic is: as this project writes it, and cut. Readers follow all
// of them. Anything else goes the general way, which says what is wrong.
std::optional<PostOutcome> CutFromCanonical(std::string_view value) {
  PostOutcome outcome;
  CanonicalScanner scan(value);
  std::string_view position;
  std::string_view id;
  std::string_view kind;
  std::string_view author;
  std::string_view post_id;
  const bool canonical =
      scan.Literal(R"({"v":1,"position":")") && scan.StringBody(position) &&
      scan.Literal(R"(,"event_id":")") && scan.StringBody(id) && scan.Literal(R"(,"outcome":")") &&
      scan.StringBody(kind) && scan.Literal(R"(,"author":")") && scan.StringBody(author) &&
      scan.Literal(R"(,"post_id":")") && scan.StringBody(post_id) && scan.Literal(R"(,"at":)") &&
      scan.NonNegative(outcome.at_ms) && scan.Literal(R"(,"score":)") &&
      scan.NonNegative(outcome.score) && scan.Literal(R"(,"post_type":)") &&
      scan.NonNegative(outcome.post_type) && scan.Literal("}") && scan.AtEnd();
  if (!canonical || !IsEventId(id) || outcome.post_type > kPostTypeMax) return std::nullopt;
  const std::optional<Position> at = ParsePosition(position);
  const std::optional<PostOutcomeKind> known = ParsePostOutcomeKind(kind);
  const std::optional<UserId> user = ParseUserId(author);
  const std::optional<PostId> post = ParsePostId(post_id);
  const bool has_reason =
      known && (*known == PostOutcomeKind::kParked || *known == PostOutcomeKind::kRejected);
  if (!at || !known || has_reason || !user || !post) return std::nullopt;
  outcome.position = *at;
  outcome.event_id = id;
  outcome.kind = *known;
  outcome.author = *user;
  outcome.post_id = *post;
  return outcome;
}

}  // namespace

std::string_view ToString(PostOutcomeKind kind) noexcept { return NameOf(kPostOutcomeKinds, kind); }
std::optional<PostOutcomeKind> ParsePostOutcomeKind(std::string_view text) noexcept {
  return ValueOf(kPostOutcomeKinds, text);
}
std::string_view ToString(PostRejection reason) noexcept { return NameOf(kPostRejections, reason); }
std::optional<PostRejection> ParsePostRejection(std::string_view text) noexcept {
  return ValueOf(kPostRejections, text);
}

void AppendPostOutcome(std::string& out, const PostOutcome& outcome) {
  auto to = std::back_inserter(out);
  AppendOutcomeHead(out, outcome.position, outcome.event_id, ToString(outcome.kind));
  if (outcome.parked) {
    fmt::format_to(to, R"(,"reason":"{}"}})", ToString(*outcome.parked));
    return;
  }
  fmt::format_to(
      to, FMT_COMPILE(R"(,"author":"{}","post_id":"{}","at":{},"score":{},"post_type":{})"),
      outcome.author.value, outcome.post_id.value, outcome.at_ms, outcome.score, outcome.post_type);
  if (outcome.rejected) fmt::format_to(to, R"(,"reason":"{}")", ToString(*outcome.rejected));
  if (outcome.content) out.append(kContentMember).append(JsonQuoted(*outcome.content));
  out += '}';
}

std::string EncodePostOutcome(const PostOutcome& outcome) {
  std::string out;
  AppendPostOutcome(out, outcome);
  return out;
}

OutcomeRead DecodePostOutcome(std::string_view value) {
  if (std::optional<PostOutcome> canonical = CutFromCanonical(value)) return *std::move(canonical);
  auto fields = RecordFields::Parse(value, kPostCodecVersion);
  if (!fields) return std::unexpected(std::move(fields.error()));
  return ReadOutcome(*fields);
}

OutcomeRead ReadPostOutcomeRecord(std::optional<std::string_view> value, Partition partition,
                                  bool whole) {
  if (!value) return CannotRead(ParkReason::kMalformed, "no value");
  OutcomeRead outcome = DecodePostOutcome(*value);
  if (!outcome) return outcome;
  if (outcome->position.partition != partition) {
    return CannotRead(
        ParkReason::kWrongPartition,
        fmt::format("position {} is of another partition", ToString(outcome->position)),
        outcome->event_id);
  }
  const bool lacks = outcome->kind == PostOutcomeKind::kPosted && !outcome->content;
  if (whole && lacks) {
    return CannotRead(
        ParkReason::kMissingField,
        fmt::format("{} of post-events is not the post it is of", ToString(outcome->position)),
        outcome->event_id);
  }
  return outcome;
}

std::string CutPostOutcome(std::string_view whole) {
  const std::size_t content = whole.find(kContentMember);
  if (content == std::string_view::npos) return std::string(whole);
  return std::string(whole.substr(0, content)) + '}';
}

std::optional<Position> LacksContentOf(std::string_view value) {
  if (value.contains(kContentMember)) return std::nullopt;
  const OutcomeRead outcome = DecodePostOutcome(value);
  const bool lacks = outcome && outcome->kind == PostOutcomeKind::kPosted && !outcome->content;
  return lacks ? std::optional(outcome->position) : std::nullopt;
}

std::string JoinPostOutcome(std::string_view cut, std::string_view event) {
  OutcomeRead outcome = DecodePostOutcome(cut);
  auto post = DecodePostEvent(event);
  const bool fits = outcome && post && post->type == PostEventType::kPost &&
                    outcome->author == post->author && outcome->post_id == post->post_id;
  if (!fits) return std::string(cut);
  outcome->content = std::move(post->content);
  return EncodePostOutcome(*outcome);
}

}  // namespace fanfold
