#include "common/sqlite/error_codes.h"

#include <algorithm>
#include <array>
#include <sqlite3.h>

namespace fanfold::sqlite {
namespace {

struct Row {
  int error;
  ErrorCode code;
  // In COMMIT. A write that failed there may have reached the disk: a crash could bring it back.
  ErrorCode in_commit;
};

constexpr Row Always(int error, ErrorCode code) noexcept { return {error, code, code}; }

// Source: https://www.sqlite.org/rescode.html
constexpr std::array kRows = {
    // The schema has no such table or column; texts are constants, so nothing else gives this.
    Row{SQLITE_ERROR, ErrorCode::kRefused, ErrorCode::kUnknown},
    Row{SQLITE_INTERNAL, ErrorCode::kInternal, ErrorCode::kUnknown},
    Always(SQLITE_PERM, ErrorCode::kRefused),     // access mode of a new file
    Always(SQLITE_ABORT, ErrorCode::kConflict),   // rolled back under a statement
    Always(SQLITE_BUSY, ErrorCode::kConflict),    // another connection holds a lock
    Always(SQLITE_LOCKED, ErrorCode::kConflict),  // this connection does
    Row{SQLITE_NOMEM, ErrorCode::kUnavailable, ErrorCode::kUnknown},
    Always(SQLITE_READONLY, ErrorCode::kRefused),  // file or folder cannot be written
    Row{SQLITE_INTERRUPT, ErrorCode::kUnavailable, ErrorCode::kUnknown},  // the call's time ran out
    Row{SQLITE_IOERR, ErrorCode::kUnavailable, ErrorCode::kUnknown},
    Always(SQLITE_CORRUPT, ErrorCode::kRefused),
    Always(SQLITE_FULL, ErrorCode::kUnavailable),      // disk full; found before the commit's mark
    Always(SQLITE_CANTOPEN, ErrorCode::kUnavailable),  // no such folder, too many open files
    Always(SQLITE_PROTOCOL, ErrorCode::kConflict),     // lost the race for the WAL's locks
    Always(SQLITE_SCHEMA, ErrorCode::kConflict),       // the schema changed meanwhile
    Always(SQLITE_TOOBIG, ErrorCode::kInvalidArgument),
    Row{SQLITE_CONSTRAINT, ErrorCode::kInternal, ErrorCode::kInternal},
    Always(SQLITE_MISMATCH, ErrorCode::kInternal),
    Always(SQLITE_MISUSE, ErrorCode::kInternal),
    Always(SQLITE_NOLFS, ErrorCode::kRefused),  // files above 2 GB cannot be had
    Always(SQLITE_AUTH, ErrorCode::kRefused),
    Always(SQLITE_RANGE, ErrorCode::kInternal),  // no such parameter
    Always(SQLITE_NOTADB, ErrorCode::kRefused),
    Row{SQLITE_IOERR_CORRUPTFS, ErrorCode::kRefused, ErrorCode::kUnknown},
};
static_assert(std::ranges::is_sorted(kRows, {}, &Row::error));

constexpr int PrimaryOf(int error) noexcept { return error & 0xff; }

const Row* Find(int error) noexcept {
  const auto* found = std::ranges::lower_bound(kRows, error, {}, &Row::error);
  return found != kRows.end() && found->error == error ? found : nullptr;
}

}  // namespace

ErrorCode CodeOf(int error, Phase phase) noexcept {
  const Row* row = Find(error);
  if (row == nullptr) row = Find(PrimaryOf(error));
  if (row == nullptr) return phase == Phase::kCommits ? ErrorCode::kUnknown : ErrorCode::kInternal;
  return phase == Phase::kCommits ? row->in_commit : row->code;
}

const char* AdviceFor(int error) noexcept {
  switch (PrimaryOf(error)) {
    case SQLITE_FULL:
      return "; free some space";
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "; the folder and its files must be writable";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "; restore the file from a backup";
    default:
      return "";
  }
}

}  // namespace fanfold::sqlite
