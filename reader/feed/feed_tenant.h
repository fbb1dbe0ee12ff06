// Feeds as what post-outcomes add to the reader.
#pragma once

#include <memory>

#include "reader/tenant.h"

namespace fanfold::reader {

[[nodiscard]] std::unique_ptr<Tenant> NewFeedTenant(const TenantLimits& limits, Metrics& metrics);

}  // namespace fanfold::reader
