// How it reads in a test's output why a record cannot be read.
#pragma once

#include <ostream>

#include "common/stream/parking.h"

namespace fanfold {

inline std::ostream& operator<<(std::ostream& out, const Unreadable& unreadable) {
  return out << ToString(unreadable.reason) << ": " << unreadable.detail;
}

}  // namespace fanfold
