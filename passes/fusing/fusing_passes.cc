#include "passes/fusing/fusing_passes.h"

#include <vector>

namespace xla {

absl::Span<const Pass> FusingPasses() {
  static const auto* const passes = new std::vector<Pass>{};
  return *passes;
}

}  // namespace xla
