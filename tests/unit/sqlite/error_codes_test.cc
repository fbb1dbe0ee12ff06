#include "common/sqlite/error_codes.h"

#include <gtest/gtest.h>
#include <ostream>
#include <sqlite3.h>
#include <string>

namespace fanfold::sqlite {
namespace {

struct CodeCase {
  const char* name;
  int error;
  ErrorCode code;
  ErrorCode in_commit;
};
void PrintTo(const CodeCase& test, std::ostream* out) { *out << test.name; }

class ErrorCodes : public ::testing::TestWithParam<CodeCase> {};

TEST_P(ErrorCodes, SayWhatTheCallerCanDo) {
  EXPECT_STREQ(ToString(CodeOf(GetParam().error, Phase::kPlain)), ToString(GetParam().code));
  EXPECT_STREQ(ToString(CodeOf(GetParam().error, Phase::kCommits)), ToString(GetParam().in_commit));
}

constexpr auto kConflict = ErrorCode::kConflict;
constexpr auto kInternal = ErrorCode::kInternal;
constexpr auto kInvalid = ErrorCode::kInvalidArgument;
constexpr auto kRefused = ErrorCode::kRefused;
constexpr auto kUnavailable = ErrorCode::kUnavailable;
constexpr auto kUnknown = ErrorCode::kUnknown;

INSTANTIATE_TEST_SUITE_P(
    Rows, ErrorCodes,
    ::testing::Values(CodeCase{"Error", SQLITE_ERROR, kRefused, kUnknown},
                      CodeCase{"Internal", SQLITE_INTERNAL, kInternal, kUnknown},
                      CodeCase{"Perm", SQLITE_PERM, kRefused, kRefused},
                      CodeCase{"Abort", SQLITE_ABORT, kConflict, kConflict},
                      CodeCase{"Busy", SQLITE_BUSY, kConflict, kConflict},
                      CodeCase{"Locked", SQLITE_LOCKED, kConflict, kConflict},
                      CodeCase{"NoMem", SQLITE_NOMEM, kUnavailable, kUnknown},
                      CodeCase{"ReadOnly", SQLITE_READONLY, kRefused, kRefused},
                      CodeCase{"Interrupt", SQLITE_INTERRUPT, kUnavailable, kUnknown},
                      CodeCase{"IoErr", SQLITE_IOERR, kUnavailable, kUnknown},
                      CodeCase{"Corrupt", SQLITE_CORRUPT, kRefused, kRefused},
                      CodeCase{"Full", SQLITE_FULL, kUnavailable, kUnavailable},
                      CodeCase{"CantOpen", SQLITE_CANTOPEN, kUnavailable, kUnavailable},
                      CodeCase{"Protocol", SQLITE_PROTOCOL, kConflict, kConflict},
                      CodeCase{"Schema", SQLITE_SCHEMA, kConflict, kConflict},
                      CodeCase{"TooBig", SQLITE_TOOBIG, kInvalid, kInvalid},
                      CodeCase{"Constraint", SQLITE_CONSTRAINT, kInternal, kInternal},
                      CodeCase{"Mismatch", SQLITE_MISMATCH, kInternal, kInternal},
                      CodeCase{"Misuse", SQLITE_MISUSE, kInternal, kInternal},
                      CodeCase{"NoLfs", SQLITE_NOLFS, kRefused, kRefused},
                      CodeCase{"Auth", SQLITE_AUTH, kRefused, kRefused},
                      CodeCase{"Range", SQLITE_RANGE, kInternal, kInternal},
                      CodeCase{"NotADb", SQLITE_NOTADB, kRefused, kRefused},
                      CodeCase{"IoErrCorruptFs", SQLITE_IOERR_CORRUPTFS, kRefused, kUnknown}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    ExtendedOnesCountAsTheirPrimary, ErrorCodes,
    ::testing::Values(
        CodeCase{"BusySnapshot", SQLITE_BUSY_SNAPSHOT, kConflict, kConflict},
        CodeCase{"BusyRecovery", SQLITE_BUSY_RECOVERY, kConflict, kConflict},
        CodeCase{"LockedSharedCache", SQLITE_LOCKED_SHAREDCACHE, kConflict, kConflict},
        CodeCase{"IoErrFsync", SQLITE_IOERR_FSYNC, kUnavailable, kUnknown},
        CodeCase{"IoErrRead", SQLITE_IOERR_READ, kUnavailable, kUnknown},
        CodeCase{"ReadOnlyDbMoved", SQLITE_READONLY_DBMOVED, kRefused, kRefused},
        CodeCase{"CantOpenIsDir", SQLITE_CANTOPEN_ISDIR, kUnavailable, kUnavailable},
        CodeCase{"CorruptIndex", SQLITE_CORRUPT_INDEX, kRefused, kRefused},
        CodeCase{"ConstraintPrimaryKey", SQLITE_CONSTRAINT_PRIMARYKEY, kInternal, kInternal}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

TEST(ErrorCodesOfNobody, AreInternalAndUnknownInCommit) {
  constexpr int kUnmapped = 99;
  EXPECT_EQ(CodeOf(kUnmapped, Phase::kPlain), ErrorCode::kInternal);
  EXPECT_EQ(CodeOf(kUnmapped, Phase::kCommits), ErrorCode::kUnknown);
}

TEST(ErrorCodesAdvice, IsForWhatAnOperatorCanDo) {
  EXPECT_NE(std::string(AdviceFor(SQLITE_FULL)), "");
  EXPECT_NE(std::string(AdviceFor(SQLITE_READONLY_DBMOVED)), "");
  EXPECT_NE(std::string(AdviceFor(SQLITE_NOTADB)), "");
  EXPECT_EQ(std::string(AdviceFor(SQLITE_BUSY)), "");
}

}  // namespace
}  // namespace fanfold::sqlite
