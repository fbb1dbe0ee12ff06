#include "reader/feed/post_feed.h"

#include <optional>

#include "common/post/post_outcome.h"
#include "reader/freshness/expected_outcome.h"

namespace fanfold::reader {
namespace {

ToldPost ToldBy(const PostOutcome& outcome) {
  ToldPost told{outcome.position, std::nullopt};
  if (MovesPost(outcome)) {
    told.move = PostMove{
        outcome.author, {outcome.score, outcome.post_id}, outcome.kind == PostOutcomeKind::kPosted};
  }
  return told;
}

}  // namespace

PostFeed::PostFeed(Projection posts, LivePosts& live, PostContents& contents, Metrics& metrics)
    : posts_(posts),
      live_(live),
      contents_(contents),
      passed_over_{
          metrics.GetCounter("fanfold_reader_posts_repeated_outcomes_total",
                             "Outcomes of posts that were in the topic once more"),
          metrics.GetCounter("fanfold_reader_posts_unreadable_outcomes_total",
                             "Records among outcomes of posts that this build cannot read")} {}

void PostFeed::Start(const Placement& placement, const std::vector<Offset>& next) {
  next_ = next;
  live_.Start(placement, next);
}

Status PostFeed::Take(std::span<const LogRecord> records) {
  std::vector<ToldPost> all_told;
  all_told.reserve(records.size());
  for (const LogRecord& record : records) {
    Offset& next = next_[static_cast<std::size_t>(record.partition.value)];
    const auto outcome = ReadPostOutcomeRecord(record.value, record.partition, !kWholeOutcome);
    const Result<Expected> expected = Expect(outcome, record, next);
    if (!expected) return std::unexpected(expected.error());
    if (*expected != Expected::kNext) {
      passed_over_.Count(*expected);
      continue;
    }
    next = Next(next);
    all_told.push_back(ToldBy(*outcome));
  }
  live_.Advance(all_told);
  for (const auto& [position, move] : all_told) {
    if (move && !move->is_posted) contents_.Drop(move->author, move->post.post);
  }
  return {};
}

}  // namespace fanfold::reader
