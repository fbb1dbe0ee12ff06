#include "tests/simulation/verdict.h"

#include <algorithm>
#include <expected>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/ports/feed_kind.h"
#include "common/ports/post_kind.h"
#include "common/ports/profile_reader.h"
#include "common/relation/codec.h"
#include "tests/simulation/processes.h"
#include "tests/simulation/read_check.h"

namespace fanfold::simulation {
namespace {

constexpr std::size_t kSaidMax = 10'000;

struct LoggedEvent {
  std::string key;
  std::expected<Event, Unreadable> read;

  [[nodiscard]] const std::string& id() const {
    return read ? read->event_id : read.error().event_id;
  }
};
using Events = std::vector<std::vector<LoggedEvent>>;  // by partition, offset

Events ReadEvents(Ground& ground) {
  Events events(kPartitions);
  const auto reader = ground.adapters->log().NewReader(topics::kRelationEvents);
  FANFOLD_CHECK(reader.has_value(), "the log in memory gave no reader");
  for (std::int32_t partition = 0; partition < kPartitions; ++partition) {
    const Status started = (*reader)->Start(Partition(partition), Offset(0));
    FANFOLD_CHECK(started.has_value(), "the log in memory is not read");
  }
  const Result<LogBatch> batch = (*reader)->Poll(kSaidMax, 0);
  FANFOLD_CHECK(batch.has_value(), "the log in memory is not read");
  for (const LogRecord& record : batch->records) {
    events[static_cast<std::size_t>(record.partition.value)].push_back(
        {std::string(record.key.value_or("")),
         ReadEventRecord(record.key, record.value, record.partition, kPartitions)});
  }
  return events;
}

// Every event has its outcome in the topic, of its id and under its key. That they stand in order,
// and a copy is a copy, the ledger has seen.
void CheckOutcomes(Ground& ground, const Events& events) {
  const Ledger& ledger = ground.oracle.ledger();
  for (std::size_t number = 0; number < events.size(); ++number) {
    const Partition partition(static_cast<std::int32_t>(number));
    if (ledger.published(partition).value != std::ssize(events[number])) {
      return ground.oracle.Complain(fmt::format("partition {} has {} events and {} outcomes",
                                                number, events[number].size(),
                                                ledger.published(partition).value));
    }
    for (std::size_t at = 0; at < events[number].size(); ++at) {
      const LoggedEvent& event = events[number][at];
      const Decision& decision = ledger.At(partition, Offset(static_cast<std::int64_t>(at)));
      if (decision.outcome.event_id == event.id() && decision.key == event.key) continue;
      ground.oracle.Complain(
          fmt::format("event {}:{} has another one's outcome: {}", number, at, decision.value));
    }
  }
}

// Whether who decided it may have known of an ended account in it.
bool MayBeOfEnded(Ground& ground, const Event& event) {
  if (event.type == EventType::kFollow) {
    return ground.oracle.EverEnded(event.subject) || ground.oracle.EverEnded(event.object);
  }
  return !event.if_version && event.by == AskedBy::kSubject &&
         ground.oracle.EverEnded(event.subject);
}

void ComplainOf(Ground& ground, const Event& event) {
  ground.oracle.Complain(fmt::format("{} of {} and {} was rejected, whose accounts live",
                                     ToString(event.type), event.subject.value,
                                     event.object.value));
}

// Decides every event anew, each by the limit of who decided it. Returns who follows whom.
RelationModel DecideAnew(Ground& ground, const Events& events) {
  RelationModel model(0);
  for (std::size_t number = 0; number < events.size(); ++number) {
    const Partition partition(static_cast<std::int32_t>(number));
    for (std::size_t at = 0; at < events[number].size(); ++at) {
      const Offset offset(static_cast<std::int64_t>(at));
      const Decision& decision = ground.oracle.ledger().At(partition, offset);
      const auto& event = events[number][at].read;
      if (event && decision.outcome.rejected == RejectReason::kUserDeleted) {
        if (MayBeOfEnded(ground, *event)) continue;
        return ComplainOf(ground, *event), model;
      }
      model.SetLimit(decision.limit.value);
      const OutcomeKind kind = event ? model.Ask(*event, offset.value) : OutcomeKind::kParked;
      if (kind == decision.outcome.kind) continue;
      ground.oracle.Complain(fmt::format("event {}:{} is {}, by the model {}", number, at,
                                         ToString(decision.outcome.kind), ToString(kind)));
    }
  }
  return model;
}

// Whether the log has at that position what was asked for.
bool IsInLog(const Clients::Taken& taken, const Events& events) {
  const Position position = taken.logged.position;
  const auto& line = events[static_cast<std::size_t>(position.partition.value)];
  const auto at = static_cast<std::size_t>(position.offset.value);
  if (at >= line.size() || !line[at].read) return false;
  const Event& event = *line[at].read;
  const writer::Command& asked = taken.command;
  return event.event_id == taken.logged.event_id && event.subject == asked.subject &&
         event.object == asked.object && event.type == asked.type && event.by == asked.by &&
         event.at_ms == asked.at_ms.value_or(event.at_ms);
}

void CheckAnswers(Ground& ground, const Clients& clients, const Events& events) {
  for (const Clients::Taken& taken : clients.taken()) {
    const Position position = taken.logged.position;
    if (!IsInLog(taken, events)) {
      return ground.oracle.Complain(
          fmt::format("acked at {} and not in the log", ToString(position)));
    }
    const Outcome& outcome = ground.oracle.ledger().At(position.partition, position.offset).outcome;
    if (taken.told.value_or(outcome.kind) == outcome.kind) continue;
    ground.oracle.Complain(fmt::format("{} was told {}, it is {}", ToString(position),
                                       ToString(*taken.told), ToString(outcome.kind)));
  }
}

// The lanes of all generations that are folded on the shard; none unless all of them are there.
std::optional<std::vector<LaneStatus>> FoldedLanes(Ground& ground, Shard shard) {
  auto lanes = ground.adapters->NewReader(shard)->Lanes();
  FANFOLD_CHECK(lanes.has_value(), "the tables in memory have no lanes");
  std::vector<LaneStatus> folded;
  for (const Projection projection : Projection::All()) {
    const std::size_t own = projection.PartitionsOn(shard, ground.placement).size();
    for (const FoldedGeneration& one : ground.Folded(projection, shard)) {
      const std::size_t before = folded.size();
      std::ranges::copy_if(*lanes, std::back_inserter(folded), [&](const LaneStatus& lane) {
        return lane.lane.projection == projection && lane.lane.generation == one.generation;
      });
      if (folded.size() - before != own) return std::nullopt;
    }
  }
  // Of what is loaded, or was not dropped to its end, there are others.
  if (!ground.rebuilt && folded.size() != lanes->size()) return std::nullopt;
  return folded;
}

// All that are folded, where they are: one that was not dropped to its end is on some shards only.
void CheckTables(Ground& ground) {
  for (std::int32_t number = 0; number < kShards; ++number) {
    const Shard shard(number);
    for (const Projection projection : Projection::All()) {
      if (!HoldsLists(projection)) continue;
      for (const FoldedGeneration& one : ground.Folded(projection, shard)) {
        ground.oracle.CheckTable(shard, {projection, one.generation});
      }
    }
  }
}

// What was rebuilt last is read, and is to decide, on every shard.
void CheckOrders(Ground& ground) {
  const Generation read = ground.Read()[projections::kFollowing];
  for (std::int32_t shard = 0; shard < kShards; ++shard) {
    for (const FoldedGeneration& one : ground.Folded(projections::kFollowing, Shard(shard))) {
      if (one.to_decide == (one.generation == read)) continue;
      ground.oracle.Complain(fmt::format("generation {} is read, {} is to decide on shard {}",
                                         read.value, one.generation.value, shard));
    }
  }
}

}  // namespace

bool IsSettled(Ground& ground) { return WhatIsLeft(ground).empty(); }

std::string WhatIsLeft(Ground& ground) {
  for (std::int32_t shard = 0; shard < kShards; ++shard) {
    const auto lanes = FoldedLanes(ground, Shard(shard));
    if (!lanes) return fmt::format("the lanes on {} are not those of what is folded", shard);
    for (const LaneStatus& lane : *lanes) {
      const auto end = ground.adapters->log()
                           .Bounds(lane.lane.projection.stream().events(), lane.lane.partition)
                           ->end;
      const bool done = lane.state == LaneState::kRunning && lane.progress.event_offset == end &&
                        lane.progress.published_offset == end;
      if (done) continue;
      return fmt::format("{}/{} on shard {} is {} {} at {}, published {}, of {}",
                         ToString(lane.lane.projection), lane.lane.partition.value, shard,
                         ToString(lane.state), lane.state_reason, lane.progress.event_offset.value,
                         lane.progress.published_offset.value, end.value);
    }
    const auto reader = ground.adapters->NewReader(Shard(shard));
    if (OpenProfiles(*reader)->Open()->count > 0) return fmt::format("accounts on {}", shard);
  }
  return "";
}

// Whether a deletion of this user reaches a row of that version, which stands behind `key`'s
// partition.
bool Reaches(Ground& ground, UserId user, Stream stream, UserId key, Version version) {
  const auto& line =
      ground.oracle
          .ReadUserEvents()[static_cast<std::size_t>(ground.placement.PartitionOf(user).value)];
  const auto partition = static_cast<std::size_t>(ground.placement.PartitionOf(key).value);
  return std::ranges::any_of(line, [&](const auto& event) {
    const auto* deleted = event ? std::get_if<UserDeleted>(&event->what) : nullptr;
    return deleted != nullptr && event->user == user &&
           version.value <= deleted->ends[stream][partition].value;
  });
}

// No relation stands that a deletion reaches, and none was ended for one that reaches it not.
void CheckAccounts(Ground& ground, const Events& events) {
  for (std::uint64_t subject = 1; subject <= kUsers; ++subject) {
    for (std::uint64_t object = 1; object <= kUsers; ++object) {
      const UserId from(subject);
      const UserId to(object);
      const Offset end = ground.oracle.ledger().published(ground.placement.PartitionOf(from));
      const Edge edge = ground.oracle.ledger().RowAt(from, to, end);
      const bool ended = ground.oracle.HasEnded(from) || ground.oracle.HasEnded(to) ||
                         Reaches(ground, from, streams::kRelations, from, edge.version) ||
                         Reaches(ground, to, streams::kRelations, from, edge.version);
      if (!edge.active || !ended) continue;
      return ground.oracle.Complain(
          fmt::format("{} follows {}, of whom an account has ended", subject, object));
    }
  }
  for (const auto& line : events) {
    for (const LoggedEvent& logged : line) {
      // Of our own writers' none carries a version.
      if (!logged.read || logged.read->event_id.empty() || !logged.read->if_version) continue;
      const Event& event = *logged.read;
      const UserId user = event.by == AskedBy::kObject ? event.object : event.subject;
      if (Reaches(ground, user, streams::kRelations, event.subject, *event.if_version)) continue;
      if (ground.oracle.IsOfEnded(user, topics::kRelationEvents,
                                  ground.placement.PartitionOf(event.subject),
                                  Offset(event.if_version->value - 1))) {
        continue;
      }
      return ground.oracle.Complain(fmt::format("{} no longer follows {}, for no account's end",
                                                event.subject.value, event.object.value));
    }
  }
}

// The same of what they published.
void CheckPublished(Ground& ground) {
  const auto& lines = ground.oracle.ReadPostEvents();
  const auto reaches = [&](const auto& post) {
    return Reaches(ground, post.first.user, streams::kPosts, post.first.user, post.second.version);
  };
  const auto is_of_ended = [&](const auto& post, Partition partition) {
    return ground.oracle.IsOfEnded(post.first.user, topics::kPostEvents, partition,
                                   Offset(post.second.version.value - 1));
  };
  for (std::size_t p = 0; p < lines.size(); ++p) {
    const Partition partition(static_cast<std::int32_t>(p));
    for (const auto& post : ground.oracle.PostsAt(partition, Offset(std::ssize(lines[p])))) {
      if (!reaches(post) && !ground.oracle.HasEnded(post.first.user)) continue;
      return ground.oracle.Complain(fmt::format("post {} of {} is there, whose account has ended",
                                                post.first.other.value, post.first.user.value));
    }
    for (std::size_t at = 0; at < lines[p].size(); ++at) {
      const auto& event = lines[p][at];
      // Those of clients carry no id.
      if (!event || event->event_id.empty()) continue;
      const auto before = ground.oracle.PostsAt(partition, Offset(static_cast<std::int64_t>(at)));
      const auto post = before.find(KeyOf(event->author, event->post_id));
      if (post == before.end() || reaches(*post) || is_of_ended(*post, partition)) continue;
      return ground.oracle.Complain(fmt::format("post {} of {} was ended for no account's end",
                                                event->post_id.value, event->author.value));
    }
  }
}

// The same of what they were shown; of an id that is used again what comes before the end goes too.
void CheckShown(Ground& ground) {
  const auto& lines = ground.oracle.ReadFeedEvents();
  const auto reaches = [&](const auto& shown) {
    return Reaches(ground, shown.first.user, streams::kFeeds, shown.first.user,
                   shown.second.version);
  };
  for (std::size_t p = 0; p < lines.size(); ++p) {
    const Partition partition(static_cast<std::int32_t>(p));
    for (const auto& shown : ground.oracle.FeedsAt(partition, Offset(std::ssize(lines[p])))) {
      if (!shown.second.active || !reaches(shown)) continue;
      return ground.oracle.Complain(
          fmt::format("what was shown to {} is there, whose account has "
                      "ended",
                      shown.first.user.value));
    }
    for (const auto& event : lines[p]) {
      // Those of clients carry no id.
      if (!event || event->event_id.empty()) continue;
      const UserId owner = event->owner;
      if (Reaches(ground, owner, streams::kFeeds, owner, Version(0))) continue;
      return ground.oracle.Complain(
          fmt::format("what was shown to {} was forgotten for no "
                      "account's end",
                      owner.value));
    }
  }
}

RelationModel Judge(Ground& ground, const Clients& clients) {
  ground.oracle.ReadOutcomes();
  CheckTables(ground);
  if (ground.rebuilt) CheckOrders(ground);
  const Events events = ReadEvents(ground);
  CheckOutcomes(ground, events);
  ground.oracle.CheckPostOutcomes();
  if (ground.oracle.complaint()) return RelationModel(0);
  RelationModel model = DecideAnew(ground, events);
  CheckAnswers(ground, clients, events);
  CheckAccounts(ground, events);
  CheckPublished(ground);
  CheckShown(ground);
  ReaderProcess tables(ground, [](PortCall) {});
  CheckReads(ground, model, tables);
  return model;
}

std::uint64_t DigestOfTables(Ground& ground) {
  Trace digest(nullptr);
  const ReadGenerations read = ground.Read();
  for (std::int32_t shard = 0; shard < kShards; ++shard) {
    const auto store = ground.adapters->NewStore(Shard(shard));
    for (const Projection table : Projection::All()) {
      if (!HoldsLists(table)) continue;
      const auto edges = OpenEdges(*store, table, read[table]);
      for (std::uint64_t user = 1; user <= kUsers; ++user) {
        std::vector<EdgeKey> keys;
        for (std::uint64_t other = 1; other <= kUsers; ++other) {
          keys.push_back({UserId(user), UserId(other)});
        }
        const auto rows = edges->Load(keys, std::vector{UserId(user)});
        FANFOLD_CHECK(rows.has_value(), "the tables in memory are not read");
        for (const Edge& edge : rows->edges) {
          digest.Say("", {edge.active ? 1 : 0, edge.since_ms, edge.version.value});
        }
        digest.Say("", {rows->counts.front().value});
      }
    }
  }
  return digest.digest();
}

}  // namespace fanfold::simulation
