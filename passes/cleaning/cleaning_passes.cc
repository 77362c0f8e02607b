#include "passes/cleaning/cleaning_passes.h"

#include <vector>

namespace xla {

absl::Span<const Pass> CleaningPasses() {
  static const auto* const passes = new std::vector<Pass>{};
  return *passes;
}

}  // namespace xla
