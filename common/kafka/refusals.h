// Inside common/kafka only: this header shows librdkafka's types.
#pragma once

#include <librdkafka/rdkafka.h>
#include <string>
#include <string_view>

namespace fanfold::kafka {

// Why a broker was not believed, or did not believe us. librdkafka tells a call only that nobody
// answered it; the reason stands in its log. Kept for the process, which has one deployment.
// Thread-safe.

// A line of librdkafka's log.
void NoteLine(std::string_view facility, std::string_view text);

// The last one, of the last 30 seconds; empty when there is none.
[[nodiscard]] std::string RecentRefusal();

// Has `conf` note why a certificate is refused; what is refused stays so.
void NoteCertificates(rd_kafka_conf_t* conf);

}  // namespace fanfold::kafka
