#include "projector/feed/feed_fold.h"

#include "common/ports/feed_kind.h"
#include "common/ports/feed_store.h"
#include "projector/feed/inbox_task.h"
#include "projector/runtime/row_load.h"
#include "projector/runtime/told_rows.h"

namespace fanfold::projector {
namespace {

constexpr auto kBytesOf = [](const FeedWrite& write) { return sizeof write; };

struct FeedsTold {
  using Event = FeedEvent;
  using Writes = FeedWrites;

  static std::expected<FeedEvent, Unreadable> Read(const LogRecord& record,
                                                   std::int32_t partitions) {
    return ReadFeedRecord(record.key, record.value, record.partition, partitions);
  }
  static std::size_t Keep(const FeedEvent& event, Version version, FeedWrites& writes) {
    writes.shown.push_back({KeyOf(event.owner, event.shown_id), RowOf(event, version)});
    return kBytesOf(writes.shown.back());
  }
  static void Seal(FeedWrites& writes) { KeepLatest(writes.shown, &FeedWrite::key); }
};

}  // namespace

std::unique_ptr<FoldLoad> FeedFold::NewLoad(const Placement& placement) const {
  using Rows = ToldRows<FeedsTold>;
  using Parts = KeyedParts<FeedWrites, &FeedWrites::shown, kBytesOf>;
  return std::make_unique<RowLoad<Rows, Parts>>(placement, Rows(placement.partitions()));
}

std::unique_ptr<OpenFold> FeedFold::Open(LaneStore& /*store*/, const WorkPlace& place,
                                         const Clock& /*clock*/) const {
  return std::make_unique<OpenToldFold<FeedsTold>>(place.placement.partitions());
}

std::unique_ptr<Task> FeedFold::NewTask(const TaskPorts& ports) const {
  return std::make_unique<InboxTask>(ports, inboxes_);
}

}  // namespace fanfold::projector
