// Finds the migrations that a database lacks, and compares its catalog with the one asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/embedded_text.h"
#include "common/stream/ids.h"
#include "common/stream/slot.h"

namespace fanfold {

// Files of schemas/, by their names without extension: "0001_lanes". Returns the files of `known`
// that are not among `applied`, in order. Throws kRefused when the database has had one that this
// build does not know.
[[nodiscard]] std::vector<EmbeddedText> MissingMigrations(std::span<const EmbeddedText> known,
                                                          std::set<std::string> applied);

// Whether the catalog has to be written: on shard 0 where there is none. Throws kRefused when the
// one there says other partitions or shards, or stands where `shard` is not 0.
[[nodiscard]] bool WantsCatalog(Shard shard, const std::optional<Shape>& there, const Shape& asked);

}  // namespace fanfold
