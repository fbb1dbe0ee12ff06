#include "tests/unit/layering/include_rules.h"

#include <gtest/gtest.h>
#include <string>

namespace fanfold::layering {
namespace {

struct IncludeCase {
  std::string name;
  std::string path;
  std::string include;  // with its quotes or brackets
  bool allowed;
};

void PrintTo(const IncludeCase& c, std::ostream* out) { *out << c.path << " → " << c.include; }

class IncludeRulesTest : public ::testing::TestWithParam<IncludeCase> {};

TEST_P(IncludeRulesTest, JudgesOneInclude) {
  const IncludeCase& c = GetParam();
  const auto violations = Violations(c.path, "#pragma once\n#include " + c.include + "\n");
  EXPECT_EQ(violations.empty(), c.allowed) << (violations.empty() ? "" : violations.front());
}

constexpr bool kAllowed = true;
constexpr bool kRefused = false;
constexpr auto kName = [](const auto& param_info) { return param_info.param.name; };

INSTANTIATE_TEST_SUITE_P(
    Common, IncludeRulesTest,
    ::testing::Values(
        IncludeCase{"BaseBase", "common/base/a.h", "\"common/base/b.h\"", kAllowed},
        IncludeCase{"BaseRelation", "common/base/a.h", "\"common/stream/ids.h\"", kRefused},
        IncludeCase{"RelationBase", "common/relation/a.cc", "\"common/base/b.h\"", kAllowed},
        IncludeCase{"RelationPorts", "common/relation/a.cc", "\"common/ports/lane.h\"", kRefused},
        IncludeCase{"PortsRelation", "common/ports/a.h", "\"common/stream/ids.h\"", kAllowed},
        IncludeCase{"PortsAdapter", "common/ports/a.h", "\"common/kafka/log.h\"", kRefused},
        IncludeCase{"PortsHttp", "common/ports/a.h", "\"common/http/router.h\"", kRefused},
        IncludeCase{"AdapterPorts", "common/kafka/a.cc", "\"common/ports/event_log.h\"", kAllowed},
        IncludeCase{"AdapterItself", "common/kafka/a.cc", "\"common/kafka/b.h\"", kAllowed},
        IncludeCase{"AdapterAdapter", "common/kafka/a.cc", "\"common/mysql/dsn.h\"", kRefused},
        IncludeCase{"DatabaseSql", "common/sqlite/a.cc", "\"common/sql/failure.h\"", kAllowed},
        IncludeCase{"DatabaseDatabase", "common/sqlite/a.cc", "\"common/mysql/dsn.h\"", kRefused},
        IncludeCase{"SqlDatabase", "common/sql/a.cc", "\"common/mysql/dsn.h\"", kRefused},
        IncludeCase{"LogSql", "common/kafka/a.cc", "\"common/sql/failure.h\"", kRefused},
        IncludeCase{"AdapterHttp", "common/mysql/a.cc", "\"common/http/router.h\"", kRefused},
        IncludeCase{"AdapterCore", "common/mysql/a.cc", "\"reader/routes.h\"", kRefused},
        IncludeCase{"HttpPorts", "common/http/a.cc", "\"common/ports/event_log.h\"", kRefused},
        IncludeCase{"Tests", "common/base/a.cc", "\"tests/support/servers.h\"", kRefused}),
    kName);

INSTANTIATE_TEST_SUITE_P(
    Cores, IncludeRulesTest,
    ::testing::Values(
        IncludeCase{"WriterPorts", "writer/a.cc", "\"common/ports/event_log.h\"", kAllowed},
        IncludeCase{"WriterHttp", "writer/a.cc", "\"common/http/router.h\"", kAllowed},
        IncludeCase{"WriterAdapter", "writer/a.cc", "\"common/kafka/log.h\"", kRefused},
        IncludeCase{"WriterReader", "writer/a.cc", "\"reader/routes.h\"", kRefused},
        IncludeCase{"ReaderAdapter", "reader/a.h", "\"common/mysql/dsn.h\"", kRefused},
        IncludeCase{"FreshnessReader", "reader/freshness/a.h", "\"reader/queries.h\"", kRefused},
        IncludeCase{"CacheReader", "reader/cache/a.h", "\"reader/queries.h\"", kRefused},
        IncludeCase{"CacheTables", "reader/cache/a.h", "\"reader/tables/b.h\"", kAllowed},
        IncludeCase{"ReaderProjector", "reader/a.h", "\"projector/runtime/lane.h\"", kRefused},
        IncludeCase{"RuntimeFold", "projector/runtime/a.h", "\"projector/relations/b.h\"",
                    kRefused},
        IncludeCase{"FoldsRelations", "projector/folds.cc", "\"projector/relations/b.h\"",
                    kAllowed},
        IncludeCase{"RuntimeFolds", "projector/runtime/a.h", "\"projector/folds.h\"", kRefused},
        IncludeCase{"RelationsRuntime", "projector/relations/a.h", "\"projector/runtime/b.h\"",
                    kAllowed},
        IncludeCase{"RuntimeRows", "projector/runtime/a.h", "\"common/ports/edge_store.h\"",
                    kRefused},
        IncludeCase{"RuntimeEdges", "projector/runtime/a.h", "\"common/relation/edge.h\"",
                    kRefused},
        IncludeCase{"ProjectorAdapter", "projector/runtime/a.cc", "\"common/mysql/dsn.h\"",
                    kRefused},
        IncludeCase{"MainAdapter", "writer/main.cc", "\"common/kafka/log.h\"", kAllowed},
        IncludeCase{"MainOwnCore", "writer/main.cc", "\"writer/routes.h\"", kAllowed},
        IncludeCase{"MainOtherCore", "writer/main.cc", "\"reader/routes.h\"", kRefused},
        IncludeCase{"ProjectorMain", "projector/main.cc", "\"projector/relations/b.h\"", kAllowed},
        IncludeCase{"OperationsPorts", "operations/a.cc", "\"common/ports/lane.h\"", kAllowed},
        IncludeCase{"OperationsProjector", "operations/a.cc", "\"projector/folds.h\"", kAllowed},
        IncludeCase{"OperationsCli", "operations/a.cc", "\"cli/terminal/console.h\"", kRefused},
        IncludeCase{"OperationsAdapter", "operations/a.cc", "\"common/mysql/dsn.h\"", kRefused},
        IncludeCase{"OperationsHttp", "operations/a.cc", "\"common/http/router.h\"", kRefused},
        IncludeCase{"OperationsReader", "operations/a.cc", "\"reader/routes.h\"", kRefused},
        IncludeCase{"ProjectorOperations", "projector/main.cc", "\"operations/base/backend.h\"",
                    kRefused},
        IncludeCase{"CliOperations", "cli/a.cc", "\"operations/base/backend.h\"", kAllowed},
        IncludeCase{"CliAll", "cli/serve.cc", "\"reader/routes.h\"", kAllowed},
        IncludeCase{"CliTests", "cli/serve.cc", "\"tests/support/servers.h\"", kRefused},
        IncludeCase{"TestsAll", "tests/unit/reader/a_test.cc", "\"writer/routes.h\"", kAllowed}),
    kName);

INSTANTIATE_TEST_SUITE_P(
    ThirdParties, IncludeRulesTest,
    ::testing::Values(
        IncludeCase{"RdkafkaInKafka", "common/kafka/a.cc", "<librdkafka/rdkafka.h>", kAllowed},
        IncludeCase{"RdkafkaInWriter", "writer/a.cc", "<librdkafka/rdkafka.h>", kRefused},
        IncludeCase{"RdkafkaInMain", "writer/main.cc", "<librdkafka/rdkafka.h>", kRefused},
        IncludeCase{"RdkafkaInMysql", "common/mysql/a.cc", "<librdkafka/rdkafka.h>", kRefused},
        IncludeCase{"ConnectorInMysql", "common/mysql/a.cc", "<cppconn/driver.h>", kAllowed},
        IncludeCase{"ConnectorInReader", "reader/a.cc", "<mysql_connection.h>", kRefused},
        IncludeCase{"ConnectorInCli", "cli/a.cc", "<cppconn/driver.h>", kRefused},
        IncludeCase{"SqliteInSqlite", "common/sqlite/a.cc", "<sqlite3.h>", kAllowed},
        IncludeCase{"SqliteInSql", "common/sql/a.cc", "<sqlite3.h>", kRefused},
        IncludeCase{"SqliteInCli", "cli/a.cc", "<sqlite3.h>", kRefused},
        IncludeCase{"BoostInHttp", "common/http/a.cc", "<boost/asio/post.hpp>", kAllowed},
        IncludeCase{"BoostInHttpHeader", "common/http/a.h", "<boost/asio/post.hpp>", kAllowed},
        IncludeCase{"BoostInCli", "cli/a.cc", "<boost/asio/post.hpp>", kRefused},
        IncludeCase{"FmtInSource", "reader/a.cc", "<fmt/format.h>", kAllowed},
        IncludeCase{"FmtInHeader", "reader/a.h", "<fmt/format.h>", kRefused},
        IncludeCase{"JsonInHeader", "common/relation/a.h", "<nlohmann/json.hpp>", kRefused},
        IncludeCase{"StandardInHeader", "common/base/a.h", "<expected>", kAllowed},
        IncludeCase{"SystemInHeader", "cli/a.h", "<sys/types.h>", kAllowed},
        IncludeCase{"ConnectorInAdapterHeader", "common/mysql/a.h", "<cppconn/driver.h>", kAllowed},
        IncludeCase{"TestsUseThem", "tests/unit/kafka/a_test.cc", "<librdkafka/rdkafka.h>",
                    kAllowed}),
    kName);

INSTANTIATE_TEST_SUITE_P(
    Paths, IncludeRulesTest,
    ::testing::Values(
        IncludeCase{"Beside", "reader/a.cc", "\"routes.h\"", kRefused},
        IncludeCase{"Upwards", "reader/a.cc", "\"../common/base/check.h\"", kRefused},
        IncludeCase{"UpwardsInside", "reader/a.cc", "\"common/ports/../kafka/log.h\"", kRefused},
        IncludeCase{"BracketsForOwn", "reader/a.cc", "<common/kafka/log.h>", kRefused}),
    kName);

TEST(IncludeRules, SpacesAndLaterLinesHideNothing) {
  const std::string text =
      "#include <string>\n\n#  include \"common/kafka/a.h\"\n\t# include\t\"common/mysql/b.h\"\n";
  EXPECT_EQ(Violations("reader/a.cc", text).size(), 2U);
}

TEST(IncludeRules, CommentedIncludesDoNotCount) {
  EXPECT_TRUE(Violations("reader/a.cc", "// #include \"common/kafka/a.h\"\n").empty());
}

TEST(IncludeRules, LibraryBehindItsFoldersSourcesDoesNotLeak) {
  EXPECT_TRUE(Leaks({{"reader/main.cc", "#include \"common/mysql/store.h\"\n"},
                     {"common/mysql/store.h", "#include <string>\n"},
                     {"common/mysql/store.cc", "#include \"common/mysql/connection.h\"\n"},
                     {"common/mysql/connection.h", "#include <cppconn/driver.h>\n"}})
                  .empty());
}

TEST(IncludeRules, LibraryInAPublicHeaderLeaksThroughOthers) {
  const auto leaks = Leaks({{"reader/main.cc", "#include \"common/mysql/store.h\"\n"},
                            {"common/mysql/store.h", "#include \"common/mysql/connection.h\"\n"},
                            {"common/mysql/connection.h", "#include <cppconn/driver.h>\n"}});
  ASSERT_EQ(leaks.size(), 1U);
  EXPECT_EQ(leaks.front(),
            "reader/main.cc sees cppconn/driver.h through common/mysql/connection.h");
}

TEST(IncludeRules, HeadersThatIncludeEachOtherEnd) {
  EXPECT_TRUE(Leaks({{"cli/a.h", "#include \"cli/b.h\"\n"}, {"cli/b.h", "#include \"cli/a.h\"\n"}})
                  .empty());
}

}  // namespace
}  // namespace fanfold::layering
