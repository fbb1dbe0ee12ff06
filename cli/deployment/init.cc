#include "cli/deployment/init.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/inspect/checks_text.h"
#include "common/base/json_text.h"
#include "operations/init/init.h"

namespace fanfold {
namespace {

std::string ToJson(const operations::Backend& backend, const operations::Mending& mending) {
  nlohmann::json answer = nlohmann::json::parse(ChecksJson(mending.checks));
  answer["partitions"] = backend.partitions();
  answer["shards"] = backend.shards();
  answer["mended"] = mending.indexes.made;
  return OneLine(answer);
}

std::string ToText(const operations::Backend& backend, operations::Mending mending) {
  std::string text;
  for (const std::string& line : mending.indexes.made) text += line + '\n';
  const bool ready = ExitCodeOf(mending.checks) == ExitCode::kFine;
  std::erase_if(mending.checks,
                [](const operations::Check& check) { return check.findings.empty(); });
  text += ChecksText(mending.checks);
  if (!ready) return text + "not ready";
  return text +
         fmt::format("ready: {} partitions, {} shards", backend.partitions(), backend.shards());
}

}  // namespace

ExitCode RunInit(Session& session) {
  const Result<operations::Mending> mending = operations::Init(session);
  if (!mending) return session.console.SayError(mending.error());
  for (const std::string& line : mending->indexes.refused) session.console.Say(line);
  session.console.PrintLine(session.json ? ToJson(session.backend, *mending)
                                         : ToText(session.backend, *mending));
  session.console.Flush();
  return ExitCodeOf(mending->checks);
}

}  // namespace fanfold
