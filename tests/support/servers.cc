#include "tests/support/servers.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>

#include "common/base/random.h"

namespace fanfold::testing {
namespace {

Servers ReadServers() {
  const char* path = std::getenv("FANFOLD_TEST_SERVERS");
  std::ifstream file(path != nullptr ? path : "");
  Servers servers;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("KAFKA=")) servers.kafka_brokers = line.substr(6);
    if (line.starts_with("MYSQL_SOCKET=")) servers.mysql_socket = line.substr(13);
  }
  if (servers.kafka_brokers.empty() || servers.mysql_socket.empty()) {
    std::fprintf(stderr,
                 "FANFOLD_TEST_SERVERS does not name a file of running servers: run through ctest, "
                 "or start them with tests/support/servers.sh start DIR\n");
    std::abort();
  }
  return servers;
}

}  // namespace

const Servers& TestServers() {
  static const Servers servers = ReadServers();
  return servers;
}

std::string UniqueSpace() { return fmt::format("t{:x}", RandomBits() >> 16); }

std::string TestDsn(const std::string& schema) {
  return fmt::format("mysql://root@localhost/{}?socket={}", schema, TestServers().mysql_socket);
}

}  // namespace fanfold::testing
