#include "passes/fusing/fusing_passes.h"

#include <vector>

#include "passes/fusing/fuse.h"

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
  };
  return *passes;
}

}  // namespace xla
