#include "common/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace fanfold {

void CheckFailed(const char* file, int line, const char* condition, std::string_view values) {
  std::fprintf(stderr, "%s:%d: broken invariant: %s (%.*s)\n", file, line, condition,
               static_cast<int>(values.size()), values.data());
  std::fflush(stderr);
  std::abort();
}

}  // namespace fanfold
