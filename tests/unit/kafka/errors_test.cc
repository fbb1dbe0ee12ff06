#include "common/kafka/errors.h"

#include <gtest/gtest.h>
#include <ostream>
#include <string>

namespace fanfold::kafka {
namespace {

struct CodeCase {
  rd_kafka_resp_err_t error;
  ErrorCode code;

  friend void PrintTo(const CodeCase& row, std::ostream* out) {
    *out << rd_kafka_err2name(row.error) << " is " << ToString(row.code);
  }
};

class CodeOfTest : public ::testing::TestWithParam<CodeCase> {};

TEST_P(CodeOfTest, IsWhatTheCallerCanDo) { EXPECT_EQ(CodeOf(GetParam().error), GetParam().code); }

INSTANTIATE_TEST_SUITE_P(
    Table, CodeOfTest,
    ::testing::Values(
        CodeCase{RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, ErrorCode::kInvalidArgument},
        CodeCase{RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE, ErrorCode::kInvalidArgument},
        CodeCase{RD_KAFKA_RESP_ERR_INVALID_RECORD, ErrorCode::kInvalidArgument},
        CodeCase{RD_KAFKA_RESP_ERR__INVALID_ARG, ErrorCode::kInvalidArgument},
        CodeCase{RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION, ErrorCode::kInvalidArgument},
        CodeCase{RD_KAFKA_RESP_ERR_INVALID_GROUP_ID, ErrorCode::kInvalidArgument},
        CodeCase{RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT, ErrorCode::kInvalidArgument},
        CodeCase{RD_KAFKA_RESP_ERR_INVALID_PARTITIONS, ErrorCode::kInvalidArgument},
        CodeCase{RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR, ErrorCode::kInvalidArgument},
        CodeCase{RD_KAFKA_RESP_ERR_INVALID_CONFIG, ErrorCode::kInvalidArgument},
        CodeCase{RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, ErrorCode::kNotFound},
        CodeCase{RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, ErrorCode::kNotFound},
        CodeCase{RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, ErrorCode::kNotFound},
        CodeCase{RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE, ErrorCode::kOutOfRange},
        CodeCase{RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET, ErrorCode::kOutOfRange},
        CodeCase{RD_KAFKA_RESP_ERR__TRANSPORT, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR__RESOLVE, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR__TIMED_OUT, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR__WAIT_COORD, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR__WAIT_CACHE, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR__DESTROY, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR__PURGE_QUEUE, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR__FATAL, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR_NOT_COORDINATOR, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR_NOT_CONTROLLER, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR_INVALID_MSG, ErrorCode::kUnavailable},
        CodeCase{RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, ErrorCode::kUnknown},
        CodeCase{RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND, ErrorCode::kUnknown},
        CodeCase{RD_KAFKA_RESP_ERR__PURGE_INFLIGHT, ErrorCode::kUnknown},
        CodeCase{RD_KAFKA_RESP_ERR__QUEUE_FULL, ErrorCode::kOverloaded},
        CodeCase{RD_KAFKA_RESP_ERR_THROTTLING_QUOTA_EXCEEDED, ErrorCode::kOverloaded},
        CodeCase{RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, ErrorCode::kRefused},
        CodeCase{RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, ErrorCode::kRefused},
        CodeCase{RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED, ErrorCode::kRefused},
        CodeCase{RD_KAFKA_RESP_ERR_POLICY_VIOLATION, ErrorCode::kRefused},
        CodeCase{RD_KAFKA_RESP_ERR__AUTHENTICATION, ErrorCode::kRefused},
        CodeCase{RD_KAFKA_RESP_ERR__BAD_COMPRESSION, ErrorCode::kInternal}),
    [](const auto& param_info) { return std::string(rd_kafka_err2name(param_info.param.error)); });

struct DeliveryCase {
  const char* name;
  rd_kafka_resp_err_t error;
  rd_kafka_msg_status_t status;
  ErrorCode code;

  friend void PrintTo(const DeliveryCase& row, std::ostream* out) { *out << row.name; }
};

class CodeOfDeliveryTest : public ::testing::TestWithParam<DeliveryCase> {};

TEST_P(CodeOfDeliveryTest, TellsWhetherTheLogMayHaveIt) {
  EXPECT_EQ(CodeOfDelivery(GetParam().error, GetParam().status), GetParam().code);
}

INSTANTIATE_TEST_SUITE_P(
    Table, CodeOfDeliveryTest,
    ::testing::Values(DeliveryCase{"NeverSent", RD_KAFKA_RESP_ERR__MSG_TIMED_OUT,
                                   RD_KAFKA_MSG_STATUS_NOT_PERSISTED, ErrorCode::kUnavailable},
                      DeliveryCase{"SentAndTimedOut", RD_KAFKA_RESP_ERR__MSG_TIMED_OUT,
                                   RD_KAFKA_MSG_STATUS_POSSIBLY_PERSISTED, ErrorCode::kUnknown},
                      DeliveryCase{"StoredWithoutAPosition", RD_KAFKA_RESP_ERR_NO_ERROR,
                                   RD_KAFKA_MSG_STATUS_PERSISTED, ErrorCode::kUnknown},
                      DeliveryCase{"TooLarge", RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE,
                                   RD_KAFKA_MSG_STATUS_NOT_PERSISTED, ErrorCode::kInvalidArgument},
                      DeliveryCase{"QueueFull", RD_KAFKA_RESP_ERR__QUEUE_FULL,
                                   RD_KAFKA_MSG_STATUS_NOT_PERSISTED, ErrorCode::kOverloaded},
                      DeliveryCase{"NoSuchPartition", RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION,
                                   RD_KAFKA_MSG_STATUS_NOT_PERSISTED, ErrorCode::kNotFound},
                      DeliveryCase{"NotAllowed", RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED,
                                   RD_KAFKA_MSG_STATUS_NOT_PERSISTED, ErrorCode::kRefused},
                      DeliveryCase{"FatalBeforeSending", RD_KAFKA_RESP_ERR__FATAL,
                                   RD_KAFKA_MSG_STATUS_NOT_PERSISTED, ErrorCode::kUnavailable}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

TEST(ErrorOf, NamesWhatAndWhy) {
  const Error error = ErrorOf(RD_KAFKA_RESP_ERR__TRANSPORT, "relation-events/3");
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_NE(error.message.find("relation-events/3"), std::string::npos);
  EXPECT_NE(error.message.find("_TRANSPORT"), std::string::npos);
}

TEST(ErrorOf, SaysWhatToDoWhereARightIsMissing) {
  for (const auto code :
       {RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED,
        RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED}) {
    const std::string told = ErrorOf(code, "relation-events").message;
    EXPECT_NE(told.find("deploy/kafka/acls.sh"), std::string::npos) << told;
  }
  const std::string other = ErrorOf(RD_KAFKA_RESP_ERR__AUTHENTICATION, "relation-events").message;
  EXPECT_EQ(other.find("acls.sh"), std::string::npos) << other;
}

}  // namespace
}  // namespace fanfold::kafka
