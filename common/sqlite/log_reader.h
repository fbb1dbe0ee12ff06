// Inside common/sqlite only.
#pragma once

#include <memory>
#include <string>

#include "common/ports/event_log.h"
#include "common/sqlite/log_ends.h"

namespace fanfold::sqlite {

// Reads the file by a connection of its own. Throws Failure.
[[nodiscard]] std::unique_ptr<LogReader> NewLogReader(const std::string& path, Topic topic,
                                                      std::shared_ptr<LogEnds> ends);

// The error of a port that knows no conflicts.
[[nodiscard]] Error AsLogError(Error error);

}  // namespace fanfold::sqlite
