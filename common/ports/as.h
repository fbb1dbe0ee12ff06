// Rows of any projection as those of its kind.
#pragma once

#include <memory>

#include "common/base/check.h"

namespace fanfold {

// Requires: `rows` are a Kind.
template <class Kind, class Rows>
[[nodiscard]] const Kind& As(const Rows& rows) {
  const auto* kind = dynamic_cast<const Kind*>(&rows);
  FANFOLD_CHECK(kind != nullptr, "rows of another kind");
  return *kind;
}

template <class Kind, class Rows>
[[nodiscard]] std::unique_ptr<Kind> As(std::unique_ptr<Rows> rows) {
  FANFOLD_CHECK(rows != nullptr, "no rows");
  (void)As<Kind>(*rows);
  return std::unique_ptr<Kind>(static_cast<Kind*>(rows.release()));
}

}  // namespace fanfold
