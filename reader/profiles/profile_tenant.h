// Profiles as what a stream adds to the reader.
#pragma once

#include <memory>

#include "reader/tenant.h"

namespace fanfold::reader {

[[nodiscard]] std::unique_ptr<Tenant> NewProfileTenant(const TenantLimits& limits,
                                                       const ReaderPositions& readers,
                                                       Metrics& metrics);

}  // namespace fanfold::reader
