#include "reader/feed/feed_pages.h"

#include <map>
#include <memory>
#include <utility>

namespace fanfold::reader {

Result<ToldPage> FeedPages::Ask(std::span<const UserId> authors, const Make& make, bool memory) {
  int unfolded = 0;
  for (std::size_t tries = 0; tries < kTriesMax; ++tries) {
    FeedReader reader(live_, source_, placement_, generation_, wait_ms_);
    if (tries > 0) reader.WithoutInbox();
    // Once it may have been a deletion that came while the page was made.
    const bool of_tables = !memory || unfolded > 1;
    Result<FeedPage> page = of_tables ? reader.AskTables(authors, make) : reader.Ask(authors, make);
    if (!page) return Forward(page);
    ToldPage told{*std::move(page), {}, reader.as_tables_are()};
    const Result<Missed> missed = FillIn(told);
    if (!missed) return std::unexpected(missed.error());
    switch (*missed) {
      case Missed::kNothing:
        return told;
      case Missed::kDeleted:
        break;
      case Missed::kUnfolded:
        ++unfolded;
        break;
    }
  }
  return Fail(ErrorCode::kUnavailable, "the posts' tables and the reader are too far apart");
}

Result<FeedPages::Missed> FeedPages::FillIn(ToldPage& told) {
  const PostContents::Ticket ticket = contents_.NewTicket();
  const std::vector<FeedKey>& keys = told.page.keys;
  told.contents = contents_.Find(keys);
  std::map<Shard, std::vector<std::size_t>> missing;  // by place in the page
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!told.contents[i]) missing[placement_.ShardOf(keys[i].author)].push_back(i);
  }
  for (const auto& [shard, places] : missing) {
    std::vector<FeedKey> asked;
    for (const std::size_t place : places) asked.push_back(keys[place]);
    Result<FetchedContents> fetched = source_.Contents(shard, generation_, asked);
    if (!fetched) return Forward(fetched);
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::optional<PostContent>& content = fetched->contents[i];
      if (!content) return WhyMissing(fetched->view, asked[i].author);
      auto held = std::make_shared<const PostContent>(*std::move(content));
      told.contents[places[i]] = held;
      contents_.Put(ticket, asked[i], std::move(held));
    }
  }
  return Missed::kNothing;
}

FeedPages::Missed FeedPages::WhyMissing(const PostLanes& view, UserId author) const {
  const PostLanes::Lane lane = view.LaneOf(placement_.PartitionOf(author));
  const std::optional<Offset> next = live_.Next(lane.partition);
  if (next && lane.position < *next) return Missed::kUnfolded;
  // In vain: the next page is of the reader again, who may have come meanwhile.
  static_cast<void>(live_.WaitForReader(view, std::span(&author, 1), wait_ms_));
  return Missed::kDeleted;
}

}  // namespace fanfold::reader
