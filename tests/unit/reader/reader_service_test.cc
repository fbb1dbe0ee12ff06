#include "reader/reader_service.h"

#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "common/relation/codec.h"
#include "tests/support/memory_log.h"
#include "tests/support/memory_reader.h"
#include "tests/support/wait_until.h"

namespace fanfold::reader {
namespace {

using testing::MemoryReader;
using testing::WaitUntil;

constexpr UserId kViewed(1);

// Views of a lane that was rewound: they are as the tables are.
class RewoundTables final : public MemoryReader {
 public:
  RewoundTables(const testing::MemoryTables& tables, const Placement& placement,
                const std::function<void()>& on_view)
      : MemoryReader(tables, placement), on_view_(on_view) {}

  Result<UserView> View(const ReadGenerations& read, UserId user, Partition partition,
                        std::span<const ListQuestion> questions) override {
    if (user == kViewed) on_view_();
    Result<UserView> view = MemoryReader::View(read, user, partition, questions);
    if (view) view->position.following_rewound = true;
    return view;
  }

 private:
  const std::function<void()>& on_view_;
};

class ReaderServiceTest : public ::testing::Test {
 protected:
  ReaderServiceTest() {
    Outcome outcome;
    outcome.kind = OutcomeKind::kFollowed;
    outcome.position = {partition_, Offset(0)};
    outcome.subject = kViewed;
    outcome.object = UserId(2);
    log_.Put(topics::kRelationOutcomes, partition_, "1", EncodeOutcome(outcome));
    log_.Put(topics::kRelationEvents, partition_, "1", "the event");
    for (std::int32_t p = 0; p < placement_.partitions(); ++p) {
      tables_.lanes[{projections::kFollowing, Generation(1), Partition(p)}];
      tables_.lanes[{projections::kFans, Generation(1), Partition(p)}];
    }
    service_ = std::make_unique<ReaderService>(
        log_,
        [this](Shard) -> Result<std::unique_ptr<ProjectionReader>> {
          return std::make_unique<RewoundTables>(tables_, placement_, on_view_);
        },
        placement_.shape(), ReaderLimits{.threads = 1, .cache = {}}, metrics_, clock_);
    service_->AddRoutes(router_);
  }

  // Statuses of the answers land in `status`. With a viewer it is not one user's lists alone.
  void Ask(const std::string& min_position, std::atomic<int>& status, bool viewed = true) {
    const std::string query = std::string(viewed ? "viewer=1&" : "") +
                              "timeout_ms=5000&min_position=" + std::to_string(partition_.value) +
                              ":" + min_position;
    http::Request request;
    request.method = http::Method::kGet;
    request.path = "/v1/users/1/following";
    request.query = query;
    router_(request, http::Reply([&status](http::Response response) { status = response.status; }));
  }
  [[nodiscard]] bool Shows(const std::string& line) const {
    return metrics_.Text().find("\n" + line + "\n") != std::string::npos;
  }

  const SystemClock clock_;
  Metrics metrics_;
  const Placement placement_ = Placement::Modulo({4, 1});
  const Partition partition_ = placement_.PartitionOf(kViewed);
  testing::MemoryLog log_{4};
  testing::MemoryTables tables_;
  std::function<void()> on_view_ = [] {};
  http::Router router_;
  std::unique_ptr<ReaderService> service_;
};

class ReaderServiceGoing : public ReaderServiceTest, public ::testing::WithParamInterface<bool> {};

INSTANTIATE_TEST_SUITE_P(TogetherWithOthersOrAlone, ReaderServiceGoing, ::testing::Bool());

TEST_P(ReaderServiceGoing, AQuestionThatComesToWaitWhileTheServiceGoesIsAnswered) {
  std::atomic<int> late = 0;
  std::atomic<int> waiting = 0;
  std::atomic<int> under_way = 0;
  std::atomic<int> queued = 0;
  std::atomic<bool> viewing = false;
  on_view_ = [&] {
    viewing = true;
    // Whichever goes first, those who wait or the workers.
    WaitUntil([&] { return waiting != 0 || (queued == 1 && Shows("fanfold_reader_queue 0")); });
  };
  ASSERT_TRUE(WaitUntil([&] { return service_->Ready().has_value(); }));
  Ask("9", waiting, GetParam());
  Ask("0", under_way, GetParam());
  ASSERT_TRUE(WaitUntil([&] { return viewing.load(); }));
  Ask("0", late);
  queued = Shows("fanfold_reader_queue 1") ? 1 : 0;
  ASSERT_EQ(queued, 1);
  service_.reset();
  EXPECT_EQ(waiting, 409);
  EXPECT_EQ(under_way, 409);
}

}  // namespace
}  // namespace fanfold::reader
