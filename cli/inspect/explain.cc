#include "cli/inspect/explain.h"

#include <algorithm>

#include "cli/inspect/edge_story.h"
#include "operations/explain/explain.h"

namespace fanfold {

ExitCode RunExplain(Session& session, const ExplainOptions& options) {
  const Result<operations::EdgeStory> story =
      operations::Explain(session, options.subject, options.object);
  if (!story) return session.console.SayError(story.error());
  if (session.json) {
    session.console.PrintLine(StoryJson(*story));
  } else {
    session.console.Print(StoryText(*story));
  }
  session.console.Flush();
  const bool differs = std::ranges::any_of(story->tables, [](const operations::EdgeTable& table) {
    return table.verdict == operations::RowVerdict::kDiffers;
  });
  return differs ? ExitCode::kDifferent : ExitCode::kFine;
}

}  // namespace fanfold
