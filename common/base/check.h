// Broken invariants stop the process, in release too. Input and network never trip one.
#pragma once

#include <string_view>

namespace fanfold {

[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              std::string_view values);

}  // namespace fanfold

// `values` is anything a std::string_view can be made of: say which values broke the invariant.
#define FANFOLD_CHECK(condition, values)                                \
  do {                                                                  \
    if (!(condition)) [[unlikely]] {                                    \
      ::fanfold::CheckFailed(__FILE__, __LINE__, #condition, (values)); \
    }                                                                   \
  } while (false)
