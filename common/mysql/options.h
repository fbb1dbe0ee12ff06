// From the options that callers give to what a connection wants.
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/mysql/connection.h"
#include "common/mysql/dsn.h"
#include "common/mysql/mysql_store.h"

namespace fanfold::mysql {

[[nodiscard]] inline TimeLimits LimitsOf(const MysqlOptions& options) noexcept {
  return {options.statement_timeout_ms};
}

[[nodiscard]] inline Result<Dsn> CheckedDsn(const std::string& dsn, const MysqlOptions& options) {
  if (options.statement_timeout_ms < kStatementTimeoutMinMs) {
    return Fail(ErrorCode::kInvalidArgument, "statement_timeout_ms is below its least");
  }
  return ParseDsn(dsn);
}

}  // namespace fanfold::mysql
