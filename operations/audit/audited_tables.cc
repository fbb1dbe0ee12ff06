#include "operations/audit/audited_tables.h"

#include <algorithm>
#include <utility>

#include "common/ports/deployment_check.h"
#include "operations/lanes/lanes.h"

namespace fanfold::operations {
bool ToldPace::Read(std::int64_t items) {
  read_ += items;
  const LoadProgress load{std::min(read_, total_), total_};
  if (progress_.Due()) {
    progress_.Show({.done = load.done,
                    .total = load.total,
                    .items = read_,
                    .items_name = "rows",
                    .elapsed_ms = progress_.elapsed_ms()});
  }
  if (told_ && progress_.elapsed_ms() - told_ms_ >= kTellMs) {
    told_ms_ = progress_.elapsed_ms();
    told_(load);
  }
  std::int64_t ahead_ms = 0;
  if (rows_per_second_ > 0) {
    ahead_ms = read_ * 1000 / rows_per_second_ - progress_.elapsed_ms();
  }
  return !context_.interrupt.WaitFor(std::max<std::int64_t>(ahead_ms, 0));
}

projector::AuditPorts AuditedTables::PortsFor(Context& context, const Placement& placement,
                                              projector::ScanPace& pace) const {
  return {*log, *proof, [&context](Shard shard) { return context.backend.OpenSnapshot(shard); },
          placement, pace};
}

projector::InboxAuditPorts AuditedTables::InboxPortsFor(Context& context,
                                                        projector::ScanPace& pace) const {
  return {[&context](Shard shard) { return context.backend.OpenReader(shard); },
          [&context](Shard shard) { return context.backend.OpenStore(shard); }, deployment, pace};
}

Result<AuditedTables> OpenAudited(Context& context) {
  Result<std::shared_ptr<EventLog>> log = context.backend.OpenLog();
  if (!log) return Forward(log);
  Result<std::unique_ptr<ProjectionReader>> first = context.backend.OpenReader(Shard(0));
  if (!first) return Forward(first);
  Result<Deployment> deployment = ReadNow(context.backend, **first);
  if (!deployment) return Forward(deployment);
  for (const Stream stream : Stream::All()) {
    Status fits = CheckTopic(**log, stream.applied(), context.backend.partitions());
    if (!fits) return Forward(fits);
  }
  return AuditedTables{std::move(*log), *std::move(deployment)};
}

Status ProveLog(Context& context, const AuditedTables& tables, Stream stream) {
  return ProveLog(context.backend, *tables.proof, stream, tables.deployment.read);
}

Result<projector::VerifyReport> VerifyUsers(Context& context, const AuditedTables& tables,
                                            ToldPace& pace, const std::set<UserId>& users) {
  const Deployment& read = tables.deployment;
  Result<projector::VerifyReport> report =
      projector::Verifier(tables.PortsFor(context, read.placement, pace), read.read,
                          AllProjections())
          .Of(users);
  if (!report) return report;
  Status held = projector::InboxAudit(tables.InboxPortsFor(context, pace)).Of(users, *report);
  if (!held) return Forward(held);
  return report;
}

Result<projector::VerifyReport> VerifyAll(Context& context, const AuditedTables& tables,
                                          ToldPace& pace) {
  // Every record is read, and stands in a row of each projection's table at most.
  std::int64_t items = 0;
  for (const Stream stream : Stream::All()) {
    const Result<LogEnds> ends =
        ReadEnds(*tables.log, stream.applied(), context.backend.partitions());
    if (!ends) return std::unexpected(ends.error());
    const auto tables_of = std::ranges::count(Projection::All(), stream, &Projection::stream);
    items += (1 + tables_of) * SumOf(*ends);
  }
  pace.Expect(items);
  const Deployment& read = tables.deployment;
  Result<projector::VerifyReport> report =
      projector::Verifier(tables.PortsFor(context, read.placement, pace), read.read,
                          AllProjections())
          .All();
  if (!report) return report;
  Status held = projector::InboxAudit(tables.InboxPortsFor(context, pace)).All(*report);
  if (!held) return Forward(held);
  return report;
}

}  // namespace fanfold::operations
