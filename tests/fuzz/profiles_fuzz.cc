// The body of PUT /v1/users/{id}/profile: it is kept as it was told, and its event fits a record.
#include <string>

#include "common/base/check.h"
#include "common/profile/profile_event.h"
#include "tests/fuzz/fuzz.h"

namespace fanfold {

const FuzzTarget kProfiles("profiles", [](std::string_view input) {
  const Result<Profile> profile = ParseProfile(input);
  if (!profile) return;
  std::string text;
  AppendProfile(text, *profile);
  const Result<Profile> again = ParseProfile(text);
  FANFOLD_CHECK(again && *again == *profile, text);

  const ProfileEvent event{"id", UserId(kUserIdMax), 1, ProfileSet{*profile}};
  const std::string record = EncodeProfileEvent(event);
  const auto read = DecodeProfileEvent(record);
  FANFOLD_CHECK(read && *read == event, record);
});

}  // namespace fanfold
