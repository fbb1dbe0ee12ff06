// Whether the log is still the one that was seen before.
#pragma once

#include <cstdint>
#include <map>
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

  // Looks whether what was last read is still there, and reads what is the last now. What nobody
  // gives is asked for the next time. Blocks for the bounds of each topic and twice
  // MarkReader::kWaitMs behind the last record that came. Errors: kRefused, another record stands
  // there, or the topic ends below it.
  [[nodiscard]] Status Look();

 private:
  using Marks = std::vector<RecordMark>;  // by partition; digest 0: none was read
  [[nodiscard]] Status LookAt(Topic topic, Marks& known);
  [[nodiscard]] Status Read(Topic topic, const std::vector<MarkAsked>& asked, Marks& known);

  EventLog& log_;
  const std::int32_t partitions_;
  MarkReader marks_;
  std::map<Topic, Marks> known_;
};

}  // namespace fanfold::writer
