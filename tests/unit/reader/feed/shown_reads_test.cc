// What was shown, through the reader as a whole: positions, lag, generations.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "common/ports/post_reader.h"
#include "common/ports/profile_reader.h"
#include "common/ports/shown_reader.h"
#include "reader/reader_service.h"
#include "tests/support/memory_log.h"
#include "tests/support/memory_reader.h"
#include "tests/support/wait_until.h"
#include "tests/unit/reader/get_from.h"

namespace fanfold::reader {
namespace {

using testing::MemoryReader;
using testing::WaitUntil;

constexpr const char* kLatest = "/v1/users/1/feed/latest";
constexpr const char* kHistory = "/v1/users/1/feed/history";
constexpr const char* kFeed = "/v1/users/1/feed";

// With memory, or from tables alone.
class ShownReads : public ::testing::TestWithParam<bool> {
 protected:
  ShownReads() {
    for (std::int32_t p = 0; p < placement_.partitions(); ++p) {
      const Partition partition(p);
      for (const Projection projection : Projection::All()) {
        for (std::int32_t s = 0; s < placement_.shards(); ++s) {
          if (!projection.HasLane(partition, Shard(s), placement_)) continue;
          TablesOf(Shard(s)).lanes[{projection, Generation(1), partition}];
        }
      }
    }
  }

  void Serve() {
    ReaderLimits limits{.threads = 1, .cache = {}};
    if (GetParam()) {
      limits.cache.lists_bytes = limits.tenant_bytes = limits.posts_bytes = std::size_t{1} << 20;
    }
    service_ = std::make_unique<ReaderService>(
        log_,
        [this](Shard shard) -> Result<std::unique_ptr<ProjectionReader>> {
          return std::make_unique<MemoryReader>(TablesOf(shard), placement_, shard);
        },
        placement_.shape(), limits, metrics_, clock_);
    service_->AddRoutes(router_);
    ASSERT_TRUE(WaitUntil([&] { return service_->Ready().has_value(); }));
  }

  // In the log, not in the tables.
  void Append(std::uint64_t owner) {
    log_.Put(topics::kFeedEvents, placement_.PartitionOf(UserId(owner)), ToString(UserId(owner)),
             "{}");
  }

  http::Response Get(const std::string& path, const std::string& query = "") {
    return testing::GetFrom(router_, path, query);
  }
  std::int64_t LagOf(const std::string& path) {
    for (const auto& [name, value] : Get(path).headers) {
      if (name == "Fanfold-Lag-Ms") return std::stoll(value);
    }
    ADD_FAILURE() << "no lag of " << path;
    return -1;
  }

  testing::MemoryTables& TablesOf(Shard shard) {
    return tables_.at(static_cast<std::size_t>(shard.value));
  }

  const SystemClock clock_;
  Metrics metrics_;
  const Placement placement_ = Placement::Modulo({4, 2});
  testing::MemoryLog log_{4};
  std::vector<testing::MemoryTables> tables_{2};
  http::Router router_;
  std::unique_ptr<ReaderService> service_;
};

TEST_P(ShownReads, ThePositionOfWhatWasShownIsWaitedFor) {
  Append(1);
  Serve();
  const std::string at = fmt::format("timeout_ms=0&min_position=feed-events/{}:0",
                                     placement_.PartitionOf(UserId(1)).value);
  for (const char* path : {kLatest, kHistory, kFeed}) {
    EXPECT_EQ(Get(path, at).status, 409) << path;
    EXPECT_EQ(Get(path).status, 200) << path;
  }
}

TEST_P(ShownReads, TheirLagIsThatOfTheOwnersPartitionToo) {
  Serve();
  for (const char* path : {kLatest, kHistory, kFeed}) EXPECT_EQ(LagOf(path), 0) << path;
  Append(1);
  EXPECT_TRUE(WaitUntil([&] { return LagOf(kLatest) > 0 && LagOf(kHistory) > 0; }));
  EXPECT_EQ(LagOf(kFeed), 0);
}

TEST_P(ShownReads, AGenerationThatIsNotThereIsRefused) {
  Serve();
  for (const char* path : {kLatest, kHistory}) {
    EXPECT_EQ(Get(path, "generation=2").status, 400) << path;
    EXPECT_EQ(Get(path, "generation=1").status, 200) << path;
  }
}

INSTANTIATE_TEST_SUITE_P(Reader, ShownReads, ::testing::Bool(), [](const auto& param_info) {
  return param_info.param ? "Memory" : "TablesAlone";
});

}  // namespace
}  // namespace fanfold::reader
