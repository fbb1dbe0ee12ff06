#pragma once

#include <string>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "writer/command.h"

namespace fanfold::writer {

// The caller's answer, by what the log said to the append: accepted, kOverloaded, or
// kLogUnavailable for every other failure.
[[nodiscard]] Answer AnswerOfAppend(Stream stream, std::string event_id,
                                    const Result<Position>& appended);

}  // namespace fanfold::writer
