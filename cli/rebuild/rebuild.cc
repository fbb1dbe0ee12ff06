#include "cli/rebuild/rebuild.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "cli/terminal/text_table.h"
#include "common/base/json_text.h"
#include "operations/base/text.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

ExitCode SayFailure(Session& session, const Error& error) {
  const ExitCode code = session.console.SayError(error);
  if (session.interrupt.WaitFor(0)) return ExitCode::kError;
  return error.code == ErrorCode::kTimeout ? ExitCode::kDifferent : code;
}

bool AskToPromote(Session& session, Projection projection, Generation generation) {
  return AskYes(session.console,
                fmt::format("Read {} from now on?", NameOf(projection, generation)),
                fmt::format("not promoted without --yes: `fanfold rebuild promote {}`",
                            ToString(projection)));
}

ExitCode ShowStatus(Session& session, operations::Generations& generations) {
  const auto known = generations.List();
  if (!known) return SayFailure(session, known.error());
  TextTable table({"PROJECTION", "GEN", "STATE", "READ", "DECIDES", "AS OF"});
  Json items = Json::array();
  for (const operations::KnownGeneration& generation : *known) {
    const std::string_view state = ToString(generation.state);
    const std::optional<std::int64_t>& until_ms = generation.until_ms;
    items.push_back({{"projection", ToString(generation.projection)},
                     {"generation", generation.generation.value},
                     {"state", state},
                     {"read", generation.is_read},
                     {"decides", generation.to_decide},
                     {"until_ms", until_ms ? Json(*until_ms) : Json()}});
    table.Add({std::string(ToString(generation.projection)),
               std::to_string(generation.generation.value), std::string(state),
               generation.is_read ? "yes" : "no", generation.to_decide ? "yes" : "no",
               until_ms ? operations::IsoTime(*until_ms) : "-"});
  }
  if (session.json) {
    session.console.PrintLine(OneLine(Json{{"generations", std::move(items)}}));
  } else {
    session.console.Print(table.Text());
  }
  session.console.Flush();
  return ExitCode::kFine;
}

}  // namespace

std::optional<std::vector<Projection>> ParseProjections(std::string_view text) {
  if (text == "all") return AllProjections();
  const std::optional<Projection> named = Projection::Find(text);
  if (!named) return std::nullopt;
  return std::vector{*named};
}

ExitCode RunRebuild(Session& session, const operations::RebuildOptions& options) {
  Result<operations::Generations> generations = operations::Generations::Open(session);
  if (!generations) return session.console.SayError(generations.error());
  if (options.step == operations::RebuildStep::kStatus) return ShowStatus(session, *generations);
  const auto may_promote = [&](Projection projection, Generation generation) {
    return AskToPromote(session, projection, generation);
  };
  const Result<operations::RebuildEnd> end =
      operations::Rebuild(session, options, *generations, may_promote);
  if (!end) return SayFailure(session, end.error());
  return *end == operations::RebuildEnd::kDone ? ExitCode::kFine : ExitCode::kDifferent;
}

}  // namespace fanfold
