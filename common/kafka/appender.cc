#include "common/kafka/appender.h"

#include <bit>
#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <thread>
#include <utility>

#include "common/base/clock.h"
#include "common/base/logging.h"
#include "common/kafka/append_right.h"
#include "common/kafka/client.h"
#include "common/kafka/errors.h"
#include "common/kafka/first_appends.h"
#include "common/kafka/in_flight.h"
#include "common/kafka/producer.h"

namespace fanfold::kafka {
namespace {

constexpr std::int64_t kPollMs = 50;
constexpr std::int64_t kRecreateBackoffMs = 200;
constexpr std::int64_t kRefusedBackoffMs = 1000;  // where an operator has to act first
// How long librdkafka may take to hand back what it is told to give up.
constexpr std::int64_t kCloseTimeoutMs = 2000;
// How long what is on its way may take before another producer takes over.
constexpr std::int64_t kDrainTimeoutMs = 2000;

// One thread serves the producer's callbacks and owns its life. A producer with a fatal error is
// given up with all that is in flight and, unless told to stop on failure, a new one made for later
// records; nothing is sent again by hand, since only librdkafka knows what the broker has seen.
class KafkaAppender final : public LogAppender {
 public:
  KafkaAppender(KafkaOptions options, std::string topic, const AppenderOptions& appender,
                std::int64_t refused_ms)
      : options_(std::move(options)),
        topic_(std::move(topic)),
        appender_(appender),
        right_(topic_, clock_, refused_ms) {}

  ~KafkaAppender() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    stopping_changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  Status Begin() {
    if (Status created = Create(); !created) return created;
    thread_ = std::thread([this] { Run(); });
    return {};
  }

  void Append(Partition partition, std::string_view key, std::string_view value,
              Done done) override {
    Error refusal;
    {
      // Held over the call into librdkafka: the order of calls is the order in the log.
      const std::lock_guard lock(mutex_);
      if (failed_) {
        refusal = Stopped().error();
      } else if (producer_.client == nullptr || stopping_) {
        refusal =
            right_.Reason({ErrorCode::kUnavailable, topic_ + ": the producer is being made anew"});
      } else if (const auto ticket = in_flight_.Add(done); !ticket) {
        refusal = Error{ErrorCode::kOverloaded,
                        fmt::format("{}: {} records are in flight", topic_, kRecordsInFlightMax)};
      } else {
        const Status sent = Send(partition, key, value, *ticket);
        if (sent) return;
        refusal = sent.error();
        done = in_flight_.Withdraw(*ticket);
      }
      failed_ = appender_.stop_on_failure;
    }
    done(std::unexpected(std::move(refusal)));
  }

  bool Flush(std::int64_t timeout_ms) override { return in_flight_.WaitForAll(timeout_ms); }

  Status MayAppend() const override { return right_.Now(); }

 private:
  // Requires: mutex_ is held.
  Status Produce(Partition partition, std::string_view key, std::string_view value,
                 InFlight::Ticket ticket) {
    // A null pointer would be a null key or value; an empty one is not.
    if (key.data() == nullptr) key = "";
    if (value.data() == nullptr) value = "";
    if (rd_kafka_produce(producer_.topic.get(), partition.value, RD_KAFKA_MSG_F_COPY,
                         const_cast<char*>(value.data()), value.size(), key.data(), key.size(),
                         std::bit_cast<void*>(ticket)) == 0) {
      return {};
    }
    const rd_kafka_resp_err_t error = rd_kafka_last_error();
    Error refusal = ErrorOf(error, topic_);
    refusal.code = CodeOfDelivery(error, RD_KAFKA_MSG_STATUS_NOT_PERSISTED);
    right_.Heard(error);
    // Known to the client sooner than OnClientError is called.
    if (error == RD_KAFKA_RESP_ERR__FATAL) right_.HeardFatal(producer_.client.get());
    return std::unexpected(right_.Reason(std::move(refusal)));
  }

  // Requires: mutex_ is held.
  Status Send(Partition partition, std::string_view key, std::string_view value,
              InFlight::Ticket ticket) {
    if (first_appends_.MaySend(partition, clock_.SteadyMs())) {
      return Produce(partition, key, value, ticket);
    }
    first_appends_.Hold({partition, std::string(key), std::string(value), ticket});
    return {};
  }

  // What `release` gives, asked with mutex_ held.
  template <class Release>
  void SendHeld(const Release& release) {
    std::vector<std::pair<InFlight::Ticket, Error>> refused;
    {
      const std::lock_guard lock(mutex_);
      for (const FirstAppends::Held& record : release()) {
        const Status sent = failed_
                                ? Status(Stopped())
                                : Send(record.partition, record.key, record.value, record.ticket);
        if (sent) continue;
        failed_ = appender_.stop_on_failure;
        refused.emplace_back(record.ticket, sent.error());
      }
    }
    for (auto& [ticket, error] : refused) in_flight_.CallBack(ticket, std::unexpected(error));
  }

  std::unexpected<Error> Stopped() const {
    return Fail(ErrorCode::kUnavailable, topic_ + ": stopped, an earlier append failed");
  }

  void Run() {
    while (true) {
      rd_kafka_poll(producer_.client.get(), static_cast<int>(kPollMs));
      if (Stopping()) break;
      if (!fatal_) right_.LookAgain(producer_.client.get());
      if (!fatal_ && IsOutdated(producer_.client.get())) Renew();
      if (fatal_ && (appender_.stop_on_failure || !Recreate())) break;
    }
    if (producer_.client != nullptr) Close();
  }

