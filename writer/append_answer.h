#pragma once

#include <string>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "writer/command.h"

namespace fanfold::writer {

// What the log's answer to the append of an event means for the caller.
[[nodiscard]] Answer AnswerOfAppend(Stream stream, std::string event_id,
                                    const Result<LogPosition>& appended);

}  // namespace fanfold::writer
