#include "passes/precision/precision_passes.h"

#include <vector>

namespace xla {

absl::Span<const Pass> PrecisionPasses() {
  static const auto* const passes = new std::vector<Pass>{};
  return *passes;
}

}  // namespace xla
