// The deployment that the schemas say they are of, and the id that a copy of one is given.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "operations/base/context.h"

namespace fanfold::operations {

struct ShardIdentity {
  std::optional<SchemaIdentity> says;
  Status fits;  // into the deployment; else why not, or why nobody could look
};

struct Identities {
  std::optional<DeploymentId> pinned;  // by the configuration
  std::vector<ShardIdentity> shards;   // in shard order
};

// Errors: kInvalidArgument, no deployment has such numbers.
[[nodiscard]] Result<Identities> LookAtIdentities(Context& context);

struct Renewal {
  DeploymentId from;
  DeploymentId to;
  friend bool operator==(const Renewal&, const Renewal&) = default;
};

// The renewal to be done. A renewal that was cut short goes on: schemas that it has renewed say
// from which id. `says`: one a shard. Pure. Errors: kRefused, they are of several deployments, or
// the id is the one that is pinned.
[[nodiscard]] Result<Renewal> RenewalOf(std::span<const SchemaIdentity> says,
                                        const std::optional<DeploymentId>& pinned);

// Finds the renewal, and looks whether it may be done. Errors: kRefused, somebody is at a schema,
// or one is another shard's, or RenewalOf's; kUnavailable, kInvalidArgument. Blocks for some
// seconds.
[[nodiscard]] Result<Renewal> PlanRenewal(Context& context);

// Writes what PlanRenewal has found. Errors: kConflict, kUnavailable, kUnknown: call both again.
[[nodiscard]] Status Renew(Context& context, const Renewal& renewal);

}  // namespace fanfold::operations
