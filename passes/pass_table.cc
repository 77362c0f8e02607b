#include "passes/pass_table.h"

#include "absl/types/span.h"
#include "passes/algebra/algebra_passes.h"
#include "passes/cleaning/cleaning_passes.h"
#include "passes/collectives/collective_passes.h"
#include "passes/expanding/expanding_passes.h"
#include "passes/fusing/fusing_passes.h"
#include "passes/loops/loop_passes.h"
#include "passes/memory/memory_passes.h"
#include "passes/partitioning/partitioning_passes.h"
#include "passes/precision/precision_passes.h"

namespace xla {

const std::vector<const Pass*>& AllPasses() {
  static const auto* const passes = [] {
    auto* const all = new std::vector<const Pass*>;
    const absl::Span<const Pass> folders[] = {CleaningPasses(),  LoopPasses(),      AlgebraPasses(),
                                              ExpandingPasses(), PrecisionPasses(), CollectivePasses(),
                                              FusingPasses(),    MemoryPasses(),    PartitioningPasses()};
    for (const absl::Span<const Pass> folder : folders) {
      for (const Pass& pass : folder) all->push_back(&pass);
    }
    return all;
  }();
  return *passes;
}

const Pass* FindPass(absl::string_view name) {
  for (const Pass* pass : AllPasses()) {
    if (pass->name == name) return pass;
  }
  return nullptr;
}

}  // namespace xla
