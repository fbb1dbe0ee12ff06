#include "common/ports/outcome_cut.h"

#include "common/base/registry.h"

namespace fanfold {
namespace {

constexpr PerEntry<Stream, const OutcomeCut*> kCuts;

}  // namespace

const OutcomeCut* CutOf(Stream stream) noexcept { return kCuts[stream]; }

}  // namespace fanfold
