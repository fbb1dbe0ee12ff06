// Rows of a stream that nobody decides about: an event says its row whole, so nothing is read
// before it is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/base/check.h"
#include "projector/runtime/fold.h"

namespace fanfold::projector {

// Gathers them, the latest of each. Requires of `Kind`:
//   Event, with an event_id; Writes, RowWrites
//   Read(record, partitions): std::expected<Event, Unreadable>
//   Keep(event, version, writes): about how much memory it takes
//   Seal(writes): sorts, and leaves the latest of each row
template <class Kind>
class ToldRows {
 public:
  explicit ToldRows(std::int32_t partitions) : partitions_(partitions) {}

  // As FoldBatch::ReadDecided and Keep have it.
  [[nodiscard]] std::vector<std::expected<Decided, Unreadable>> Read(
      std::span<const LogRecord> records) {
    std::vector<std::expected<Decided, Unreadable>> said;
    said.reserve(records.size());
    read_.clear();
    read_.reserve(records.size());
    for (const LogRecord& record : records) {
      const ReadRecord& read = read_.emplace_back(record.offset, Kind::Read(record, partitions_));
      if (read.event) {
        said.push_back(
            Decided{Position{record.partition, record.offset}, std::nullopt, read.event->event_id});
      } else {
        said.push_back(std::unexpected(read.event.error()));
      }
    }
    return said;
  }
  void Keep(std::span<const std::size_t> places) {
    for (const std::size_t place : places) {
      const ReadRecord& read = read_[place];
      bytes_ += Kind::Keep(*read.event, Version(Next(read.offset).value), writes_);
    }
  }

  void Seal() { Kind::Seal(writes_); }
  [[nodiscard]] const typename Kind::Writes& writes() const noexcept { return writes_; }
  // About how much memory they take, as they were kept.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  void Clear() {
    writes_ = {};
    bytes_ = 0;
  }

 private:
  struct ReadRecord {
    Offset offset;
    std::expected<typename Kind::Event, Unreadable> event;
  };

  std::int32_t partitions_;
  std::vector<ReadRecord> read_;
  typename Kind::Writes writes_;
  std::size_t bytes_ = 0;
};

template <class Kind>
class OpenToldFold final : public OpenFold {
 public:
  explicit OpenToldFold(std::int32_t partitions) : partitions_(partitions) {}

  std::unique_ptr<FoldBatch> NewBatch() override { return std::make_unique<Batch>(partitions_); }
  void Forget() override {}

 private:
  class Batch final : public FoldBatch {
   public:
    explicit Batch(std::int32_t partitions) : rows_(partitions) {}

    std::vector<UnreadableEvent> ReadEvents(std::span<const TakenEvent>) override { return {}; }
    std::vector<std::expected<Decided, Unreadable>> ReadDecided(
        std::span<const LogRecord> records) override {
      return rows_.Read(records);
    }
    void Keep(std::span<const std::size_t> places) override { rows_.Keep(places); }
    bool NeedsRows() const noexcept override { return false; }
    Status Fill() override { return {}; }
    void Decide(OutcomeSink&) override { FANFOLD_CHECK(false, "nobody decides about these"); }
    void Apply() override { rows_.Seal(); }
    const RowWrites& Writes() override { return rows_.writes(); }
    void Committed() override {}

   private:
    ToldRows<Kind> rows_;
  };

  std::int32_t partitions_;
};

}  // namespace fanfold::projector
