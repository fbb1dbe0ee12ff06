// The tenants there are: a new one is entered here.
#include "writer/feed/shown_tenant.h"
#include "writer/posts/post_tenant.h"
#include "writer/profiles/profile_tenant.h"
#include "writer/tenant.h"

namespace fanfold::writer {

std::vector<std::unique_ptr<Tenant>> NewTenants(const TenantPorts& ports) {
  std::vector<std::unique_ptr<Tenant>> tenants;
  tenants.push_back(NewProfileTenant(ports));
  tenants.push_back(NewPostTenant(ports));
  tenants.push_back(NewShownTenant(ports));
  return tenants;
}

}  // namespace fanfold::writer
