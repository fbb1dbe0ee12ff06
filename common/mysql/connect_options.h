// Inside common/mysql only: this header shows the connector's types.
#pragma once

#include <cppconn/connection.h>
#include <cstdint>

#include "common/mysql/connection.h"
#include "common/mysql/dsn.h"

namespace fanfold::mysql {

// The client library counts in whole seconds.
[[nodiscard]] int WholeSeconds(std::int64_t ms);

// How a session is opened: who, where, over TLS where the DSN names a CA, and what is verified.
// Reads the password's file. Throws Failure: kUnavailable, it cannot be read.
[[nodiscard]] sql::ConnectOptionsMap OptionsFor(const Dsn& dsn, const TimeLimits& limits);

}  // namespace fanfold::mysql
