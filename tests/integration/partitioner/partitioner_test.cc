// Placement beside Kafka's own Java client: a producer in Java must agree with us on every user.
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <sstream>
#include <stdio.h>  // popen is POSIX's
#include <string>
#include <vector>

#include "common/stream/slot.h"

namespace fanfold {
namespace {

constexpr std::size_t kIds = 10'000;
constexpr const char* kJavaClient = "tests/java/kafka_partitions.sh 16 1024";

struct JavaChoice {
  UserId user;
  std::int32_t of_16 = -1;
  std::int32_t of_1024 = -1;
};

// What the Java client chooses, as it prints it; an exit status other than 0 fails the test.
std::vector<JavaChoice> JavaChoices() {
  FILE* pipe = popen(kJavaClient, "r");
  EXPECT_NE(pipe, nullptr);
  if (pipe == nullptr) return {};
  std::string output;
  std::array<char, 4096> buffer{};
  while (const std::size_t size = fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), size);
  }
  EXPECT_EQ(pclose(pipe), 0) << kJavaClient;
  std::vector<JavaChoice> choices;
  std::istringstream lines(output);
  for (JavaChoice choice; lines >> choice.user.value >> choice.of_16 >> choice.of_1024;) {
    choices.push_back(choice);
  }
  return choices;
}

TEST(Placement, AgreesWithKafkasJavaClient) {
  const Placement placement_16 = Placement::Modulo({16, 1});
  const Placement placement_1024 = Placement::Modulo({1024, 1});
  const std::vector<JavaChoice> choices = JavaChoices();
  ASSERT_EQ(choices.size(), kIds);
  EXPECT_EQ(choices[kIds / 2].user.value, kUserIdMax);
  for (const JavaChoice& choice : choices) {
    EXPECT_EQ(placement_16.PartitionOf(choice.user).value, choice.of_16) << choice.user.value;
    EXPECT_EQ(placement_1024.PartitionOf(choice.user).value, choice.of_1024) << choice.user.value;
    EXPECT_EQ(SlotOf(choice.user).value, choice.of_1024) << choice.user.value;
  }
}

}  // namespace
}  // namespace fanfold
