#include "cli/inspect/feed_story.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/inspect/edge_story.h"
#include "cli/terminal/text_table.h"
#include "common/base/json_text.h"
#include "operations/base/text.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;
using operations::FeedStory;
using operations::PostStory;
using operations::PostTold;

// The last event that was decided so; null: none is kept.
const PostTold* LastDecided(const PostStory& story, PostOutcomeKind kind) {
  for (auto told = story.events.rbegin(); told != story.events.rend(); ++told) {
    if (told->outcome && told->outcome->kind == kind) return &*told;
  }
  return nullptr;
}

std::string WhyNoPost(const PostStory& story) {
  const PostTold* deleted = LastDecided(story, PostOutcomeKind::kPostDeleted);
  if (deleted != nullptr) return "the post was deleted by " + ToString(deleted->position);
  if (LastDecided(story, PostOutcomeKind::kPosted) != nullptr) {
    return "the post is decided, and the tables have not come to it";
  }
  return story.events.empty() ? "nobody has asked for such a post" : "the post is not decided yet";
}

std::string WhyOf(const FeedStory& story) {
  const std::string owner = ToString(story.follow.subject);
  const std::string author = ToString(story.follow.object);
  if (!story.is_followed()) return fmt::format("{} does not follow {}", owner, author);
  if (!story.post.row) return WhyNoPost(story.post);
  return fmt::format("{} follows {}, and the post is there", owner, author);
}

std::string OutcomeText(const PostTold& told) {
  return told.outcome ? std::string(ToString(told.outcome->kind)) : "not decided yet";
}

std::string LaneText(const PostStory& story) {
  return fmt::format("{} of {}{}", story.position.value, story.events_end.value,
                     story.rewound ? ", rewound" : "");
}

std::string PostText(const PostStory& story) {
  std::string text = fmt::format("\npost {} of {}, events in partition {} of post-events\n\n",
                                 story.post.value, story.author.value, story.partition.value);
  if (story.events.empty()) {
    text += "no event of it is in the partition\n";
  } else {
    TextTable table({"POSITION", "APPENDED", "EVENT", "AT", "OUTCOME", "EVENT ID"});
    for (const PostTold& told : story.events) {
      table.Add({ToString(told.position), operations::IsoTime(told.appended_ms),
                 std::string(ToString(told.event.type)), operations::IsoTime(told.event.at_ms),
                 OutcomeText(told), told.event.event_id.empty() ? "-" : told.event.event_id});
    }
    text += table.Text();
  }
  if (story.left_out > 0) text += fmt::format("{} older ones are not shown\n", story.left_out);
  if (story.events_begin > Offset(0)) {
    text += fmt::format("the log begins at {}: what was before is gone\n",
                        ToString(Position{story.partition, story.events_begin}));
  }
  TextTable row({"TABLE", "GEN", "SHARD", "THERE", "SCORE", "LANE"});
  row.Add({"posts", std::to_string(story.generation.value), std::to_string(story.shard.value),
           story.row ? "yes" : "no", story.row ? std::to_string(story.row->score) : "-",
           LaneText(story)});
  text += '\n' + row.Text();
  if (story.verdict == operations::RowVerdict::kDiffers) {
    text +=
        "posts: the row is not what the outcomes say\n"
        "  do: `fanfold verify` finds every such row, `fanfold repair` mends them\n";
  }
  return text;
}

Json PlaceJson(const std::optional<PostPlace>& place) {
  return place ? Json{{"score", place->score}} : Json();
}

Json PostJson(const PostStory& story) {
  Json events = Json::array();
  for (const PostTold& told : story.events) {
    Json event = {{"position", ToString(told.position)}, {"appended_ms", told.appended_ms},
                  {"type", ToString(told.event.type)},   {"at", told.event.at_ms},
                  {"event_id", told.event.event_id},     {"outcome", nullptr}};
    if (told.outcome) event["outcome"] = ToString(told.outcome->kind);
    events.push_back(std::move(event));
  }
  const bool is_judged = story.verdict != operations::RowVerdict::kNotJudged;
  return {{"partition", story.partition.value},
          {"events", std::move(events)},
          {"events_left_out", story.left_out},
          {"events_begin", story.events_begin.value},
          {"generation", story.generation.value},
          {"shard", story.shard.value},
          {"row", PlaceJson(story.row)},
          {"lane", {{"position", story.position.value}, {"end", story.events_end.value}}},
          {"verdict", NameOf(story.verdict)},
          {"told", is_judged ? PlaceJson(story.told) : Json()}};
}

}  // namespace

std::string FeedStoryText(const FeedStory& story) {
  return fmt::format("{} the feed of {}: {}\n\n", story.is_in_feed() ? "in" : "not in",
                     story.follow.subject.value, WhyOf(story)) +
         StoryText(story.follow) + PostText(story.post);
}

std::string FeedStoryJson(const FeedStory& story) {
  const Json json = {{"owner", ToString(story.follow.subject)},
                     {"author", ToString(story.post.author)},
                     {"post_id", std::to_string(story.post.post.value)},
                     {"in_feed", story.is_in_feed()},
                     {"why", WhyOf(story)},
                     {"follow", Json::parse(StoryJson(story.follow))},
                     {"post", PostJson(story.post)}};
  return OneLine(json);
}

}  // namespace fanfold
