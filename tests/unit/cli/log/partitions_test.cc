// The verbs on topics that have other partitions than the deployment.
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/inspect/doctor.h"
#include "cli/inspect/explain.h"
#include "cli/inspect/status.h"
#include "cli/inspect/tail.h"
#include "cli/inspect/wait.h"
#include "cli/log/export_log.h"
#include "cli/log/import.h"
#include "common/relation/codec.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/cli/fakes.h"

namespace fanfold {
namespace {

using testing::FakeSession;
using testing::kPartitions;
using testing::RunningLane;
using Json = nlohmann::json;

// One event of each of the deployment's partitions, folded; two foreign records in each other one.
class PartitionsTest : public ::testing::Test {
 protected:
  explicit PartitionsTest(std::int32_t there = 2 * kPartitions) : fake_(there) {
    auto& backend = fake_.backend;
    backend.partitions_configured = kPartitions;
    backend.log_facts->topics[topics::kRelationEvents].partitions =
        backend.log_facts->topics[topics::kRelationOutcomes].partitions = there;
    backend.database_facts->server = "SQLite 3.40.1";
    backend.shard_states[0].catalog = Catalog{{}, {kPartitions, 1}};
    for (std::int32_t p = 0; p < there; ++p) {
      for (int i = 0; i < (p < kPartitions ? 1 : 2); ++i) {
        backend.log.Of(topics::kRelationEvents)[static_cast<std::size_t>(p)].push_back(
            {"1", "x", 1});
      }
    }
    for (const Projection kind : Projection::All()) {
      for (std::int32_t p = 0; p < kPartitions; ++p) {
        const std::int64_t at = kind.stream() == streams::kRelations ? 1 : 0;
        backend.shard_states[0].lanes.push_back(RunningLane(kind, p, at));
      }
    }
  }

  ExitCode Import() {
    const std::string file = folder_.path() + "/edges.tsv";
    std::ofstream(file) << "1 2\n2 3\n3 4\n4 5\n5 6\n6 7\n7 8\n8 9\n";
    ImportOptions options;
    options.source.file = file;
    options.waits = false;
    return RunImport(fake_.session, options);
  }
  ExitCode Export() { return RunExportLog(fake_.session, {folder_.path() + "/log.jsonl"}); }

  testing::TempFolder folder_;
  FakeSession fake_;
};

TEST_F(PartitionsTest, ForeignOnesAreNotWaitedFor) {
  EXPECT_EQ(RunWait(fake_.session, {.timeout_ms = 0}), ExitCode::kFine) << fake_.err.text();
  EXPECT_EQ(fake_.backend.asked_of_reader.size(), std::size_t{kPartitions});
}

TEST_F(PartitionsTest, StatusIsOfTheDeployments) {
  fake_.session.json = true;
  EXPECT_EQ(RunStatus(fake_.session, {}), ExitCode::kFine);
  EXPECT_EQ(Json::parse(fake_.out.text())["partitions"], kPartitions);
}

TEST_F(PartitionsTest, ImportAppendsToTheDeploymentsAlone) {
  EXPECT_EQ(Import(), ExitCode::kFine) << fake_.err.text();
  for (std::size_t p = kPartitions; p < 2 * kPartitions; ++p) {
    EXPECT_EQ(fake_.backend.log.Of(topics::kRelationEvents)[p].size(), 2U) << p;
  }
}

TEST_F(PartitionsTest, ExportLeavesForeignRecordsOut) {
  fake_.session.json = true;
  EXPECT_EQ(Export(), ExitCode::kFine) << fake_.err.text();
  const Json told = Json::parse(fake_.out.text());
  EXPECT_EQ(told["partitions"], kPartitions);
  EXPECT_EQ(told["events"], kPartitions);
}

TEST_F(PartitionsTest, TailShowsTheDeploymentsAlone) {
  EXPECT_EQ(RunTail(fake_.session, {.from_start = true, .count = kPartitions}), ExitCode::kFine);
  for (const char* foreign : {"4:0", "5:0", "6:0", "7:0"}) {
    EXPECT_EQ(fake_.out.text().find(foreign), std::string::npos) << fake_.out.text();
  }
}

TEST_F(PartitionsTest, ExplainLooksWhereTheDeploymentPutsTheSubject) {
  fake_.session.json = true;
  for (std::uint64_t user = 1; user <= 16; ++user) {
    FakeSession fake(2 * kPartitions);
    fake.backend.partitions_configured = kPartitions;
    fake.backend.shard_states[0].catalog = Catalog{{}, {kPartitions, 1}};
    fake.session.json = true;
    Event event;
    event.event_id = "e";
    event.subject = UserId(user);
    event.object = UserId(99);
    const auto home = static_cast<std::size_t>(PartitionOf(event.subject, kPartitions).value);
    fake.backend.log.Of(topics::kRelationEvents)[home].push_back(
        {ToString(event.subject), EncodeEvent(event), 5});
    (void)RunExplain(fake.session, {event.subject, event.object});
    EXPECT_EQ(Json::parse(fake.out.text())["events"].size(), 1U) << user;
  }
}

TEST_F(PartitionsTest, DoctorTellsThemAndWhatStandsInThem) {
  fake_.backend.IdentifyAll(DeploymentId::Draw());
  EXPECT_EQ(RunDoctor(fake_.session, {}), ExitCode::kDifferent);
  const std::string text = fake_.out.text();
  EXPECT_NE(text.find("warning  shape"), std::string::npos) << text;
  EXPECT_NE(text.find("problem  foreign      relation-events: 8 records"), std::string::npos)
      << text;
}

class FewerPartitionsTest : public PartitionsTest {
 protected:
  FewerPartitionsTest() : PartitionsTest(kPartitions / 2) {}

  void ExpectRefused(ExitCode code, const char* verb) {
    EXPECT_EQ(code, ExitCode::kRefused) << verb;
    EXPECT_NE(fake_.err.text().find("has 2 partitions, the deployment 4"), std::string::npos)
        << verb << ": " << fake_.err.text();
  }
};

TEST_F(FewerPartitionsTest, AreRefusedNamingBoth) {
  ExpectRefused(RunWait(fake_.session, {.timeout_ms = 0}), "wait");
  ExpectRefused(RunStatus(fake_.session, {}), "status");
  ExpectRefused(RunTail(fake_.session, {}), "tail");
  ExpectRefused(RunExplain(fake_.session, {UserId(1), UserId(2)}), "explain");
  ExpectRefused(Import(), "import");
  ExpectRefused(Export(), "export");
}

}  // namespace
}  // namespace fanfold
