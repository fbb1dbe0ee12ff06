#include "common/kafka/errors.h"

#include <array>
#include <fmt/format.h>
#include <string>

#include "common/kafka/refusals.h"

namespace fanfold::kafka {
namespace {

struct Mapped {
  rd_kafka_resp_err_t error;
  ErrorCode code;
};

constexpr std::array kTable = {
    // The request is wrong.
    Mapped{RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, ErrorCode::kInvalidArgument},
    Mapped{RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE, ErrorCode::kInvalidArgument},
    Mapped{RD_KAFKA_RESP_ERR_INVALID_RECORD, ErrorCode::kInvalidArgument},
    Mapped{RD_KAFKA_RESP_ERR__INVALID_ARG, ErrorCode::kInvalidArgument},
    Mapped{RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION, ErrorCode::kInvalidArgument},
    Mapped{RD_KAFKA_RESP_ERR_INVALID_GROUP_ID, ErrorCode::kInvalidArgument},
    Mapped{RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT, ErrorCode::kInvalidArgument},
    Mapped{RD_KAFKA_RESP_ERR_INVALID_PARTITIONS, ErrorCode::kInvalidArgument},
    Mapped{RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR, ErrorCode::kInvalidArgument},
    Mapped{RD_KAFKA_RESP_ERR_INVALID_CONFIG, ErrorCode::kInvalidArgument},
    // What was named does not exist.
    Mapped{RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, ErrorCode::kNotFound},
    Mapped{RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC, ErrorCode::kNotFound},
    Mapped{RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION, ErrorCode::kNotFound},
    // The position is outside what the log holds.
    Mapped{RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE, ErrorCode::kOutOfRange},
    Mapped{RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET, ErrorCode::kOutOfRange},
    // The log is away, nothing was done.
    Mapped{RD_KAFKA_RESP_ERR__TRANSPORT, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR__RESOLVE, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR__TIMED_OUT, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR__MSG_TIMED_OUT, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR__WAIT_COORD, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR__WAIT_CACHE, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR__DESTROY, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR__PURGE_QUEUE, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR__FATAL, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR_NOT_COORDINATOR, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR_NOT_CONTROLLER, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE, ErrorCode::kUnavailable},
    Mapped{RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR, ErrorCode::kUnavailable},
    // Kafka's CORRUPT_MESSAGE: damaged on the way, as its checksum says; what a record is refused
    // for is INVALID_RECORD.
    Mapped{RD_KAFKA_RESP_ERR_INVALID_MSG, ErrorCode::kUnavailable},
    // Whether it was done is not known.
    Mapped{RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, ErrorCode::kUnknown},
    Mapped{RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND, ErrorCode::kUnknown},
    Mapped{RD_KAFKA_RESP_ERR__PURGE_INFLIGHT, ErrorCode::kUnknown},
    // A named limit is full.
    Mapped{RD_KAFKA_RESP_ERR__QUEUE_FULL, ErrorCode::kOverloaded},
    Mapped{RD_KAFKA_RESP_ERR_THROTTLING_QUOTA_EXCEEDED, ErrorCode::kOverloaded},
    // An operator has to act.
    Mapped{RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, ErrorCode::kRefused},
    Mapped{RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, ErrorCode::kRefused},
    Mapped{RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED, ErrorCode::kRefused},
    Mapped{RD_KAFKA_RESP_ERR_POLICY_VIOLATION, ErrorCode::kRefused},
    Mapped{RD_KAFKA_RESP_ERR__AUTHENTICATION, ErrorCode::kRefused},
};

// What went unanswered may have been refused.
Error Told(rd_kafka_resp_err_t error, std::string_view what, const char* text, const char* name) {
  const ErrorCode code = CodeOf(error);
  std::string message = fmt::format("{}: {} ({})", what, text, name);
  if (IsOfRights(error)) {
    return {code, message + ": deploy/kafka/acls.sh gives each role its rights"};
  }
  if (code != ErrorCode::kUnavailable && code != ErrorCode::kRefused) return {code, message};
  const std::string refusal = RecentRefusal();
  return {code, refusal.empty() ? message : fmt::format("{}: {}", message, refusal)};
}

}  // namespace

bool IsOfRights(rd_kafka_resp_err_t error) noexcept {
  return error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ||
         error == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED ||
         error == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED;
}

ErrorCode CodeOf(rd_kafka_resp_err_t error) noexcept {
  for (const Mapped& row : kTable) {
    if (row.error == error) return row.code;
  }
  return ErrorCode::kInternal;
}

Error ErrorOf(rd_kafka_resp_err_t error, std::string_view what) {
  return Told(error, what, rd_kafka_err2str(error), rd_kafka_err2name(error));
}

Error ErrorOf(rd_kafka_error_t* error, std::string_view what) {
  Error told = Told(rd_kafka_error_code(error), what, rd_kafka_error_string(error),
                    rd_kafka_error_name(error));
  rd_kafka_error_destroy(error);
  return told;
}

ErrorCode CodeOfDelivery(rd_kafka_resp_err_t error, rd_kafka_msg_status_t status) noexcept {
  const ErrorCode code = CodeOf(error);
  switch (status) {
    case RD_KAFKA_MSG_STATUS_NOT_PERSISTED:
      if (code == ErrorCode::kInvalidArgument || code == ErrorCode::kNotFound ||
          code == ErrorCode::kRefused || code == ErrorCode::kOverloaded) {
        return code;
      }
      return ErrorCode::kUnavailable;
    case RD_KAFKA_MSG_STATUS_POSSIBLY_PERSISTED:
    case RD_KAFKA_MSG_STATUS_PERSISTED:
      return ErrorCode::kUnknown;
  }
  return ErrorCode::kUnknown;
}

}  // namespace fanfold::kafka
