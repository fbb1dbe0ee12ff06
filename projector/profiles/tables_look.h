// Where the lanes of relations stand, and the log.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/ports/deployment.h"
#include "common/ports/profile_reader.h"
#include "common/ports/projection_reader.h"
#include "common/relation/direction.h"
#include "projector/runtime/task.h"

namespace fanfold::projector {

// By partition of relation-events.
using Ends = std::vector<Offset>;

struct EndsAsked {
  const Ends& of;
  std::optional<Partition> only = std::nullopt;  // of this one's lane alone
};

// Each is asked when it is needed, and known until the look is begun anew. One thread at a time.
// Errors: the ports'.
class TablesLook {
 public:
  // `ports` outlive it.
  explicit TablesLook(const TaskPorts& ports) : ports_(ports) {}

  void BeginAnew();

  [[nodiscard]] Result<ProjectionReader*> ReaderOf(Shard shard);
  // What is read.
  [[nodiscard]] Result<Deployment> Read();
  // Where that was when it was last known; asked now where it never was.
  [[nodiscard]] Result<Placement> LastPlacement();
  // Do this shard's rows of the list hold every event below the ends that are asked for?
  [[nodiscard]] Result<bool> Holds(Shard shard, Direction list, const EndsAsked& asked);
  // The same by these lanes of the shard.
  [[nodiscard]] Result<bool> HoldsBy(std::span<const LaneStatus> lanes, Shard shard, Direction list,
                                     const EndsAsked& asked);
  // Where relation-events ended when this look began, or soon after.
  [[nodiscard]] Result<Ends> LogEnds();
  // Where it ends now.
  [[nodiscard]] Result<Ends> LogEndsNow();

 private:
  [[nodiscard]] Result<std::span<const LaneStatus>> LanesOf(Shard shard);

  const TaskPorts& ports_;
  std::map<Shard, std::unique_ptr<ProjectionReader>> readers_;
  std::map<Shard, std::vector<LaneStatus>> lanes_;
  std::optional<Deployment> read_;
  std::optional<Placement> last_;
  std::optional<Ends> ends_;
};

}  // namespace fanfold::projector
