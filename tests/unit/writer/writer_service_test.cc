#include "writer/writer_service.h"

#include <gtest/gtest.h>
#include <string_view>

#include "tests/support/memory_log.h"
#include "tests/support/wait_until.h"

namespace fanfold::writer {
namespace {

using testing::WaitUntil;

TEST(WriterService, WhoWaitsForPostsIsAmongTheWaiters) {
  testing::MemoryLog log(4);
  const SystemClock clock;
  Metrics metrics;
  WriterService service(log, 4, clock, metrics);
  http::Router router;
  service.AddRoutes(router);
  ASSERT_TRUE(WaitUntil([&] { return service.Ready().has_value(); }));
  const auto ask = [&router](http::Method method, std::string_view path, std::string_view body) {
    http::Request request;
    request.method = method;
    request.path = path;
    request.query = "wait=decided";
    request.body = body;
    router(request, http::Reply([](const http::Response&) {}));
  };
  ask(http::Method::kPut, "/v1/users/7/following/8", "");
  ask(http::Method::kPost, "/v1/users/7/posts", R"({"content":""})");
  EXPECT_TRUE(WaitUntil([&] {
    service.ShowGauges();
    return metrics.Text().contains("\nfanfold_writer_waiters 2\n");
  }));
}

}  // namespace
}  // namespace fanfold::writer
