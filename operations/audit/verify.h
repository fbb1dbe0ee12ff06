// Whether the tables are what the topics say.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/base/result.h"
#include "operations/base/context.h"
#include "projector/audit/verifier.h"

namespace fanfold::operations {

struct VerifyOptions {
  std::size_t sample = 0;            // of so many users alone; 0: everything
  std::int64_t rows_per_second = 0;  // 0: as fast as it goes
};
inline constexpr std::size_t kSampleUsersMax = 100'000;

// Returns what differs, and how much. Errors: OpenAudited's, Verifier's. Blocks as long as it
// takes.
[[nodiscard]] Result<projector::VerifyReport> Verify(Context& context,
                                                     const VerifyOptions& options);

}  // namespace fanfold::operations
