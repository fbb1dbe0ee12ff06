#include "projector/profiles/tables_look.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace fanfold::projector {
namespace {

constexpr Offset kWithoutEnd{std::numeric_limits<std::int64_t>::max()};

}  // namespace

void TablesLook::BeginAnew() {
  const std::int64_t now_ms = ports_.clock.SteadyMs();
  std::erase_if(failed_, [&](const auto& entry) { return entry.second.again_ms <= now_ms; });
  lanes_.clear();
  held_.clear();
  read_.reset();
  ends_ = {};
}

Result<ProjectionReader*> TablesLook::ReaderOf(Shard shard) {
  std::unique_ptr<ProjectionReader>& reader = readers_[shard];
  if (!reader) {
    Result<std::unique_ptr<ProjectionReader>> opened = ports_.open_reader(shard);
    if (!opened) return Forward(opened);
    reader = *std::move(opened);
  }
  return reader.get();
}

template <class Ask>
auto TablesLook::AskShard(Shard shard, const Ask& ask)
    -> decltype(ask(std::declval<ProjectionReader&>())) {
  if (const auto failed = failed_.find(shard); failed != failed_.end()) {
    return std::unexpected(failed->second.error);
  }
  const std::int64_t began_ms = ports_.clock.SteadyMs();
  const auto fail = [&](const Error& error) {
    const std::int64_t now_ms = ports_.clock.SteadyMs();
    failed_[shard] = {error, now_ms + kRestFactor * (now_ms - began_ms)};
    return std::unexpected(error);
  };
  const Result<ProjectionReader*> reader = ReaderOf(shard);
  if (!reader) return fail(reader.error());
  auto answer = ask(**reader);
  if (!answer) return fail(answer.error());
  return answer;
}

Result<std::vector<Erasure>> TablesLook::OpenErasures(Shard shard,
                                                      const std::optional<ErasureKey>& after,
                                                      std::size_t limit) {
  return AskShard(shard, [&](ProjectionReader& reader) {
    return OpenProfiles(reader)->OpenErasures(after, limit);
  });
}

Result<Deployment> TablesLook::Read() {
  if (!read_) {
    Result<Deployment> read = AskShard(Shard(0), [&](ProjectionReader& reader) {
      return ReadDeployment(reader, ports_.shape, last_);
    });
    if (!read) return read;
    last_ = read->placement;
    read_ = *std::move(read);
  }
  return *read_;
}

Result<Placement> TablesLook::LastPlacement() {
  if (last_) return *last_;
  Result<Deployment> read = Read();
  if (!read) return Forward(read);
  return read->placement;
}

Result<const std::vector<LaneStatus>*> TablesLook::Lanes(Shard shard) {
  const auto known = lanes_.find(shard);
  if (known != lanes_.end()) return &known->second;
  auto lanes = AskShard(shard, [](ProjectionReader& reader) { return reader.Lanes(); });
  if (!lanes) return Forward(lanes);
  return &(lanes_[shard] = *std::move(lanes));
}

Result<const Ends*> TablesLook::HeldBy(Shard shard, Projection projection) {
  const auto known = held_.find({shard, projection});
  if (known != held_.end()) return &known->second;
  const Result<const std::vector<LaneStatus>*> lanes = Lanes(shard);
  if (!lanes) return std::unexpected(lanes.error());
  Result<Ends> held = HeldBy(**lanes, shard, projection);
  if (!held) return Forward(held);
  return &(held_[{shard, projection}] = *std::move(held));
}

Result<Ends> TablesLook::HeldBy(std::span<const LaneStatus> lanes, Shard shard,
                                Projection projection) {
  const Result<Deployment> read = Read();
  if (!read) return std::unexpected(read.error());
  Ends held(static_cast<std::size_t>(ports_.shape.partitions), kWithoutEnd);
  for (const Partition partition : projection.PartitionsOn(shard, read->placement)) {
    held[static_cast<std::size_t>(partition.value)] = Offset(0);
  }
  for (const LaneStatus& status : lanes) {
    const auto p = static_cast<std::size_t>(status.lane.partition.value);
    const LaneId id{projection, read->read[projection], status.lane.partition};
    if (p < held.size() && status.lane == id) held[p] = status.progress.event_offset;
  }
  return held;
}

Result<std::shared_ptr<const Ends>> TablesLook::LogEnds(Stream stream) {
  std::shared_ptr<const Ends>& known = ends_[stream];
  if (!known) {
    Result<Ends> ends = LogEndsNow(stream);
    if (!ends) return Forward(ends);
    known = std::make_shared<const Ends>(*std::move(ends));
  }
  return known;
}

Result<Ends> TablesLook::LogEndsNow(Stream stream) {
  const Result<std::vector<LogBounds>> bounds =
      ports_.log.AllBounds(stream.events(), ports_.shape.partitions);
  if (!bounds) return std::unexpected(bounds.error());
  Ends ends;
  std::ranges::transform(*bounds, std::back_inserter(ends), &LogBounds::end);
  return ends;
}

}  // namespace fanfold::projector
