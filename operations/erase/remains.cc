#include "operations/erase/remains.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "common/ports/deployment_check.h"
#include "common/ports/profile_reader.h"
#include "operations/erase/naming.h"
#include "operations/lanes/lanes.h"
#include "operations/log/partition_scan.h"

namespace fanfold::operations {
namespace {

// What is read, and a reader of the user's shard.
struct Home {
  ReadGenerations read;
  std::unique_ptr<ProjectionReader> reader;
};

Result<Home> OpenHome(Context& context, UserId user) {
  Result<std::unique_ptr<ProjectionReader>> first = context.backend.OpenReader(Shard(0));
  if (!first) return Forward(first);
  const Result<Deployment> read = ReadNow(context.backend, **first);
  if (!read) return std::unexpected(read.error());
  auto reader = context.backend.OpenReader(read->placement.ShardOf(user));
  if (!reader) return Forward(reader);
  return Home{read->read, *std::move(reader)};
}

Result<UserCounts> CountsOf(Context& context, UserId user) {
  const Result<Home> home = OpenHome(context, user);
  if (!home) return std::unexpected(home.error());
  const std::vector<UserId> users = {user};
  const Result<std::vector<UserCounts>> counts = home->reader->Counts(home->read, users);
  if (!counts) return std::unexpected(counts.error());
  return counts->front();
}

void Note(const LogRecord& record, Named& named) {
  const Position position{record.partition, record.offset};
  ++named.records;
  if (!named.first) named.first = position;
  named.last = position;
}

Status ScanTopics(Context& context, Remains& remains) {
  Result<std::shared_ptr<EventLog>> log = context.backend.OpenLog();
  if (!log) return Forward(log);
  std::vector<ScanRange> ranges;
  std::int64_t records = 0;
  for (const Topic topic : Topic::All()) {
    if (Status fits = CheckTopic(**log, topic, context.backend.partitions()); !fits) return fits;
    const auto bounds = (*log)->AllBounds(topic, context.backend.partitions());
    if (!bounds) return std::unexpected(bounds.error());
    for (const LogBounds& held : *bounds) {
      const auto partition = static_cast<std::int32_t>(&held - bounds->data());
      ranges.push_back({topic, Partition(partition), held.begin, held.end});
      records += ranges.back().records();
    }
  }
  PartitionScan scan(context, **log, records);
  for (const ScanRange& range : ranges) {
    Status scanned = scan.Run(range, [&](const LogRecord& record) {
      if (Names(range.topic, record, remains.user)) Note(record, remains.topics[range.topic]);
    });
    if (!scanned) return scanned;
  }
  return {};
}

}  // namespace

Result<AccountState> StateOfAccount(Context& context, UserId user) {
  const Result<Home> home = OpenHome(context, user);
  if (!home) return std::unexpected(home.error());
  const std::vector<UserId> users = {user};
  const Result<ProfileView> view =
      OpenProfiles(*home->reader)->Read(home->read[projections::kProfiles], users);
  if (!view) return std::unexpected(view.error());
  if (!view->rows.front().deleted) return AccountState::kLives;
  const bool is_done = std::ranges::all_of(view->erasures, [](const Erasure& erasure) {
    return erasure.progress.stage == EraseStage::kDone;
  });
  return is_done ? AccountState::kErased : AccountState::kErasing;
}

Result<Remains> FindRemains(Context& context, UserId user) {
  Remains remains;
  remains.user = user;
  const Result<AccountState> account = StateOfAccount(context, user);
  if (!account) return std::unexpected(account.error());
  remains.account = *account;
  const Result<UserCounts> counts = CountsOf(context, user);
  if (!counts) return std::unexpected(counts.error());
  remains.following = counts->following;
  remains.fans = counts->fans;
  if (Status scanned = ScanTopics(context, remains); !scanned) return Forward(scanned);
  return remains;
}

}  // namespace fanfold::operations
