#include "common/ports/outcome_cut.h"

#include "common/base/registry.h"
#include "common/post/post_outcome.h"

namespace fanfold {
namespace {

constexpr OutcomeCut kPostCut{
    .cut = CutPostOutcome, .lacks = LacksContentOf, .join = JoinPostOutcome};

constexpr auto kCuts = [] {
  PerEntry<Stream, const OutcomeCut*> cuts;
  cuts[streams::kPosts] = &kPostCut;
  return cuts;
}();

}  // namespace

const OutcomeCut* CutOf(Stream stream) noexcept { return kCuts[stream]; }

}  // namespace fanfold
