#include "common/mysql/error_codes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>
#include <string>

namespace fanfold::mysql {
namespace {

struct CodeCase {
  const char* name;
  int error;
  ErrorCode plain;
  bool ends_session;
};
void PrintTo(const CodeCase& test, std::ostream* out) { *out << test.name; }

class ErrorCodesTest : public ::testing::TestWithParam<CodeCase> {};

TEST_P(ErrorCodesTest, SaysWhatTheCallerCanDo) {
  const CodeCase& test = GetParam();
  EXPECT_EQ(CodeOf(test.error, Phase::kPlain), test.plain);
  EXPECT_EQ(EndsSession(test.error), test.ends_session);
  const bool conflict = test.plain == ErrorCode::kConflict;
  EXPECT_EQ(CodeOf(test.error, Phase::kCommits),
            conflict ? ErrorCode::kConflict : ErrorCode::kUnknown);
}

constexpr auto kInvalidArgument = ErrorCode::kInvalidArgument;
constexpr auto kConflict = ErrorCode::kConflict;
constexpr auto kUnavailable = ErrorCode::kUnavailable;
constexpr auto kRefused = ErrorCode::kRefused;
constexpr auto kInternal = ErrorCode::kInternal;

INSTANTIATE_TEST_SUITE_P(
    Codes, ErrorCodesTest,
    ::testing::Values(
        CodeCase{"FileWrite", 3, kUnavailable, false},
        CodeCase{"FileDiskFull", 20, kUnavailable, false},
        CodeCase{"NoSpace", 28, kUnavailable, false},
        CodeCase{"RecordChanged", 1020, kConflict, false},
        CodeCase{"DiskFull", 1021, kUnavailable, false},
        CodeCase{"ErrorOnWrite", 1026, kUnavailable, false},
        CodeCase{"StorageEngine", 1030, kUnavailable, false},
        CodeCase{"OutOfMemory", 1037, kUnavailable, false},
        CodeCase{"TooManyConnections", 1040, kUnavailable, true},
        CodeCase{"OutOfResources", 1041, kUnavailable, false},
        CodeCase{"SchemaDenied", 1044, kRefused, false},
        CodeCase{"AccessDenied", 1045, kRefused, true}, CodeCase{"NoSchema", 1049, kRefused, true},
        CodeCase{"Shutdown", 1053, kUnavailable, true}, CodeCase{"NoColumn", 1054, kRefused, false},
        CodeCase{"TableFull", 1114, kUnavailable, false},
        CodeCase{"HostBlocked", 1129, kUnavailable, true},
        CodeCase{"HostNotAllowed", 1130, kRefused, true},
        CodeCase{"CommandDenied", 1142, kRefused, false},
        CodeCase{"NoTable", 1146, kRefused, false},
        CodeCase{"PacketTooLarge", 1153, kInvalidArgument, true},
        CodeCase{"OutOfAColumnsRange", 1264, kInvalidArgument, false},
        CodeCase{"NotAValueOfAColumn", 1366, kInvalidArgument, false},
        CodeCase{"TooLongForAColumn", 1406, kInvalidArgument, false},
        CodeCase{"PacketTooLargeForTheClient", 2020, kInvalidArgument, true},
        CodeCase{"NoIndex", 1176, kRefused, false},
        CodeCase{"PacketRead", 1158, kUnavailable, true},
        CodeCase{"PacketReadTimeout", 1159, kUnavailable, true},
        CodeCase{"PacketWrite", 1160, kUnavailable, true},
        CodeCase{"PacketWriteTimeout", 1161, kUnavailable, true},
        CodeCase{"ErrorDuringCommit", 1180, kUnavailable, true},
        CodeCase{"TooManyOfTheUser", 1203, kUnavailable, true},
        CodeCase{"LockWaitTimeout", 1205, kConflict, false},
        CodeCase{"LockTableFull", 1206, kConflict, false},
        CodeCase{"Deadlock", 1213, kConflict, false},
        CodeCase{"UserLimit", 1226, kUnavailable, true},
        CodeCase{"ReadOnlyServer", 1290, kUnavailable, false},
        CodeCase{"Interrupted", 1317, kUnavailable, false},
        CodeCase{"ReadOnlyTransaction", 1792, kUnavailable, false},
        CodeCase{"ReadOnlyMode", 1836, kUnavailable, false},
        CodeCase{"Killed", 1927, kUnavailable, true},
        CodeCase{"StatementTimeMariaDb", 1969, kUnavailable, false},
        CodeCase{"NoSocket", 2002, kUnavailable, true},
        CodeCase{"NoHost", 2003, kUnavailable, true},
        CodeCase{"UnknownHost", 2005, kUnavailable, true},
        CodeCase{"GoneAway", 2006, kUnavailable, true}, CodeCase{"Lost", 2013, kUnavailable, true},
        CodeCase{"Tls", 2026, kUnavailable, true},
        CodeCase{"LostExtended", 2055, kUnavailable, true},
        CodeCase{"StatementTimeMySql", 3024, kUnavailable, false},
        CodeCase{"IdleTooLong", 4031, kUnavailable, true},
        CodeCase{"Syntax", 1064, kInternal, false}, CodeCase{"OutOfSync", 2014, kInternal, true},
        CodeCase{"ConnectorsOwn", 0, kInternal, true}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(ErrorCodes, MissingTablesComeWithAdvice) {
  for (const int error : {1049, 1054, 1146, 1176}) {
    EXPECT_NE(std::string(AdviceFor(error, "")).find("fanfold init"), std::string::npos) << error;
  }
  EXPECT_STREQ(AdviceFor(1213, ""), "");
  EXPECT_THAT(AdviceFor(2026, "Validation of SSL server certificate failed"),
              ::testing::HasSubstr("not for the host"));
  EXPECT_THAT(AdviceFor(2026, "self-signed certificate in certificate chain"),
              ::testing::HasSubstr("ssl_ca"));
  EXPECT_STREQ(AdviceFor(2026, "SSL is required, but the server does not support it"), "");
}

}  // namespace
}  // namespace fanfold::mysql