  // False when the appender stops before there is a new producer. A pause comes first: what a
  // broker refuses one producer, it refuses the next one at once.
  bool Recreate() {
    LogWarning("the producer is made anew, what it had on its way is given up",
               {{"topic", topic_}});
    Close();
    fatal_ = false;
    while (!StopsWithin(right_.Now() ? kRecreateBackoffMs : kRefusedBackoffMs)) {
      const Status created = Create();
      if (created) return true;
      LogError("no producer can be made", {{"topic", topic_}, {"why", created.error().message}});
    }
    return false;
  }

  bool StopsWithin(std::int64_t wait_ms) {
    std::unique_lock lock(mutex_);
    return stopping_changed_.wait_for(lock, std::chrono::milliseconds(wait_ms),
                                      [this] { return stopping_; });
  }

  Result<Producer> Made() {
    return NewProducer(options_, topic_, appender_, {this, &OnDelivery, &OnClientError});
  }

  Status Create() {
    Result<Producer> made = Made();
    if (!made) return Forward(made);
    TakeOver(*std::move(made));
    return {};
  }

  // Its files have changed: another producer goes on, once this one has nothing left on its way, so
  // that order holds. One that cannot end what it has, as with a certificate that is over, is given
  // up as after a fatal error.
  void Renew() {
    Result<Producer> fresh = Made();
    if (!fresh || !IsCurrent(fresh->client.get())) return;  // tried again
    {
      const std::lock_guard lock(mutex_);
      first_appends_.Pause();
    }
    const std::int64_t deadline_ms = clock_.SteadyMs() + kDrainTimeoutMs;
    while (rd_kafka_flush(producer_.client.get(), static_cast<int>(kPollMs)) !=
           RD_KAFKA_RESP_ERR_NO_ERROR) {
      fatal_ = fatal_ || clock_.SteadyMs() > deadline_ms;
      if (fatal_ || Stopping()) return;
    }
    if (!fatal_) TakeOver(*std::move(fresh));
  }

  void TakeOver(Producer fresh) {
    SendHeld([&] {
      std::swap(producer_, fresh);
      return first_appends_.Restart();
    });
  }

  // Gives up what is in flight, bounded by kCloseTimeoutMs, and destroys the producer.
  void Close() {
    Producer closing;
    std::vector<InFlight::Ticket> held;
    {
      const std::lock_guard lock(mutex_);
      closing = std::move(producer_);
      held = first_appends_.GiveUp();
    }
    const Error stopped = right_.Reason(Stopped().error());
    for (const InFlight::Ticket ticket : held)
      in_flight_.CallBack(ticket, std::unexpected(stopped));
    rd_kafka_purge(closing.client.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(kCloseTimeoutMs);
    while (!in_flight_.Empty() && std::chrono::steady_clock::now() < deadline) {
      rd_kafka_poll(closing.client.get(), static_cast<int>(kPollMs));
    }
    in_flight_.CallBackAll(Error{ErrorCode::kUnknown, topic_ + ": the producer was closed"});
  }

  bool Stopping() {
    const std::lock_guard lock(mutex_);
    return stopping_;
  }

  static void OnDelivery(rd_kafka_t* /*client*/, const rd_kafka_message_t* message, void* opaque) {
    auto& self = *static_cast<KafkaAppender*>(opaque);
    Result<Position> result = self.ResultOf(*message);
    const bool acked = result.has_value();
    const bool stops = self.appender_.stop_on_failure;
    if (!acked && stops) self.GiveUp();
    self.in_flight_.CallBack(std::bit_cast<InFlight::Ticket>(message->_private), std::move(result));
    if (!acked || !stops) return;
    self.SendHeld([&] { return self.first_appends_.Acked(Partition(message->partition)); });
  }

  void GiveUp() {
    fatal_ = true;
    const std::lock_guard lock(mutex_);
    failed_ = true;
  }

  Result<Position> ResultOf(const rd_kafka_message_t& message) {
    // A record that the broker recognises as a repeat too old to look up is in the log, but where
    // is not told: then its append counts as unknown.
    right_.Heard(message.err);
    if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR && message.offset >= 0) {
      return Position{Partition(message.partition), Offset(message.offset)};
    }
    Error error = ErrorOf(message.err, topic_);
    error.code = Stopping() ? ErrorCode::kUnknown
                            : CodeOfDelivery(message.err, rd_kafka_message_status(&message));
    return std::unexpected(right_.Reason(std::move(error)));
  }

  static void OnClientError(rd_kafka_t* client, int error, const char* /*reason*/, void* opaque) {
    if (error != RD_KAFKA_RESP_ERR__FATAL) return;
    auto& self = *static_cast<KafkaAppender*>(opaque);
    self.right_.HeardFatal(client);
    self.fatal_ = true;
  }

  const KafkaOptions options_;
  const std::string topic_;
  const AppenderOptions appender_;
  const SystemClock clock_;
  AppendRight right_;
  InFlight in_flight_{kRecordsInFlightMax};
  std::mutex mutex_;
  std::condition_variable stopping_changed_;
  bool stopping_ = false;
  bool failed_ = false;  // stop_on_failure, and an append failed: nothing more gets in
  FirstAppends first_appends_{appender_.stop_on_failure};
  // Set and destroyed by thread_ alone, under mutex_; so thread_ reads it without.
  Producer producer_;
  bool fatal_ = false;  // thread_'s alone: callbacks come from rd_kafka_poll
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<LogAppender>> NewAppender(const KafkaOptions& options,
                                                 const std::string& topic,
                                                 const AppenderOptions& appender,
                                                 std::int64_t refused_ms) {
  auto made = std::make_unique<KafkaAppender>(options, topic, appender, refused_ms);
  if (Status begun = made->Begin(); !begun) return Forward(begun);
  return made;
}

}  // namespace fanfold::kafka
