// The reader of feed state over MemoryTables.
#pragma once

#include <vector>

#include "common/ports/shown_reader.h"
#include "tests/support/memory_store.h"

namespace fanfold::testing {

class MemoryShownReader final : public ShownReader {
 public:
  explicit MemoryShownReader(const MemoryTables& tables) : tables_(tables) {}
  [[nodiscard]] Result<ShownPage> Page(Generation generation, UserId owner, Version before,
                                       std::size_t rows) override;
  [[nodiscard]] Result<std::vector<bool>> WereShown(Generation generation, UserId owner,
                                                    std::span<const RowKey> posts) override;
  [[nodiscard]] Result<std::optional<InboxView>> Inbox(const InboxQuestion& question) override;

 private:
  // Those that are not forgotten, latest first.
  [[nodiscard]] std::vector<FeedRow> RowsOf(Generation generation, UserId owner) const;

  const MemoryTables& tables_;
};

// What was shown by these rows of an owner: latest first, each post once, by its first time.
[[nodiscard]] std::vector<ShownPost> ShownBy(const std::vector<FeedRow>& rows);

}  // namespace fanfold::testing
