// The catalog as a row of it beside each generation that is read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/ports/inbox_store.h"
#include "common/ports/projection_reader.h"

namespace fanfold {

inline constexpr const char* kCatalogColumns =
    "c.partitions, c.shards, c.slot_map, r.projection, r.generation, c.log_id";
inline constexpr int kCatalogColumnCount = 6;
inline constexpr std::size_t kLogIdBytesMax = 255;

// Beside the projections: which inboxes are read; below 0 none are, and those were the last.
inline constexpr std::string_view kInboxesRead = "inboxes";
[[nodiscard]] constexpr InboxMode ModeOf(std::int32_t number) noexcept {
  return {Generation(number < 0 ? -number : number), number > 0};
}

// Keeps what the previous release reads in step, after `catalog_reads` has changed.
inline constexpr const char* kCatalogOfBefore =
    "UPDATE catalog SET following_generation = COALESCE((SELECT generation FROM catalog_reads "
    "WHERE "
    "projection = 'following'), 1), fans_generation = COALESCE((SELECT generation FROM "
    "catalog_reads WHERE projection = 'fans'), 1) WHERE id = 1";

// Takes one row; a projection that this build does not know is a later one's.
template <class Row>
void TakeCatalogRow(const Row& row, std::optional<Catalog>& catalog) {
  if (!catalog) {
    catalog = Catalog{{}, {row.I32(0), row.I32(1)}, SlotMapId(row.I32(2))};
    if (!row.IsNull(5)) catalog->log = row.Text(5);
  }
  if (row.IsNull(3)) return;
  const std::string name = row.Text(3);
  if (const auto projection = Projection::Find(name)) {
    catalog->read[*projection] = Generation(row.I32(4));
  }
  if (name != kInboxesRead) return;
  if (const InboxMode mode = ModeOf(row.I32(4)); mode.is_on) catalog->inboxes = mode.last;
}

}  // namespace fanfold
