#include "cli/terminal/how_to_call.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>

#include "tests/support/temp_folder.h"

namespace fanfold {
namespace {

FoundDeployment OnBrokers(const std::string& brokers, std::optional<std::string> file) {
  FoundDeployment found{.sources = {.file = std::move(file)}, .configured = {}};
  found.configured.config.kafka_brokers = brokers;
  return found;
}

TEST(HowToCall, EveryCommandSaysWhichDeploymentIsMeant) {
  const HowToCall calls = HowToCallOn("bin/fanfold", OnBrokers("k1:9092,k2:9092", "my file.json"));
  EXPECT_EQ(Pasteable("see `fanfold lane list`, then `fanfold wait`", calls),
            "see `bin/fanfold lane list --config 'my file.json'`, then `bin/fanfold wait --config "
            "'my file.json'`");
  EXPECT_EQ(Pasteable("kafka-configs.sh --alter", calls),
            "kafka-configs.sh --bootstrap-server k1:9092,k2:9092 --alter");
}

TEST(HowToCall, OfAFolderIsItsDirectory) {
  FoundDeployment found;
  found.configured.config = DefaultsOf(DeploymentMode::kFolder);
  const HowToCall calls = HowToCallOn("fanfold", found);
  EXPECT_EQ(Pasteable("`fanfold init`", calls), "`fanfold init --dir ./var/fanfold`");
}

TEST(HowToCall, WhatVariablesNameNeedsNoOptionAndWhatFlagsNameNeedsThem) {
  FoundDeployment found = OnBrokers("k:1", {});
  EXPECT_EQ(Pasteable("`fanfold wait`", HowToCallOn("fanfold", found)), "`fanfold wait`");
  EXPECT_EQ(Pasteable("kafka-configs.sh --alter", HowToCallOn("fanfold", found)),
            "kafka-configs.sh --bootstrap-server k:1 --alter");
  found.sources.flags = {{FindSetting("kafka_brokers"), "k:1"}, {FindSetting("partitions"), "16"}};
  EXPECT_EQ(Pasteable("`fanfold wait`", HowToCallOn("fanfold", found)),
            "`fanfold wait --kafka-brokers=k:1 --partitions=16`");
}

TEST(HowToCall, OfAStackOfThisMachineIsWhatLiesBesideKafkasJars) {
  namespace fs = std::filesystem;
  const testing::TempFolder root;
  const fs::path home = fs::path(root.path()) / "var/stack";
  fs::create_directories(home);
  fs::create_directories(fs::path(root.path()) / "deploy/kafka");
  std::ofstream(home / "creation.json") << "{}";
  std::ofstream(fs::path(root.path()) / "deploy/kafka/kafka-configs.sh") << "";
  const HowToCall calls = HowToCallOn(fmt::format("{}/build/release/bin/fanfold", root.path()),
                                      OnBrokers("127.0.0.1:1", (home / "fanfold.toml").string()));
  EXPECT_EQ(Pasteable("`fanfold wait`", calls),
            fmt::format("`{0}/build/release/bin/fanfold wait --config {0}/var/stack/fanfold.toml`",
                        root.path()));
  EXPECT_EQ(
      calls.kafka_configs,
      fmt::format("{}/deploy/kafka/kafka-configs.sh --bootstrap-server 127.0.0.1:1", root.path()));
}

}  // namespace
}  // namespace fanfold
