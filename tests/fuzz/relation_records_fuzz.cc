// Records of relation-events and relation-outcomes: what is read is written, and read, the same;
// the short path and the general one agree.
#include <string>

#include "common/base/check.h"
#include "common/relation/canonical_form.h"
#include "common/relation/codec.h"
#include "common/relation/json_form.h"
#include "tests/fuzz/fuzz.h"

namespace fanfold {

const FuzzTarget kRelationRecords("relation_records", [](std::string_view input) {
  const auto event = EventFromJson(input);
  if (const auto canonical = EventFromCanonical(input)) {
    FANFOLD_CHECK(event && *event == *canonical, input);
  }
  if (event) {
    const std::string record = EncodeEvent(*event);
    const auto again = DecodeEvent(record);
    FANFOLD_CHECK(again && *again == *event && EncodeEvent(*again) == record, record);
  }

  const auto outcome = OutcomeFromJson(input);
  if (const auto canonical = OutcomeFromCanonical(input)) {
    FANFOLD_CHECK(outcome && *outcome == *canonical, input);
  }
  if (outcome) {
    const std::string record = EncodeOutcome(*outcome);
    const auto again = DecodeOutcome(record);
    FANFOLD_CHECK(again && *again == *outcome && EncodeOutcome(*again) == record, record);
  }
});

}  // namespace fanfold
