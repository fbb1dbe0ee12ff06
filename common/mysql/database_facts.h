// Facts about a shard's database and its contents.
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/mysql/mysql_store.h"
#include "common/ports/environment.h"
#include "common/ports/projection_reader.h"

namespace fanfold {

// Changes nothing. Errors: kUnavailable; kRefused, there is no such schema; kInvalidArgument, what
// is wrong with the DSN.
[[nodiscard]] Result<DatabaseFacts> ReadMysqlFacts(const std::string& dsn,
                                                   const MysqlOptions& options,
                                                   const ReadGenerations& read);

}  // namespace fanfold
