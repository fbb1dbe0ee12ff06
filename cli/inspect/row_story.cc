#include "cli/inspect/row_story.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/inspect/edge_story.h"
#include "cli/inspect/record_text.h"
#include "common/base/json_text.h"
#include "common/ports/row_kinds.h"

namespace fanfold {
namespace {

LogRecord RecordOf(const operations::StoredRecord& stored) {
  LogRecord record;
  record.partition = stored.position.partition;
  record.offset = stored.position.offset;
  record.appended_ms = stored.appended_ms;
  record.key = stored.key;
  record.value = stored.value;
  return record;
}

std::string TableText(const operations::RowStory& story) {
  if (!story.position) return "no lane yet";
  const std::string found = Describe(story.projection, story.found);
  switch (story.verdict) {
    case operations::RowVerdict::kAgrees:
      return found;
    case operations::RowVerdict::kDiffers:
      return fmt::format(
          "{}; the records below {} say: {}\n"
          "  do: `fanfold verify` finds every such row, `fanfold repair` mends them",
          found, story.position->value, Describe(story.projection, story.told));
    case operations::RowVerdict::kNotJudged:
      break;
  }
  return found + "; not judged: the lane was rewound, or the log's beginning is gone";
}

}  // namespace

std::string RowStoriesText(std::span<const operations::RowStory> stories, std::int32_t partitions) {
  std::string text;
  for (const operations::RowStory& story : stories) {
    const Topic topic = story.projection.stream().applied();
    text += fmt::format("{}{} of user {}, {} of {}\n", text.empty() ? "" : "\n",
                        ToString(story.projection), story.user.value, story.records.size(),
                        topic.name());
    for (const operations::StoredRecord& stored : story.records) {
      text += RecordText(topic, RecordOf(stored), partitions) + "\n";
    }
    text += fmt::format("row in generation {} on shard {}: {}\n", story.generation.value,
                        story.shard.value, TableText(story));
  }
  return text;
}

std::string RowStoriesJson(std::span<const operations::RowStory> stories, std::int32_t partitions) {
  using Json = nlohmann::json;
  Json rows = Json::array();
  for (const operations::RowStory& story : stories) {
    Json records = Json::array();
    for (const operations::StoredRecord& stored : story.records) {
      records.push_back(Json::parse(
          RecordJson(story.projection.stream().applied(), RecordOf(stored), partitions)));
    }
    rows.push_back({{"projection", ToString(story.projection)},
                    {"generation", story.generation.value},
                    {"shard", story.shard.value},
                    {"records", std::move(records)},
                    {"found", Describe(story.projection, story.found)},
                    {"told", Describe(story.projection, story.told)},
                    {"verdict", NameOf(story.verdict)}});
  }
  const UserId user = stories.empty() ? UserId() : stories.front().user;
  return OneLine(Json{{"user_id", ToString(user)}, {"rows", std::move(rows)}});
}

}  // namespace fanfold
