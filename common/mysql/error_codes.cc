#include "common/mysql/error_codes.h"

#include <algorithm>
#include <array>

namespace fanfold::mysql {
namespace {

struct Row {
  int error;
  ErrorCode code;
  bool ends_session = false;
};

// Sources: MySQL 8.0 Error Reference; MariaDB's, for 1927, 1969 and 4031's neighbours.
constexpr std::array kRows = {
    Row{3, ErrorCode::kUnavailable},               // EE_WRITE
    Row{20, ErrorCode::kUnavailable},              // EE_DISK_FULL
    Row{28, ErrorCode::kUnavailable},              // ENOSPC
    Row{1020, ErrorCode::kConflict},               // record changed since last read
    Row{1021, ErrorCode::kUnavailable},            // disk full
    Row{1026, ErrorCode::kUnavailable},            // error writing a file
    Row{1030, ErrorCode::kUnavailable},            // error from the storage engine
    Row{1037, ErrorCode::kUnavailable},            // out of memory
    Row{1040, ErrorCode::kUnavailable, true},      // too many connections
    Row{1041, ErrorCode::kUnavailable},            // out of resources
    Row{1044, ErrorCode::kRefused},                // access to the schema denied
    Row{1045, ErrorCode::kRefused, true},          // access denied
    Row{1049, ErrorCode::kRefused, true},          // unknown schema
    Row{1053, ErrorCode::kUnavailable, true},      // server shutdown in progress
    Row{1054, ErrorCode::kRefused},                // unknown column
    Row{1114, ErrorCode::kUnavailable},            // table full
    Row{1129, ErrorCode::kUnavailable, true},      // host blocked after many errors
    Row{1130, ErrorCode::kRefused, true},          // host not allowed
    Row{1142, ErrorCode::kRefused},                // command denied
    Row{1146, ErrorCode::kRefused},                // no such table
    Row{1153, ErrorCode::kInvalidArgument, true},  // packet above max_allowed_packet
    Row{1158, ErrorCode::kUnavailable, true},      // error reading communication packets
    Row{1159, ErrorCode::kUnavailable, true},      // timeout reading them
    Row{1160, ErrorCode::kUnavailable, true},      // error writing them
    Row{1161, ErrorCode::kUnavailable, true},      // timeout writing them
    Row{1176, ErrorCode::kRefused},                // no such index
    Row{1180, ErrorCode::kUnavailable, true},      // error during COMMIT
    Row{1203, ErrorCode::kUnavailable, true},      // user has too many connections
    Row{1205, ErrorCode::kConflict},           // lock wait timeout; rolls the statement back only
    Row{1206, ErrorCode::kConflict},           // lock table full
    Row{1213, ErrorCode::kConflict},           // deadlock; rolled the transaction back
    Row{1226, ErrorCode::kUnavailable, true},  // user has exceeded a resource
    Row{1264, ErrorCode::kInvalidArgument},    // out of a column's range
    Row{1290, ErrorCode::kUnavailable},        // read only: a failover under way
    Row{1317, ErrorCode::kUnavailable},        // query interrupted
    Row{1366, ErrorCode::kInvalidArgument},    // not a value of a column
    Row{1406, ErrorCode::kInvalidArgument},    // too long for a column
    Row{1792, ErrorCode::kUnavailable},        // read-only transaction
    Row{1836, ErrorCode::kUnavailable},        // read-only mode
    Row{1927, ErrorCode::kUnavailable, true},  // connection was killed
    Row{1969, ErrorCode::kUnavailable},        // MariaDB: max_statement_time exceeded
    Row{2002, ErrorCode::kUnavailable, true},  // cannot connect through the socket
    Row{2003, ErrorCode::kUnavailable, true},  // cannot connect to the host
    Row{2005, ErrorCode::kUnavailable, true},  // unknown host
    Row{2006, ErrorCode::kUnavailable, true},  // server has gone away
    Row{2013, ErrorCode::kUnavailable, true},  // connection lost during the query
    Row{2020, ErrorCode::kInvalidArgument, true},  // packet above the client's limit
    Row{2026, ErrorCode::kUnavailable, true},      // TLS failed
    Row{2055, ErrorCode::kUnavailable, true},      // connection lost, with the system's error
    Row{3024, ErrorCode::kUnavailable},            // MySQL: max_execution_time exceeded
    Row{4031, ErrorCode::kUnavailable, true},      // MySQL: disconnected for inactivity
};
static_assert(std::ranges::is_sorted(kRows, {}, &Row::error));

// The client library's own codes; the session's state is not known after one.
constexpr bool IsClientError(int error) noexcept { return error >= 2000 && error < 3000; }

const Row* Find(int error) noexcept {
  const auto* found = std::ranges::lower_bound(kRows, error, {}, &Row::error);
  return found != kRows.end() && found->error == error ? found : nullptr;
}

}  // namespace

ErrorCode CodeOf(int error, Phase phase) noexcept {
  const Row* row = Find(error);
  const ErrorCode code = row != nullptr ? row->code : ErrorCode::kInternal;
  if (phase == Phase::kCommits && code != ErrorCode::kConflict) return ErrorCode::kUnknown;
  return code;
}

bool EndsSession(int error) noexcept {
  const Row* row = Find(error);
  return row != nullptr ? row->ends_session : (error <= 0 || IsClientError(error));
}

const char* AdviceFor(int error, std::string_view text) noexcept {
  const auto says = [text](std::string_view what) { return text.find(what) != text.npos; };
  switch (error) {
    case 1049:
    case 1054:
    case 1176:
      return "; run `fanfold init`";
    case 1146:
      return "; run `fanfold init`, or, where a shard was restored, `fanfold doctor`";
    case 2026:
      if (says("Validation of SSL server certificate")) {
        return ": the server's certificate is not for the host that the DSN names";
      }
      return says("certificate") ? ": no certificate of ssl_ca vouches for the server's" : "";
    default:
      return "";
  }
}

}  // namespace fanfold::mysql
