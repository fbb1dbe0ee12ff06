#include "cli/deployment/identity.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/terminal/text_table.h"
#include "common/base/json_text.h"
#include "operations/init/identity.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;
using operations::Identities;
using operations::Renewal;
using operations::ShardIdentity;

Json ToJson(const std::optional<DeploymentId>& id) { return id ? Json(id->text()) : Json(); }

std::string ToJson(const Identities& identities) {
  Json shards = Json::array();
  for (std::size_t shard = 0; shard < identities.shards.size(); ++shard) {
    const ShardIdentity& of = identities.shards[shard];
    Json item = {{"shard", shard}, {"problem", of.fits ? Json() : Json(of.fits.error().message)}};
    if (of.says) {
      item["deployment_id"] = of.says->deployment.text();
      item["renewed_from"] = ToJson(of.says->renewed_from);
      item["says_shard"] = of.says->shard.value;
      item["partitions"] = of.says->shape.partitions;
      item["shards"] = of.says->shape.shards;
    }
    shards.push_back(std::move(item));
  }
  return OneLine(Json{{"pinned", ToJson(identities.pinned)}, {"shards", std::move(shards)}});
}

std::string ToText(const Identities& identities) {
  TextTable table({"DSN", "DEPLOYMENT", "SHARD", "OF", "PARTITIONS", ""});
  for (std::size_t shard = 0; shard < identities.shards.size(); ++shard) {
    const auto& [says, fits] = identities.shards[shard];
    const std::string problem = fits ? "" : fits.error().message;
    if (says) {
      table.Add({std::to_string(shard), says->deployment.text(), std::to_string(says->shard.value),
                 std::to_string(says->shape.shards), std::to_string(says->shape.partitions),
                 problem});
    } else {
      table.Add({std::to_string(shard), "-", "-", "-", "-", problem});
    }
  }
  if (!identities.pinned) return table.Text();
  return table.Text() + "pinned by the configuration: " + identities.pinned->text() + '\n';
}

bool MayRenew(Session& session, const Renewal& renewal) {
  return AskYes(
      session.console,
      fmt::format("Give deployment {} the id {}?", renewal.from.text(), renewal.to.text()),
      "not renewed without --yes");
}

}  // namespace

ExitCode RunIdentityShow(Session& session) {
  const Result<Identities> identities = operations::LookAtIdentities(session);
  if (!identities) return session.console.SayError(identities.error());
  if (session.json) {
    session.console.PrintLine(ToJson(*identities));
  } else {
    session.console.Print(ToText(*identities));
  }
  session.console.Flush();
  const bool fit = std::ranges::all_of(identities->shards,
                                       [](const ShardIdentity& of) { return of.fits.has_value(); });
  return fit ? ExitCode::kFine : ExitCode::kDifferent;
}

ExitCode RunIdentityRenew(Session& session, const IdentityRenewOptions& options) {
  const Result<Renewal> renewal = operations::PlanRenewal(session);
  if (!renewal) return session.console.SayError(renewal.error());
  if (!options.yes && !MayRenew(session, *renewal)) return ExitCode::kRefused;
  const Status renewed = operations::Renew(session, *renewal);
  if (!renewed) return session.console.SayError(renewed.error());
  session.console.PrintLine(
      session.json
          ? OneLine(Json{{"from", renewal->from.text()}, {"deployment_id", renewal->to.text()}})
          : fmt::format("deployment {}, which was {}", renewal->to.text(), renewal->from.text()));
  session.console.Flush();
  return ExitCode::kFine;
}

}  // namespace fanfold
