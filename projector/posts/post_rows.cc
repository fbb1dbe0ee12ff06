#include "projector/posts/post_rows.h"

#include "projector/runtime/row_load.h"

namespace fanfold::projector {

std::size_t BytesOf(const PostWrite& write) noexcept {
  return sizeof write + write.row.content.size();
}

std::vector<std::expected<Decided, Unreadable>> PostRows::Read(std::span<const LogRecord> records) {
  std::vector<std::expected<Decided, Unreadable>> said;
  said.reserve(records.size());
  read_.clear();
  read_.reserve(records.size());
  for (const LogRecord& record : records) {
    const auto& outcome =
        read_.emplace_back(ReadPostOutcomeRecord(record.value, record.partition, kWholeOutcome));
    if (outcome) {
      said.push_back(Decided{outcome->position, outcome->parked, outcome->event_id});
    } else {
      said.push_back(std::unexpected(outcome.error()));
    }
  }
  return said;
}

void PostRows::Keep(std::span<const std::size_t> places) {
  for (const std::size_t place : places) {
    const PostOutcome& outcome = *read_[place];
    if (!MovesPost(outcome)) continue;
    writes_.posts.push_back({KeyOf(outcome.author, outcome.post_id), fanfold::Apply({}, outcome)});
    bytes_ += BytesOf(writes_.posts.back());
  }
}

void PostRows::Seal() { KeepLatest(writes_.posts, &PostWrite::key); }

void PostRows::Clear() {
  writes_ = {};
  bytes_ = 0;
}

}  // namespace fanfold::projector
