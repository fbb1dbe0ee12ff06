#include "writer/feed/shown_tenant.h"

#include <utility>

#include "common/base/random.h"
#include "writer/feed/shown_routes.h"

namespace fanfold::writer {
namespace {

class ShownTenant final : public Tenant {
 public:
  explicit ShownTenant(const TenantPorts& ports)
      : metrics_(ports.metrics),
        service_(ports.partitions, ports.clock, RandomBits(), RandomBits()) {}

  Topic topic() const override { return topics::kFeedEvents; }
  void Connect(std::unique_ptr<LogAppender> appender) override {
    service_.Connect(std::move(appender));
  }
  void AddRoutes(http::Router& router) override { AddShownRoutes(router, service_, metrics_); }
  bool Flush(std::int64_t timeout_ms) override { return service_.Flush(timeout_ms); }

 private:
  Metrics& metrics_;
  ShownService service_;
};

}  // namespace

std::unique_ptr<Tenant> NewShownTenant(const TenantPorts& ports) {
  return std::make_unique<ShownTenant>(ports);
}

}  // namespace fanfold::writer
