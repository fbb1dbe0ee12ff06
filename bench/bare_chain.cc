// The way of an event through Kafka and nothing else: produced to a topic, consumed from it,
// produced to a second one, consumed from that, by librdkafka with the product's settings; a client
// of its own for each step, as four processes would have.
// bare_chain BROKERS FIRST_TOPIC SECOND_TOPIC, then FIRST SECONDS CLIENTS PER_SECOND as everyday.h
// says, a closed loop alone: CLIENTS messages are under way. Prints WriteTimes' JSON.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <librdkafka/rdkafka.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/everyday.h"

namespace {

using namespace fanfold::bench;
using Settings = std::vector<std::pair<const char*, const char*>>;

constexpr int kPartitions = 16;
constexpr int kPollMs = 100;
constexpr int kAskMs = 5000;
constexpr std::size_t kMessageBytes = 150;
// None is lost, so one that does not come is an error.
constexpr std::chrono::seconds kGrace{10};

void Check(bool ok, const std::string& what) {
  if (!ok) throw std::runtime_error(what);
}

rd_kafka_t* NewClient(rd_kafka_type_t type, const char* brokers, const Settings& settings) {
  std::array<char, 256> error{};
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  Settings all = {{"bootstrap.servers", brokers}, {"socket.nagle.disable", "true"}};
  all.insert(all.end(), settings.begin(), settings.end());
  for (const auto& [name, value] : all) {
    Check(rd_kafka_conf_set(conf, name, value, error.data(), error.size()) == RD_KAFKA_CONF_OK,
          error.data());
  }
  rd_kafka_t* client = rd_kafka_new(type, conf, error.data(), error.size());
  Check(client != nullptr, error.data());
  return client;
}

class Producer {
 public:
  Producer(const char* brokers, const char* topic)
      : client_(NewClient(RD_KAFKA_PRODUCER, brokers,
                          {{"enable.idempotence", "true"}, {"acks", "all"}, {"linger.ms", "0"}})),
        topic_(topic) {}
  ~Producer() { rd_kafka_destroy(client_); }
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  void Send(int partition, const void* bytes, std::size_t size) {
    const rd_kafka_resp_err_t queued =
        rd_kafka_producev(client_, RD_KAFKA_V_TOPIC(topic_), RD_KAFKA_V_PARTITION(partition),
                          RD_KAFKA_V_VALUE(const_cast<void*>(bytes), size),
                          RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
    Check(queued == RD_KAFKA_RESP_ERR_NO_ERROR, rd_kafka_err2str(queued));
  }

 private:
  rd_kafka_t* client_;
  const char* topic_;
};

// Of all partitions, from the end that they have at the start.
class Consumer {
 public:
  Consumer(const char* brokers, const char* topic)
      : client_(NewClient(RD_KAFKA_CONSUMER, brokers,
                          {{"fetch.min.bytes", "1"},
                           {"fetch.wait.max.ms", "100"},
                           {"fetch.error.backoff.ms", "20"},
                           {"check.crcs", "true"}})),
        topic_(rd_kafka_topic_new(client_, topic, nullptr)),
        queue_(rd_kafka_queue_new(client_)) {
    for (int partition = 0; partition < kPartitions; ++partition) {
      std::int64_t low = 0;
      std::int64_t high = 0;
      Check(rd_kafka_query_watermark_offsets(client_, topic, partition, &low, &high, kAskMs) ==
                RD_KAFKA_RESP_ERR_NO_ERROR,
            "no end of a partition");
      Check(rd_kafka_consume_start_queue(topic_, partition, high, queue_) == 0, "no start");
    }
  }
  ~Consumer() {
    for (int partition = 0; partition < kPartitions; ++partition) {
      rd_kafka_consume_stop(topic_, partition);
    }
    rd_kafka_queue_destroy(queue_);
    rd_kafka_topic_destroy(topic_);
    rd_kafka_destroy(client_);
  }
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;

  // Calls take(message) for the next one, if it comes within kPollMs.
  template <class Take>
  void Poll(const Take& take) {
    rd_kafka_message_t* message = rd_kafka_consume_queue(queue_, kPollMs);
    if (message == nullptr) return;
    Check(message->err == RD_KAFKA_RESP_ERR_NO_ERROR, rd_kafka_err2str(message->err));
    take(*message);
    rd_kafka_message_destroy(message);
  }

 private:
  rd_kafka_t* client_;
  rd_kafka_topic_t* topic_;
  rd_kafka_queue_t* queue_;
};

// From the first topic to the second, on a thread of its own.
class Relay {
 public:
  Relay(const char* brokers, const char* from, const char* to)
      : consumer_(brokers, from), producer_(brokers, to), thread_([this] { Run(); }) {}
  ~Relay() { is_stopping_ = true; }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

 private:
  void Run() {
    while (!is_stopping_) {
      consumer_.Poll([&](const rd_kafka_message_t& message) {
        producer_.Send(message.partition, message.payload, message.len);
      });
    }
  }

  Consumer consumer_;
  Producer producer_;
  std::atomic<bool> is_stopping_{false};
  std::jthread thread_;  // joined first
};

void SendOne(Producer& producer, std::uint64_t number) {
  std::array<char, kMessageBytes> message{};
  const Clock::rep now = Clock::now().time_since_epoch().count();
  std::memcpy(message.data(), &now, sizeof now);
  producer.Send(static_cast<int>(number % kPartitions), message.data(), message.size());
}

Clock::time_point SentAt(const rd_kafka_message_t& message) {
  Clock::rep sent = 0;
  std::memcpy(&sent, message.payload, sizeof sent);
  return Clock::time_point(Clock::duration(sent));
}

std::string Measure(const char* brokers, const char* from, const char* to,
                    const EverydayLoad& load) {
  Consumer consumer(brokers, to);
  Relay relay(brokers, from, to);
  Producer producer(brokers, from);
  WriteTimes times;
  const EverydaySchedule schedule(load);
  std::uint64_t sent = 0;
  while (sent < load.clients) SendOne(producer, sent++);
  for (std::uint64_t seen = 0; seen < sent;) {
    consumer.Poll([&](const rd_kafka_message_t& message) {
      const Clock::time_point now = Clock::now();
      times.Seen(SentAt(message), now);
      ++seen;
      if (now < schedule.end()) SendOne(producer, sent++);
    });
    Check(Clock::now() < schedule.end() + kGrace, fmt::format("{} lost", sent - seen));
  }
  return times.Json(schedule.start());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Check(argc == 4 + EverydayLoad::kArguments,
          "BROKERS FIRST_TOPIC SECOND_TOPIC FIRST SECONDS CLIENTS PER_SECOND");
    std::puts(Measure(argv[1], argv[2], argv[3], EverydayLoad::Parse(argv + 4)).c_str());
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "bare_chain: {}\n", error.what());
    return 1;
  }
  return 0;
}
