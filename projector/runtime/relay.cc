#include "projector/runtime/relay.h"

#include <string>
#include <utility>

#include "common/ports/record_marks.h"
#include "projector/runtime/outbox_codec.h"

namespace fanfold::projector {

void RelayFlight::Acked(const Result<Position>& position, std::uint64_t digest) {
  // Acks of a partition come in the order of the appends; after a failure none counts.
  if (!position && position.error().code == ErrorCode::kInvalidArgument) {
    refused_.store(true, std::memory_order_release);
  }
  if (!position) failed_.store(true, std::memory_order_release);
  if (failed()) return;
  const std::scoped_lock lock(mutex_);
  // Recovery has read to the end of the topic: below what it knows a topic takes an outcome only
  // when it was cut or made again.
  if (position->offset < published_.outcome) return failed_.store(true, std::memory_order_release);
  published_.event = Next(published_.event);
  if (digest != 0) published_.last = {position->offset, digest};
  // Until then somebody else's copy of a later outcome may stand below this position.
  if (published_.event >= decided_before_) published_.outcome = Next(position->offset);
}

void Relay::Use(std::unique_ptr<LogAppender> appender) {
  failed_.store(false, std::memory_order_release);
  appender_ = std::move(appender);
}

bool Relay::Flush(std::int64_t timeout_ms) {
  return appender_ == nullptr || appender_->Flush(timeout_ms);
}

RelayFlight& Relay::Open(const RelayFlight::Published& published, Offset decided_before) {
  flights_.push_back(std::make_unique<RelayFlight>(published, decided_before));
  return *flights_.back();
}

bool Relay::Publish(RelayFlight& flight, const OutboxRow& row, Offset from) {
  std::string_view rest = row.outcomes;
  for (Offset event = row.first; event < row.next; event = Next(event)) {
    const std::optional<OutboxRecord> record = TakeOutboxRecord(rest);
    if (!record) return false;
    if (event < from) continue;
    in_flight_.fetch_add(1, std::memory_order_acq_rel);
    const bool is_last = Next(event) == row.next;
    const std::string_view key = record->key.value_or(std::string_view());
    const std::uint64_t digest = is_last ? DigestOf(key, record->value) : 0;
    const std::string cut = cut_ == nullptr ? std::string() : cut_->cut(record->value);
    appender_->Append(row.partition, key, cut_ == nullptr ? record->value : std::string_view(cut),
                      [this, &flight, digest](const Result<Position>& position) {
                        flight.Acked(position, digest);
                        if (flight.failed()) failed_.store(true, std::memory_order_release);
                        in_flight_.fetch_sub(1, std::memory_order_acq_rel);
                      });
  }
  return rest.empty();
}

}  // namespace fanfold::projector
