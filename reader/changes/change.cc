#include "reader/changes/change.h"

#include <fmt/format.h>
#include <utility>
#include <variant>

#include "common/base/check.h"
#include "common/post/post_outcome.h"
#include "common/profile/profile_event.h"
#include "common/relation/codec.h"

namespace fanfold::reader {
namespace {

ChangeType TypeOf(std::string_view name) {
  const auto type = ChangeType::Find(name);
  FANFOLD_CHECK(type.has_value(), name);
  return *type;
}

std::string ReasonMember(std::string_view reason) {
  return fmt::format(R"(,"reason":"{}")", reason);
}

std::optional<Change> ChangeOf(const Outcome& outcome) {
  if (!MovesEdge(outcome) && !outcome.rejected) return std::nullopt;
  Change change{.event = {streams::kRelations, outcome.position},
                .type = TypeOf(ToString(outcome.kind)),
                .user = outcome.subject,
                .other = outcome.object,
                .members = fmt::format(R"(,"subject":"{}","object":"{}")", outcome.subject.value,
                                       outcome.object.value)};
  change.members += outcome.rejected ? ReasonMember(ToString(*outcome.rejected))
                                     : fmt::format(R"(,"since":{})", outcome.since_ms);
  return change;
}

std::optional<Change> ChangeOf(const PostOutcome& outcome) {
  if (!MovesPost(outcome) && !outcome.rejected) return std::nullopt;
  Change change{.event = {streams::kPosts, outcome.position},
                .type = TypeOf(ToString(outcome.kind)),
                .user = outcome.author,
                .other = {},
                .members = fmt::format(R"(,"author":"{}","post_id":"{}")", outcome.author.value,
                                       outcome.post_id.value)};
  if (outcome.kind == PostOutcomeKind::kPosted) {
    change.members += fmt::format(R"(,"score":{},"type":{})", outcome.score, outcome.post_type);
  }
  if (outcome.rejected) change.members += ReasonMember(ToString(*outcome.rejected));
  return change;
}

std::optional<Change> ChangeOf(const ProfileEvent& event, Position position) {
  if (std::holds_alternative<UserRestored>(event.what)) return std::nullopt;
  Change change{.event = {streams::kUsers, position},
                .type = TypeOf("user_deleted"),
                .user = event.user,
                .other = {},
                .members = fmt::format(R"(,"user_id":"{}")", event.user.value)};
  if (const auto* set = std::get_if<ProfileSet>(&event.what)) {
    change.type = TypeOf("profile_changed");
    change.members += R"(,"profile":)";
    AppendProfile(change.members, set->profile);
  }
  return change;
}

template <class Outcome>
std::expected<ReadChange, Unreadable> ReadOutcome(
    const std::expected<Outcome, Unreadable>& outcome) {
  if (!outcome) return std::unexpected(outcome.error());
  return ReadChange{outcome->position, ChangeOf(*outcome)};
}

}  // namespace

std::string Change::Json() const {
  return fmt::format(R"({{"position":"{}"{}{}}})", ToString(event), members,
                     became_friends ? R"(,"became_friends":true)" : "");
}

std::expected<ReadChange, Unreadable> ReadRecord(Stream stream, const LogRecord& record,
                                                 std::int32_t partitions) {
  if (stream == streams::kRelations) {
    return ReadOutcome(ReadOutcomeRecord(record.value, record.partition));
  }
  if (stream == streams::kPosts) {
    return ReadOutcome(ReadPostOutcomeRecord(record.value, record.partition, !kWholeOutcome));
  }
  const Position position{record.partition, record.offset};
  const auto event = ReadProfileRecord(record.key, record.value, record.partition, partitions);
  if (!event) return ReadChange{position, std::nullopt};
  return ReadChange{position, ChangeOf(*event, position)};
}

}  // namespace fanfold::reader
