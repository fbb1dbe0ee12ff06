#include "common/sql/schema_identity.h"

#include <fmt/format.h>

#include "common/ports/deployment_check.h"
#include "common/sql/failure.h"

namespace fanfold {

std::string SelectIdentity() {
  return fmt::format("SELECT {} FROM schema_identity i WHERE i.id = 1", kIdentityColumns);
}

DeploymentId DeploymentNamed(std::string_view text) {
  const std::optional<DeploymentId> named = DeploymentId::Parse(text);
  if (named) return *named;
  throw Failure(ErrorCode::kRefused, fmt::format("'{}' is no id of a deployment", text));
}

std::optional<SchemaIdentity> IdentityToWrite(const std::optional<SchemaIdentity>& there,
                                              Shard shard, const Shape& asked,
                                              const std::optional<DeploymentId>& known) {
  if (!there) {
    return SchemaIdentity{known ? *known : DeploymentId::Draw(), std::nullopt, shard, asked};
  }
  CheckSays([&](const auto& says) { return CheckIdentity(shard, asked, known, says); }, there);
  return std::nullopt;
}

void CheckRenewed(std::uint64_t rows, const DeploymentId& from) {
  if (rows == 1) return;
  throw Failure(ErrorCode::kConflict,
                fmt::format("the schema is not of deployment {} any more", from.text()));
}

void CheckSays(const SchemaCheck& check, const std::optional<SchemaIdentity>& says) {
  const Status fits = check(says);
  if (!fits) throw Failure(fits.error().code, fits.error().message);
}

}  // namespace fanfold
