// Where the lanes stand, and the log, and which accounts are being erased.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/ports/deployment.h"
#include "common/ports/profile_reader.h"
#include "common/ports/projection_reader.h"
#include "projector/runtime/task.h"

namespace fanfold::projector {

// By partition of an event topic.
using Ends = std::vector<Offset>;

// Each answer is asked for when it is first needed, and known until BeginAnew. A shard that has
// failed is left alone for at least kRestFactor times as long as the failure took. One thread at a
// time. Errors: the ports'.
class TablesLook {
 public:
  static constexpr std::int64_t kRestFactor = 10;

  // `ports` outlive it.
  explicit TablesLook(const TaskPorts& ports) : ports_(ports) {}

  void BeginAnew();

  // A page of the shard's open erasures, behind `after`.
  [[nodiscard]] Result<std::vector<Erasure>> OpenErasures(Shard shard,
                                                          const std::optional<ErasureKey>& after,
                                                          std::size_t limit);
  // The deployment as it is read.
  [[nodiscard]] Result<Deployment> Read();
  // The placement as it was last known; asked for now where it never was.
  [[nodiscard]] Result<Placement> LastPlacement();
  // Every lane of the shard.
  [[nodiscard]] Result<const std::vector<LaneStatus>*> Lanes(Shard shard);
  // By partition, the event below which the shard's rows of this projection hold all; without end
  // where it has no rows of the partition. Valid until BeginAnew.
  [[nodiscard]] Result<const Ends*> HeldBy(Shard shard, Projection projection);
  // The same, as these lanes of the shard tell it.
  [[nodiscard]] Result<Ends> HeldBy(std::span<const LaneStatus> lanes, Shard shard,
                                    Projection projection);
  // Where the stream's events ended when this look began, or soon after. Never null.
  [[nodiscard]] Result<std::shared_ptr<const Ends>> LogEnds(Stream stream);
  // Where they end now.
  [[nodiscard]] Result<Ends> LogEndsNow(Stream stream);

 private:
  struct Failed {
    Error error;
    std::int64_t again_ms = 0;  // steady
  };

  // The answer of `ask`, called with this shard's reader.
  template <class Ask>
  [[nodiscard]] auto AskShard(Shard shard, const Ask& ask)
      -> decltype(ask(std::declval<ProjectionReader&>()));
  [[nodiscard]] Result<ProjectionReader*> ReaderOf(Shard shard);

  const TaskPorts& ports_;
  std::map<Shard, std::unique_ptr<ProjectionReader>> readers_;
  std::map<Shard, Failed> failed_;
  std::map<Shard, std::vector<LaneStatus>> lanes_;
  std::map<std::pair<Shard, Projection>, Ends> held_;
  std::optional<Deployment> read_;
  std::optional<Placement> last_;
  PerEntry<Stream, std::shared_ptr<const Ends>> ends_;
};

}  // namespace fanfold::projector
