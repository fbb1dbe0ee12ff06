#include <functional>
#include <gtest/gtest.h>
#include <ostream>

#include "common/ports/profile_reader.h"
#include "operations/doctor/check.h"
#include "operations/doctor/database_checks.h"
#include "operations/doctor/lane_checks.h"
#include "operations/doctor/log_checks.h"
#include "tests/unit/operations/fakes.h"

namespace fanfold::operations {
namespace {

TopicFacts SoundTopic(const std::string& name) {
  TopicFacts topic;
  topic.name = name;
  topic.partitions = 16;
  topic.replicas_min = 3;
  topic.settings = {{"retention.ms", "-1"},       {"retention.bytes", "-1"},
                    {"cleanup.policy", "delete"}, {"message.timestamp.type", "LogAppendTime"},
                    {"min.insync.replicas", "2"}, {"unclean.leader.election.enable", "false"}};
  return topic;
}

LogFacts SoundLog() {
  LogFacts log;
  log.on_brokers = true;
  log.producer_silence_max_ms = 600'000;
  for (const std::int32_t id : {1, 2, 3}) {
    log.brokers.push_back({id, {{"producer.id.expiration.ms", "86400000"}}});
  }
  for (const Topic topic : Topic::All()) {
    log.topics[topic] = SoundTopic(std::string(topic.name()));
  }
  return log;
}

constexpr fanfold::Shape kConfigured{16, 2};

Catalog SoundCatalog() { return {{}, {16, 2}}; }

constexpr std::int64_t kNowMs = 1'700'000'000'000;

ShardFacts SoundShard() {
  ShardFacts shard;
  shard.shard = Shard(1);
  shard.facts.server = "10.11.6-MariaDB-0+deb12u1";
  shard.facts.now_ms = kNowMs + 5;
  shard.asked_ms = kNowMs;
  shard.answered_ms = kNowMs + 10;
  shard.facts.migrations_known = {"0001_lanes", "0002_generation_1"};
  shard.facts.migrations_had = shard.facts.migrations_known;
  shard.facts.indexes_wanted = {{"fans_g1", "PRIMARY", {"user_id", "fan_id"}},
                                {"fans_g1", "page", {"user_id", "active"}},
                                {"progress", "PRIMARY", {"projection"}}};
  shard.facts.indexes = shard.facts.indexes_wanted;
  shard.facts.settings = {{"innodb_flush_log_at_trx_commit", "1"},
                          {"innodb_doublewrite", "ON"},
                          {"log_bin", "OFF"},
                          {"sync_binlog", "0"}};
  return shard;
}

// What is sound but for `spoil`, and what is then said of it; nothing: it stays sound.
template <class Facts>
struct Case {
  std::string name;
  std::function<void(Facts&)> spoil;
  CheckLevel level = CheckLevel::kOk;
  std::string what;
};

template <class Facts>
void Expect(const Case<Facts>& test, const Check& check) {
  EXPECT_EQ(LevelOf(check), test.level) << test.name;
  if (test.level == CheckLevel::kOk) {
    EXPECT_FALSE(check.fine.empty()) << test.name;
    return;
  }
  ASSERT_EQ(check.findings.size(), 1U) << test.name;
  EXPECT_NE(check.findings[0].what.find(test.what), std::string::npos)
      << test.name << ": " << check.findings[0].what;
  EXPECT_FALSE(check.findings[0].advice.empty()) << test.name;
}

using LogCase = Case<LogFacts>;
using ShardCase = Case<ShardFacts>;

LogCase Setting(const std::string& name, const std::string& value, CheckLevel level) {
  return {name + " " + value,
          [=](LogFacts& log) { log.topics[topics::kRelationOutcomes].settings[name] = value; },
          level, "relation-outcomes: " + name};
}

TEST(Checks, TopicsAreKeptForeverWhole) {
  const LogCase kCases[] = {
      {"sound", [](LogFacts&) {}, CheckLevel::kOk, ""},
      {"a file", [](LogFacts& log) { log = LogFacts(); }, CheckLevel::kOk, ""},
      Setting("retention.ms", "604800000", CheckLevel::kProblem),
      Setting("retention.bytes", "1000", CheckLevel::kProblem),
      Setting("cleanup.policy", "compact", CheckLevel::kProblem),
      Setting("cleanup.policy", "compact,delete", CheckLevel::kProblem),
      {"unset",
       [](LogFacts& log) { log.topics[topics::kRelationEvents].settings.erase("retention.ms"); },
       CheckLevel::kProblem, "relation-events: retention.ms is unset"},
  };
  for (const LogCase& test : kCases) {
    LogFacts log = SoundLog();
    test.spoil(log);
    Expect(test, CheckRetention(log));
  }
}

TEST(Checks, BrokersRememberWhoAppends) {
  const auto remembers = [](const std::string& ms, CheckLevel level) {
    return LogCase{
        ms, [=](LogFacts& log) { log.brokers[1].settings["producer.id.expiration.ms"] = ms; },
        level, "broker 2: producer.id.expiration.ms is " + ms};
  };
  const LogCase kCases[] = {
      {"sound", [](LogFacts&) {}, CheckLevel::kOk, ""},
      {"a file", [](LogFacts& log) { log = LogFacts(); }, CheckLevel::kOk, ""},
      remembers("1200000", CheckLevel::kOk),
      remembers("1199999", CheckLevel::kProblem),
      remembers("1", CheckLevel::kProblem),
      {"not told", [](LogFacts& log) { log.brokers[1].settings.clear(); }, CheckLevel::kWarning,
       "broker 2 does not tell"},
  };
  for (const LogCase& test : kCases) {
    LogFacts log = SoundLog();
    test.spoil(log);
    Expect(test, CheckProducers(log));
  }
}

TEST(Checks, RecordsCarryTheBrokersTime) {
  const LogCase kCases[] = {
      {"sound", [](LogFacts&) {}, CheckLevel::kOk, ""},
      {"a file", [](LogFacts& log) { log = LogFacts(); }, CheckLevel::kOk, ""},
      Setting("message.timestamp.type", "CreateTime", CheckLevel::kProblem),
  };
  for (const LogCase& test : kCases) {
    LogFacts log = SoundLog();
    test.spoil(log);
    Expect(test, CheckAppendTime(log));
  }
}

TEST(Checks, AnAckOutlivesABroker) {
  const LogCase kCases[] = {
      {"sound", [](LogFacts&) {}, CheckLevel::kOk, ""},
      {"a file", [](LogFacts& log) { log = LogFacts(); }, CheckLevel::kOk, ""},
      {"one replica", [](LogFacts& log) { log.topics[topics::kRelationEvents].replicas_min = 1; },
       CheckLevel::kProblem, "relation-events: 1 replica"},
      {"one broker",
       [](LogFacts& log) {
         log.topics[topics::kRelationEvents].replicas_min = 1;
         log.brokers.resize(1);
       },
       CheckLevel::kWarning, "relation-events: 1 replica"},
      Setting("min.insync.replicas", "1", CheckLevel::kWarning),
      Setting("min.insync.replicas", "3", CheckLevel::kWarning),
      Setting("unclean.leader.election.enable", "true", CheckLevel::kProblem),
      {"behind", [](LogFacts& log) { log.topics[topics::kRelationEvents].under_replicated = 2; },
       CheckLevel::kWarning, "2 partitions have a replica that is not in sync"},
      {"leaderless", [](LogFacts& log) { log.topics[topics::kRelationEvents].leaderless = 4; },
       CheckLevel::kProblem, "4 partitions have no leader"},
  };
  for (const LogCase& test : kCases) {
    LogFacts log = SoundLog();
    test.spoil(log);
    Expect(test, CheckReplicas(log));
  }
}

TEST(Checks, AFolderHasRoom) {
  const auto left = [](std::int64_t bytes) {
    return [=](LogFacts& log) {
      log.on_brokers = false;
      log.free_bytes = bytes;
    };
  };
  const LogCase kCases[] = {
      {"brokers", [](LogFacts&) {}, CheckLevel::kOk, ""},
      {"not told", [](LogFacts& log) { log.on_brokers = false; }, CheckLevel::kOk, ""},
      {"enough", left(kFreeBytesLow), CheckLevel::kOk, ""},
      {"low", left(kFreeBytesLow - 1), CheckLevel::kWarning, "1023 MiB are left"},
      {"just not full", left(kFreeBytesLeast), CheckLevel::kWarning, "64 MiB are left"},
      {"nearly full", left(kFreeBytesLeast - 1), CheckLevel::kProblem, "63 MiB are left"},
      {"full", left(0), CheckLevel::kProblem, "0 MiB are left"},
  };
  for (const LogCase& test : kCases) {
    LogFacts log = SoundLog();
    test.spoil(log);
    Expect(test, CheckRoom(log));
  }
}

TEST(Checks, PartitionsAndShardsAgreeEverywhere) {
  struct Shape {
    LogFacts log = SoundLog();
    std::optional<Catalog> catalog = SoundCatalog();
    fanfold::Shape configured = kConfigured;
  };
  const Case<Shape> kCases[] = {
      {"sound", [](Shape&) {}, CheckLevel::kOk, ""},
      {"no catalog", [](Shape& shape) { shape.catalog.reset(); }, CheckLevel::kOk, ""},
      {"outcomes", [](Shape& shape) { shape.log.topics[topics::kRelationOutcomes].partitions = 8; },
       CheckLevel::kProblem, "relation-outcomes is 8"},
      {"configuration", [](Shape& shape) { shape.configured.partitions = 32; },
       CheckLevel::kProblem, "configuration is 32"},
      {"catalog",
       [](Shape& shape) {
         shape.catalog->shape.partitions = 32;
         for (const Topic topic : Topic::All()) shape.log.topics[topic].partitions = 32;
       },
       CheckLevel::kProblem, "catalog is 32"},
      {"more", [](Shape& shape) { shape.log.topics[topics::kRelationEvents].partitions = 32; },
       CheckLevel::kWarning, "relation-events is 32, the deployment's 16"},
      {"shards", [](Shape& shape) { shape.configured.shards = 1; }, CheckLevel::kProblem,
       "the catalog says 2 shards, the configuration names 1"},
  };
  for (const Case<Shape>& test : kCases) {
    Shape shape;
    test.spoil(shape);
    Expect(test, CheckShape(shape.log, shape.catalog, shape.configured));
  }
}

TEST(Checks, ForeignRecordsAreAProblemOfEachTopic) {
  const Case<ForeignCounts> kCases[] = {
      {"none", [](ForeignCounts&) {}, CheckLevel::kOk, ""},
      {"events", [](ForeignCounts& foreign) { foreign[topics::kRelationEvents] = 3; },
       CheckLevel::kProblem, "relation-events: 3 records"},
      {"outcomes", [](ForeignCounts& foreign) { foreign[topics::kRelationOutcomes] = 1; },
       CheckLevel::kProblem, "relation-outcomes: 1 records"},
  };
  for (const Case<ForeignCounts>& test : kCases) {
    ForeignCounts foreign{};
    test.spoil(foreign);
    Expect(test, CheckForeign(foreign));
  }
}

TEST(Checks, ServersAreOnesThatWereTried) {
  const auto server = [](const std::string& name, CheckLevel level) {
    return ShardCase{name, [=](ShardFacts& shard) { shard.facts.server = name; }, level, name};
  };
  const ShardCase kCases[] = {
      server("10.11.6-MariaDB-0+deb12u1", CheckLevel::kOk),
      server("11.4.2-MariaDB", CheckLevel::kOk),
      server("10.6.18-MariaDB", CheckLevel::kWarning),
      server("MySQL 8.0.36", CheckLevel::kOk),
      server("MySQL 9.1.0", CheckLevel::kOk),
      server("MySQL 5.7.44-log", CheckLevel::kWarning),
      server("SQLite 3.40.1", CheckLevel::kOk),
  };
  for (const ShardCase& test : kCases) {
    ShardFacts shard = SoundShard();
    test.spoil(shard);
    Expect(test, CheckServers(std::vector{shard}, "librdkafka 2.0.2"));
  }
}

TEST(Checks, MigrationsAreThoseOfThisBuild) {
  const ShardCase kCases[] = {
      {"sound", [](ShardFacts&) {}, CheckLevel::kOk, ""},
      {"missing", [](ShardFacts& shard) { shard.facts.migrations_had.pop_back(); },
       CheckLevel::kProblem, "shard 1 has not had 0002_generation_1"},
      {"newer", [](ShardFacts& shard) { shard.facts.migrations_had.emplace_back("0009_new"); },
       CheckLevel::kProblem, "shard 1 has had 0009_new"},
  };
  for (const ShardCase& test : kCases) {
    ShardFacts shard = SoundShard();
    test.spoil(shard);
    Expect(test, CheckMigrations(std::vector{shard}));
  }
}

TEST(Checks, DeclaredTablesAndIndexesAreThere) {
  const ShardCase kCases[] = {
      {"sound", [](ShardFacts&) {}, CheckLevel::kOk, ""},
      {"one more is fine",
       [](ShardFacts& shard) { shard.facts.indexes.push_back({"mine", "PRIMARY", {"id"}}); },
       CheckLevel::kOk, ""},
      {"no table",
       [](ShardFacts& shard) {
         std::erase_if(shard.facts.indexes,
                       [](const TableIndex& index) { return index.table == "fans_g1"; });
       },
       CheckLevel::kProblem, "shard 1: the table fans_g1 is missing"},
      {"a table without any index",
       [](ShardFacts& shard) { shard.facts.indexes.back() = {"progress", "", {}}; },
       CheckLevel::kProblem, "progress has no index PRIMARY (projection)"},
      {"no index",
       [](ShardFacts& shard) { shard.facts.indexes.erase(shard.facts.indexes.begin() + 1); },
       CheckLevel::kProblem, "fans_g1 has no index page (user_id, active)"},
      {"other columns", [](ShardFacts& shard) { shard.facts.indexes[1].columns.pop_back(); },
       CheckLevel::kProblem, "fans_g1 has no index page"},
  };
  for (const ShardCase& test : kCases) {
    ShardFacts shard = SoundShard();
    test.spoil(shard);
    Expect(test, CheckIndexes(std::vector{shard}));
  }
}

TEST(Checks, SlotMapIsWhole) {
  const Deployment read{Placement::Modulo(kConfigured), {}};
  EXPECT_EQ(LevelOf(CheckMapRead(kFirstSlotMap, read)), CheckLevel::kOk);
  const Check damaged = CheckMapRead(kFirstSlotMap, Fail(ErrorCode::kRefused, "a slot has none"));
  EXPECT_EQ(LevelOf(damaged), CheckLevel::kProblem);
  EXPECT_NE(damaged.findings.front().advice.find("restore"), std::string::npos);
  const Check away = CheckMapRead(kFirstSlotMap, Fail(ErrorCode::kUnavailable, "away"));
  EXPECT_EQ(LevelOf(away), CheckLevel::kUnknown);
}

TEST(Checks, CommitsAreOnTheDisk) {
  const auto setting = [](const std::string& name, const std::string& value, CheckLevel level) {
    return ShardCase{name + " " + value,
                     [=](ShardFacts& shard) { shard.facts.settings[name] = value; }, level,
                     name + " is " + value};
  };
  const ShardCase kCases[] = {
      {"sound", [](ShardFacts&) {}, CheckLevel::kOk, ""},
      {"a file", [](ShardFacts& shard) { shard.facts.settings.clear(); }, CheckLevel::kOk, ""},
      setting("innodb_flush_log_at_trx_commit", "2", CheckLevel::kWarning),
      setting("innodb_flush_log_at_trx_commit", "0", CheckLevel::kWarning),
      setting("innodb_doublewrite", "OFF", CheckLevel::kWarning),
      setting("innodb_doublewrite", "DETECT_ONLY", CheckLevel::kWarning),
      setting("innodb_doublewrite", "DETECT_AND_RECOVER", CheckLevel::kOk),
      setting("sync_binlog", "0", CheckLevel::kOk),  // no binlog is written
      {"binlog", [](ShardFacts& shard) { shard.facts.settings["log_bin"] = "ON"; },
       CheckLevel::kWarning, "sync_binlog is 0"},
  };
  for (const ShardCase& test : kCases) {
    ShardFacts shard = SoundShard();
    test.spoil(shard);
    Expect(test, CheckDurability(std::vector{shard}));
  }
}

TEST(Checks, ClocksAreTogether) {
  struct Clocks {
    ShardFacts shard = SoundShard();
    std::optional<std::int64_t> newest_append_ms = kNowMs - 1'000'000;
  };
  const Case<Clocks> kCases[] = {
      {"sound", [](Clocks&) {}, CheckLevel::kOk, ""},
      {"slow answer", [](Clocks& clocks) { clocks.shard.answered_ms += 60'000; }, CheckLevel::kOk,
       ""},
      {"none of its own", [](Clocks& clocks) { clocks.shard.facts.now_ms.reset(); },
       CheckLevel::kOk, ""},
      {"empty log", [](Clocks& clocks) { clocks.newest_append_ms.reset(); }, CheckLevel::kOk, ""},
      {"behind", [](Clocks& clocks) { clocks.shard.facts.now_ms = kNowMs - 1001; },
       CheckLevel::kWarning, "shard 1 is 1001 ms off"},
      {"ahead", [](Clocks& clocks) { clocks.shard.facts.now_ms = kNowMs + 5010; },
       CheckLevel::kWarning, "shard 1 is 5000 ms off"},
      {"broker", [](Clocks& clocks) { clocks.newest_append_ms = kNowMs + 5000; },
       CheckLevel::kWarning, "appended 5000 ms from now"},
  };
  for (const Case<Clocks>& test : kCases) {
    Clocks clocks;
    test.spoil(clocks);
    Expect(test, CheckClocks(std::vector{clocks.shard}, clocks.newest_append_ms, kNowMs));
  }
}

TEST(Checks, LanesRun) {
  const Case<LaneStatus> kCases[] = {
      {"running", [](LaneStatus&) {}, CheckLevel::kOk, ""},
      {"halted",
       [](LaneStatus& lane) {
         lane.state = LaneState::kHalted;
         lane.state_reason = "log_mismatch";
       },
       CheckLevel::kProblem, "fans/3 of generation 1 on shard 1 is halted (log_mismatch)"},
      {"paused", [](LaneStatus& lane) { lane.state = LaneState::kPaused; }, CheckLevel::kWarning,
       "is paused (no reason given)"},
  };
  for (const Case<LaneStatus>& test : kCases) {
    ShardLane lane{Shard(1), testing::RunningLane(projections::kFans, 3, 7)};
    test.spoil(lane.status);
    const Check check = CheckLanes(std::vector{lane});
    Expect(test, check);
    if (check.findings.empty()) continue;
    EXPECT_NE(check.findings[0].advice.find("fanfold lane resume fans/3 --generation 1`"),
              std::string::npos);
  }
}

TEST(Checks, WorkThatIsBegunIsFineUntilItHasTakenLong) {
  PerProjection<OpenWork> open;
  EXPECT_EQ(CheckOpenWork(open, kNowMs).fine, "nothing is begun and not done");
  OpenWork& erasing = open[projections::kProfiles];
  erasing = {"accounts that are being erased", 3, kNowMs - kOpenWorkMaxMs};
  const Check young = CheckOpenWork(open, kNowMs);
  EXPECT_EQ(LevelOf(young), CheckLevel::kOk);
  EXPECT_EQ(young.fine,
            "profiles: 3 accounts that are being erased, the oldest asked for 15:00 ago");
  --erasing.oldest_ms;
  const Check old = CheckOpenWork(open, kNowMs);
  EXPECT_EQ(LevelOf(old), CheckLevel::kWarning);
  EXPECT_NE(old.findings.at(0).advice.find("projector-profiles"), std::string::npos);
}

TEST(Checks, ParkedRecordsAreCounted) {
  EXPECT_EQ(LevelOf(CheckParked({})), CheckLevel::kOk);
  const Check some = CheckParked({2, false});
  EXPECT_EQ(LevelOf(some), CheckLevel::kWarning);
  EXPECT_NE(some.findings[0].what.find("2 records"), std::string::npos);
  EXPECT_NE(CheckParked({10, true}).findings[0].what.find("10 or more"), std::string::npos);
}

TEST(Checks, LagIsFoundByItsAge) {
  EXPECT_EQ(LevelOf(CheckLag({})), CheckLevel::kOk);
  EXPECT_EQ(LevelOf(CheckLag({100'000, kLagMaxMs})), CheckLevel::kOk) << "on their way";
  EXPECT_EQ(LevelOf(CheckLag({1, kLagMaxMs + 1})), CheckLevel::kWarning);
}

}  // namespace
}  // namespace fanfold::operations
