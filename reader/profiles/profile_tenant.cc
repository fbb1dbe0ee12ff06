#include "reader/profiles/profile_tenant.h"

#include "reader/profiles/profile_cache.h"
#include "reader/profiles/profile_expansion.h"
#include "reader/profiles/profile_feed.h"
#include "reader/query_parser.h"

namespace fanfold::reader {
namespace {

class ProfileTenant final : public Tenant {
 public:
  ProfileTenant(const TenantLimits& limits, const ReaderPositions& readers, Metrics& metrics)
      : cache_(limits.shards, limits.bytes_max, readers, metrics) {}

  TopicFeed* feed() override { return &feed_; }
  TableWatcher* watcher() override { return &cache_; }
  Expansions expansions() const override { return {{"profile", &profile_}}; }
  std::vector<TenantRoute> routes() const override {
    const auto account = [this](ParsedRead parsed) {
      if (parsed) parsed->expansion = &account_;
      return parsed;
    };
    return {
        {"/v1/users/{id}", [account](const http::Routed& routed,
                                     const Expansions&) { return account(ParseCounts(routed)); }},
        {"/v1/users", [account](const http::Routed& routed, const Expansions&) {
           return account(ParseCountsOfMany(routed));
         }}};
  }

 private:
  ProfileCache cache_;
  ProfileFeed feed_{cache_};
  const ProfileExpansion profile_{cache_, Tells::kProfile};
  const ProfileExpansion account_{cache_, Tells::kAccount};
};

}  // namespace

std::unique_ptr<Tenant> NewProfileTenant(const TenantLimits& limits, const ReaderPositions& readers,
                                         Metrics& metrics) {
  return std::make_unique<ProfileTenant>(limits, readers, metrics);
}

}  // namespace fanfold::reader
