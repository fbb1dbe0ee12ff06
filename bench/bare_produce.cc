// The baseline of the writer: librdkafka alone, with the writer's settings. Prints the median of
// and the 99th percentile of lone acked messages, and messages per second with 64 and with 10,000
// in flight. bare_produce BROKERS TOPIC
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <librdkafka/rdkafka.h>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

std::atomic<long> g_in_flight{0};

void Check(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "bare_produce: %s\n", what);
  std::exit(1);
}

void OnDelivery(rd_kafka_t*, const rd_kafka_message_t* message, void*) {
  Check(message->err == RD_KAFKA_RESP_ERR_NO_ERROR, rd_kafka_err2str(message->err));
  --g_in_flight;
}

rd_kafka_t* NewProducer(const char* brokers) {
  char error[256];
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  const char* settings[][2] = {{"bootstrap.servers", brokers},
                               {"enable.idempotence", "true"},
                               {"acks", "all"},
                               {"linger.ms", "0"},
                               {"socket.nagle.disable", "true"},
                               {"queue.buffering.max.messages", "200000"}};
  for (const auto& [name, value] : settings) {
    Check(rd_kafka_conf_set(conf, name, value, error, sizeof error) == RD_KAFKA_CONF_OK, error);
  }
  rd_kafka_conf_set_dr_msg_cb(conf, OnDelivery);
  rd_kafka_t* producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, error, sizeof error);
  Check(producer != nullptr, error);
  return producer;
}

void Produce(rd_kafka_t* producer, const char* topic, int partition) {
  static const std::string value(150, 'x');
  ++g_in_flight;
  const rd_kafka_resp_err_t queued = rd_kafka_producev(
      producer, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_PARTITION(partition),
      RD_KAFKA_V_KEY("12345", 5), RD_KAFKA_V_VALUE(const_cast<char*>(value.data()), value.size()),
      RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
  Check(queued == RD_KAFKA_RESP_ERR_NO_ERROR, rd_kafka_err2str(queued));
}

// Of messages sent one after the other's ack; ascending.
std::vector<double> LoneTimesMs(rd_kafka_t* producer, const char* topic) {
  constexpr int kMessages = 1000;
  std::vector<double> times_ms;
  for (int i = 0; i < kMessages; ++i) {
    const auto start = Clock::now();
    Produce(producer, topic, i % 16);
    while (g_in_flight.load() > 0) rd_kafka_poll(producer, 10);
    times_ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::ranges::sort(times_ms);
  return times_ms;
}

double PerSecond(rd_kafka_t* producer, const char* topic, long in_flight_max, int messages) {
  const auto start = Clock::now();
  for (int i = 0; i < messages; ++i) {
    while (g_in_flight.load() >= in_flight_max) rd_kafka_poll(producer, 10);
    Produce(producer, topic, i % 16);
  }
  while (g_in_flight.load() > 0) rd_kafka_poll(producer, 10);
  return messages / std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  Check(argc == 3, "bare_produce BROKERS TOPIC");
  rd_kafka_t* producer = NewProducer(argv[1]);
  // The fullest first: a broker is slow until it has run hot.
  (void)PerSecond(producer, argv[2], 10'000, 200'000);
  const double with_10000 = PerSecond(producer, argv[2], 10'000, 1'000'000);
  const double with_64 = PerSecond(producer, argv[2], 64, 100'000);
  const std::vector<double> lone_ms = LoneTimesMs(producer, argv[2]);
  fmt::print(
      "{{\"lone_median_ms\":{:.3f},\"lone_p99_ms\":{:.3f},\"in_flight_64\":{:.0f},"
      "\"in_flight_10000\":{:.0f}}}\n",
      lone_ms[lone_ms.size() / 2], lone_ms[lone_ms.size() * 99 / 100], with_64, with_10000);
  rd_kafka_destroy(producer);
  return 0;
}
