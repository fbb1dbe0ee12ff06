// `fanfold verify`
#pragma once

#include <cstddef>
#include <cstdint>

#include "cli/session.h"

namespace fanfold {

struct VerifyOptions {
  std::size_t sample = 0;            // of so many users alone; 0: everything
  std::int64_t rows_per_second = 0;  // 0: as fast as it goes
};
inline constexpr std::size_t kSampleUsersMax = 100'000;

// kFine when the tables are what the topics say, kDifferent when not.
[[nodiscard]] ExitCode RunVerify(Session& session, const VerifyOptions& options);

}  // namespace fanfold
