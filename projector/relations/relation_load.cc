#include "projector/relations/relation_load.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "projector/relations/relation_batch.h"

namespace fanfold::projector {
namespace {

class EdgeParts final : public RowParts {
 public:
  // `all` outlives it, `own` are its own; one of them is empty.
  EdgeParts(std::span<const EdgeRow> all, std::vector<EdgeRow> own)
      : own_(std::move(own)), rest_(own_.empty() ? all : std::span<const EdgeRow>(own_)) {}

  const RowWrites& Next(bool newest) override {
    const auto part = rest_.first(std::min(rest_.size(), EdgeStore::kEdgesMax));
    writes_.edges.assign(part.begin(), part.end());
    writes_.edges_are_newest = newest;
    rest_ = rest_.subspan(part.size());
    return writes_;
  }
  bool AtEnd() const noexcept override { return rest_.empty(); }

 private:
  const std::vector<EdgeRow> own_;
  std::span<const EdgeRow> rest_;
  EdgeWrites writes_;
};

}  // namespace

std::vector<std::expected<Decided, Unreadable>> RelationLoad::ReadDecided(
    std::span<const LogRecord> records) {
  read_.clear();
  std::vector<std::expected<Decided, Unreadable>> said;
  said.reserve(records.size());
  read_.reserve(records.size());
  for (const LogRecord& record : records) {
    said.push_back(SaidBy(read_.emplace_back(ReadOutcomeRecord(record.value, record.partition))));
  }
  return said;
}

void RelationLoad::Keep(std::span<const std::size_t> places) {
  for (const std::size_t place : places) {
    const Outcome& outcome = *read_[place];
    const EdgeChange change = fanfold::Apply(Edge(), outcome);
    if (change.changed) {
      rows_.push_back({KeyOf(list_, outcome.subject, outcome.object), change.edge});
    }
  }
}

void RelationLoad::Seal() {
  std::ranges::sort(
      rows_, {}, [](const EdgeRow& row) { return std::tuple(row.key, -row.edge.version.value); });
  const auto older = std::ranges::unique(rows_, {}, &EdgeRow::key);
  rows_.erase(older.begin(), older.end());
}

std::unique_ptr<RowParts> RelationLoad::PartsOf(Shard shard) const {
  if (placement_.shards() == 1) {
    return std::make_unique<EdgeParts>(rows_, std::vector<EdgeRow>());
  }
  std::vector<EdgeRow> own;
  std::ranges::copy_if(rows_, std::back_inserter(own), [&](const EdgeRow& row) {
    return placement_.ShardOf(row.key.user) == shard;
  });
  return std::make_unique<EdgeParts>(std::span<const EdgeRow>(), std::move(own));
}

}  // namespace fanfold::projector
