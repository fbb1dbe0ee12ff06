#include "projector/feed/inbox_shards.h"

#include <utility>

namespace fanfold::projector {

Status InboxShards::Look() {
  const Result<ProjectionReader*> first = ReaderOf(Shard(0));
  if (!first) return std::unexpected(first.error());
  Result<Deployment> read = ReadDeployment(
      **first, ports_.shape, deployment_ ? std::optional(deployment_->placement) : std::nullopt);
  if (!read) return Forward(read);
  deployment_ = *std::move(read);
  return {};
}

Result<ProjectionReader*> InboxShards::ReaderOf(Shard shard) {
  std::unique_ptr<ProjectionReader>& reader = shards_[shard].reader;
  if (!reader) {
    Result<std::unique_ptr<ProjectionReader>> opened = ports_.open_reader(shard);
    if (!opened) return Forward(opened);
    reader = *std::move(opened);
  }
  return reader.get();
}

Result<InboxStore*> InboxShards::StoreOf(Shard shard) {
  Connections& of = shards_[shard];
  if (!of.inboxes) {
    Result<std::unique_ptr<LaneStore>> opened = ports_.open_store(shard);
    if (!opened) return Forward(opened);
    of.lanes = *std::move(opened);
    of.inboxes = OpenInboxes(*of.lanes);
  }
  return of.inboxes.get();
}

Status InboxShards::Prove(Stream stream) {
  const std::int64_t now_ms = ports_.clock.SteadyMs();
  const auto proved = proved_ms_.find(stream);
  if (proved != proved_ms_.end() && now_ms - proved->second < kProvedMs) return {};
  proved_ms_.erase(stream);
  const auto lanes_of = [this](Shard shard) -> Result<std::vector<LaneStatus>> {
    const Result<ProjectionReader*> reader = ReaderOf(shard);
    if (!reader) return std::unexpected(reader.error());
    return (*reader)->Lanes();
  };
  Status same = proof_.CheckStream(stream, read(), ports_.shape.shards, lanes_of);
  if (same) proved_ms_[stream] = now_ms;
  return same;
}

Error NotBegun(Shard shard) {
  return {ErrorCode::kRefused, "inboxes have not begun on shard " + std::to_string(shard.value) +
                                   "; run `fanfold feed mode pull`, then `hybrid`"};
}

}  // namespace fanfold::projector
