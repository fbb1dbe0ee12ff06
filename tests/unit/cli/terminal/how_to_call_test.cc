#include "cli/terminal/how_to_call.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace fanfold {
namespace {

Config OnBrokers(const std::string& brokers) {
  Config config;
  config.kafka_brokers = brokers;
  return config;
}

TEST(HowToCall, EveryCommandSaysWhichDeploymentIsMeant) {
  const HowToCall calls =
      HowToCallOn("bin/fanfold", {"my file.json", {}, {}}, {}, OnBrokers("k1:9092,k2:9092"));
  EXPECT_EQ(Pasteable("see `fanfold lane list`, then `fanfold wait`", calls),
            "see `bin/fanfold lane list --config 'my file.json'`, then `bin/fanfold wait --config "
            "'my file.json'`");
  EXPECT_EQ(Pasteable("kafka-configs.sh --alter", calls),
            "kafka-configs.sh --bootstrap-server k1:9092,k2:9092 --alter");
}

TEST(HowToCall, OfAFolderIsItsDirectory) {
  const HowToCall calls = HowToCallOn("fanfold", {}, {}, DefaultsOf(DeploymentMode::kFolder));
  EXPECT_EQ(Pasteable("`fanfold init`", calls), "`fanfold init --dir ./var/fanfold`");
}

TEST(HowToCall, OfAStackOfThisMachineIsWhatLiesBesideKafkasJars) {
  namespace fs = std::filesystem;
  const testing::TempFolder root;
  const fs::path home = fs::path(root.path()) / "var/stack";
  fs::create_directories(home);
  fs::create_directories(fs::path(root.path()) / "deploy/kafka");
  std::ofstream(home / "creation.json") << "{}";
  std::ofstream(fs::path(root.path()) / "deploy/kafka/kafka-configs.sh") << "";
  const HowToCall calls = HowToCallOn(fmt::format("{}/build/release/bin/fanfold", root.path()), {},
                                      {.stack_dir = home.string()}, OnBrokers("127.0.0.1:1"));
  EXPECT_EQ(Pasteable("`fanfold wait`", calls),
            fmt::format("`{0}/build/release/bin/fanfold wait --config {0}/var/stack/fanfold.json`",
                        root.path()));
  EXPECT_EQ(
      calls.kafka_configs,
      fmt::format("{}/deploy/kafka/kafka-configs.sh --bootstrap-server 127.0.0.1:1", root.path()));
}

}  // namespace
}  // namespace fanfold
