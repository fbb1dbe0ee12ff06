#include "common/base/private_memory.h"

#include <sys/prctl.h>
#include <sys/resource.h>

namespace fanfold {

void KeepMemoryPrivate() noexcept {
  const rlimit none{0, 0};
  (void)setrlimit(RLIMIT_CORE, &none);
  (void)prctl(PR_SET_DUMPABLE, 0);
}

}  // namespace fanfold
