#include "passes/fusing/fusing_passes.h"

#include <vector>

#include "passes/fusing/fuse.h"
#include "passes/fusing/fuse_attention.h"

namespace xla {

absl::Span<const Pass> FusingPasses() {
  using Kind = PassOption::Kind;
  static const auto* const passes = new std::vector<Pass>{
      {"fuse",
       "Join operations into fusions, which read and write memory once",
       &Fuse,
       {{"products", Kind::kBool, "true", "join epilogues and dequantized operands to dot, convolution, reduce-window"},
        {"rows", Kind::kBool, "true", "join reductions with the rows that they reduce, as in softmax"},
        {"several-results", Kind::kBool, "true", "merge fusions that read the same values"},
        {"max-row-bytes", Kind::kInt, "262144", "largest row, in bytes, that a fusion may read more than once"},
        {"max-members", Kind::kInt, "128", "most instructions of a fusion"}},
       "a simplified module: every instruction left is computed",
       "an instruction outside of fusions cannot be part of one, or has nothing to be joined with"},
      {"fuse-attention",
       "Fuse two products and the softmax between them, so that the scores are not written to memory",
       &FuseAttention,
       {{"min-score-bytes", Kind::kInt, "268435456", "fewest bytes of all scores together"},
        {"min-queries", Kind::kInt, "16", "fewest queries in a row with the same keys and values"},
        {"max-keys", Kind::kInt, "8192", "longest row of scores"},
        {"max-features", Kind::kInt, "512", "most elements of a key, and of a value"},
        {"max-members", Kind::kInt, "64", "most instructions of a fusion"}},
       "a simplified module before it is fused",
       "attention is a fusion that contains its two products"},
  };
  return *passes;
}

}  // namespace xla
