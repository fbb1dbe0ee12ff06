#include "operations/parked/parked_list.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <tuple>
#include <utility>

namespace fanfold::operations {
namespace {

auto OrderOf(const ShardParked& parked) {
  return std::tuple(parked.row.lane.projection, parked.row.lane.partition, parked.row.offset,
                    parked.row.lane.generation, parked.shard);
}

Result<std::vector<ShardParked>> ReadParked(const ShardReaders& readers,
                                            std::optional<Projection> wanted,
                                            std::optional<ParkReason> reason,
                                            std::size_t of_each_max) {
  std::vector<ShardParked> all;
  for (const Projection projection : ProjectionsOf(wanted)) {
    for (std::size_t i = 0; i < readers.size(); ++i) {
      auto rows =
          ParkedOn(readers, Shard(static_cast<std::int32_t>(i)), projection, of_each_max, reason);
      if (!rows) return Forward(rows);
      std::ranges::move(*rows, std::back_inserter(all));
    }
  }
  std::ranges::sort(all, {}, OrderOf);
  return all;
}

}  // namespace

Result<ParkedPage> FirstParked(Context& context, std::optional<Projection> projection,
                               std::optional<ParkReason> reason, std::size_t limit) {
  Result<ShardReaders> readers = OpenReaders(context.backend);
  if (!readers) return Forward(readers);
  auto all = ReadParked(*readers, projection, reason, limit + 1);
  if (!all) return Forward(all);
  ParkedPage page{std::move(*all), false};
  page.more = page.rows.size() > limit;
  if (page.more) page.rows.resize(limit);
  return page;
}

Result<std::vector<ParkedRecord>> ParkedWithRecords(Context& context,
                                                    std::optional<Projection> projection,
                                                    Position position) {
  Result<ShardReaders> readers = OpenReaders(context.backend);
  if (!readers) return Forward(readers);
  auto found = FindParked(*readers, projection, position);
  if (!found) return Forward(found);
  if (found->empty()) {
    return Fail(ErrorCode::kNotFound, "nothing is parked at " + ToString(position));
  }
  Result<std::shared_ptr<EventLog>> log = context.backend.OpenLog();
  if (!log) return Forward(log);
  std::vector<ParkedRecord> all;
  for (ShardParked& parked : *found) {
    auto records = ReadRecords(**log, TopicOf(parked.row), {position});
    if (!records) return Forward(records);
    all.push_back({std::move(parked), std::move(records->front())});
  }
  return all;
}

}  // namespace fanfold::operations
