// The body of POST /v1/events: what the writer takes, the projector reads.
#include <string>

#include "common/base/check.h"
#include "common/relation/codec.h"
#include "tests/fuzz/fuzz.h"
#include "writer/batch_parser.h"

namespace fanfold {

const FuzzTarget kEventBatches("event_batches", [](std::string_view input) {
  const auto commands = writer::ParseBatch(input);
  if (!commands) return;
  FANFOLD_CHECK(!commands->empty(), input);
  for (const writer::ParsedCommand& command : *commands) {
    if (!command) continue;
    const Event event{"id",
                      command->type,
                      command->subject,
                      command->object,
                      command->at_ms.value_or(0),
                      command->by,
                      command->if_version,
                      command->replay_of,
                      {}};
    const std::string record = EncodeEvent(event);
    const auto read = DecodeEvent(record);
    FANFOLD_CHECK(read && *read == event, record);
  }
});

}  // namespace fanfold
