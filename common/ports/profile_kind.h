// Profiles as a kind of rows. Their content is a digest of the document.
#pragma once

#include "common/ports/row_kinds.h"
#include "common/profile/profile_row.h"

namespace fanfold {

[[nodiscard]] RowState StateOf(const ProfileRow& row);

// A difference that profiles alone have.
inline constexpr DifferenceKind kWrongDocument{"wrong_document"};

extern const RowKind kProfileRows;

}  // namespace fanfold
