// The Kafka and MariaDB that ctest's fixture `servers` started for this build tree.
#pragma once

#include <string>

namespace fanfold::testing {

struct Servers {
  std::string kafka_brokers;  // "127.0.0.1:port"
  std::string mysql_socket;   // root needs no password
};

// Reads the file named by FANFOLD_TEST_SERVERS (lines KAFKA=…, MYSQL_SOCKET=…); aborts with what to
// do when it is missing.
const Servers& TestServers();

// Letters and digits that no other test of this run uses: prefix of topics, groups and schemas.
std::string UniqueSpace();

// The DSN of a schema on the test MariaDB.
std::string TestDsn(const std::string& schema);

}  // namespace fanfold::testing
