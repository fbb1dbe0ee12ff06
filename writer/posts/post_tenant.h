// Posts as what a stream adds to the writer.
#pragma once

#include <memory>

#include "writer/tenant.h"

namespace fanfold::writer {

[[nodiscard]] std::unique_ptr<Tenant> NewPostTenant(const TenantPorts& ports);

}  // namespace fanfold::writer
