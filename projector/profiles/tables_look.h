// Where the lanes of relations stand, and the log.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/ports/profile_reader.h"
#include "common/ports/projection_reader.h"
#include "common/relation/direction.h"
#include "projector/runtime/task.h"

namespace fanfold::projector {

// Each is asked when it is needed, and known until the look is begun anew. One thread at a time.
// Errors: the ports'.
class TablesLook {
 public:
  // `ports` outlive it.
  explicit TablesLook(const TaskPorts& ports) : ports_(ports) {}

  void BeginAnew();

  [[nodiscard]] Result<ProjectionReader*> ReaderOf(Shard shard);
  // The generation of the list that is read.
  [[nodiscard]] Result<Generation> ReadOf(Direction list);
  // Do this shard's rows of the list hold every event below these ends, one a partition? Asked of
  // the lane of `only`, where it is given.
  [[nodiscard]] Result<bool> Holds(Shard shard, Direction list, std::span<const Offset> ends,
                                   std::optional<Partition> only);
  // Where relation-events ends now.
  [[nodiscard]] Result<std::vector<Offset>> LogEnds();

 private:
  [[nodiscard]] Result<std::span<const LaneStatus>> LanesOf(Shard shard);

  const TaskPorts& ports_;
  std::map<Shard, std::unique_ptr<ProjectionReader>> readers_;
  std::map<Shard, std::vector<LaneStatus>> lanes_;
  std::optional<ReadGenerations> read_;
};

}  // namespace fanfold::projector
