#include "passes/precision/precision_passes.h"

#include <vector>

#include "passes/precision/expand_total_order.h"
#include "passes/precision/normalize_narrow_floats.h"
#include "passes/precision/propagate_bf16.h"
#include "passes/precision/remove_float_normalization.h"
#include "passes/precision/upcast_integer_dots.h"
#include "passes/precision/widen_sub_byte.h"

namespace xla {

absl::Span<const Pass> PrecisionPasses() {
  using Kind = PassOption::Kind;
  static const auto* const passes = new std::vector<Pass>{
      {"expand-total-order", "write comparisons of floats in total order as comparisons of integers",
       &ExpandTotalOrder},
      {"normalize-narrow-floats",
       "compute with floats narrower than f32 in f32, rounding after each operation",
       &NormalizeNarrowFloats,
       {{"types", Kind::kList, "", "the types that are computed in f32: bf16+f16+..; none given: all"}}},
      {"widen-sub-byte", "compute with integers of less than a byte in bytes", &WidenSubByte},
      {"remove-float-normalization", "remove converts of floats to a wider type and back", &RemoveFloatNormalization},
      {"propagate-bf16",
       "round f32 arrays to bf16 earlier if all users round them in the end; with approximate fast math also in "
       "between",
       &PropagateBf16,
       {{"min-bytes", Kind::kInt, "0", "smaller arrays stay as they are"},
        {"products", Kind::kBool, "false", "round what dots and convolutions of default precision take"}}},
      {"upcast-integer-dots",
       "give integer dots and convolutions operands of the type of the sum",
       &UpcastIntegerDots,
       {{"min-bits", Kind::kInt, "32", "sums of fewer bits are made in this many"},
        {"sub-byte-only", Kind::kBool, "false", "leave alone what has bytes or more on all sides"}}},
  };
  return *passes;
}

}  // namespace xla
