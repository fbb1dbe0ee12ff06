#include "reader/profiles/profile_expansion.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <unordered_map>
#include <utility>

namespace fanfold::reader {
namespace {

// Those of whom nothing is known yet: by shard, each once.
std::map<Shard, std::vector<UserId>> Missing(std::span<const UserId> users,
                                             std::span<const std::optional<HeldProfile>> found,
                                             const Placement& placement) {
  std::map<Shard, std::vector<UserId>> missing;
  for (std::size_t i = 0; i < users.size(); ++i) {
    if (!found[i]) missing[placement.ShardOf(users[i])].push_back(users[i]);
  }
  for (auto& [shard, asked] : missing) {
    std::ranges::sort(asked);
    const auto repeats = std::ranges::unique(asked);
    asked.erase(repeats.begin(), repeats.end());
  }
  return missing;
}

}  // namespace

Result<ExpandedUsers> ProfileExpansion::Of(std::span<const UserId> users,
                                           const Deployment& deployment,
                                           const ExpandFrom& from) const {
  const Generation generation = deployment.read[projections::kProfiles];
  auto found = from.memory ? cache_.Find(generation, users, tells_)
                           : std::vector<std::optional<HeldProfile>>(users.size());
  const auto missing = Missing(users, found, deployment.placement);
  if (!missing.empty() && from.tables == nullptr) {
    return Fail(ErrorCode::kUnavailable, "not all profiles are in memory");
  }
  ExpandedUsers expanded;
  std::unordered_map<UserId, HeldProfile> asked_for;
  for (const auto& [shard, asked] : missing) {
    const Result<ProjectionReader*> reader = from.tables->On(shard);
    if (!reader) return std::unexpected(reader.error());
    const ProfileCache::Ticket ticket = cache_.NewTicket(shard, generation);
    const Result<ProfileView> view = OpenProfiles(**reader)->Read(generation, asked);
    if (!view) return std::unexpected(view.error());
    ProfileCache::Brought brought = cache_.Install(ticket, asked, *view, tells_);
    expanded.as_tables_are = expanded.as_tables_are || brought.as_tables_are;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      asked_for.emplace(asked[i], std::move(brought.rows[i]));
    }
  }
  for (std::size_t i = 0; i < users.size(); ++i) {
    expanded.members.push_back(MembersOf(found[i] ? *found[i] : asked_for.at(users[i])));
  }
  return expanded;
}

std::string ProfileExpansion::MembersOf(const HeldProfile& profile) const {
  switch (tells_) {
    case Tells::kProfile:
      return R"("profile":)" + profile.json;
    case Tells::kAccount:
      break;
  }
  return fmt::format(R"("profile":{},"deleted":{},"erase":{})", profile.json, profile.deleted,
                     JsonOf(profile.erase));
}

}  // namespace fanfold::reader
