#include "reader/feed/filled_gaps.h"

#include <utility>

namespace fanfold::reader {

void FilledGaps::Fill(UserId author, PostRun run) {
  Filled& filled = filled_[author];
  std::optional<PostRun>& place = run.high() == kAboveAll ? filled.newest : filled.deeper;
  place = place && place->Touches(run) ? PostRun::Joined(*place, run) : std::move(run);
}

void FilledGaps::Move(const PostMove& move) {
  const auto found = filled_.find(move.author);
  if (found == filled_.end()) return;
  for (std::optional<PostRun>* const run : {&found->second.newest, &found->second.deeper}) {
    if (*run) (*run)->Move(move);
  }
}

std::vector<UserId> FilledGaps::Authors() const {
  std::vector<UserId> authors;
  authors.reserve(filled_.size());
  for (const auto& [author, filled] : filled_) authors.push_back(author);
  return authors;
}

void FilledGaps::LendTo(std::span<AuthorRuns> authors) const {
  if (filled_.empty()) return;
  for (AuthorRuns& runs : authors) {
    const auto found = filled_.find(runs.author);
    if (found == filled_.end()) continue;
    const Filled& filled = found->second;
    const bool newest_goes_further =
        filled.newest && (runs.newest == nullptr || filled.newest->low() < runs.newest->low());
    if (newest_goes_further) runs.newest = &*filled.newest;
    if (filled.deeper) runs.others[1] = &*filled.deeper;
  }
}

}  // namespace fanfold::reader
