// Records of user-events, and ends of streams as tables keep them: what is read is written, and
// read, the same.
#include <string>

#include "common/base/check.h"
#include "common/profile/profile_event.h"
#include "tests/fuzz/fuzz.h"

namespace fanfold {

const FuzzTarget kUserRecords("user_records", [](std::string_view input) {
  if (const auto event = DecodeProfileEvent(input)) {
    const std::string record = EncodeProfileEvent(*event);
    const auto again = DecodeProfileEvent(record);
    FANFOLD_CHECK(again && *again == *event && EncodeProfileEvent(*again) == record, record);
  }
  if (const auto ends = DecodeStreamEnds(input)) {
    const std::string text = EncodeStreamEnds(*ends);
    FANFOLD_CHECK(DecodeStreamEnds(text) == ends, text);
  }
});

}  // namespace fanfold
