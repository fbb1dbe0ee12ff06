#include "common/profile/profile_row.h"

namespace fanfold {
namespace {

struct RowSaid {
  Version version;

  ProfileRow operator()(const ProfileSet& set) const { return {set.profile, false, version}; }
  ProfileRow operator()(const UserDeleted& deleted) const {
    return {std::nullopt, true, version, deleted.stays};
  }
  ProfileRow operator()(const UserRestored&) const { return {std::nullopt, false, version}; }
};

}  // namespace

AccountPhase AccountOf(const ProfileRow& row) noexcept {
  if (row.deleted) return row.stays ? AccountPhase::kEnded : AccountPhase::kDeleted;
  return row.profile ? AccountPhase::kTold : AccountPhase::kRestored;
}

ProfileRow RowSaidBy(const ProfileEvent& event, Version version) {
  return std::visit(RowSaid{version}, event.what);
}

ProfileRow Apply(ProfileRow row, const ProfileEvent& event, Version version) {
  if (version <= row.version) return row;
  ProfileRow said = RowSaidBy(event, version);
  const bool moves = row.version == Version(0) || Moves(AccountOf(row), AccountOf(said));
  return moves ? said : row;
}

}  // namespace fanfold
