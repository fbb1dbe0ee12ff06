#include "cli/parked/parked_drop.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/json_text.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

// Adds it to the items, or prints it.
void Tell(Session& session, const ParkedRow& row, Json& items) {
  const std::string position = ToString(operations::PositionOf(row));
  const std::string_view reason = ToString(row.reason);
  const std::string_view topic = operations::TopicOf(row).name();
  items.push_back({{"position", position}, {"reason", reason}, {"topic", topic}});
  if (session.json) return;
  session.console.PrintLine(
      fmt::format("{:<10}  dropped ({}); its record stays in {}", position, reason, topic));
}

}  // namespace

ExitCode RunParkedDrop(Session& session, const operations::ParkedDropOptions& options) {
  const Result<std::vector<operations::ParkedDropped>> dropped =
      operations::DropParked(session, options);
  if (!dropped) return session.console.SayError(dropped.error());
  Json items = Json::array();
  ExitCode worst = ExitCode::kFine;
  for (const operations::ParkedDropped& of : *dropped) {
    for (const operations::ShardParked& parked : of.rows) Tell(session, parked.row, items);
    for (const Error& failure : of.failures) {
      worst = std::max(worst, session.console.SayError(failure));
    }
    if (!of.has_more) continue;
    session.console.Say(fmt::format("the first {} of {} are dropped: run it again for the others",
                                    operations::kDropsAtOnceMax, ToString(*of.has_more)));
  }
  const bool nothing = options.positions.empty() && items.empty() &&
                       std::ranges::all_of(*dropped, &operations::ParkedDropped::is_read);
  if (session.json) {
    session.console.PrintLine(OneLine(Json{{"dropped", std::move(items)}}));
  } else if (nothing) {
    session.console.PrintLine("nothing is parked");
  }
  session.console.Flush();
  return worst;
}

}  // namespace fanfold
