#include "cli/inspect/doctor.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/inspect/checks_text.h"
#include "common/base/json_text.h"
#include "operations/doctor/doctor.h"
#include "operations/init/mending.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

struct Fixing {
  std::vector<operations::MissingIndex> found;
  operations::IndexesMade indexes;
};

bool MayFix(Session& session, const DoctorOptions& options, const Fixing& fixing) {
  for (const operations::MissingIndex& missing : fixing.found) {
    session.console.Say(fmt::format("shard {}: {};", missing.shard.value, missing.statement));
  }
  return options.yes || AskYes(session.console, "Run this?", "not run without --yes");
}

Fixing Fix(Session& session, const DoctorOptions& options) {
  Fixing fixing{operations::FindMissingIndexes(session), {}};
  if (fixing.found.empty() || !MayFix(session, options, fixing)) return fixing;
  fixing.indexes = operations::MakeIndexes(session, fixing.found);
  for (const std::string& line : fixing.indexes.refused) session.console.Say(line);
  return fixing;
}

std::string ToJson(const std::vector<operations::Check>& checks, const Fixing& fixing) {
  Json json = Json::parse(ChecksJson(checks));
  Json statements = Json::array();
  for (const operations::MissingIndex& missing : fixing.found) {
    statements.push_back({{"shard", missing.shard.value}, {"sql", missing.statement}});
  }
  json["fixes"] = std::move(statements);
  json["fixed"] = fixing.indexes.made;
  return OneLine(json);
}

}  // namespace

ExitCode RunDoctor(Session& session, const DoctorOptions& options) {
  const Fixing fixing = options.fix ? Fix(session, options) : Fixing();
  std::vector<operations::Check> checks = operations::Examine(session);
  for (operations::Check& check : checks) {
    for (operations::Finding& finding : check.findings) {
      finding.advice = Pasteable(finding.advice, session.calls);
    }
  }
  if (session.json) {
    session.console.PrintLine(options.fix ? ToJson(checks, fixing) : ChecksJson(checks));
  } else {
    for (const std::string& line : fixing.indexes.made) session.console.PrintLine(line);
    session.console.Print(ChecksText(checks));
  }
  session.console.Flush();
  return ExitCodeOf(checks);
}

}  // namespace fanfold
