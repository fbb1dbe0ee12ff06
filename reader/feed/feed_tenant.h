// Feeds as what post-outcomes add to the reader.
#pragma once

#include <memory>

#include "reader/tenant.h"

namespace fanfold::reader {

// `relations`, the reader's position in them, and `metrics` outlive it.
[[nodiscard]] std::unique_ptr<Tenant> NewFeedTenant(const TenantLimits& limits,
                                                    const ReaderPosition& relations,
                                                    Metrics& metrics);

}  // namespace fanfold::reader
