#include "cli/inspect/explain.h"

#include <algorithm>

#include "cli/inspect/edge_story.h"
#include "cli/inspect/feed_story.h"
#include "cli/inspect/row_story.h"
#include "operations/explain/explain.h"

namespace fanfold {

namespace {

ExitCode ExplainUser(Session& session, UserId user) {
  const auto stories = operations::ExplainRows(session, user);
  if (!stories) return session.console.SayError(stories.error());
  const std::int32_t partitions = session.backend.partitions();
  if (session.json) {
    session.console.PrintLine(RowStoriesJson(*stories, partitions));
  } else {
    session.console.Print(RowStoriesText(*stories, partitions));
  }
  session.console.Flush();
  const bool differs = std::ranges::any_of(*stories, [](const operations::RowStory& story) {
    return story.verdict == operations::RowVerdict::kDiffers;
  });
  return differs ? ExitCode::kDifferent : ExitCode::kFine;
}

bool Differs(const operations::EdgeStory& story) {
  return std::ranges::any_of(story.tables, [](const operations::EdgeTable& table) {
    return table.verdict == operations::RowVerdict::kDiffers;
  });
}

ExitCode ExplainPost(Session& session, const ExplainOptions& options) {
  const Result<operations::FeedStory> story =
      operations::ExplainFeed(session, options.subject, *options.object, *options.post);
  if (!story) return session.console.SayError(story.error());
  if (session.json) {
    session.console.PrintLine(FeedStoryJson(*story));
  } else {
    session.console.Print(FeedStoryText(*story));
  }
  session.console.Flush();
  const bool differs =
      Differs(story->follow) || story->post.verdict == operations::RowVerdict::kDiffers;
  return differs ? ExitCode::kDifferent : ExitCode::kFine;
}

}  // namespace

ExitCode RunExplain(Session& session, const ExplainOptions& options) {
  if (!options.object) return ExplainUser(session, options.subject);
  if (options.post) return ExplainPost(session, options);
  const Result<operations::EdgeStory> story =
      operations::Explain(session, options.subject, *options.object);
  if (!story) return session.console.SayError(story.error());
  if (session.json) {
    session.console.PrintLine(StoryJson(*story));
  } else {
    session.console.Print(StoryText(*story));
  }
  session.console.Flush();
  return Differs(*story) ? ExitCode::kDifferent : ExitCode::kFine;
}

}  // namespace fanfold
