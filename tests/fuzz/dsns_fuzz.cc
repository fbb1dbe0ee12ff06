// DSNs: nothing that is shown of one depends on its password.
#include <cstddef>
#include <string>
#include <string_view>

#include "common/base/check.h"
#include "common/config/dsn_password.h"
#include "common/mysql/dsn.h"
#include "tests/fuzz/fuzz.h"

namespace fanfold {
namespace {

constexpr std::string_view kScheme = "mysql://";

// The same DSN with another password, or without one.
std::string WithPassword(std::string_view dsn, std::string_view password) {
  const std::size_t from = dsn.find(':', kScheme.size());
  const std::size_t at = dsn.rfind('@', dsn.find('/', kScheme.size()));
  return std::string(dsn.substr(0, from + 1)).append(password).append(dsn.substr(at));
}

}  // namespace

const FuzzTarget kDsns("dsns", [](std::string_view input) {
  const std::string shown = WithoutPassword(input);
  FANFOLD_CHECK(HoldsPassword(input) || shown == input, shown);
  const Result<Dsn> dsn = ParseDsn(input);
  if (!dsn) {
    FANFOLD_CHECK(dsn.error().code == ErrorCode::kInvalidArgument, dsn.error().message);
    return;
  }
  FANFOLD_CHECK(!dsn->user.empty() && !dsn->host.empty() && dsn->port != 0, shown);
  FANFOLD_CHECK(!dsn->schema.empty() && dsn->schema.size() <= kSchemaBytesMax, shown);
  if (dsn->password.empty()) return;
  FANFOLD_CHECK(HoldsPassword(input), input);
  const std::string other = WithPassword(input, "x");
  FANFOLD_CHECK(WithoutPassword(other) == shown, input);
  const Result<Dsn> parsed = ParseDsn(other);
  FANFOLD_CHECK(parsed && parsed->password == "x" && parsed->host == dsn->host, input);
});

}  // namespace fanfold
