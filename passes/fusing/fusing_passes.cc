#include "passes/fusing/fusing_passes.h"

#include <vector>

#include "passes/fusing/fuse.h"
#include "passes/fusing/fuse_attention.h"

namespace xla {

absl::Span<const Pass> FusingPasses() {
  using Kind = PassOption::Kind;
  static const auto* const passes = new std::vector<Pass>{
      {"fuse",
       "joins operations into fusions that read and write memory once",
       &Fuse,
       {{"products", Kind::kBool, "true", "join epilogues and dequantized operands to dot, convolution, reduce-window"},
        {"rows", Kind::kBool, "true", "join reductions and the rows that they go over, as in softmax"},
        {"several-results", Kind::kBool, "true", "merge fusions that read the same values"},
        {"max-row-bytes", Kind::kInt, "262144", "a row that a fusion goes over again has at most this many bytes"},
        {"max-members", Kind::kInt, "128", "a fusion has at most this many instructions"}},
       "a simplified module: every operation that is left is computed",
       "what runs outside of fusions is what cannot be part of one, or is alone"},
      {"fuse-attention",
       "makes two products and the softmax between them one fusion, whose scores need not be written",
       &FuseAttention,
       {{"min-score-bytes", Kind::kInt, "268435456", "all scores together have at least this many bytes"},
        {"min-queries", Kind::kInt, "16", "at least this many follow each other with the same keys and values"},
        {"max-keys", Kind::kInt, "8192", "a row of scores has at most this many numbers"},
        {"max-features", Kind::kInt, "512", "a key, and a value, have at most this many numbers"},
        {"max-members", Kind::kInt, "64", "a fusion has at most this many instructions"}},
       "a simplified module before it is fused",
       "attention is a fusion with the two products in it"},
  };
  return *passes;
}

}  // namespace xla
