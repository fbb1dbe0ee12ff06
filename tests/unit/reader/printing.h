#pragma once

#include <ostream>

#include "common/relation/cursor.h"
#include "reader/suggestions.h"

namespace fanfold::reader {

inline void PrintTo(const ListedUser& listed, std::ostream* out) {
  *out << listed.user.value << "@" << listed.since_ms;
}

inline void PrintTo(const Suggestion& suggestion, std::ostream* out) {
  *out << suggestion.user.value << "*" << suggestion.score << " via";
  for (const UserId via : suggestion.via) *out << ' ' << via.value;
}

}  // namespace fanfold::reader
