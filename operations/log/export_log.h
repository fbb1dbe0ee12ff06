// A whole log written to a file.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/result.h"
#include "operations/base/context.h"
#include "operations/log/line_file.h"
#include "operations/log/log_line.h"

namespace fanfold::operations {

struct ExportedLog {
  AllEnds totals;
  std::int64_t elapsed_ms = 0;
};

// Writes every topic as log_line.h has it, up to the ends at the start. The ends of outcomes are
// taken first, so each outcome's event is within. Nothing of `without` is written, whose account
// has to be erased: what stands in a record's place parks its event. `open` is called once the log
// is known to be there from its beginning. Errors: kRefused, a record is gone, so offsets could not
// be given again, or the account is not erased; kInternal, it was interrupted; kUnavailable, the
// log did not answer; those of the file. A file that was begun then lacks its totals, and no import
// takes it.
[[nodiscard]] Result<ExportedLog> ExportLog(Context& context, const OpenLineFile& open,
                                            std::optional<UserId> without = std::nullopt);

}  // namespace fanfold::operations
