#include "common/kafka/reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/kafka/client.h"
#include "common/kafka/errors.h"

namespace fanfold::kafka {
namespace {

// A first guess that grows: a broker gives a record larger than this whole.
constexpr const char* kFetchPartitionBytes = "1048576";
constexpr const char* kFetchBytesMax = "33554432";
// Must hold a whole answer, so above kFetchBytesMax and the largest record.
constexpr const char* kReceiveBytesMax = "100000000";
// How long a broker holds a fetch open for the first byte, and how soon one is asked again.
constexpr std::int64_t kFetchWaitMs = 100;
// Who gathers is given more at once, or what has come when its time is over.
constexpr const char* kGatheredBytes = "65536";
constexpr const char* kFetchBackoffMs = "20";
// One Poll gives at most this many, whatever is asked.
constexpr std::size_t kPollRecordsMax = 100'000;

// librdkafka must not be destroyed before the last message of it: batches share the handle.
// Members are destroyed in the order librdkafka wants, the client last.
struct Source {
  std::optional<Error> error;  // what the next Poll without records tells; its thread's alone
  ClientPtr client;
  TopicPtr topic;
  QueuePtr queue;
};

using NewSource = std::function<Result<std::shared_ptr<Source>>()>;

struct HeldMessages {
  std::shared_ptr<Source> source;
  std::vector<rd_kafka_message_t*> messages;

  explicit HeldMessages(std::shared_ptr<Source> from) : source(std::move(from)) {}
  HeldMessages(const HeldMessages&) = delete;
  HeldMessages& operator=(const HeldMessages&) = delete;
  ~HeldMessages() {
    for (rd_kafka_message_t* message : messages) rd_kafka_message_destroy(message);
  }
};

std::optional<std::string_view> View(const void* bytes, std::size_t size) {
  if (bytes == nullptr) return std::nullopt;
  return std::string_view(static_cast<const char*>(bytes), size);
}

LogRecord RecordOf(const rd_kafka_message_t& message) {
  rd_kafka_timestamp_type_t type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
  return LogRecord{Partition(message.partition), Offset(message.offset),
                   rd_kafka_message_timestamp(&message, &type), View(message.key, message.key_len),
                   View(message.payload, message.len)};
}

// Partitions are read by librdkafka's consume_start and consume_stop into one queue, and not by an
// assignment: stopping bumps the partition's version before it returns, so that what was fetched
// before is thrown away when it is taken from the queue. An assignment changes later, on another
// thread, and records of the old start could not be told from those of the new one. Nothing here
// needs a group or its coordinator either.
class KafkaReader final : public LogReader {
 public:
  KafkaReader(NewSource make, std::shared_ptr<Source> source, std::string topic)
      : make_(std::move(make)), source_(std::move(source)), topic_(std::move(topic)) {}

  ~KafkaReader() override { StopAll(); }

  Status Start(Partition partition, Offset from) override {
    // librdkafka takes negative offsets for "the begin", "the end" and the like.
    if (from < Offset(0)) {
      return Fail(ErrorCode::kOutOfRange,
                  fmt::format("{}/{}: start at {}", topic_, partition.value, from.value));
    }
    Stop(partition);
    if (Status begun = Begin(*source_, partition.value, from.value); !begun) return begun;
    places_[partition.value] = {.next = from.value};
    return {};
  }

  void Stop(Partition partition) override {
    if (places_.erase(partition.value) == 0) return;
    rd_kafka_consume_stop(source_->topic.get(), partition.value);
  }

  Result<LogBatch> Poll(std::size_t records_max, std::int64_t timeout_ms) override {
    if (std::optional<Error> error = TakeError()) return std::unexpected(*std::move(error));
    if (IsOutdated(source_->client.get())) Renew();
    std::shared_ptr<HeldMessages> held =
        Receive(std::min(records_max, kPollRecordsMax), timeout_ms);
    LogBatch batch;
    batch.records.reserve(held->messages.size());
    for (const rd_kafka_message_t* message : held->messages) Take(*message, batch);
    batch.bytes = std::move(held);
    rd_kafka_poll(source_->client.get(), 0);  // calls OnClientError
    if (!batch.records.empty()) return batch;
    if (std::optional<Error> error = TakeError()) return std::unexpected(*std::move(error));
    return batch;
  }

 private:
  struct Place {
    std::int64_t next = 0;
    bool lost = false;  // kOutOfRange: nothing more comes until it is started again
  };

  Status Begin(const Source& source, std::int32_t partition, std::int64_t from) const {
    if (rd_kafka_consume_start_queue(source.topic.get(), partition, from, source.queue.get()) ==
        0) {
      return {};
    }
    return std::unexpected(
        ErrorOf(rd_kafka_last_error(), fmt::format("{}/{}: start", topic_, partition)));
  }

  void StopAll() {
    for (const auto& [partition, place] : places_) {
      rd_kafka_consume_stop(source_->topic.get(), partition);
    }
  }

  // Goes on where it is with another client, or tries again at the next Poll.
  void Renew() {
    const Result<std::shared_ptr<Source>> fresh = make_();
    if (!fresh || !IsCurrent((*fresh)->client.get())) return;
    for (const auto& [partition, place] : places_) {
      if (!place.lost && !Begin(**fresh, partition, place.next)) return;
    }
    StopAll();
    source_ = *fresh;
  }

