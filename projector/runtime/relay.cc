#include "projector/runtime/relay.h"

#include <string>
#include <utility>

#include "projector/runtime/outbox_codec.h"

namespace fanfold::projector {

RelayFlight::RelayFlight(Offset published, Offset outcome_offset, Offset decided_before) noexcept
    : decided_before_(decided_before.value),
      event_(published.value),
      outcome_(outcome_offset.value) {}

RelayFlight::Published RelayFlight::published() const noexcept {
  // The outcome's offset first: read too old it only lets a later scan begin early.
  const Offset outcome(outcome_.load(std::memory_order_acquire));
  return {Offset(event_.load(std::memory_order_acquire)), outcome};
}

void RelayFlight::Acked(const Result<Position>& position) noexcept {
  // Acks of a partition come in the order of the appends; after a failure none counts.
  if (!position && position.error().code == ErrorCode::kInvalidArgument) {
    refused_.store(true, std::memory_order_release);
  }
  if (!position) failed_.store(true, std::memory_order_release);
  if (failed()) return;
  const std::int64_t published = event_.fetch_add(1, std::memory_order_acq_rel) + 1;
  // Until then somebody else's copy of a later outcome may stand below this position.
  if (published < decided_before_) return;
  outcome_.store(position->offset.value + 1, std::memory_order_release);
}

void Relay::Use(std::unique_ptr<LogAppender> appender) {
  failed_.store(false, std::memory_order_release);
  appender_ = std::move(appender);
}

bool Relay::Flush(std::int64_t timeout_ms) {
  return appender_ == nullptr || appender_->Flush(timeout_ms);
}

RelayFlight& Relay::Open(Offset published, Offset outcome_offset, Offset decided_before) {
  flights_.push_back(std::make_unique<RelayFlight>(published, outcome_offset, decided_before));
  return *flights_.back();
}

bool Relay::Publish(RelayFlight& flight, const OutboxRow& row, Offset from) {
  std::string_view rest = row.outcomes;
  for (Offset event = row.first; event < row.next; event = Next(event)) {
    const std::optional<OutboxRecord> record = TakeOutboxRecord(rest);
    if (!record) return false;
    if (event < from) continue;
    in_flight_.fetch_add(1, std::memory_order_acq_rel);
    const std::string cut = cut_ == nullptr ? std::string() : cut_->cut(record->value);
    appender_->Append(row.partition, record->key.value_or(std::string_view()),
                      cut_ == nullptr ? record->value : std::string_view(cut),
                      [this, &flight](const Result<Position>& position) {
                        flight.Acked(position);
                        if (!position) failed_.store(true, std::memory_order_release);
                        in_flight_.fetch_sub(1, std::memory_order_acq_rel);
                      });
  }
  return rest.empty();
}

}  // namespace fanfold::projector
