#include "tests/simulation/clients.h"

#include <algorithm>
#include <string>
#include <utility>

#include "common/base/check.h"
#include "common/feed/feed_event.h"
#include "common/post/post_event.h"
#include "common/profile/profile_event.h"
#include "common/relation/codec.h"
#include "writer/command_policy.h"

namespace fanfold::simulation {
namespace {

constexpr std::size_t kRecentMax = 12;
constexpr std::uint64_t kBatchMax = 5;
constexpr std::uint64_t kWaitMaxMs = 3'000;
constexpr std::uint64_t kIfVersionMax = 30;

}  // namespace

Clients::Clients(Ground& ground) : ground_(ground) {
  const auto appender_of = [&](Topic topic) {
    Result<std::unique_ptr<LogAppender>> appender = ground.adapters->log().NewAppender(topic, {});
    FANFOLD_CHECK(appender.has_value(), "the log in memory gave no appender");
    return *std::move(appender);
  };
  foreign_ = appender_of(topics::kRelationEvents);
  user_events_ = appender_of(topics::kUserEvents);
  post_events_ = appender_of(topics::kPostEvents);
  feed_events_ = appender_of(topics::kFeedEvents);
}

// Low ids more often, so that some users come to their limit and some edges are moved often.
UserId Clients::AnyUser() {
  const UserId user(1 + std::min(ground_.random.Below(kUsers), ground_.random.Below(kUsers)));
  users_.insert(user);
  return user;
}

writer::Command Clients::AnyCommand() {
  SplitMix64& random = ground_.random;
  writer::Command command;
  if (!recent_.empty() && random.Below(3) == 0) {
    command = recent_[random.Below(recent_.size())];
  } else {
    command.subject = AnyUser();
    command.object = AnyUser();
  }
  command.type = random.Below(5) < 3 ? EventType::kFollow : EventType::kUnfollow;
  const bool removes = command.type == EventType::kUnfollow && random.Below(4) == 0;
  command.by = removes ? AskedBy::kObject : AskedBy::kSubject;
  command.at_ms.reset();
  if (random.Below(2) == 0) command.at_ms = static_cast<std::int64_t>(random.Below(kAtMax));
  recent_.push_back(command);
  if (recent_.size() > kRecentMax) recent_.pop_front();
  return command;
}

void Clients::Ask(writer::CommandService& service) {
  if (ground_.random.Below(6) == 0) return SubmitBatch(service);
  if (!to_ask_again_.empty() && ground_.random.Below(2) == 0) {
    const writer::Command command = to_ask_again_.front();
    to_ask_again_.pop_front();
    return Submit(service, command);
  }
  Submit(service, AnyCommand());
}

void Clients::Submit(writer::CommandService& service, const writer::Command& command) {
  ground_.trace.Say(
      "ask", {static_cast<int>(command.type), static_cast<std::int64_t>(command.subject.value),
              static_cast<std::int64_t>(command.object.value)});
  std::optional<std::int64_t> wait_ms;
  if (ground_.random.Below(2) == 0) {
    wait_ms = static_cast<std::int64_t>(ground_.random.Below(kWaitMaxMs));
  }
  service.Submit(command, wait_ms,
                 [this, command](const writer::Answer& answer) { Answered(command, answer); });
}

void Clients::SubmitBatch(writer::CommandService& service) {
  std::vector<writer::Command> commands;
  for (std::uint64_t i = 1 + ground_.random.Below(kBatchMax); i > 0; --i) {
    commands.push_back(AnyCommand());
  }
  ground_.trace.Say("ask for a batch", {std::ssize(commands)});
  std::vector<writer::ParsedCommand> parsed(commands.begin(), commands.end());
  service.SubmitBatch(std::move(parsed), [this, commands](std::vector<writer::Answer> answers) {
    for (std::size_t i = 0; i < commands.size(); ++i) Answered(commands[i], answers[i]);
  });
}

void Clients::Answered(const writer::Command& command, const writer::Answer& answer) {
  if (answer) {
    ground_.trace.Say(
        "taken", {answer->logged.position.partition.value, answer->logged.position.offset.value});
    taken_.push_back({command, answer->logged, answer->outcome});
    return;
  }
  const writer::Refusal& refusal = answer.error();
  const bool self = command.subject == command.object;
  if (self != (refusal.code == writer::RefusalCode::kSelfFollow)) {
    ground_.oracle.Complain("a self-follow was not refused as one");
  }
  if (refusal.logged) {
    taken_.push_back({command, *refusal.logged, OutcomeKind::kRejected});
  } else if (!self && ground_.random.Below(2) == 0) {
    to_ask_again_.push_back(command);
  }
}

Event Clients::AnyForeignEvent() {
  const writer::Command command = AnyCommand();
  Event event;
  event.type = command.type;
  event.subject = command.subject;
  event.object = ground_.random.Below(4) == 0 ? command.subject : command.object;
  event.at_ms = static_cast<std::int64_t>(ground_.random.Below(kAtMax));
  event.if_version = Version(static_cast<std::int64_t>(ground_.random.Below(kIfVersionMax)));
  return event;
}

void Clients::Put(Partition partition, std::string_view key, std::string_view value) {
  ground_.trace.Say("foreign record", {partition.value});
  foreign_->Append(partition, key, value, [](const Result<Position>&) {});
}

void Clients::PutUserEvent() {
  const auto kind = ground_.random.Below(7);
  ground_.trace.Say("user event", {static_cast<std::int64_t>(kind)});
  if (kind == 0) return PutDeletion();
  const UserId user = AnyUser();
  if (kind == 6) return PutOf(user, EncodeProfileEvent({"", user, 0, UserRestored()}));
  const ProfileEvent event{"", user, 0,
                           ProfileSet{Profile{std::to_string(ground_.random.Below(kAtMax))}}};
  PutOf(user, kind == 1 ? "garbage" : EncodeProfileEvent(event));
}

void Clients::PutDeletion() {
  const UserId user = AnyUser();
  UserDeleted deleted;
  deleted.stays = ground_.random.Below(2) == 0;
  for (const Stream stream : kErasedStreams) {
    for (std::int32_t number = 0; number < kPartitions; ++number) {
      const auto bounds = ground_.adapters->log().Bounds(stream.events(), Partition(number));
      deleted.ends[stream].push_back(bounds->end);
    }
  }
  PutOf(user, EncodeProfileEvent({"", user, 0, deleted}));
}

void Clients::PutOf(UserId user, const std::string& value) {
  user_events_->Append(ground_.placement.PartitionOf(user), ToString(user), value,
                       [](const Result<Position>&) {});
}

void Clients::PutPostEvent() {
  SplitMix64& random = ground_.random;
  const auto kind = random.Below(6);
  PostEvent event;
  event.author = AnyUser();
  event.post_id = PostId(1 + random.Below(kPostsMax));
  event.at_ms = static_cast<std::int64_t>(random.Below(kAtMax));
  if (kind < 2) event.type = PostEventType::kDeletePost;
  if (kind >= 2) event.content = std::to_string(random.Below(kAtMax));
  ground_.trace.Say("post event", {static_cast<std::int64_t>(kind)});
  const Partition home = ground_.placement.PartitionOf(event.author);
  post_events_->Append(kind == 5 ? Partition((home.value + 1) % kPartitions) : home,
                       ToString(event.author), kind == 4 ? "garbage" : EncodePostEvent(event),
                       [](const Result<Position>&) {});
}

// Few ids, so that some are used again and some are forgotten before they come.
void Clients::PutFeedEvent() {
  SplitMix64& random = ground_.random;
  const auto kind = random.Below(8);
  FeedEvent event;
  event.owner = AnyUser();
  event.at_ms = static_cast<std::int64_t>(random.Below(kAtMax));
  if (kind == 1) event.type = FeedEventType::kForget;
  if (kind == 1) event.shown_id = ShownId(random.Below(kShownMax));
  if (kind > 1) {
    event.type = FeedEventType::kShown;
    event.shown_id = ShownId(1 + random.Below(kShownMax));
    event.author = AnyUser();
    event.post_id = PostId(1 + random.Below(kPostsMax));
  }
  ground_.trace.Say("feed event", {static_cast<std::int64_t>(kind)});
  feed_events_->Append(ground_.placement.PartitionOf(event.owner), ToString(event.owner),
                       kind == 7 ? "garbage" : EncodeFeedEvent(event),
                       [](const Result<Position>&) {});
}

void Clients::PutForeign() {
  const Event event = AnyForeignEvent();
  const Partition home = ground_.placement.PartitionOf(event.subject);
  const std::string key = ToString(event.subject);
  switch (ground_.random.Below(5)) {
    case 0:
      return Put(home, key, "{\"v\":1,\"type\":\"follow\"");
    case 1:
      return Put(home, "somebody", EncodeEvent(event));
    case 2:
      return Put(Partition((home.value + 1) % kPartitions), key, EncodeEvent(event));
    default:
      return Put(home, key, EncodeEvent(event));
  }
}

}  // namespace fanfold::simulation
