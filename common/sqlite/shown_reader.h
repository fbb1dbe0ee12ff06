#pragma once

#include <memory>
#include <string>

#include "common/ports/shown_reader.h"
#include "common/sqlite/connection.h"

namespace fanfold::sqlite {

[[nodiscard]] std::unique_ptr<ShownReader> NewShownReader(Projection projection,
                                                          Connection& connection);

// Statements of the table of that name, for their plans.
// The rows of an owner, ?1, below version ?2, at most ?3; columns as TakeShown has them.
[[nodiscard]] std::string SelectShownText(const std::string& table);
// A row if the author's, ?2, post, ?3, was shown to an owner, ?1.
[[nodiscard]] std::string SelectWasShownText(const std::string& table);

}  // namespace fanfold::sqlite
