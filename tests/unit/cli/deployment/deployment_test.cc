#include "cli/deployment/deployment.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <spawn.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace fanfold {
namespace {

namespace fs = std::filesystem;

TEST(Deployment, PidsOfOthersDoNotCount) {
  using namespace std::string_view_literals;
  EXPECT_TRUE(CommandLineFits("kafka", "java\0-cp\0x\0kafka.Kafka\0server.properties"sv));
  EXPECT_TRUE(CommandLineFits("mariadb-2", "/usr/sbin/mariadbd\0--no-defaults"sv));
  EXPECT_TRUE(CommandLineFits("projector-fans-3", "build/bin/fanfold-projector\0fans"sv));
  EXPECT_FALSE(CommandLineFits("writer", "build/bin/fanfold-reader"sv));
  EXPECT_FALSE(CommandLineFits("reader", "vim"sv));
  EXPECT_FALSE(CommandLineFits("writer", ""sv));
}

const std::string kConfig =
    "mode = \"servers\"\nkafka_brokers = \"of the stack:1\"\npartitions = 16";

class DeploymentTest : public ::testing::Test {
 protected:
  DeploymentTest() {
    fs::create_directories(places_.stack_dir + "/run");
    places_.environment = [this](const char* name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? nullptr : found->second.c_str();
    };
  }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(places_.stack_dir + "/" + name) << text;
  }
  // A process that looks like the stack's reader until the test ends, beside what it was told.
  void RunStack() {
    Write("fanfold.toml", kConfig);
    std::string name = "fanfold-reader";
    std::string seconds = "600";
    char* const arguments[] = {name.data(), seconds.data(), nullptr};
    ASSERT_EQ(::posix_spawn(&reader_, "/bin/sleep", nullptr, nullptr, arguments, environ), 0);
    Write("run/reader.pid", std::to_string(reader_));
    // Its command line is there a moment after it was spawned.
    ASSERT_TRUE(testing::WaitUntil([this] { return StackIsRunning(places_.stack_dir); }));
  }
  ~DeploymentTest() override {
    if (reader_ <= 0) return;
    ::kill(reader_, SIGKILL);
    ::waitpid(reader_, nullptr, 0);
  }

  const testing::TempFolder folder_;
  DeploymentPlaces places_{.stack_dir = folder_.path() + "/stack",
                           .embedded_dir = folder_.path() + "/fanfold"};
  std::map<std::string, std::string> variables_;
  pid_t reader_ = 0;
};

TEST_F(DeploymentTest, NothingRunningTeachesHowToStart) {
  Write("fanfold.toml", kConfig);
  variables_ = {{"FANFOLD_READER_PORT", "1"}, {"FANFOLD_FOLDER", ""}};
  Write("run/reader.pid", "2147483646\n");
  const auto config = FindDeployment({}, places_);
  ASSERT_FALSE(config);
  EXPECT_NE(config.error().message.find("make stack"), std::string::npos);
  EXPECT_NE(config.error().message.find("fanfold serve"), std::string::npos);
}

TEST_F(DeploymentTest, LivePidOfAnotherProgramIsNotTheStack) {
  Write("run/reader.pid", std::to_string(::getpid()));
  EXPECT_FALSE(StackIsRunning(places_.stack_dir));
}

TEST_F(DeploymentTest, APipeInThePlaceOfAPidKeepsNobody) {
  Write("run/writer.pid", "1");
  ASSERT_EQ(::mkfifo((places_.stack_dir + "/run/reader.pid").c_str(), 0600), 0);
  EXPECT_FALSE(StackIsRunning(places_.stack_dir));
}

TEST_F(DeploymentTest, ConfigFileIsTakenWithoutAnythingRunning) {
  Write("fanfold.toml", kConfig);
  const auto found = FindDeployment({places_.stack_dir + "/fanfold.toml", {}, {}}, places_);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->configured.config.kafka_brokers, "of the stack:1");
}

TEST_F(DeploymentTest, AStackOfTheReleaseBeforeIsFoundByTheNameItKeeps) {
  RunStack();
  EXPECT_EQ(FindDeployment({}, places_)->sources.file, places_.stack_dir + "/fanfold.toml");
  Write("fanfold.json", R"({"kafka_brokers":"k:0","partitions":16})");
  const auto found = FindDeployment({}, places_);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->sources.file, places_.stack_dir + "/fanfold.json");
  EXPECT_EQ(found->configured.config.kafka_brokers, "k:0");
}

