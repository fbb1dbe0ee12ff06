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

Error NotBegun(Shard shard) {
  return {ErrorCode::kRefused, "inboxes have not begun on shard " + std::to_string(shard.value) +
                                   "; run `fanfold feed mode pull`, then `hybrid`"};
}

}  // namespace fanfold::projector
