// The raw baselines' way to the server: the connector alone, with nothing of the product's adapter.
#pragma once

#include <cppconn/connection.h>
#include <memory>

#include "common/mysql/dsn.h"

namespace fanfold::bench {

// Connects by the server's socket, with autocommit off. Not for several threads at once. Throws
// sql::SQLException.
[[nodiscard]] std::unique_ptr<sql::Connection> Connect(const Dsn& dsn);

}  // namespace fanfold::bench
