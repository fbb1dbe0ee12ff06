#include "cli/inspect/erase.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/terminal/text_table.h"
#include "common/base/json_text.h"
#include "operations/erase/remains.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;
using operations::AccountState;

std::string_view StateText(AccountState state) {
  switch (state) {
    case AccountState::kLives:
      return "lives";
    case AccountState::kErasing:
      return "erasing";
    case AccountState::kErased:
      return "erased";
  }
  return "lives";
}

std::string AdviceFor(const operations::Remains& remains) {
  switch (remains.account) {
    case AccountState::kLives:
      return fmt::format(
          "The account was not deleted, or lives again: DELETE /v1/users/{} ends it.\n",
          remains.user.value);
    case AccountState::kErasing:
      return "Its relations and posts, and what was shown to it, are being ended: `fanfold status` "
             "tells what keeps it waiting.\n";
    case AccountState::kErased:
      break;
  }
  return fmt::format(
      "Topics are kept for ever. Without these records the log is written anew, into a deployment\n"
      "of its own; stop the writers and `fanfold wait` first:\n"
      "  fanfold export --log FILE --without {}\n"
      "  fanfold init --config NEW\n"
      "  fanfold import --log FILE --config NEW\n"
      "Then drop the old topics and schemas, their backups, and FILE.\n",
      remains.user.value);
}

std::string Text(const operations::Remains& remains) {
  TextTable table({"TOPIC", "RECORDS", "FIRST", "LAST"});
  const auto shown = [](const std::optional<Position>& position) {
    return position ? ToString(*position) : std::string("-");
  };
  for (const Topic topic : Topic::All()) {
    const operations::Named& named = remains.topics[topic];
    table.Add({std::string(topic.name()), std::to_string(named.records), shown(named.first),
               shown(named.last)});
  }
  return fmt::format("user {}: {}, follows {}, {} fans\n\n{}\n{}", remains.user.value,
                     StateText(remains.account), remains.following, remains.fans, table.Text(),
                     AdviceFor(remains));
}

std::string JsonOf(const operations::Remains& remains) {
  const auto shown = [](const std::optional<Position>& position) {
    return position ? Json(ToString(*position)) : Json();
  };
  Json topics = Json::array();
  for (const Topic topic : Topic::All()) {
    const operations::Named& named = remains.topics[topic];
    topics.push_back({{"topic", topic.name()},
                      {"records", named.records},
                      {"first", shown(named.first)},
                      {"last", shown(named.last)}});
  }
  return OneLine(Json{{"user_id", ToString(remains.user)},
                      {"account", StateText(remains.account)},
                      {"following", remains.following},
                      {"fans", remains.fans},
                      {"topics", std::move(topics)}});
}

}  // namespace

ExitCode RunErase(Session& session, const EraseOptions& options) {
  const Result<operations::Remains> remains = operations::FindRemains(session, options.user);
  if (!remains) return session.console.SayError(remains.error());
  if (session.json) {
    session.console.PrintLine(JsonOf(*remains));
  } else {
    session.console.Print(Text(*remains));
  }
  session.console.Flush();
  return ExitCode::kFine;
}

}  // namespace fanfold
