// Adds profiles to users in answers: from memory, else from the tables.
#pragma once

#include <string>
#include <vector>

#include "reader/expansion.h"
#include "reader/profiles/profile_cache.h"

namespace fanfold::reader {

// `"profile":…`, or all that is told of an account.
class ProfileExpansion final : public Expansion {
 public:
  // `cache` outlives this.
  ProfileExpansion(ProfileCache& cache, Tells tells) : cache_(cache), tells_(tells) {}

  [[nodiscard]] Projection projection() const override { return projections::kProfiles; }
  [[nodiscard]] const ReaderPosition& position() const override { return cache_; }
  [[nodiscard]] Result<ExpandedUsers> Of(std::span<const UserId> users,
                                         const Deployment& deployment,
                                         const ExpandFrom& from) const override;

 private:
  [[nodiscard]] std::string MembersOf(const HeldProfile& profile) const;

  ProfileCache& cache_;
  const Tells tells_;
};

}  // namespace fanfold::reader
