#include "passes/expanding/expanding_passes.h"

#include <vector>

#include "passes/expanding/expand_batch_norm.h"
#include "passes/expanding/expand_map.h"
#include "passes/expanding/expand_rng_bit_generator.h"
#include "passes/expanding/expand_topk.h"

namespace xla {

absl::Span<const Pass> ExpandingPasses() {
  using Kind = PassOption::Kind;
  static const auto* const passes = new std::vector<Pass>{
      {"expand-batch-norm",
       "write batch normalisation as sums and elementwise operations",
       &ExpandBatchNorm,
       {{"arithmetic", Kind::kText, "f64",
         "the type that is computed in: f64, which is exact but for the order of sums, or f32"}}},
      {"expand-map", "write map as operations on whole arrays", &ExpandMap},
      {"expand-topk", "write topk as a stable sort and slices", &ExpandTopK},
      {"expand-rng-bit-generator", "write Threefry and Philox as integer operations", &ExpandRngBitGenerator},
  };
  return *passes;
}

}  // namespace xla
