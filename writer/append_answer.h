#pragma once

#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "writer/command.h"

namespace fanfold::writer {

// kLogUnavailable, in words of our own: those of the log are a server's or the system's, and are
// logged, each cause once a minute.
[[nodiscard]] Answer RefuseForLog(std::string_view detail, const Error& why);

// The caller's answer, by what the log said to the append: accepted, kOverloaded, or
// kLogUnavailable for every other failure.
[[nodiscard]] Answer AnswerOfAppend(Stream stream, std::string event_id,
                                    const Result<Position>& appended);

}  // namespace fanfold::writer