TEST_F(DeploymentTest, FolderIsTakenWhetherServedOrNot) {
  const auto deployment = FindDeployment({{}, "d", {}}, places_);
  ASSERT_TRUE(deployment) << deployment.error().message;
  EXPECT_EQ(deployment->configured.config.mode, DeploymentMode::kFolder);
  EXPECT_EQ(deployment->configured.config.folder, "d");
}

const std::map<std::string, std::string> kOnServers = {{"FANFOLD_KAFKA_BROKERS", "k:1"},
                                                       {"FANFOLD_SHARDS", "mysql://u@localhost/s"},
                                                       {"FANFOLD_PARTITIONS", "16"}};

TEST_F(DeploymentTest, VariablesAloneNameServers) {
  variables_ = kOnServers;
  const auto found = FindDeployment({}, places_);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->configured.config.mode, DeploymentMode::kServers);
  EXPECT_EQ(found->configured.config.kafka_brokers, "k:1");
  EXPECT_EQ(found->configured.config.shards, std::vector<std::string>{"mysql://u@localhost/s"});
  EXPECT_FALSE(found->sources.file);
}

TEST_F(DeploymentTest, AVariableAloneNamesAFolder) {
  variables_ = {{"FANFOLD_FOLDER", "/srv/fanfold"}};
  const auto found = FindDeployment({}, places_);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->configured.config.mode, DeploymentMode::kFolder);
  EXPECT_EQ(found->configured.config.folder, "/srv/fanfold");
}

TEST_F(DeploymentTest, WhatVariablesNameWinsOverWhatRuns) {
  RunStack();
  EXPECT_EQ(FindDeployment({}, places_)->configured.config.kafka_brokers, "of the stack:1");
  variables_ = {{"FANFOLD_READER_PORT", "1"}, {"FANFOLD_PARTITIONS", "8"}};
  const auto overlaid = FindDeployment({}, places_);
  EXPECT_EQ(overlaid->configured.config.kafka_brokers, "of the stack:1");
  EXPECT_EQ(overlaid->configured.config.partitions, 8);
  variables_ = kOnServers;
  EXPECT_EQ(FindDeployment({}, places_)->configured.config.kafka_brokers, "k:1");
  variables_ = {{"FANFOLD_FOLDER", "/srv/fanfold"}};
  EXPECT_EQ(FindDeployment({}, places_)->configured.config.mode, DeploymentMode::kFolder);
}

TEST_F(DeploymentTest, WhatIsChosenWinsOverWhatVariablesName) {
  variables_ = kOnServers;
  EXPECT_EQ(FindDeployment({{}, "d", {}}, places_)->configured.config.folder, "d");
  Write("folder.toml", "mode = \"folder\"\nfolder = \"/of/the/file\"");
  const std::string file = places_.stack_dir + "/folder.toml";
  EXPECT_EQ(FindDeployment({file, {}, {}}, places_)->configured.config.folder, "/of/the/file");
  variables_["FANFOLD_CONFIG"] = file;
  EXPECT_EQ(FindDeployment({}, places_)->configured.config.folder, "/of/the/file");
}

TEST_F(DeploymentTest, VariablesThatNameTwoAreRefused) {
  RunStack();
  variables_ = kOnServers;
  variables_["FANFOLD_FOLDER"] = "/srv/fanfold";
  const auto found = FindDeployment({}, places_);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kRefused);
  for (const std::string part : {"FANFOLD_FOLDER", "FANFOLD_KAFKA_BROKERS", "--config", "--dir"})
    EXPECT_NE(found.error().message.find(part), std::string::npos) << found.error().message;
}

TEST_F(DeploymentTest, FlagsNameServersOverVariables) {
  variables_ = {{"FANFOLD_FOLDER", "/srv/fanfold"}};
  const auto found = FindDeployment(
      {{}, {}, {{FindSetting("kafka_brokers"), "k:2"}, {FindSetting("partitions"), "4"}}}, places_);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->configured.config.kafka_brokers, "k:2");
}

TEST_F(DeploymentTest, HalfADeploymentIsNotMadeWholeByAnother) {
  RunStack();
  variables_ = {{"FANFOLD_SHARDS", "mysql://u@localhost/s"}, {"FANFOLD_PARTITIONS", "16"}};
  const auto found = FindDeployment({}, places_);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(found.error().message.starts_with(
      "FANFOLD_SHARDS names a deployment: kafka_brokers is missing"))
      << found.error().message;
}

}  // namespace
}  // namespace fanfold
