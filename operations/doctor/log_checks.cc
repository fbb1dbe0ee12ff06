#include "operations/doctor/log_checks.h"

#include <fmt/format.h>
#include <string>
#include <string_view>

#include "common/ports/event_log.h"

namespace fanfold::operations {
namespace {

constexpr const char* kInAFile = "the log is a file, which is kept whole";

std::string HowToSet(const TopicFacts& topic, std::string_view name, std::string_view value) {
  return fmt::format(
      "kafka-configs.sh --alter --entity-type topics --entity-name {} --add-config {}={}",
      topic.name, name, value);
}

void WantSetting(const TopicFacts& topic, const std::string& name, std::string_view value,
                 std::string_view danger, Check& check) {
  const std::string is = SettingOf(topic.settings, name);
  if (is == value) return;
  check.Blame(fmt::format("{}: {} is {}, not {}: {}", topic.name, name, is.empty() ? "unset" : is,
                          value, danger),
              HowToSet(topic, name, value));
}

// Is the number that the setting holds below `least`? Not where it holds none.
bool IsBelow(const std::string& setting, std::int64_t least) {
  const auto number = ParseNonNegative(setting);
  return number && *number < least;
}

void CheckReplicasOf(const TopicFacts& topic, bool has_more_brokers, Check& check) {
  if (topic.leaderless > 0) {
    check.Blame(fmt::format("{}: {} partitions have no leader: nothing can be appended there",
                            topic.name, topic.leaderless),
                "start the brokers that have them");
  }
  const std::string in_sync = SettingOf(topic.settings, "min.insync.replicas");
  if (topic.replicas_min < 2) {
    const std::string what =
        fmt::format("{}: 1 replica: a broker that is lost takes the log with it", topic.name);
    if (has_more_brokers) {
      check.Blame(what, "kafka-reassign-partitions.sh to three replicas");
    } else {
      check.Warn(what, "run three brokers, and kafka-reassign-partitions.sh to three replicas");
    }
  } else if (IsBelow(in_sync, 2)) {
    check.Warn(fmt::format("{}: min.insync.replicas is {}: an ack may rest on one broker alone",
                           topic.name, in_sync),
               HowToSet(topic, "min.insync.replicas", "2"));
  } else if (!IsBelow(in_sync, topic.replicas_min)) {
    check.Warn(fmt::format("{}: min.insync.replicas is {} of {} replicas: one broker that is away "
                           "stops all appends",
                           topic.name, in_sync, topic.replicas_min),
               "have one replica more than min.insync.replicas");
  }
  if (topic.under_replicated > 0) {
    check.Warn(fmt::format("{}: {} partitions have a replica that is not in sync", topic.name,
                           topic.under_replicated),
               "see whether a broker is away, or too slow");
  }
  if (SettingOf(topic.settings, "unclean.leader.election.enable") == "true") {
    check.Blame(fmt::format("{}: unclean.leader.election.enable is true: a replica that lacks "
                            "acked events may become the leader",
                            topic.name),
                HowToSet(topic, "unclean.leader.election.enable", "false"));
  }
}

}  // namespace

Check CheckRetention(const LogFacts& log) {
  Check check{"retention", "every topic is kept forever, and never compacted", {}};
  if (!log.on_brokers) return {check.name, kInAFile, {}};
  constexpr std::string_view kLost = "what it deletes can never be folded again";
  for (const Topic each : Topic::All()) {
    const TopicFacts& topic = log.topics[each];
    WantSetting(topic, "retention.ms", "-1", kLost, check);
    WantSetting(topic, "retention.bytes", "-1", kLost, check);
    WantSetting(topic, "cleanup.policy", "delete",
                "compaction keeps one record of each user and deletes the others", check);
  }
  return check;
}

Check CheckAppendTime(const LogFacts& log) {
  Check check{"append time", "records carry the broker's time", {}};
  if (!log.on_brokers) return {check.name, "records carry this machine's time", {}};
  for (const Topic topic : Topic::All()) {
    WantSetting(log.topics[topic], "message.timestamp.type", "LogAppendTime",
                "what a record calls its time is then its sender's", check);
  }
  return check;
}

Check CheckReplicas(const LogFacts& log) {
  if (!log.on_brokers) return {"replicas", "the log is on this disk alone", {}};
  Check check{"replicas",
              fmt::format("every partition is on {} of {} brokers, all in sync",
                          log.topics[Topic()].replicas_min, log.brokers.size()),
              {}};
  for (const Topic topic : Topic::All()) {
    CheckReplicasOf(log.topics[topic], log.brokers.size() > 1, check);
  }
  return check;
}

Check CheckRoom(const LogFacts& log) {
  if (log.on_brokers) return {"room", "brokers and databases do not tell: watch their disks", {}};
  if (!log.free_bytes) return {"room", "the system does not tell", {}};
  const std::string left = fmt::format("{} MiB are left on the disk", *log.free_bytes >> 20);
  Check check{"room", left, {}};
  if (*log.free_bytes < kFreeBytesLeast) {
    check.Blame(left + ": writes are refused once it is full, and nothing is folded",
                "make room, but not of the folder's own files; all goes on by itself");
  } else if (*log.free_bytes < kFreeBytesLow) {
    check.Warn(left, "make room, but not of the folder's own files");
  }
  return check;
}

Check CheckProducers(const LogFacts& log) {
  if (!log.on_brokers) return {"producers", kInAFile, {}};
  Check check{"producers", "brokers remember who appended, and refuse gaps", {}};
  constexpr const char* kRemembered = "producer.id.expiration.ms";
  // They forget by clocks and checks of their own.
  const std::int64_t least_ms = 2 * log.producer_silence_max_ms;
  for (const BrokerFacts& broker : log.brokers) {
    const std::string is = SettingOf(broker.settings, kRemembered);
    if (is.empty()) {
      check.Warn(fmt::format("broker {} does not tell its {}", broker.id, kRemembered),
                 fmt::format("see in its configuration that it is {} or more", least_ms));
    } else if (IsBelow(is, least_ms)) {
      check.Blame(
          fmt::format("broker {}: {} is {}: it forgets a producer that is silent for so long, and "
                      "then takes appends that leave a gap; the least is {}",
                      broker.id, kRemembered, is, least_ms),
          fmt::format("kafka-configs.sh --alter --entity-type brokers --entity-name {} "
                      "--add-config {}=86400000",
                      broker.id, kRemembered));
    }
  }
  return check;
}

Check CheckShape(const LogFacts& log, const std::optional<Catalog>& catalog,
                 const Shape& configured) {
  const std::int32_t partitions = catalog ? catalog->shape.partitions : configured.partitions;
  Check check{"shape",
              fmt::format("{} partitions on {} shards, everywhere", partitions, configured.shards),
              {}};
  constexpr const char* kForLife =
      "numbers of partitions and shards are for life: see that the configuration names the log "
      "and the tables that belong together";
  if (configured.partitions != partitions) {
    check.Blame(
        fmt::format("`partitions` of the configuration is {}, the number in the catalog is {}",
                    configured.partitions, partitions),
        kForLife);
  }
  for (const Topic each : Topic::All()) {
    const TopicFacts& topic = log.topics[each];
    const std::string what =
        fmt::format("the number of partitions of {} is {}, the deployment's {}", topic.name,
                    topic.partitions, partitions);
    if (topic.partitions < partitions) check.Blame(what, kForLife);
    if (topic.partitions > partitions) {
      check.Warn(what + ": nobody decides what is put into the others",
                 "leave them empty: producers take the deployment's number, not the topic's");
    }
  }
  if (catalog && catalog->shape.shards != configured.shards) {
    check.Blame(fmt::format("the catalog says {} shards, the configuration names {}",
                            catalog->shape.shards, configured.shards),
                kForLife);
  }
  return check;
}

Check CheckForeign(const ForeignCounts& foreign) {
  Check check{"foreign", "nothing stands in partitions that the deployment has not", {}};
  for (const Topic topic : Topic::All()) {
    const std::int64_t records = foreign[topic];
    if (records == 0) continue;
    check.Blame(fmt::format("{}: {} records stand in partitions that the deployment has not: they "
                            "are never decided or applied",
                            topic.name(), records),
                "have their producer take the deployment's number of partitions, and send them "
                "again; kafka-console-consumer.sh --partition N --offset earliest shows them");
  }
  return check;
}

}  // namespace fanfold::operations