  // Waits for the first message alone: asked for more at once, librdkafka would wait for all of
  // them.
  std::shared_ptr<HeldMessages> Receive(std::size_t records_max, std::int64_t timeout_ms) {
    auto held = std::make_shared<HeldMessages>(source_);
    if (records_max == 0) return held;
    rd_kafka_message_t* first = nullptr;
    if (rd_kafka_consume_batch_queue(source_->queue.get(), static_cast<int>(timeout_ms), &first,
                                     1) != 1) {
      return held;
    }
    held->messages.resize(records_max);
    held->messages[0] = first;
    const ssize_t more = rd_kafka_consume_batch_queue(source_->queue.get(), 0,
                                                      held->messages.data() + 1, records_max - 1);
    held->messages.resize(1 + static_cast<std::size_t>(std::max<ssize_t>(more, 0)));
    return held;
  }

  void Take(const rd_kafka_message_t& message, LogBatch& batch) {
    const auto found = places_.find(message.partition);
    if (found == places_.end()) return;
    Place& place = found->second;
    // What is queued behind the loss of the place is not of it.
    if (place.lost) return;
    if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR) return KeepError(message, place);
    // Compressed and old batches come whole, so records below the start may come before it.
    if (message.offset < place.next) return;
    place.next = message.offset + 1;
    batch.records.push_back(RecordOf(message));
  }

  void KeepError(const rd_kafka_message_t& message, Place& place) {
    const bool lost = CodeOf(message.err) == ErrorCode::kOutOfRange;
    place.lost = place.lost || lost;
    if (source_->error && !lost) return;
    source_->error = Error{lost ? ErrorCode::kOutOfRange : ErrorCode::kUnavailable,
                           fmt::format("{}/{}: at {}: {}", topic_, message.partition, place.next,
                                       rd_kafka_message_errstr(&message))};
  }

  std::optional<Error> TakeError() { return std::exchange(source_->error, std::nullopt); }

  const NewSource make_;
  std::shared_ptr<Source> source_;
  const std::string topic_;
  std::unordered_map<std::int32_t, Place> places_;  // of the partitions being read
};

// From rd_kafka_poll, so from Poll's thread. The loss of one broker of several is librdkafka's
// business.
void OnClientError(rd_kafka_t* /*client*/, int error, const char* reason, void* opaque) {
  auto& source = *static_cast<Source*>(opaque);
  if (error != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN || source.error) return;
  source.error = Error{ErrorCode::kUnavailable, reason};
}

// An offset that the log does not have is an error and never a silent jump (auto.offset.reset).
Settings ReaderSettings(const ReadAhead& read_ahead, std::int64_t gather_ms) {
  return {
      {"allow.auto.create.topics", "false"},
      {"enable.auto.commit", "false"},
      {"enable.auto.offset.store", "false"},
      {"auto.offset.reset", "error"},
      {"enable.partition.eof", "false"},
      {"check.crcs", "true"},
      {"queued.min.messages", std::to_string(read_ahead.records)},
      {"queued.max.messages.kbytes", std::to_string(read_ahead.kbytes)},
      {"max.partition.fetch.bytes", kFetchPartitionBytes},
      {"fetch.max.bytes", kFetchBytesMax},
      {"receive.message.max.bytes", kReceiveBytesMax},
      {"fetch.min.bytes", gather_ms > 0 ? kGatheredBytes : "1"},
      {"fetch.wait.max.ms", std::to_string(gather_ms > 0 ? gather_ms : kFetchWaitMs)},
      {"fetch.error.backoff.ms", kFetchBackoffMs},
  };
}

Result<std::shared_ptr<Source>> SourceOf(const KafkaOptions& kafka, const std::string& topic,
                                         const ReaderOptions& options) {
  Result<ConfPtr> conf = NewConf(kafka, ReaderSettings(kafka.read_ahead, options.gather_ms));
  if (!conf) return Forward(conf);
  auto source = std::make_shared<Source>();
  rd_kafka_conf_set_opaque(conf->get(), source.get());
  rd_kafka_conf_set_error_cb(conf->get(), &OnClientError);
  Result<ClientPtr> client = NewClient(kafka, RD_KAFKA_CONSUMER, std::move(*conf));
  if (!client) return Forward(client);
  source->client = std::move(*client);
  Result<TopicPtr> handle = NewTopic(source->client.get(), topic);
  if (!handle) return Forward(handle);
  source->topic = std::move(*handle);
  source->queue.reset(rd_kafka_queue_new(source->client.get()));
  return source;
}

}  // namespace

Result<std::unique_ptr<LogReader>> NewReader(const KafkaOptions& kafka, const std::string& topic,
                                             const ReaderOptions& options) {
  const auto make = [kafka, topic, options] { return SourceOf(kafka, topic, options); };
  Result<std::shared_ptr<Source>> source = make();
  if (!source) return Forward(source);
  return std::make_unique<KafkaReader>(make, *std::move(source), topic);
}

}  // namespace fanfold::kafka
