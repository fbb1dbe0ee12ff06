// The files of schemas/mysql, embedded when the library is built.
#pragma once

#include <span>

#include "common/sql/migration_plan.h"

namespace fanfold::mysql {

// By name, which begins with the number.
[[nodiscard]] std::span<const EmbeddedText> MigrationTexts() noexcept;

}  // namespace fanfold::mysql
