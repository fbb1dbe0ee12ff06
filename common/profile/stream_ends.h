// Where partitions of event topics ended at one moment, as JSON in records and tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/stream/ids.h"
#include "common/stream/record_fields.h"
#include "common/stream/stream.h"

namespace fanfold {

// In the partitions' order. Empty of a stream that is not told.
using StreamEnds = PerEntry<Stream, std::vector<Offset>>;

// {"relation-events":[3,0,…]}
void AppendStreamEnds(std::string& out, const StreamEnds& ends);

// Reads the object `ends` of a record, where it has one.
[[nodiscard]] StreamEnds ReadStreamEnds(RecordFields& fields);

// As tables keep them.
[[nodiscard]] std::string EncodeStreamEnds(const StreamEnds& ends);
// Nothing: the text is none that was written so.
[[nodiscard]] std::optional<StreamEnds> DecodeStreamEnds(std::string_view text);

}  // namespace fanfold
