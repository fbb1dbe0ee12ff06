#include "operations/log/told_outcome.h"

#include <algorithm>
#include <utility>

#include "common/post/post_outcome.h"
#include "common/relation/codec.h"
#include "common/stream/outcome_reason.h"

namespace fanfold::operations {
namespace {

std::optional<ToldOutcome> ToldOfRelation(const LogRecord& record) {
  auto outcome = ReadOutcomeRecord(record.value, record.partition);
  if (!outcome) return std::nullopt;
  return ToldOutcome{std::move(outcome->event_id),
                     ToString(outcome->kind),
                     ReasonOf(*outcome),
                     {{{"subject", outcome->subject.value}, {"object", outcome->object.value}}}};
}

std::optional<ToldOutcome> ToldOfPost(const LogRecord& record) {
  auto outcome = ReadPostOutcomeRecord(record.value, record.partition, !kWholeOutcome);
  if (!outcome) return std::nullopt;
  return ToldOutcome{std::move(outcome->event_id),
                     ToString(outcome->kind),
                     ReasonOf(*outcome),
                     {{{"author", outcome->author.value}, {"post_id", outcome->post_id.value}}}};
}

constexpr std::array<std::string_view, 3> kTakenOfRelations = {"followed", "unfollowed",
                                                               "unchanged"};
constexpr std::array<std::string_view, 3> kTakenOfPosts = {"posted", "post_deleted", "unchanged"};

struct ToldBy {
  std::optional<ToldOutcome> (*read)(const LogRecord&) = nullptr;
  std::span<const std::string_view> taken = {};
};
constexpr auto kToldBy = [] {
  PerEntry<Stream, ToldBy> told;
  told[streams::kRelations] = {ToldOfRelation, kTakenOfRelations};
  told[streams::kPosts] = {ToldOfPost, kTakenOfPosts};
  return told;
}();
static_assert(std::ranges::all_of(Stream::All(), [](Stream stream) {
  return stream.outcomes().has_value() == !kToldBy[stream].taken.empty();
}));

}  // namespace

std::span<const std::string_view> TakenKinds(Stream stream) { return kToldBy[stream].taken; }

std::optional<ToldOutcome> ReadTold(Stream stream, const LogRecord& record) {
  return kToldBy[stream].read(record);
}

}  // namespace fanfold::operations
