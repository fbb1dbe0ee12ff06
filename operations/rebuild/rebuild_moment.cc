#include "operations/rebuild/rebuild_moment.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>

#include "operations/audit/audited_tables.h"
#include "operations/base/text.h"
#include "operations/lanes/lanes.h"
#include "operations/log/record_reader.h"
#include "projector/rebuild/log_moment.h"

namespace fanfold::operations {
namespace {

// Of the first event of any stream.
Result<std::optional<std::int64_t>> FirstAppendMs(EventLog& log, std::size_t partitions) {
  std::vector<Position> first;
  first.reserve(partitions);
  for (std::size_t p = 0; p < partitions; ++p) {
    first.push_back({Partition(static_cast<std::int32_t>(p)), Offset(0)});
  }
  std::optional<std::int64_t> first_ms;
  for (const Stream stream : Stream::All()) {
    const auto records = ReadFirstFrom(log, stream.events(), first);
    if (!records) return std::unexpected(records.error());
    for (const auto& record : *records) {
      if (record) first_ms = std::min(first_ms.value_or(record->appended_ms), record->appended_ms);
    }
  }
  return first_ms;
}

}  // namespace

Result<std::vector<Offset>> EventsOfMoment(Context& context, EventLog& log, Stream stream,
                                           std::int64_t until_ms, std::int64_t rows_per_second) {
  ToldPace pace(context, rows_per_second);
  Result<std::vector<Offset>> until =
      projector::EventsUntil(log, stream.events(), context.backend.partitions(), until_ms, pace);
  if (!until || SumOf(*until) > 0) return until;
  const auto first_ms = FirstAppendMs(log, until->size());
  if (!first_ms) return std::unexpected(first_ms.error());
  if (*first_ms && **first_ms <= until_ms) return until;
  std::string why = fmt::format("the log held no event yet at {}", IsoTime(until_ms));
  if (*first_ms) why += ": its first one is of " + IsoTime(**first_ms);
  return Fail(ErrorCode::kRefused, why);
}

}  // namespace fanfold::operations
