// Whether the log is still the one that was seen before.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/ports/record_marks.h"

namespace fanfold::writer {

// Knows of each partition of the topics of outcomes, which a writer may read, the last record that
// it has read. One thread at a time.
class SeenLog {
 public:
  SeenLog(EventLog& log, std::int32_t partitions)
      : log_(log), partitions_(partitions), marks_(log, MarkReader::Cut::kAsItIs) {}

  // Checks that the last records read are still there, and reads the present last ones. A record
  // that does not come is asked for the next time. Blocks for the bounds of each topic and twice
  // MarkReader::kWaitMs behind the last record that came. Errors: kRefused, another record stands
  // there, or the topic ends below it.
  [[nodiscard]] Status Look();

 private:
  using Marks = std::vector<RecordMark>;  // by partition; digest 0: none was read
  [[nodiscard]] Status LookAt(Topic topic, Marks& known);
  // Returns the partitions that have answered.
  [[nodiscard]] Result<std::set<Partition>> Read(Topic topic, const std::vector<MarkAsked>& asked,
                                                 Marks& known);

  EventLog& log_;
  const std::int32_t partitions_;
  MarkReader marks_;
  std::map<Topic, Marks> known_;
};

}  // namespace fanfold::writer
