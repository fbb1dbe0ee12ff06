// Inside common/kafka only: this header shows librdkafka's types.
#pragma once

#include <cstddef>
#include <librdkafka/rdkafka.h>
#include <string_view>

#include "common/base/result.h"

namespace fanfold::kafka {

// Room for what librdkafka says of one failure; it cuts what is longer.
inline constexpr std::size_t kErrorTextBytesMax = 512;

// What the caller of a port can do about a code of librdkafka; unmapped codes are kInternal. The
// one table of this adapter.
[[nodiscard]] ErrorCode CodeOf(rd_kafka_resp_err_t error) noexcept;

// The user lacks a right.
[[nodiscard]] bool IsOfRights(rd_kafka_resp_err_t error) noexcept;

// "what: librdkafka's words", and what to do where a right is missing.
[[nodiscard]] Error ErrorOf(rd_kafka_resp_err_t error, std::string_view what);
// Takes and destroys `error`. Requires: not null.
[[nodiscard]] Error ErrorOf(rd_kafka_error_t* error, std::string_view what);

// Maps the failed delivery of a record. The status says whether the log may hold the record, which
// the error alone does not; a request that can never succeed stays one.
[[nodiscard]] ErrorCode CodeOfDelivery(rd_kafka_resp_err_t error,
                                       rd_kafka_msg_status_t status) noexcept;

}  // namespace fanfold::kafka
