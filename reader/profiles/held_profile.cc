#include "reader/profiles/held_profile.h"

namespace fanfold::reader {

std::string_view JsonOf(Erase erase) {
  switch (erase) {
    case Erase::kRunning:
      return R"("running")";
    case Erase::kDone:
      return R"("done")";
    case Erase::kUnknown:
    case Erase::kNone:
      break;
  }
  return "null";
}

HeldProfile HeldProfile::Of(const ProfileRow& row) {
  HeldProfile held;
  held.deleted = row.deleted;
  held.account = AccountOf(row);
  held.version = row.version;
  if (row.deleted) held.last_deletion = row.version;
  if (!row.profile) return held;
  held.json.clear();
  AppendProfile(held.json, *row.profile);
  held.json.shrink_to_fit();
  return held;
}

}  // namespace fanfold::reader
