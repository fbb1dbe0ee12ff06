#include "bench/raw_connection.h"

#include <cppconn/driver.h>

namespace fanfold::bench {

std::unique_ptr<sql::Connection> Connect(const Dsn& dsn) {
  sql::ConnectOptionsMap options;
  options["hostName"] = "unix://" + dsn.socket;
  options["userName"] = dsn.user;
  options["password"] = dsn.password;
  options["schema"] = dsn.schema;
  std::unique_ptr<sql::Connection> connection(get_driver_instance()->connect(options));
  connection->setAutoCommit(false);
  return connection;
}

}  // namespace fanfold::bench
