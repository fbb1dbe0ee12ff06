#include "reader/feed/feed_reader.h"

#include <algorithm>
#include <iterator>

namespace fanfold::reader {

std::vector<std::pair<Shard, std::vector<PostStretch>>> FeedReader::InPieces(
    std::span<const PostStretch> gaps) const {
  std::vector<std::pair<Shard, std::vector<PostStretch>>> pieces;
  std::map<Shard, std::size_t> open;  // by shard the piece that is being filled
  for (const PostStretch& gap : gaps) {
    const Shard shard = placement_.ShardOf(gap.author);
    const auto [piece, is_new] = open.try_emplace(shard, pieces.size());
    if (is_new || pieces[piece->second].second.size() == RunSource::kGapsMax) {
      piece->second = pieces.size();
      pieces.emplace_back(shard, std::vector<PostStretch>());
    }
    pieces[piece->second].second.push_back(gap);
  }
  return pieces;
}

std::size_t FeedReader::NextAsked(std::size_t authors) noexcept {
  if (authors > kFewAuthors && asked_of_many_ < kOfManyMax) {
    ++asked_of_many_;
    return 1;
  }
  return std::exchange(asked_, std::min(2 * asked_, kPostsMax));
}

template <class Install>
ViewState FeedReader::InTime(const FetchedRuns& fetched, const Install& install) {
  const ViewState state = install();
  if (state != ViewState::kAhead) return state;
  std::vector<UserId> authors;
  std::ranges::transform(fetched.runs, std::back_inserter(authors), &FetchedRun::author);
  if (!live_.WaitForReader(fetched.view, authors, wait_ms_)) return state;
  return install();
}

Result<bool> FeedReader::Bring(std::span<const PostStretch> gaps) {
  const std::size_t asked = NextAsked(gaps.size());
  for (const auto& [shard, of_shard] : InPieces(gaps)) {
    const LivePosts::Ticket ticket = live_.NewTicket(generation_);
    Result<FetchedRuns> fetched = source_.Fetch(shard, generation_, of_shard, asked);
    if (!fetched) return Forward(fetched);
    const auto install = [&, at = shard] {
      return live_.Install(ticket, at, fetched->view, fetched->runs, filled_);
    };
    switch (InTime(*fetched, install)) {
      case ViewState::kAtReader:
        break;
      case ViewState::kStale:
        // What was dropped or mended meanwhile is read as it is now; a replica may stay behind.
        if (std::exchange(was_stale_, true)) return false;
        break;
      case ViewState::kAhead:
      case ViewState::kBelowFloor:
      case ViewState::kTooLarge:
      case ViewState::kRewound:
        return false;
    }
  }
  return true;
}

bool FeedReader::FillFromInbox(std::span<const PostStretch> gaps) {
  std::vector<UserId> authors;
  std::ranges::transform(gaps, std::back_inserter(authors), &PostStretch::author);
  const LivePosts::Ticket ticket = live_.NewTicket(generation_);
  const auto fetched = source_.FromInbox(authors);
  if (!fetched || !*fetched || (*fetched)->runs.empty()) return false;
  const auto fill = [&] { return live_.Fill(ticket, (*fetched)->view, (*fetched)->runs, filled_); };
  return InTime(**fetched, fill) == ViewState::kAtReader;
}

std::span<const AuthorRuns> FeedReader::LentByTables(std::span<const UserId> authors) {
  lent_.clear();
  for (const UserId author : authors) lent_.push_back({author, nullptr, {}});
  from_tables_.LendTo(lent_);
  return lent_;
}

Status FeedReader::FillFromTables(std::span<const PostStretch> gaps) {
  const std::size_t asked = NextAsked(gaps.size());
  for (const auto& [shard, of_shard] : InPieces(gaps)) {
    Result<FetchedRuns> fetched = source_.Fetch(shard, generation_, of_shard, asked);
    if (!fetched) return Forward(fetched);
    if (HasMoved(*fetched)) {
      ++starts_;
      from_tables_.Clear();
      tables_at_.clear();
      return {};
    }
    for (FetchedRun& one : fetched->runs) from_tables_.Fill(one.author, std::move(one.run));
  }
  return {};
}

// Partitions may be read at any positions, each at one.
bool FeedReader::HasMoved(const FetchedRuns& fetched) {
  return std::ranges::any_of(fetched.runs, [&](const FetchedRun& one) {
    const Partition partition = placement_.PartitionOf(one.author);
    const Offset now = fetched.view.LaneOf(partition).position;
    return tables_at_.try_emplace(partition, now).first->second != now;
  });
}

}  // namespace fanfold::reader
