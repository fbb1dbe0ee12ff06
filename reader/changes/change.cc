#include "reader/changes/change.h"

#include <fmt/format.h>
#include <utility>
#include <variant>

#include "common/base/check.h"
#include "common/post/post_outcome.h"
#include "common/profile/profile_event.h"
#include "common/relation/codec.h"
#include "reader/freshness/expected_outcome.h"

namespace fanfold::reader {
namespace {

ChangeType TypeOf(std::string_view name) {
  const auto type = ChangeType::Find(name);
  FANFOLD_CHECK(type.has_value(), name);
  return *type;
}

std::optional<Change> ChangeOf(const Outcome& outcome) {
  if (!MovesEdge(outcome)) return std::nullopt;
  return Change{
      .event = {streams::kRelations, outcome.position},
      .type = TypeOf(ToString(outcome.kind)),
      .user = outcome.subject,
      .other = outcome.object,
      .members = fmt::format(R"(,"subject":"{}","object":"{}","since":{})", outcome.subject.value,
                             outcome.object.value, outcome.since_ms)};
}

std::optional<Change> ChangeOf(const PostOutcome& outcome) {
  if (!MovesPost(outcome)) return std::nullopt;
  Change change{.event = {streams::kPosts, outcome.position},
                .type = TypeOf(ToString(outcome.kind)),
                .user = outcome.author,
                .other = {},
                .members = fmt::format(R"(,"author":"{}","post_id":"{}")", outcome.author.value,
                                       outcome.post_id.value)};
  if (outcome.kind == PostOutcomeKind::kPosted) {
    change.members += fmt::format(R"(,"score":{},"type":{})", outcome.score, outcome.post_type);
  }
  return change;
}

Change ChangeOf(const ProfileEvent& event, Position position) {
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

// One that cannot be read is passed over, as its lanes do; was it the next, a gap tells.
template <class Outcome>
Result<std::optional<ReadChange>> Judge(const std::expected<Outcome, Unreadable>& outcome,
                                        const LogRecord& record, Offset next) {
  if (!outcome) return std::nullopt;
  const Result<bool> is_next = IsNext(outcome, record, next);
  if (!is_next) return std::unexpected(is_next.error());
  if (!*is_next) return std::nullopt;
  return ReadChange{outcome->position.offset, ChangeOf(*outcome)};
}

// What cannot be read is passed over: its lane parks it.
Result<std::optional<ReadChange>> ReadUserRecord(const LogRecord& record, Offset next,
                                                 std::int32_t partitions) {
  if (record.offset < next) return std::nullopt;
  if (record.offset > next) {
    return Fail(ErrorCode::kOutOfRange,
                fmt::format("record {}:{} where {} is next", record.partition.value,
                            record.offset.value, next.value));
  }
  const auto event = ReadProfileRecord(record.key, record.value, record.partition, partitions);
  if (!event) return ReadChange{record.offset, std::nullopt};
  return ReadChange{record.offset, ChangeOf(*event, {record.partition, record.offset})};
}

}  // namespace

std::string Change::Json() const {
  return fmt::format(R"({{"position":"{}"{}{}}})", ToString(event), members,
                     became_friends ? R"(,"became_friends":true)" : "");
}

Result<std::optional<ReadChange>> ReadRecord(Stream stream, const LogRecord& record, Offset next,
                                             std::int32_t partitions) {
  if (stream == streams::kRelations) {
    return Judge(ReadOutcomeRecord(record.value, record.partition), record, next);
  }
  if (stream == streams::kPosts) {
    return Judge(ReadPostOutcomeRecord(record.value, record.partition, !kWholeOutcome), record,
                 next);
  }
  return ReadUserRecord(record, next, partitions);
}

}  // namespace fanfold::reader
