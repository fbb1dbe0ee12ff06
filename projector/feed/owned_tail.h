// The records of one topic that come next in the partitions of this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "projector/runtime/task.h"

namespace fanfold::projector {

// One thread.
class OwnedTail {
 public:
  static constexpr std::size_t kRecordsMax = 4'096;  // of all partitions, taken at once

  // `ports` outlive it.
  OwnedTail(const TaskPorts& ports, Topic topic) : ports_(ports), topic_(topic) {}

  // Where a partition is to be read from. Errors: it is not read now.
  using From = std::function<Result<Offset>(Partition)>;
  // Takes what takes up the records that have come of each partition, in their order; its error
  // makes the partition begin anew.
  using Take = std::function<Status(Partition, const std::vector<LogRecord>&)>;
  // Is the log the right one? Asked before records are taken; its error makes all begin anew.
  using Proof = std::function<Status()>;
  // Begins with partitions that are new, lets go of those that are not this process's any more, and
  // waits for at most timeout_ms. True: something was taken. A partition that fails keeps no other
  // back: its error goes to `failures`.
  [[nodiscard]] bool Step(const From& from, const Proof& proof, const Take& take,
                          std::int64_t timeout_ms, std::vector<Error>& failures);
  // All begin anew.
  void Forget();

 private:
  void Sync(const From& from, std::vector<Error>& failures);
  void Stop(Partition partition);

  const TaskPorts& ports_;
  const Topic topic_;
  std::unique_ptr<LogReader> reader_;
  std::set<Partition> read_;
};

}  // namespace fanfold::projector
