#include "reader/feed/post_feed.h"

#include <fmt/format.h>
#include <optional>

#include "common/post/post_outcome.h"

namespace fanfold::reader {
namespace {

// What a record tells. Nothing for a repeat. Errors: kOutOfRange, a gap or no outcome.
Result<std::optional<ToldPost>> Expect(const LogRecord& record, Offset next) {
  const auto outcome = ReadPostOutcomeRecord(record.value, record.partition, !kWholeOutcome);
  if (!outcome) {
    return Fail(ErrorCode::kOutOfRange,
                fmt::format("record {}:{} cannot be read: {}", record.partition.value,
                            record.offset.value, outcome.error().detail));
  }
  if (outcome->position.offset < next) return std::optional<ToldPost>();
  if (outcome->position.offset > next) {
    return Fail(ErrorCode::kOutOfRange,
                fmt::format("outcome {} where {}:{} is next", ToString(outcome->position),
                            record.partition.value, next.value));
  }
  ToldPost told{outcome->position, std::nullopt};
  if (MovesPost(*outcome)) {
    told.move = PostMove{outcome->author,
                         {outcome->score, outcome->post_id},
                         outcome->kind == PostOutcomeKind::kPosted};
  }
  return std::optional(told);
}

}  // namespace

PostFeed::PostFeed(Projection posts, LivePosts& live, PostContents& contents, Metrics& metrics)
    : posts_(posts),
      live_(live),
      contents_(contents),
      repeats_(metrics.GetCounter("fanfold_reader_posts_repeated_outcomes_total",
                                  "Outcomes of posts that were in the topic once more")) {}

void PostFeed::Start(const Placement& placement, const std::vector<Offset>& next) {
  next_ = next;
  live_.Start(placement, next);
}

Status PostFeed::Take(std::span<const LogRecord> records) {
  std::vector<ToldPost> all_told;
  all_told.reserve(records.size());
  for (const LogRecord& record : records) {
    Offset& next = next_[static_cast<std::size_t>(record.partition.value)];
    Result<std::optional<ToldPost>> told = Expect(record, next);
    if (!told) return Forward(told);
    if (!*told) {
      repeats_.Add(1);
      continue;
    }
    next = Next(next);
    all_told.push_back(**told);
  }
  live_.Advance(all_told);
  for (const auto& [position, move] : all_told) {
    if (move && !move->is_posted) contents_.Drop(move->author, move->post.post);
  }
  return {};
}

}  // namespace fanfold::reader
