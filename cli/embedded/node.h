// An embedded deployment, open: the log and the tables of one folder, and all projections folding.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/base/clock.h"
#include "common/base/deployment_id.h"
#include "common/base/metrics.h"
#include "common/base/result.h"
#include "common/config/config.h"
#include "common/feed/inbox.h"
#include "common/ports/event_log.h"
#include "common/ports/projection_reader.h"
#include "common/relation/edge.h"
#include "common/sqlite/sqlite_store.h"
#include "projector/audit/auditor.h"

namespace fanfold::embedded {

struct NodeOptions {
  FollowLimit follow_limit;
  projector::AuditorOptions audit;
  InboxLimits inboxes;
  bool is_hybrid = false;  // where the folder is made now
};
[[nodiscard]] NodeOptions NodeOptionsOf(const Config& config,
                                        const projector::AuditorOptions& audit);

// Thread-safe. The folder is this process's alone while the object lives.
class Node {
 public:
  static constexpr std::int32_t kPartitions = 16;
  static constexpr std::int32_t kShards = 1;

  // Makes folder, log and tables where they are missing, and starts all projections. `own`: the
  // deployment that the tables have to be of; nothing: any. `metrics` outlives the node. Errors:
  // kRefused, another process has the folder (the message names both), or it is not one of this
  // build's, or another deployment's; kUnavailable.
  [[nodiscard]] static Result<std::unique_ptr<Node>> Open(const std::string& folder,
                                                          const std::optional<DeploymentId>& own,
                                                          const NodeOptions& options,
                                                          Metrics& metrics);
  virtual ~Node() = default;

  [[nodiscard]] virtual EventLog& log() = 0;
  [[nodiscard]] virtual const std::shared_ptr<SqliteTables>& tables() const = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<ProjectionReader>> NewReader() = 0;
  // Ok when all projections can do their job. Does not block.
  [[nodiscard]] virtual Status Health() const = 0;
};

}  // namespace fanfold::embedded
