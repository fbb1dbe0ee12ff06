#include "operations/log/log_file.h"

#include <fmt/format.h>
#include <utility>

#include "common/stream/position.h"
#include "common/stream/slot.h"

namespace fanfold::operations {

Result<LogFileReader> LogFileReader::Open(const std::string& path) {
  Result<LineSource> source = LineSource::Open(path, kLogLineBytesMax);
  if (!source) return Forward(source);
  LogFileReader reader(path, std::move(*source));
  if (Status header = reader.ReadHeader(); !header) return Forward(header);
  return reader;
}

Status LogFileReader::ReadHeader() {
  Result<std::optional<LogLine>> line = NextLine();
  if (!line) return Forward(line);
  const LogHeader* header = *line ? std::get_if<LogHeader>(&**line) : nullptr;
  if (header == nullptr) return Bad("no header, so it is not what `export --log` writes");
  if (!Shape{header->partitions, 1}.IsValid()) {
    return Bad(fmt::format("{} partitions are not a power of two up to {}", header->partitions,
                           kPartitionsMax));
  }
  header_ = *header;
  for (const Topic topic : Topic::All()) {
    read_[topic].assign(static_cast<std::size_t>(header_.partitions), Offset(0));
  }
  return {};
}

Result<std::optional<LogLineRecord>> LogFileReader::Next() {
  Result<std::optional<LogLine>> line = NextLine();
  if (!line) return Forward(line);
  if (!*line) return Bad("the file is cut: it ends before its totals");
  if (auto* record = std::get_if<LogLineRecord>(&**line)) {
    if (Status counted = Count(*record); !counted) return Forward(counted);
    return std::move(*record);
  }
  const auto* totals = std::get_if<AllEnds>(&**line);
  if (totals == nullptr) return Bad("a second header");
  if (Status whole = CheckEnd(*totals); !whole) return Forward(whole);
  return std::nullopt;
}

Result<std::optional<LogLine>> LogFileReader::NextLine() {
  Result<std::optional<SourceLine>> text = source_.Next();
  if (!text) return Forward(text);
  ++line_;
  if (!*text) return std::nullopt;
  if ((*text)->too_long) return Bad(fmt::format("longer than {} bytes", kLogLineBytesMax));
  std::expected<LogLine, BadLogLine> line = ParseLogLine((*text)->text);
  if (!line) return Bad(line.error());
  return std::move(*line);
}

Status LogFileReader::Count(const LogLineRecord& record) {
  const Position position = record.stored.position;
  if (position.partition.value < 0 || position.partition.value >= header_.partitions) {
    return Bad(fmt::format("partition {} of {}", position.partition.value, header_.partitions));
  }
  const Topic events = record.topic.stream().events();
  if (record.topic.of_outcomes() && SumOf(read_[events]) > 0) {
    return Bad("an outcome after the events");
  }
  Offset& end = read_[record.topic][static_cast<std::size_t>(position.partition.value)];
  if (position.offset != end) {
    return Bad(fmt::format("{} {} where {} is next", record.topic.name(), ToString(position),
                           ToString(Position{position.partition, end})));
  }
  end = fanfold::Next(end);
  return {};
}

Status LogFileReader::CheckEnd(AllEnds totals) {
  for (const Topic topic : Topic::All()) {
    // A file that is older than the topic does not name it.
    if (totals[topic].empty()) totals[topic] = LogEnds(read_[topic].size(), Offset(0));
  }
  if (totals != read_) return Bad("the totals are not those of the records before them");
  const Result<std::optional<SourceLine>> more = source_.Next();
  if (!more) return std::unexpected(more.error());
  return *more ? Bad("the file goes on after its totals") : Status();
}

std::unexpected<Error> LogFileReader::Bad(std::string_view why) const {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{}, line {}: {}", path_, line_, why));
}

}  // namespace fanfold::operations
