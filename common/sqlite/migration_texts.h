// The files of schemas/sqlite, embedded when the library is built.
#pragma once

#include <span>

#include "common/sql/migration_plan.h"

namespace fanfold::sqlite {

// By name, which begins with the number.
[[nodiscard]] std::span<const EmbeddedText> MigrationTexts() noexcept;

}  // namespace fanfold::sqlite
