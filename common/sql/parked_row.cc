#include "common/sql/parked_row.h"

#include <fmt/format.h>
#include <optional>

#include "common/relation/event.h"
#include "common/sql/failure.h"

namespace fanfold {

ParkReason ParkReasonNamed(std::string_view name) {
  const std::optional<ParkReason> known = ParseParkReason(name);
  if (known) return *known;
  throw Failure(ErrorCode::kRefused,
                fmt::format("the tables hold '{}', which this build does not know", name));
}

}  // namespace fanfold
