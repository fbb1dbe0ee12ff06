// The shards as inboxes are kept on them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "common/feed/inbox.h"
#include "common/ports/deployment.h"
#include "common/ports/inbox_store.h"
#include "common/ports/log_proof.h"
#include "common/ports/projection_reader.h"
#include "projector/runtime/task.h"

namespace fanfold::projector {

// Connections that are opened when they are needed, and the deployment as it was last read. One
// thread. Errors: the ports'.
class InboxShards {
 public:
  static constexpr std::int64_t kProvedMs = 1'000;

  // `ports` outlive it.
  explicit InboxShards(const TaskPorts& ports) : ports_(ports), proof_(ports.log) {}

  // Reads the catalog.
  [[nodiscard]] Status Look();
  // Are inboxes kept, as of the last look?
  [[nodiscard]] bool on() const noexcept { return deployment_ && deployment_->inboxes; }
  // These require that they are.
  [[nodiscard]] Generation inboxes() const { return *deployment_->inboxes; }
  [[nodiscard]] std::string Stand() const { return InboxStandOf(inboxes(), deployment_->read); }
  [[nodiscard]] const ReadGenerations& read() const { return deployment_->read; }
  [[nodiscard]] const Placement& placement() const { return deployment_->placement; }

  [[nodiscard]] Result<ProjectionReader*> ReaderOf(Shard shard);
  [[nodiscard]] Result<InboxStore*> StoreOf(Shard shard);
  // Is the log the one that the tables of this stream were folded from? Asked again after
  // kProvedMs. Errors: LogProof's.
  [[nodiscard]] Status Prove(Stream stream);

 private:
  struct Connections {
    std::unique_ptr<ProjectionReader> reader;
    std::unique_ptr<LaneStore> lanes;
    std::unique_ptr<InboxStore> inboxes;  // on that connection
  };

  const TaskPorts& ports_;
  std::optional<Deployment> deployment_;
  std::map<Shard, Connections> shards_;
  LogProof proof_;
  std::map<Stream, std::int64_t> proved_ms_;  // steady: when it was last
};

// The shard has not been told where these inboxes begin.
[[nodiscard]] Error NotBegun(Shard shard);

}  // namespace fanfold::projector
