#include "operations/doctor/database_checks.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace fanfold::operations {
namespace {

struct ServerVersion {
  int major = 0;
  int minor = 0;
  friend auto operator<=>(const ServerVersion&, const ServerVersion&) = default;
};

// The first "n.m" of the text; 0.0 where there is none.
ServerVersion VersionIn(std::string_view text) {
  ServerVersion version;
  text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
  int* part = &version.major;
  for (const char c : text) {
    if (c == '.' && part == &version.major) {
      part = &version.minor;
    } else if (c >= '0' && c <= '9') {
      *part = *part * 10 + (c - '0');
    } else {
      break;
    }
  }
  return version;
}

bool IsTried(const std::string& server) {
  constexpr ServerVersion kMariadbLeast{10, 11};
  constexpr ServerVersion kMysqlLeast{8, 0};
  if (server.starts_with("SQLite")) return true;
  const bool is_mariadb = server.find("MariaDB") != std::string::npos;
  return VersionIn(server) >= (is_mariadb ? kMariadbLeast : kMysqlLeast);
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::vector<std::string> Without(std::vector<std::string> from,
                                 const std::vector<std::string>& what) {
  std::erase_if(
      from, [&](const std::string& name) { return std::ranges::find(what, name) != what.end(); });
  return from;
}

void CheckIndexesOf(const ShardFacts& shard, Check& check) {
  std::set<std::string> tables;
  for (const TableIndex& index : shard.facts.indexes) tables.insert(index.table);
  std::set<std::string> missing;
  for (const TableIndex& wanted : shard.facts.indexes_wanted) {
    if (!tables.contains(wanted.table)) {
      if (!missing.insert(wanted.table).second) continue;
      check.Blame(fmt::format("shard {}: the table {} is missing", shard.shard.value, wanted.table),
                  "restore the shard, or rebuild the projection into a new generation");
      continue;
    }
    if (std::ranges::find(shard.facts.indexes, wanted) != shard.facts.indexes.end()) continue;
    check.Blame(fmt::format("shard {}: {} has no index {} ({})", shard.shard.value, wanted.table,
                            wanted.name, Joined(wanted.columns)),
                "run `fanfold init`, which makes it (drop it first where it has other columns); "
                "until then reads scan whole lists, or fail");
  }
}

// How far `there` is outside `from` … `to`.
std::int64_t Outside(std::int64_t there, std::int64_t from, std::int64_t to) {
  return std::max({from - there, there - to, std::int64_t{0}});
}

}  // namespace

Check CheckServers(std::span<const ShardFacts> shards, const std::string& log_client) {
  Check check{"versions", "", {}};
  std::set<std::string> servers;
  for (const ShardFacts& shard : shards) {
    servers.insert(shard.facts.server);
    if (IsTried(shard.facts.server)) continue;
    check.Warn(fmt::format("shard {}: {} is older than what Fanfold is tried on", shard.shard.value,
                           shard.facts.server),
               "MySQL 8.0 or MariaDB 10.11, or later");
  }
  std::vector<std::string> versions = {fmt::format("fanfold {}", FANFOLD_VERSION)};
  if (!log_client.empty()) versions.push_back(log_client);
  versions.insert(versions.end(), servers.begin(), servers.end());
  check.fine = Joined(versions);
  return check;
}

Check CheckMigrations(std::span<const ShardFacts> shards) {
  Check check{"migrations", "every shard has had those that this build knows", {}};
  for (const ShardFacts& shard : shards) {
    const DatabaseFacts& facts = shard.facts;
    const auto missing = Without(facts.migrations_known, facts.migrations_had);
    if (!missing.empty()) {
      check.Blame(fmt::format("shard {} has not had {}", shard.shard.value, Joined(missing)),
                  "run `fanfold init`");
    }
    const auto unknown = Without(facts.migrations_had, facts.migrations_known);
    if (!unknown.empty()) {
      check.Blame(fmt::format("shard {} has had {}, which this build does not know",
                              shard.shard.value, Joined(unknown)),
                  "run the newest build everywhere");
    }
  }
  return check;
}

std::vector<TableIndex> MissingIndexes(const DatabaseFacts& facts) {
  std::set<std::string> tables;
  std::set<std::pair<std::string, std::string>> names;
  for (const TableIndex& index : facts.indexes) {
    tables.insert(index.table);
    names.emplace(index.table, index.name);
  }
  std::vector<TableIndex> missing;
  std::ranges::copy_if(
      facts.indexes_wanted, std::back_inserter(missing), [&](const TableIndex& wanted) {
        return tables.contains(wanted.table) && !names.contains({wanted.table, wanted.name});
      });
  return missing;
}

Check CheckMapRead(SlotMapId map, const Result<Deployment>& read) {
  if (!read && read.error().code != ErrorCode::kRefused)
    return CannotLook("slot map", read.error());
  Check check{"slot map", fmt::format("{} of shard 0 is whole", map.value), {}};
  if (!read) {
    check.Blame(read.error().message, "restore the table `slot_maps` of shard 0 from a backup");
  }
  return check;
}

Check CheckIndexes(std::span<const ShardFacts> shards) {
  Check check{"tables", "every table and index that is declared is there", {}};
  for (const ShardFacts& shard : shards) CheckIndexesOf(shard, check);
  return check;
}

Check CheckDurability(std::span<const ShardFacts> shards) {
  Check check{"durability", "a commit is on the disk when it returns", {}};
  for (const ShardFacts& shard : shards) {
    const auto& settings = shard.facts.settings;
    if (settings.empty())
      check.fine = "the log is; tables that lose moments are folded from it again";
    const auto want = [&](const std::string& name, const char* value, const char* how) {
      const std::string is = SettingOf(settings, name);
      if (is.empty() || is == value) return;
      check.Warn(
          fmt::format("shard {}: {} is {}: a power failure may undo what was committed last, "
                      "which is then folded again",
                      shard.shard.value, name, is),
          fmt::format("{} = {}, {}", name, value, how));
    };
    constexpr const char* kLive = "by SET GLOBAL and in the server's configuration";
    want("innodb_flush_log_at_trx_commit", "1", kLive);
    // MySQL has another name for ON.
    if (SettingOf(settings, "innodb_doublewrite") != "DETECT_AND_RECOVER") {
      want("innodb_doublewrite", "ON", "in the server's configuration; restart it");
    }
    if (SettingOf(settings, "log_bin") == "ON") want("sync_binlog", "1", kLive);
  }
  return check;
}

Check CheckClocks(std::span<const ShardFacts> shards, std::optional<std::int64_t> newest_append_ms,
                  std::int64_t now_ms) {
  Check check{"clocks", fmt::format("within {} ms of this machine's", kClockSkewMaxMs), {}};
  constexpr const char* kSync = "keep every machine's clock by NTP: ages and lag are told by it";
  for (const ShardFacts& shard : shards) {
    if (!shard.facts.now_ms) continue;
    const std::int64_t off = Outside(*shard.facts.now_ms, shard.asked_ms, shard.answered_ms);
    if (off <= kClockSkewMaxMs) continue;
    check.Warn(
        fmt::format("the clock of shard {} is {} ms off this machine's", shard.shard.value, off),
        kSync);
  }
  const std::int64_t ahead = newest_append_ms.value_or(now_ms) - now_ms;
  if (ahead > kClockSkewMaxMs) {
    check.Warn(fmt::format("the log's newest record was appended {} ms from now", ahead), kSync);
  }
  return check;
}

}  // namespace fanfold::operations
