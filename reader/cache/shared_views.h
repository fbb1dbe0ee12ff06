// Asks the tables for the lists of several users at once: those who come while a statement runs
// share the next one.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "common/ports/projection_reader.h"

namespace fanfold {

// Thread-safe.
class SharedViews {
 public:
  // Of one statement.
  static constexpr std::size_t kUsersMax = 64;

  // As many statements a shard run at a time; requires: some.
  explicit SharedViews(int statements_max);

  // The lists as `reader`, the caller's own, or that of another caller tells them; `asked` as of
  // ProjectionReader::Lists. Blocks for at most two calls of a reader.
  [[nodiscard]] Result<WholeView> Ask(ProjectionReader& reader, Shard shard,
                                      const ReadGenerations& read, const WholeLists& asked,
                                      std::size_t rows_max);

  // How many no statement has been sent for yet.
  [[nodiscard]] std::size_t waiting() const;

 private:
  struct Asking {
    Shard shard;
    ReadGenerations read;
    WholeLists asked;
    std::size_t rows_max;
    bool taken = false;
    std::optional<Result<WholeView>> told;
  };
  [[nodiscard]] std::vector<Asking*> TakeWith(Asking& first);

  const int statements_max_;
  mutable std::mutex mutex_;
  std::condition_variable told_;
  std::map<Shard, int> running_;  // statements
  std::vector<Asking*> waiting_;  // in the order they came
};

}  // namespace fanfold
