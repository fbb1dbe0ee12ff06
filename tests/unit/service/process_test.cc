#include "common/service/process.h"

#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <system_error>
#include <vector>

namespace fanfold {
namespace {

using ::testing::ExitedWithCode;

// Ends as a main does that was called so.
[[noreturn]] void End(const std::function<Status(const Config&)>& serve,
                      std::vector<std::string> words) {
  words.insert(words.begin(), "fanfold-reader");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  std::exit(RunProcess(static_cast<int>(arguments.size()), arguments.data(),
                       {.program = Program::kReader,
                        .name = "reader",
                        .about = "Answers.",
                        .serve = [&](auto& config, auto&) { return serve(config); }}));
}

const std::vector<std::string> kSet = {"--partitions=16", "--kafka-brokers=127.0.0.1:1"};

TEST(Process, ServesWhatIsConfigured) {
  EXPECT_EXIT(End([](const Config& config) -> Status { std::exit(config.partitions); }, kSet),
              ExitedWithCode(16), "");
  EXPECT_EXIT(End([](const Config&) { return Status{}; }, kSet), ExitedWithCode(0), "^$");
}

TEST(Process, SaysWhyItEnds) {
  EXPECT_EXIT(End([](const Config&) { return Fail(ErrorCode::kRefused, "port 1 is taken"); }, kSet),
              ExitedWithCode(1),
              R"("service":"reader","msg":"cannot serve","error":"port 1 is taken")");
  EXPECT_EXIT(End({}, {"--partitions=x"}), ExitedWithCode(1),
              R"("configuration refused".*partitions)");
  EXPECT_EXIT(End({}, {"--partition"}), ExitedWithCode(1),
              "no option --partition; the nearest is --partitions");
}

TEST(Process, WarnsOfWhatItIsToldToSendInPlainText) {
  EXPECT_EXIT(
      End([](const Config&) { return Status{}; }, {"--partitions=16", "--kafka-brokers=k:1"}),
      ExitedWithCode(0), R"("warning".*"look at the configuration".*names k:1, which)");
}

TEST(Process, SaysThatThreadsOrSocketsAreNotToBeHad) {
  const auto serve = [](const Config&) -> Status {
    throw std::system_error(std::make_error_code(std::errc::too_many_files_open), "epoll");
  };
  EXPECT_EXIT(End(serve, kSet), ExitedWithCode(1),
              R"("cannot serve","error":"epoll: Too many open files")");
}

}  // namespace
}  // namespace fanfold
