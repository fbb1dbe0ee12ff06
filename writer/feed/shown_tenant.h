// Adds the stream of shown posts to the writer.
#pragma once

#include <memory>

#include "writer/tenant.h"

namespace fanfold::writer {

[[nodiscard]] std::unique_ptr<Tenant> NewShownTenant(const TenantPorts& ports);

}  // namespace fanfold::writer
