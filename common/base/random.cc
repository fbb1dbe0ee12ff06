#include "common/base/random.h"

#include <sys/random.h>

#include "common/base/check.h"

namespace fanfold {

std::uint64_t RandomBits() {
  std::uint64_t bits = 0;
  const ssize_t got = getrandom(&bits, sizeof bits, 0);
  FANFOLD_CHECK(got == static_cast<ssize_t>(sizeof bits), "getrandom gave too few bytes");
  return bits;
}

}  // namespace fanfold
