// The tenants there are: a new one is entered here.
#include "reader/feed/feed_tenant.h"
#include "reader/posts/post_tenant.h"
#include "reader/profiles/profile_tenant.h"
#include "reader/tenant.h"

namespace fanfold::reader {

std::vector<std::unique_ptr<Tenant>> NewTenants(const TenantLimits& limits,
                                                const ReaderPosition& relations, Metrics& metrics) {
  std::vector<std::unique_ptr<Tenant>> tenants;
  tenants.push_back(NewPostTenant());
  tenants.push_back(NewFeedTenant(limits, relations, metrics));
  // What an account's end leaves is of both.
  ReaderPositions readers = FollowsRelations(relations);
  readers[streams::kPosts] = &tenants.back()->feed()->position();
  tenants.push_back(NewProfileTenant(limits, readers, metrics));
  return tenants;
}

}  // namespace fanfold::reader
