#include "operations/init/identity.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "common/ports/deployment_check.h"

namespace fanfold::operations {
namespace {

constexpr int kLooksMax = 8;
constexpr std::int64_t kLookAgainMs = 250;

// A session that has ended is listed for a moment more.
Status CheckNobodyIsAt(Context& context, Shard shard) {
  Result<std::int64_t> sessions = context.backend.SessionsOn(shard);
  for (int looks = 1; sessions && *sessions > 0 && looks < kLooksMax; ++looks) {
    if (context.interrupt.WaitFor(kLookAgainMs)) break;
    sessions = context.backend.SessionsOn(shard);
  }
  if (!sessions) return OfShard(shard, sessions.error());
  if (*sessions == 0) return {};
  return OfShard(shard, {ErrorCode::kRefused,
                         fmt::format("{} sessions are at its schema: stop projectors, readers and "
                                     "every other that uses it",
                                     *sessions)});
}

}  // namespace

Result<Identities> LookAtIdentities(Context& context) {
  const Shape configured = ShapeOf(context.backend);
  if (Status valid = CheckConfigured(configured); !valid) return Forward(valid);
  Identities identities{context.backend.pinned(), {}};
  std::optional<DeploymentId> known = identities.pinned;
  for (std::int32_t shard = 0; shard < configured.shards; ++shard) {
    Result<SchemaTraces> traces = context.backend.LookAtSchema(Shard(shard));
    if (!traces) {
      identities.shards.push_back({std::nullopt, std::unexpected(std::move(traces.error()))});
      continue;
    }
    Status fits = CheckIdentity(Shard(shard), configured, known, traces->identity);
    if (!known && traces->identity) known = traces->identity->deployment;
    identities.shards.push_back({std::move(traces->identity), std::move(fits)});
  }
  return identities;
}

Result<Renewal> RenewalOf(std::span<const SchemaIdentity> says,
                          const std::optional<DeploymentId>& pinned) {
  const SchemaIdentity& first = says.front();
  const auto other = std::ranges::find_if(says, [&](const SchemaIdentity& identity) {
    return identity.deployment != first.deployment;
  });
  if (other == says.end()) {
    if (pinned != first.deployment) {
      return Renewal{first.deployment, pinned ? *pinned : DeploymentId::Draw()};
    }
    return Fail(ErrorCode::kRefused,
                fmt::format("`deployment_id` pins {}: take it out of the configuration, or put the "
                            "id there that the copy is to have",
                            pinned->text()));
  }
  const bool first_is_renewed = first.renewed_from == other->deployment;
  const Renewal begun = first_is_renewed ? Renewal{other->deployment, first.deployment}
                                         : Renewal{first.deployment, other->deployment};
  const bool goes_on = std::ranges::all_of(says, [&](const SchemaIdentity& identity) {
    return identity.deployment == begun.from ||
           (identity.deployment == begun.to && identity.renewed_from == begun.from);
  });
  if (goes_on && pinned.value_or(begun.to) == begun.to) return begun;
  return Fail(ErrorCode::kRefused,
              fmt::format("the schemas are of several deployments: shard {} of {}, shard {} of {}; "
                          "correct `shards` or `deployment_id` of the configuration",
                          first.shard.value, first.deployment.text(), other->shard.value,
                          other->deployment.text()));
}

Result<Renewal> PlanRenewal(Context& context) {
  const Shape configured = ShapeOf(context.backend);
  if (Status valid = CheckConfigured(configured); !valid) return Forward(valid);
  std::vector<SchemaIdentity> says;
  for (std::int32_t s = 0; s < configured.shards; ++s) {
    const Shard shard(s);
    if (Status alone = CheckNobodyIsAt(context, shard); !alone) return Forward(alone);
    Result<SchemaTraces> traces = context.backend.LookAtSchema(shard);
    if (!traces) return OfShard(shard, traces.error());
    const Status fits = CheckIdentity(shard, configured, std::nullopt, traces->identity);
    if (!fits) return OfShard(shard, fits.error());
    says.push_back(*std::move(traces->identity));
  }
  return RenewalOf(says, context.backend.pinned());
}

Status Renew(Context& context, const Renewal& renewal) {
  for (std::int32_t s = 0; s < context.backend.shards(); ++s) {
    const Shard shard(s);
    const Result<SchemaTraces> traces = context.backend.LookAtSchema(shard);
    if (!traces) return OfShard(shard, traces.error());
    if (traces->identity && traces->identity->deployment == renewal.to) continue;
    const Status renewed = context.backend.RenewIdentity(shard, renewal.from, renewal.to);
    if (!renewed) return OfShard(shard, renewed.error());
  }
  return {};
}

}  // namespace fanfold::operations
