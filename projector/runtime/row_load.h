// A load of rows that are gathered in memory, whatever they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/stream/slot.h"
#include "projector/runtime/fold.h"

namespace fanfold::projector {

// The rows of a shard, where the load holds them.
template <class Row>
class PartsOfRows {
 public:
  // Rows of a transaction of a load, in memory.
  static constexpr std::size_t kPartBytesMax = 4'000'000;

  PartsOfRows(const std::vector<Row>& all, const auto& is_own) {
    for (const Row& row : all) {
      if (is_own(row)) rows_.push_back(&row);
    }
  }

  // Copies as many as a transaction takes, at least one, of those that were not taken yet.
  // `bytes_of` says about how much memory one takes.
  void Take(std::vector<Row>& part, const auto& bytes_of) {
    part.clear();
    for (std::size_t bytes = 0; !AtEnd() && bytes < kPartBytesMax; ++at_) {
      bytes += bytes_of(part.emplace_back(*rows_[at_]));
    }
  }
  [[nodiscard]] bool AtEnd() const noexcept { return at_ == rows_.size(); }

 private:
  std::vector<const Row*> rows_;
  std::size_t at_ = 0;
};

// Sorts rows by key, and of each leaves the latest alone.
template <class Row>
void KeepLatest(std::vector<Row>& rows, const auto& key_of) {
  std::ranges::sort(rows, {}, [&](const Row& row) {
    return std::tuple(std::invoke(key_of, row), -row.row.version.value);
  });
  const auto older = std::ranges::unique(rows, {}, key_of);
  rows.erase(older.begin(), older.end());
}

// The parts of `Writes` that are rows by RowKey alone; kBytesOf says the memory that one takes.
template <class Writes, auto kRows, auto kBytesOf>
class KeyedParts final : public RowParts {
 public:
  KeyedParts(const Writes& all, const Placement& placement, Shard shard)
      : rows_(all.*kRows,
              [&](const auto& one) { return placement.ShardOf(one.key.user) == shard; }) {}

  const RowWrites& Next(bool /*newest*/) override {
    rows_.Take(part_.*kRows, kBytesOf);
    return part_;
  }
  bool AtEnd() const noexcept override { return rows_.AtEnd(); }

 private:
  PartsOfRows<typename std::remove_cvref_t<decltype(std::declval<Writes>().*kRows)>::value_type>
      rows_;
  Writes part_;
};

// `Rows` gathers them (Read, Keep, bytes, Seal, writes, Clear); `Parts`, made of what it wrote, a
// placement and a shard, is a RowParts.
template <class Rows, class Parts>
class RowLoad final : public FoldLoad {
 public:
  RowLoad(const Placement& placement, Rows rows) : placement_(placement), rows_(std::move(rows)) {}

  std::vector<std::expected<Decided, Unreadable>> ReadDecided(
      std::span<const LogRecord> records) override {
    return rows_.Read(records);
  }
  void Keep(std::span<const std::size_t> places) override { rows_.Keep(places); }
  std::size_t bytes() const noexcept override { return rows_.bytes(); }
  void Seal() override { rows_.Seal(); }
  std::unique_ptr<RowParts> PartsOf(Shard shard) const override {
    return std::make_unique<Parts>(rows_.writes(), placement_, shard);
  }
  void Clear() override { rows_.Clear(); }

 private:
  Placement placement_;
  Rows rows_;
};

}  // namespace fanfold::projector
