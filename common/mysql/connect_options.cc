#include "common/mysql/connect_options.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

#include "common/base/secret_file.h"

namespace fanfold::mysql {
namespace {

std::string PasswordOf(const Dsn& dsn) {
  if (dsn.password_file.empty()) return dsn.password;
  Result<std::string> password = ReadSecret(dsn.password_file);
  // It may be on its way.
  if (!password) throw Failure(ErrorCode::kUnavailable, password.error().message);
  return *std::move(password);
}

}  // namespace

int WholeSeconds(std::int64_t ms) { return static_cast<int>(std::max<std::int64_t>(1, ms / 1000)); }

sql::ConnectOptionsMap OptionsFor(const Dsn& dsn, const TimeLimits& limits) {
  sql::ConnectOptionsMap options;
  options["hostName"] =
      sql::SQLString(dsn.socket.empty() ? fmt::format("tcp://{}:{}", dsn.host, dsn.port)
                                        : fmt::format("unix://{}", dsn.socket));
  options["userName"] = sql::SQLString(dsn.user);
  options["password"] = sql::SQLString(PasswordOf(dsn));
  if (!dsn.ssl_ca.empty()) {
    options["sslCA"] = sql::SQLString(dsn.ssl_ca);
    options["sslEnforce"] = true;
    options["sslVerify"] = true;
  }
  if (!dsn.ssl_cert.empty()) {
    options["sslCert"] = sql::SQLString(dsn.ssl_cert);
    options["sslKey"] = sql::SQLString(dsn.ssl_key);
  }
  if (!dsn.schema.empty()) options["schema"] = sql::SQLString(dsn.schema);
  options["OPT_CONNECT_TIMEOUT"] = WholeSeconds(limits.ConnectMs());
  options["OPT_READ_TIMEOUT"] = WholeSeconds(limits.StatementMs());
  options["OPT_WRITE_TIMEOUT"] = WholeSeconds(limits.StatementMs());
  options["OPT_CHARSET_NAME"] = sql::SQLString("utf8mb4");
  // Affected rows then means matched rows, which the fence counts.
  options["CLIENT_FOUND_ROWS"] = true;
  options["CLIENT_MULTI_STATEMENTS"] = true;
  return options;
}

}  // namespace fanfold::mysql
