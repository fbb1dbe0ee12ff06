// The last act of every second seed: another log stands in the place of the deployment's. Tables
// and log stay as they are, to the byte, whoever is on.
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/post/post_event.h"
#include "common/post/post_outcome.h"
#include "common/profile/profile_event.h"
#include "common/relation/codec.h"
#include "tests/simulation/simulation.h"
#include "tests/simulation/verdict.h"

namespace fanfold::simulation {
namespace {

constexpr int kRounds = 4;
constexpr int kErasedUsers = 3;
// In which nobody looks: longer than any proof holds, or than lanes are not taken again.
constexpr std::int64_t kPausesMs[] = {projector::Eraser::kProvedMs + 1,
                                      projector::ShardWorker::kStandstillMs + 1};
static_assert(projector::Eraser::kProvedMs > projector::ShardWorker::kGapMs);

using testing::MemoryLog;
using testing::MemoryRecord;

// A partition of a stream's topics.
struct Records {
  std::vector<MemoryRecord> events;
  std::vector<MemoryRecord> outcomes;
};

void AddRelation(const std::string& id, UserId user, Position position, Records& records) {
  Event event;
  event.event_id = id;
  event.type = EventType::kFollow;
  event.subject = user;
  event.object = UserId(2'000 + static_cast<std::uint64_t>(position.offset.value));
  event.at_ms = 1;
  records.events.push_back({ToString(user), EncodeEvent(event)});
  records.outcomes.push_back({ToString(user), EncodeOutcome({.kind = OutcomeKind::kFollowed,
                                                             .position = position,
                                                             .event_id = id,
                                                             .subject = event.subject,
                                                             .object = event.object,
                                                             .at_ms = event.at_ms,
                                                             .since_ms = event.at_ms,
                                                             .rejected = std::nullopt,
                                                             .parked = std::nullopt,
                                                             .trace = {}})});
}

void AddProfile(const std::string& id, UserId user, Position /*position*/, Records& records) {
  const ProfileSet set{Profile{.name = "somebody else"}};
  records.events.push_back({ToString(user), EncodeProfileEvent({id, user, 1, set})});
}

void AddPost(const std::string& id, UserId user, Position position, Records& records) {
  const PostId post(1 + static_cast<std::uint64_t>(position.offset.value));
  const PostEvent event{.event_id = id, .author = user, .post_id = post, .at_ms = 1};
  const PostOutcome outcome{.kind = PostOutcomeKind::kPosted,
                            .position = position,
                            .event_id = id,
                            .author = user,
                            .post_id = post,
                            .at_ms = 1,
                            .score = 1,
                            .content = std::nullopt,
                            .parked = std::nullopt};
  records.events.push_back({ToString(user), EncodePostEvent(event)});
  records.outcomes.push_back({ToString(user), EncodePostOutcome(outcome)});
}

// Records as somebody else's deployment would have them, dense and well-formed.
struct ForeignStream {
  Stream stream;
  void (*add)(const std::string& id, UserId user, Position position, Records& records);
};
constexpr ForeignStream kForeign[] = {{streams::kRelations, &AddRelation},
                                      {streams::kUsers, &AddProfile},
                                      {streams::kPosts, &AddPost}};

Records ForeignRecords(const ForeignStream& foreign, const Placement& placement,
                       Partition partition, std::size_t count) {
  UserId user(1'000);
  while (placement.PartitionOf(user) != partition) user = UserId(user.value + 1);
  Records records;
  for (std::size_t i = 0; i < count; ++i) {
    const Position position{partition, Offset(static_cast<std::int64_t>(i))};
    foreign.add(fmt::format("foreign-{}-{}", partition.value, i), user, position, records);
  }
  return records;
}

using StreamPartition = std::pair<Stream, Partition>;

// Of which a lane has read nothing yet: it knows nothing that it could compare.
std::set<StreamPartition> UnreadPartitions(Ground& ground) {
  std::set<StreamPartition> unread;
  for (std::int32_t shard = 0; shard < ground.placement.shards(); ++shard) {
    const auto lanes = ground.adapters->NewReader(Shard(shard))->Lanes();
    FANFOLD_CHECK(lanes.has_value(), "the tables in memory are not read");
    for (const LaneStatus& lane : *lanes) {
      if (lane.progress.next_offset > Offset(0)) continue;
      unread.insert({lane.lane.stream, lane.lane.partition});
    }
  }
  return unread;
}

void Replace(Ground& ground, std::uint64_t kind, bool relations_alone) {
  MemoryLog& log = ground.adapters->log();
  const std::set<StreamPartition> unread = UnreadPartitions(ground);
  for (const ForeignStream& foreign : kForeign) {
    if (relations_alone && foreign.stream != streams::kRelations) continue;
    const Topic applied = foreign.stream.applied();
    const bool has_outcomes = applied.of_outcomes();
    for (std::int32_t number = 0; number < kPartitions; ++number) {
      auto& events = log.Records(foreign.stream.events(), Partition(number));
      auto& outcomes = log.Records(applied, Partition(number));
      if (events.empty() || unread.contains({foreign.stream, Partition(number)})) continue;
      const std::size_t cut = events.size() / 2;
      if (kind == 0) {
        outcomes.resize(cut);
        events.resize(cut);
        continue;
      }
      const std::size_t sizes[] = {cut, events.size(),
                                   std::max(events.size(), outcomes.size()) + 3};
      Records records =
          ForeignRecords(foreign, ground.placement, Partition(number), sizes[kind - 1]);
      events = std::move(records.events);
      if (has_outcomes) outcomes = std::move(records.outcomes);
    }
  }
}

std::uint64_t DigestOfLog(MemoryLog& log) {
  Trace digest(nullptr);
  for (const Topic topic : Topic::All()) {
    for (std::int32_t number = 0; number < kPartitions; ++number) {
      for (const MemoryRecord& record : log.Records(topic, Partition(number))) {
        digest.Say(record.key.value_or(""));
        digest.Say(record.value.value_or(""));
      }
    }
  }
  return digest.digest();
}

}  // namespace

// Accounts whose end is under way when the log is swapped.
void Simulation::BeginErasures() {
  for (int i = 0; i < kErasedUsers; ++i) clients_.PutDeletion();
  ground_.transit.DrainAll();
  for (int i = 0; i < kErasedUsers; ++i) profiles_.StepAll();
}

void Simulation::Swap() {
  if (!ground_.operated) BeginErasures();
  MemoryLog& log = ground_.adapters->log();
  const std::uint64_t kind = ground_.random.Below(4);
  const bool relations_alone = ground_.random.Below(2) == 0;
  ground_.trace.Say("another log",
                    {static_cast<std::int64_t>(kind), static_cast<std::int64_t>(relations_alone)});
  Replace(ground_, kind, relations_alone);
  ground_.swapped = true;
  const std::uint64_t tables = DigestOfTables(ground_);
  const std::uint64_t records = DigestOfLog(log);
  const std::int64_t pause_ms = kPausesMs[ground_.random.Below(std::size(kPausesMs))];
  for (int round = 0; round < kRounds; ++round) {
    ground_.clock.SleepMs(pause_ms);
    SettleRound();
    if (ground_.operated) StepAudit();
  }
  if (DigestOfTables(ground_) != tables) {
    ground_.oracle.Complain(fmt::format("tables were written from another log ({})", kind));
  } else if (DigestOfLog(log) != records) {
    ground_.oracle.Complain(fmt::format("another log was written to ({})", kind));
  }
}

}  // namespace fanfold::simulation
