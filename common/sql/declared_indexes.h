// The indexes that the numbered migrations declare.
#pragma once

#include <span>
#include <vector>

#include "common/ports/environment.h"
#include "common/ports/projection_reader.h"
#include "common/sql/migration_plan.h"

namespace fanfold {

// Every primary key and index of the tables they create, by table and name; those of the first
// generation stand for the generations that are read. Understands the CREATE TABLE and CREATE INDEX
// of schemas/: lists of columns without lengths or orders.
[[nodiscard]] std::vector<TableIndex> DeclaredIndexes(std::span<const EmbeddedText> migrations,
                                                      const ReadGenerations& read);

}  // namespace fanfold
