// Questions to the rows of feed state of one shard. Adapters: MySQL, SQLite.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/ports/as.h"
#include "common/ports/inbox_store.h"
#include "common/ports/projection_reader.h"
#include "common/ports/row_image.h"

namespace fanfold {

namespace projections {
inline constexpr Projection kFeed = Projection::Find("feed").value();
}  // namespace projections

// A post that was shown to an owner. Its version is that of the first time: the owner's versions
// follow the order in which posts were shown.
struct ShownPost {
  UserId author;
  PostId post;
  Version version;
  friend bool operator==(const ShownPost&, const ShownPost&) = default;
};

struct ShownPage {
  std::vector<ShownPost> posts;  // latest first, each where it was shown first
  std::size_t rows = 0;          // that were looked at; fewer than asked for: there are no more
  Version last;                  // of the last of them; 0: none
};

// Thread-compatible. Errors and blocking bound: those of ProjectionReader.
class ShownReader : public RowReader {
 public:
  static constexpr std::size_t kRowsMax = ListReader::kPageMax;
  static constexpr std::size_t kPostsMax = ListReader::kPageMax;
  // Above every version there is.
  static constexpr Version kAboveAll{std::numeric_limits<std::int64_t>::max()};

  // Posts that were shown to the owner for the first time, by the owner's last `rows` ≤ kRowsMax
  // rows before that version: repeats and looks are rows, too. In one statement.
  [[nodiscard]] virtual Result<ShownPage> Page(Generation generation, UserId owner, Version before,
                                               std::size_t rows) = 0;
  // Says of each of these posts, by author and post, at most kPostsMax, whether it was shown to the
  // owner, at one moment.
  [[nodiscard]] virtual Result<std::vector<bool>> WereShown(Generation generation, UserId owner,
                                                            std::span<const RowKey> posts) = 0;
  // In one statement. Nothing: there is none.
  [[nodiscard]] virtual Result<std::optional<InboxView>> Inbox(const InboxQuestion& question) = 0;
};

// Asked through the reader's connection, which outlives it. Never null.
[[nodiscard]] inline std::unique_ptr<ShownReader> OpenShown(ProjectionReader& reader) {
  return As<ShownReader>(reader.OpenRows(projections::kFeed));
}

}  // namespace fanfold
