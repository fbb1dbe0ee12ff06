#include "common/ports/profile_erasure.h"

#include "common/base/check.h"
#include "common/ports/profile_reader.h"

namespace fanfold {

std::unique_ptr<ErasureStore> OpenErasures(LaneStore& store) {
  // They are of no generation.
  std::unique_ptr<RowStore> rows = store.OpenRows(projections::kProfiles, Generation(1));
  auto* erasures = dynamic_cast<ErasureStore*>(rows.get());
  FANFOLD_CHECK(erasures != nullptr, "this adapter keeps no erasures");
  (void)rows.release();
  return std::unique_ptr<ErasureStore>(erasures);
}

}  // namespace fanfold
