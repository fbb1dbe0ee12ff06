// The deployment and shard that a schema belongs to. A row in it says so, and never changes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "common/base/deployment_id.h"
#include "common/base/result.h"
#include "common/ports/lane.h"
#include "common/ports/projection_reader.h"
#include "common/stream/ids.h"

namespace fanfold {

struct SchemaIdentity {
  DeploymentId deployment;
  std::optional<DeploymentId> renewed_from;  // whose copy the deployment was
  Shard shard;
  Shape shape;
  friend bool operator==(const SchemaIdentity&, const SchemaIdentity&) = default;
};

// A user whose count stands in a schema.
struct SampledUser {
  Projection projection;
  UserId user;
};

// The traces by which a schema of any release is recognized; empty when it has no tables.
struct SchemaTraces {
  static constexpr std::size_t kUsersMax = 1000;  // of each generation of each projection

  std::optional<SchemaIdentity> identity;  // nothing: no release has told it
  std::optional<Catalog> catalog;          // the shape alone; on shard 0
  std::vector<LaneId> lanes;
  std::vector<SampledUser> users;  // read where there is no identity, by primary key
};

// Is a schema that says this of itself the one that was meant? Errors: kRefused, it is another's;
// kUnavailable, that is not known yet. Any thread; does not block.
using SchemaCheck = std::function<Status(const std::optional<SchemaIdentity>& says)>;

}  // namespace fanfold
