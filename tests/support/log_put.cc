// Puts any bytes into a topic, as a foreign producer would: log_put [--transaction] BROKERS TOPIC
// PARTITION KEY [SIZE [KEY_SIZE]] reads the value from stdin; KEY "-" is none; with SIZE, KEY_SIZE
// value and key are filled up to so many bytes. A transaction of its own leaves its end behind the
// record, at an offset at which no reader is given anything.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <librdkafka/rdkafka.h>
#include <string>
#include <string_view>

namespace {

void Check(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "log_put: %s\n", what);
  std::exit(1);
}

rd_kafka_resp_err_t g_delivered = RD_KAFKA_RESP_ERR__TIMED_OUT;

void OnDelivery(rd_kafka_t*, const rd_kafka_message_t* message, void*) {
  g_delivered = message->err;
}

constexpr int kTimeoutMs = 10'000;

void CheckError(rd_kafka_error_t* error) {
  Check(error == nullptr, error == nullptr ? "" : rd_kafka_error_string(error));
}

rd_kafka_t* NewProducer(const char* brokers, bool in_transaction) {
  char error[256];
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  Check(rd_kafka_conf_set(conf, "bootstrap.servers", brokers, error, sizeof error) ==
            RD_KAFKA_CONF_OK,
        error);
  Check(rd_kafka_conf_set(conf, "message.max.bytes", "12000000", error, sizeof error) ==
            RD_KAFKA_CONF_OK,
        error);
  if (in_transaction) {
    Check(rd_kafka_conf_set(conf, "transactional.id", "log_put", error, sizeof error) ==
              RD_KAFKA_CONF_OK,
          error);
  }
  rd_kafka_conf_set_dr_msg_cb(conf, OnDelivery);
  rd_kafka_t* producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, error, sizeof error);
  Check(producer != nullptr, error);
  if (in_transaction) {
    CheckError(rd_kafka_init_transactions(producer, kTimeoutMs));
    CheckError(rd_kafka_begin_transaction(producer));
  }
  return producer;
}

}  // namespace

int main(int argc, char** argv) {
  const bool in_transaction = argc > 1 && std::string_view(argv[1]) == "--transaction";
  if (in_transaction) --argc, ++argv;
  Check(argc >= 5 && argc <= 7,
        "[--transaction] BROKERS TOPIC PARTITION KEY [SIZE [KEY_SIZE]] < value");
  std::string key = argv[4];
  if (argc == 7) key.resize(std::strtoul(argv[6], nullptr, 10), 'x');
  std::string value{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
  if (argc >= 6) value.resize(std::strtoul(argv[5], nullptr, 10), 'x');
  const bool has_key = key != "-";
  const void* key_bytes = has_key ? key.data() : nullptr;
  const std::size_t key_size = has_key ? key.size() : 0;
  rd_kafka_t* producer = NewProducer(argv[1], in_transaction);
  const rd_kafka_resp_err_t queued = rd_kafka_producev(
      producer, RD_KAFKA_V_TOPIC(argv[2]), RD_KAFKA_V_PARTITION(std::atoi(argv[3])),
      RD_KAFKA_V_KEY(key_bytes, key_size), RD_KAFKA_V_VALUE(value.data(), value.size()),
      RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
  Check(queued == RD_KAFKA_RESP_ERR_NO_ERROR, rd_kafka_err2str(queued));
  rd_kafka_flush(producer, kTimeoutMs);
  Check(g_delivered == RD_KAFKA_RESP_ERR_NO_ERROR, rd_kafka_err2str(g_delivered));
  if (in_transaction) CheckError(rd_kafka_commit_transaction(producer, kTimeoutMs));
  rd_kafka_destroy(producer);
  return 0;
}
