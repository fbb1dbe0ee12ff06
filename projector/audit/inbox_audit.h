// Proves that inboxes say, above their floors, just what the tables of posts do (ADR 0032).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/ports/deployment.h"
#include "common/ports/inbox_store.h"
#include "common/ports/post_reader.h"
#include "projector/audit/verifier.h"
#include "projector/runtime/scan_pace.h"

namespace fanfold::projector {

inline constexpr DifferenceKind kWrongInbox{"wrong_inbox"};

// All outlive the audit.
struct InboxAuditPorts {
  std::function<Result<std::unique_ptr<ProjectionReader>>(Shard)> open_reader;
  std::function<Result<std::unique_ptr<LaneStore>>(Shard)> open_store;
  const Deployment& deployment;
  ScanPace& pace;
};

// An inbox is looked at before the posts are read and after what was read is delivered, so that
// live traffic makes no difference; one that is not delivered so far in kSettleMs, or is made anew
// meanwhile, is left out; once one is not, none is waited for until one is. Thread-compatible.
// Errors: the ports'; kTimeout: stopped by the pace. Blocks as long as it takes.
class InboxAudit {
 public:
  static constexpr std::int64_t kSettleMs = 10'000;
  static constexpr std::size_t kHeadsMax = 1'000;  // read at once

  explicit InboxAudit(InboxAuditPorts ports) : ports_(std::move(ports)) {}

  // Adds to the report what differs, of every owner; nothing where no inboxes are kept.
  [[nodiscard]] Status All(VerifyReport& report);
  [[nodiscard]] Status Of(const std::set<UserId>& owners, VerifyReport& report);
  // Rebuilds the wrong inboxes among these; returns the count.
  [[nodiscard]] Result<std::size_t> Mend(const std::vector<Difference>& differences);

 private:
  struct Connections {
    std::unique_ptr<ProjectionReader> reader;
    std::unique_ptr<LaneStore> lanes;
    std::unique_ptr<InboxStore> inboxes;  // on that connection
  };
  using Posts = std::set<InboxEntry>;
  using Delivered = std::map<Partition, Offset>;
  // The posts of authors as the tables have them, at or above a floor.
  struct InTables {
    Posts posts;
    Delivered at;
  };

  [[nodiscard]] Result<Connections*> On(Shard shard);
  [[nodiscard]] Status CheckParts(Shard shard, VerifyReport& report);
  [[nodiscard]] Status Check(const InboxOwner& of, VerifyReport& report);
  static void Add(Shard shard, UserId owner, std::string detail, VerifyReport& report);
  // An inbox that is read now.
  [[nodiscard]] Result<std::optional<InboxView>> Read(const InboxOwner& of);
  // The same one, once all below `events` is delivered; nothing: it is left out.
  [[nodiscard]] Result<std::optional<InboxView>> ReadBehind(const InboxView& before,
                                                            const Delivered& events,
                                                            VerifyReport& report);
  [[nodiscard]] Result<std::vector<UserId>> Followed(UserId owner);
  [[nodiscard]] Result<InTables> PostsOf(const std::vector<UserId>& authors,
                                         const InboxEntry& floor);
  // The posts that are there still.
  [[nodiscard]] Result<Posts> StillThere(const Posts& posts);

  const InboxAuditPorts ports_;
  std::map<Shard, Connections> shards_;
  bool stands_ = false;  // the last inbox that was waited for was not delivered so far
};

}  // namespace fanfold::projector
