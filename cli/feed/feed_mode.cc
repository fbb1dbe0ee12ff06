#include "cli/feed/feed_mode.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/base/json_text.h"
#include "operations/feed/feed_mode.h"

namespace fanfold {

ExitCode RunFeedMode(Session& session, const FeedModeOptions& options) {
  const Result<operations::FeedMode> mode =
      options.to_hybrid ? operations::SetFeedMode(session, *options.to_hybrid)
                        : operations::ReadFeedMode(session);
  if (!mode) return session.console.SayError(mode.error());
  const std::string_view name = mode->is_hybrid ? "hybrid" : "pull";
  if (session.json) {
    session.console.PrintLine(
        OneLine(nlohmann::json{{"mode", name}, {"changed", mode->has_changed}}));
  } else if (!options.to_hybrid) {
    session.console.PrintLine(name);
  } else if (!mode->has_changed) {
    session.console.PrintLine(fmt::format("{} already", name));
  } else {
    session.console.PrintLine(mode->is_hybrid
                                  ? "hybrid: each owner's inbox begins at the next look"
                                  : "pull: inboxes are not read any more, and were taken away");
  }
  session.console.Flush();
  return ExitCode::kFine;
}

}  // namespace fanfold
