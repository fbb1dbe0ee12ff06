// Profiles as what a stream adds to the reader.
#pragma once

#include <memory>

#include "reader/tenant.h"

namespace fanfold::reader {

[[nodiscard]] std::unique_ptr<Tenant> NewProfileTenant(const TenantLimits& limits,
                                                       const ReaderPosition& relations,
                                                       Metrics& metrics);

}  // namespace fanfold::reader
