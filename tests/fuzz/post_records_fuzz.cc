// Records of post-events and post-outcomes: what is read is written, and read, the same, also by
// the general way, which a blank in front leads to; what is cut and joined with its event is whole
// again.
#include <string>

#include "common/base/check.h"
#include "common/post/post_row.h"
#include "tests/fuzz/fuzz.h"

namespace fanfold {

const FuzzTarget kPostRecords("post_records", [](std::string_view input) {
  if (const auto event = DecodePostEvent(input)) {
    const std::string record = EncodePostEvent(*event);
    const auto again = DecodePostEvent(record);
    FANFOLD_CHECK(again && *again == *event && EncodePostEvent(*again) == record, record);
    const auto general = DecodePostEvent(' ' + record);
    FANFOLD_CHECK(general && *general == *event, record);
    const std::string whole = EncodePostOutcome(Decide({}, *event, {Partition(3), Offset(9)}));
    FANFOLD_CHECK(!LacksContentOf(whole), whole);
    FANFOLD_CHECK(JoinPostOutcome(CutPostOutcome(whole), input) == whole, whole);
  }
  if (const auto outcome = DecodePostOutcome(input)) {
    const std::string record = EncodePostOutcome(*outcome);
    const auto again = DecodePostOutcome(record);
    FANFOLD_CHECK(again && *again == *outcome && EncodePostOutcome(*again) == record, record);
    const auto general = DecodePostOutcome(' ' + record);
    FANFOLD_CHECK(general && *general == *outcome, record);
  }
});

}  // namespace fanfold
