// Facts about a file of tables and its contents.
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/ports/environment.h"
#include "common/ports/projection_reader.h"

namespace fanfold {

// Beside whoever has it open. Changes nothing. Errors: kUnavailable; kRefused, there is no such
// file, or it is none of tables.
[[nodiscard]] Result<DatabaseFacts> ReadSqliteFacts(const std::string& path,
                                                    const ReadGenerations& read);

}  // namespace fanfold
