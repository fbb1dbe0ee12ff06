#include "writer/seen_log.h"

#include <fmt/format.h>

namespace fanfold::writer {

Status SeenLog::Look() {
  for (const Topic topic : Topic::All()) {
    if (!topic.of_outcomes()) continue;
    Marks& known = known_[topic];
    known.resize(static_cast<std::size_t>(partitions_));
    if (Status same = LookAt(topic, known); !same) return same;
  }
  return {};
}

Status SeenLog::LookAt(Topic topic, Marks& known) {
  const std::vector<Partition> all = AllPartitions(partitions_);
  const std::vector<Result<LogBounds>> held = log_.BoundsOf(topic, all);
  std::vector<MarkAsked> before;
  for (std::size_t p = 0; p < held.size(); ++p) {
    if (held[p] && known[p].digest != 0) before.push_back({all[p], known[p], *held[p]});
  }
  const Result<std::set<Partition>> proved = Read(topic, before, known);
  if (!proved) return std::unexpected(proved.error());
  std::vector<MarkAsked> last;
  for (std::size_t p = 0; p < held.size(); ++p) {
    if (!held[p]) continue;
    const RecordMark& mark = known[p];
    // What has not answered is what proves the log: nothing takes its place before it has.
    if (mark.digest != 0 && !proved->contains(all[p])) continue;
    const Offset end = held[p]->end;
    const bool has_more = mark.digest == 0 || end > Next(mark.offset);
    if (has_more && end > held[p]->begin) {
      last.push_back({all[p], {Offset(end.value - 1), 0}, *held[p]});
    }
  }
  const Result<std::set<Partition>> read = Read(topic, last, known);
  return read ? Status() : std::unexpected(read.error());
}

Result<std::set<Partition>> SeenLog::Read(Topic topic, const std::vector<MarkAsked>& asked,
                                          Marks& known) {
  const std::vector<Result<MarkFound>> found = marks_.Look(topic, asked);
  std::set<Partition> answered;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (!found[i]) continue;
    const auto& [partition, mark, held] = asked[i];
    answered.insert(partition);
    RecordMark& here = known[static_cast<std::size_t>(partition.value)];
    switch (found[i]->standing) {
      case MarkStanding::kSame:
        here = {mark.offset, found[i]->digest};
        break;
      case MarkStanding::kGone:
        here = {};
        break;
      case MarkStanding::kOther:
      case MarkStanding::kCut:
        // No record stands where a transaction has ended.
        if (mark.digest == 0) break;
        return Fail(ErrorCode::kRefused,
                    fmt::format("{}/{} no longer has the record at {} that was read there: it is "
                                "another log, or not all of it. Start this process again if it is "
                                "the right one",
                                topic.name(), partition.value, mark.offset.value));
    }
  }
  return answered;
}

}  // namespace fanfold::writer
