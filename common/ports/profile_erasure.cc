#include "common/ports/profile_erasure.h"

#include "common/ports/as.h"
#include "common/ports/profile_reader.h"

namespace fanfold {

std::unique_ptr<ErasureStore> OpenErasures(LaneStore& store) {
  // They are of no generation.
  return As<ErasureStore>(store.OpenRows(projections::kProfiles, Generation(1)));
}

}  // namespace fanfold
