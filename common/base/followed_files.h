// Files that are taken again when they change.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/metrics.h"
#include "common/base/result.h"

namespace fanfold {

// Files of one content, as a certificate and its key are: unusable content changes nothing.
// Thread-compatible.
class FollowedFiles {
 public:
  // Given what they hold, in their order. Errors: it cannot be used.
  using Take = std::function<Status(std::span<const std::string> texts)>;

  FollowedFiles(std::vector<std::string> paths, std::size_t bytes_max, Take take)
      : paths_(std::move(paths)), bytes_max_(bytes_max), take_(std::move(take)) {}

  // Has what they hold taken, unless it is what was taken last. Errors: kInvalidArgument, one
  // cannot be read or is larger than bytes_max, or what `take` said; the message names the files.
  [[nodiscard]] Status Look();
  // The same, false for an error; of what is wrong the log says so once, and the gauge shows 1 for
  // as long.
  bool LookAgain(Gauge* broken = nullptr);

  // The files' present content, in their order. Errors: kInvalidArgument, as of Look. Thread-safe.
  [[nodiscard]] Result<std::vector<std::string>> Read() const;
  [[nodiscard]] static std::size_t HashOf(std::span<const std::string> texts);

 private:
  [[nodiscard]] std::string Names() const;

  const std::vector<std::string> paths_;
  const std::size_t bytes_max_;
  const Take take_;
  std::optional<std::size_t> taken_;  // a hash: some hold secrets
  std::string told_;                  // what was last said to be wrong
};

}  // namespace fanfold
