#include "projector/relations/row_loader.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace fanfold::projector {
namespace {

// The rows of the first user of `rows`, which are sorted by key.
std::span<const EdgeRow> TakeUser(std::span<const EdgeRow>& rows, UserId user) {
  const auto end =
      std::ranges::find_if(rows, [user](const EdgeRow& row) { return row.key.user != user; });
  const auto size = static_cast<std::size_t>(end - rows.begin());
  const std::span<const EdgeRow> taken = rows.first(size);
  rows = rows.subspan(size);
  return taken;
}

}  // namespace

Status RowLoader::Fill(RowSet& rows) {
  memory_.MakeRoom();
  std::vector<UserId> strangers;
  for (const UserId user : rows.users()) {
    if (memory_.Find(user) == nullptr) strangers.push_back(user);
  }
  if (Status met = Meet(strangers); !met) return met;

  std::vector<const KnownUser*> known;  // of rows.users()
  LoadedRows filled;
  for (const UserId user : rows.users()) {
    known.push_back(memory_.Find(user));
    filled.counts.push_back(known.back()->count);
  }
  std::vector<EdgeKey> asked;
  std::vector<std::size_t> asked_at;
  std::size_t user = 0;
  for (const EdgeKey& key : rows.keys()) {
    while (rows.users()[user] != key.user) ++user;
    if (known[user]->whole) {
      filled.edges.push_back(known[user]->EdgeTo(key.other));
      continue;
    }
    asked_at.push_back(filled.edges.size());
    filled.edges.emplace_back();
    asked.push_back(key);
  }
  if (!asked.empty()) {
    Result<LoadedRows> loaded = store_.Load(asked, {});
    if (!loaded) return Forward(loaded);
    for (std::size_t i = 0; i < asked.size(); ++i) filled.edges[asked_at[i]] = loaded->edges[i];
  }
  rows.Fill(std::move(filled));
  return {};
}

Status RowLoader::Meet(std::span<const UserId> strangers) {
  if (strangers.empty()) return {};
  Result<LoadedRows> loaded = store_.Load({}, strangers);
  if (!loaded) return Forward(loaded);
  std::vector<UserId> small;
  std::vector<EdgeCount> small_counts;
  for (std::size_t i = 0; i < strangers.size(); ++i) {
    const EdgeCount count = loaded->counts[i];
    if (count.value <= kSmallListMax) {
      small.push_back(strangers[i]);
      small_counts.push_back(count);
    } else {
      memory_.Learn(strangers[i], count, /*whole=*/false, {});
    }
  }
  return LearnSmall(small, small_counts);
}

Status RowLoader::LearnSmall(std::span<const UserId> users, std::span<const EdgeCount> counts) {
  if (users.empty()) return {};
  Result<std::optional<std::vector<EdgeRow>>> lists = store_.LoadLists(users, kListRowsMax);
  if (!lists) return Forward(lists);
  const bool whole = lists->has_value();
  std::span<const EdgeRow> rest =
      whole ? std::span<const EdgeRow>(**lists) : std::span<const EdgeRow>();
  for (std::size_t i = 0; i < users.size(); ++i) {
    memory_.Learn(users[i], counts[i], whole, TakeUser(rest, users[i]));
  }
  return {};
}

}  // namespace fanfold::projector
