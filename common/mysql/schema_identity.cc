#include "common/mysql/schema_identity.h"

#include <fmt/format.h>
#include <set>
#include <utility>

#include "common/mysql/index_names.h"
#include "common/mysql/mysql_store.h"
#include "common/mysql/options.h"
#include "common/mysql/row_tables.h"
#include "common/sql/lane_row.h"
#include "common/sql/schema_identity.h"
#include "common/sql/table_names.h"

namespace fanfold {
namespace mysql {
namespace {

constexpr int kNoSuchSchema = 1049;
constexpr int kNoSuchTable = 1146;

// Runs `read` unless the schema lacks what it asks for.
template <class Read>
void IfThere(const Read& read) {
  try {
    read();
  } catch (const Failure& failure) {
    if (failure.native() != kNoSuchSchema && failure.native() != kNoSuchTable) throw;
  }
}

// Of any release's tables, those without streams included.
std::vector<LaneId> ReadLanes(Connection& connection) {
  std::vector<LaneId> lanes;
  Rows rows = connection.Query(fmt::format(
      "SELECT projection, generation, `partition` FROM progress WHERE {}", OfKnownProjections()));
  while (rows.Next()) {
    lanes.push_back(
        {ProjectionNamed(rows.Text(0)), Generation(rows.I32(1)), Partition(rows.I32(2))});
  }
  return lanes;
}

// Of every table that has lanes: what has none holds nothing that anybody folded.
std::vector<SampledUser> SampleUsers(Connection& connection, std::span<const LaneId> lanes) {
  std::set<std::pair<Projection, Generation>> folded;
  for (const LaneId& lane : lanes) folded.emplace(lane.projection, lane.generation);
  std::vector<SampledUser> users;
  for (const auto& [projection, generation] : folded) {
    Rows rows = connection.Query(fmt::format(
        "SELECT DISTINCT {0} FROM {1} FORCE INDEX ({2}) ORDER BY {0} LIMIT {3}",
        NewRowTables(projection, connection)->user_column(),
        TableOf(projection.tables().back(), generation), kPrimaryIndex, SchemaTraces::kUsersMax));
    while (rows.Next()) users.push_back({projection, UserId(rows.U64(0))});
  }
  return users;
}

SchemaTraces ReadTraces(Connection& connection) {
  SchemaTraces traces;
  IfThere([&] {
    Rows rows = connection.Query("SELECT partitions, shards FROM catalog WHERE id = 1");
    if (rows.Next()) traces.catalog = Catalog{{}, {rows.I32(0), rows.I32(1)}};
  });
  IfThere([&] { traces.lanes = ReadLanes(connection); });
  IfThere([&] { traces.identity = ReadIdentity(connection); });
  if (!traces.identity) traces.users = SampleUsers(connection, traces.lanes);
  return traces;
}

}  // namespace

std::optional<SchemaIdentity> ReadIdentity(Connection& connection) {
  Rows rows = connection.Query(SelectIdentity());
  if (!rows.Next()) return std::nullopt;
  return ReadIdentityRow(rows);
}

}  // namespace mysql

Result<SchemaTraces> LookAtMysqlSchema(const std::string& dsn) {
  Result<Dsn> parsed = ParseDsn(dsn);
  if (!parsed) return Forward(parsed);
  mysql::Connection connection(std::move(*parsed), {});
  return connection.Run([&] { return mysql::ReadTraces(connection); });
}

Status RenewMysqlIdentity(const std::string& dsn, const DeploymentId& from,
                          const DeploymentId& to) {
  Result<Dsn> parsed = ParseDsn(dsn);
  if (!parsed) return Forward(parsed);
  mysql::Connection connection(std::move(*parsed), {});
  return connection.Run([&] {
    const std::uint64_t renewed = connection.Execute(
        fmt::format(
            "UPDATE schema_identity SET deployment = '{}', renewed_from = '{}' WHERE id = 1 "
            "AND deployment = '{}'",
            to.text(), from.text(), from.text()),
        mysql::Phase::kCommits);
    CheckRenewed(renewed, from);
  });
}

Result<std::int64_t> SessionsOnMysql(const std::string& dsn) {
  Result<Dsn> parsed = ParseDsn(dsn);
  if (!parsed) return Forward(parsed);
  const std::string schema = std::exchange(parsed->schema, "");
  mysql::Connection connection(std::move(*parsed), {});
  return connection.Run([&] {
    constexpr int kSchemaColumn = 3;
    std::int64_t sessions = 0;
    mysql::Rows rows = connection.Query("SHOW PROCESSLIST");
    while (rows.Next()) {
      if (!rows.IsNull(kSchemaColumn) && rows.Text(kSchemaColumn) == schema) ++sessions;
    }
    return sessions;
  });
}

}  // namespace fanfold
