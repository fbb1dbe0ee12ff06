#include "projector/relations/row_memory.h"

#include <algorithm>
#include <utility>

namespace fanfold::projector {
namespace {

std::size_t EntriesOf(const KnownUser& user) noexcept { return 1 + user.rows.size(); }

}  // namespace

Edge KnownUser::EdgeTo(UserId other) const noexcept {
  const auto row = std::ranges::lower_bound(rows, other, {}, &KnownRow::other);
  return row != rows.end() && row->other() == other ? row->edge() : Edge();
}

KnownUser* RowMemory::FindMutable(UserId user) {
  if (const auto found = young_.find(user); found != young_.end()) return &found->second;
  auto node = old_.extract(user);
  if (node.empty()) return nullptr;
  const std::size_t entries = EntriesOf(node.mapped());
  old_entries_ -= entries;
  young_entries_ += entries;
  return &young_.insert(std::move(node)).position->second;
}

const KnownUser* RowMemory::Find(UserId user) { return FindMutable(user); }

void RowMemory::Learn(UserId user, EdgeCount count, bool whole, std::span<const EdgeRow> rows) {
  KnownUser& known = young_[user];
  known.count = count;
  known.whole = whole;
  if (whole) {
    known.rows.reserve(rows.size());
    for (const EdgeRow& row : rows) known.rows.emplace_back(row.key.other, row.edge);
  }
  young_entries_ += EntriesOf(known);
}

void RowMemory::Note(const EdgeWrites& writes) {
  for (const EdgeRow& row : writes.edges) NoteRow(row);
  for (const CountWrite& write : writes.counts) {
    KnownUser* user = FindMutable(write.user);
    if (user != nullptr) user->count = EdgeCount(user->count.value + write.delta);
  }
}

void RowMemory::NoteRow(const EdgeRow& row) {
  KnownUser* user = FindMutable(row.key.user);
  if (user == nullptr || !user->whole) return;
  const auto at = std::ranges::lower_bound(user->rows, row.key.other, {}, &KnownRow::other);
  if (at != user->rows.end() && at->other() == row.key.other) {
    *at = KnownRow(row.key.other, row.edge);
    return;
  }
  if (user->rows.size() == kUserRowsMax) {
    young_entries_ -= user->rows.size();
    user->rows = {};
    user->whole = false;
    return;
  }
  user->rows.emplace(at, row.key.other, row.edge);
  ++young_entries_;
}

void RowMemory::MakeRoom() {
  if (young_entries_ < entries_max_ / 2) return;
  old_ = std::exchange(young_, {});
  old_entries_ = std::exchange(young_entries_, 0);
}

void RowMemory::Forget() {
  young_.clear();
  old_.clear();
  young_entries_ = old_entries_ = 0;
}

}  // namespace fanfold::projector
