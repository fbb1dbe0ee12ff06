#include "writer/posts/post_tenant.h"

#include <thread>
#include <utility>

#include "common/base/random.h"
#include "writer/command_parser.h"
#include "writer/outcome_follower.h"
#include "writer/posts/post_routes.h"

namespace fanfold::writer {
namespace {

static_assert(kWaitTimeoutMsMax <= Tenant::kAnswerMsMax);

class PostTenant final : public Tenant {
 public:
  explicit PostTenant(const TenantPorts& ports)
      : metrics_(ports.metrics),
        waiters_(ports.clock, PostWaiters::kWaitersMaxDefault),
        service_(waiters_, ports.partitions, ports.clock, RandomBits(), RandomBits()),
        follower_(ports.log, ports.partitions, waiters_),
        timer_([this](const std::stop_token& stop) { waiters_.ExpireUntil(stop); }) {}

  std::size_t waiters() const override { return waiters_.size(); }
  Status Ready() const override {
    if (follower_.is_following()) return {};
    return Fail(ErrorCode::kUnavailable, "outcomes of posts are not followed yet");
  }
  Topic topic() const override { return topics::kPostEvents; }
  void Connect(std::unique_ptr<LogAppender> appender) override {
    service_.Connect(std::move(appender));
  }
  void AddRoutes(http::Router& router) override { AddPostRoutes(router, service_, metrics_); }
  bool Flush(std::int64_t timeout_ms) override { return service_.Flush(timeout_ms); }

 private:
  Metrics& metrics_;
  PostWaiters waiters_;
  PostService service_;
  PostFollower follower_;
  std::jthread timer_;  // last: it uses the waiters
};

}  // namespace

std::unique_ptr<Tenant> NewPostTenant(const TenantPorts& ports) {
  return std::make_unique<PostTenant>(ports);
}

}  // namespace fanfold::writer
