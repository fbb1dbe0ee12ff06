// The steps of one projection's rebuild. Each looks where things stand, so it may be repeated.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operations/base/context.h"
#include "operations/rebuild/generations.h"
#include "operations/rebuild/promotable.h"
#include "projector/audit/verifier.h"

namespace fanfold::operations {

// Thread-compatible; blocks as long as each step takes. Errors besides those named: kTimeout, it
// was interrupted; the ports'.
class RebuildSteps {
 public:
  // All of them outlive this. rows_per_second 0: as fast as it goes.
  RebuildSteps(Context& context, Generations& generations, Projection projection,
               std::int64_t rows_per_second)
      : context_(context),
        generations_(generations),
        projection_(projection),
        rows_per_second_(rows_per_second),
        began_ms_(context.clock.SteadyMs()) {}

  // The generation that is there to be promoted, or a new one, which is not loaded yet and gets the
  // number `wished` when that is free.
  [[nodiscard]] Result<Generation> Make(std::optional<Generation> wished);
  // Makes a generation, or goes on with the one begun, loads it and waits until it has caught up;
  // with `until_ms` it goes no further than then. Errors: kRefused, the log held no event yet at
  // `until_ms`, or a lane of it stands still; kTimeout, nobody folds it: for
  // CatchUpWatch::kFarStillMs it has come no further.
  [[nodiscard]] Result<Generation> Start(std::optional<std::int64_t> until_ms,
                                         std::optional<Generation> wished);
  // Errors: kRefused, it is still loading.
  [[nodiscard]] Result<projector::VerifyReport> Verify(Generation generation);
  // Waits until the generation lacks nothing that is read now, or no more than is soon folded.
  // Changes nothing. Errors: kRefused, it is not folded, it cannot be read beside the others, or a
  // lane stands still, which is named; kTimeout, nobody folds it.
  [[nodiscard]] Status MakeReady(Generation generation);
  // Has the generation read, and decide. Requires: MakeReady. Errors once it is read: kTimeout, it
  // has yet to decide, which goes on by itself; kRefused, a lane stands still meanwhile, which is
  // named.
  [[nodiscard]] Status Promote(Generation generation);
  // Waits until no reader asks for what it read before: for what is left of kReadersLeaveMs since
  // the catalog changed.
  [[nodiscard]] Status LetReadersLeave();
  [[nodiscard]] Status Drop(Generation generation);

  // The generations of this projection, in their order.
  [[nodiscard]] Result<std::vector<KnownGeneration>> Known();
  // Errors: kNotFound.
  [[nodiscard]] Result<KnownGeneration> Find(Generation generation);
  // The generation to promote: the newest, side ones apart, when it is not read, or is read and
  // does not decide yet, or is lacking on a shard.
  [[nodiscard]] Result<std::optional<KnownGeneration>> Made();
  // The generation that a rollback goes back to.
  [[nodiscard]] Result<std::optional<KnownGeneration>> Before();
  // Is this one that a rollback can go back to, or has gone back to? Errors: kNotFound; kRefused.
  [[nodiscard]] Status CheckBefore(Generation generation);

 private:
  // A condition on all lanes of the projection.
  using LanesAre = std::function<Result<bool>(const std::vector<ShardLane>&)>;
  using LaneThatKeeps = std::optional<ShardLane> (*)(std::span<const ShardLane>, Generation);

  // Tells the sink what became of the generation.
  void Say(Generation generation, std::string_view what,
           const projector::VerifyReport* verified = nullptr);

  // Has this generation, which is read, some lane that has yet to decide?
  [[nodiscard]] Result<bool> HasYetToDecide(const KnownGeneration& read);

  // Waits until every reader that answers knows of a generation that has just been loaded.
  [[nodiscard]] Status LetReadersLearn();
  // Where that generation is.
  [[nodiscard]] Result<Placement> PlacementOf(Generation generation);
  [[nodiscard]] Result<KnownGeneration> FindOrMake(std::optional<std::int64_t> until_ms,
                                                   std::optional<Generation> wished);
  // A number above those of all projections, or `wished` above those of this one.
  [[nodiscard]] Result<Generation> NewNumber(std::optional<Generation> wished);
  // `until`: of a side generation, where the events of its moment end.
  [[nodiscard]] Status Load(const KnownGeneration& made, std::vector<Offset> until);
  [[nodiscard]] Result<std::int64_t> LeftToLoad(Generation generation,
                                                const std::vector<Offset>& until);
  [[nodiscard]] Status LoadUntil(Generation generation, std::vector<Offset> until);
  [[nodiscard]] Result<LogEnds> EndsOf(Topic topic);
  [[nodiscard]] Status CatchUpWithLog(Generation generation);
  [[nodiscard]] Status CatchUpWithRead(Generation generation, const LaneGoals& goals);
  // Resumes DecidersToFree: their halt is all that keeps them from giving deciding up.
  [[nodiscard]] Status FreeDeciders(Generation generation);
  [[nodiscard]] Status WaitToDecide(Generation generation);
  // kTimeout, with the projections that no projector runs for.
  [[nodiscard]] Error NobodyFolds(Generation generation, std::int64_t lacking);
  // `keeps`: finds the lane, if any, that keeps it from ever being reached.
  [[nodiscard]] Status WaitUntil(std::string_view what, std::optional<std::int64_t> timeout_ms,
                                 const LanesAre& reached, Generation generation,
                                 LaneThatKeeps keeps = LaneThatStands);

  Context& context_;
  Generations& generations_;
  const Projection projection_;
  const std::int64_t rows_per_second_;
  const std::int64_t began_ms_;  // by the steady clock
};

}  // namespace fanfold::operations
