#include "writer/profiles/profile_tenant.h"

#include <utility>

#include "common/base/random.h"
#include "writer/profiles/profile_routes.h"

namespace fanfold::writer {
namespace {

static_assert(ProfileService::kAnswerMsMax <= Tenant::kAnswerMsMax);

class ProfileTenant final : public Tenant {
 public:
  explicit ProfileTenant(const TenantPorts& ports)
      : metrics_(ports.metrics), service_(ports.log, ports.partitions, ports.clock, RandomBits()) {}

  Topic topic() const override { return topics::kUserEvents; }
  void Connect(std::unique_ptr<LogAppender> appender) override {
    service_.Connect(std::move(appender));
  }
  void AddRoutes(http::Router& router) override { AddProfileRoutes(router, service_, metrics_); }
  bool Flush(std::int64_t timeout_ms) override { return service_.Flush(timeout_ms); }

 private:
  Metrics& metrics_;
  ProfileService service_;
};

}  // namespace

std::unique_ptr<Tenant> NewProfileTenant(const TenantPorts& ports) {
  return std::make_unique<ProfileTenant>(ports);
}

}  // namespace fanfold::writer
