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
      {"expand-total-order", "Expand comparisons of floats in total order to comparisons of integers",
       &ExpandTotalOrder},
      {"normalize-narrow-floats",
       "Compute with floats narrower than f32 in f32, rounding after each operation",
       &NormalizeNarrowFloats,
       {{"types", Kind::kList, "", "the types to compute in f32: bf16+f16+..; none given: all"}}},
      {"widen-sub-byte", "Compute with integers of less than a byte in bytes", &WidenSubByte},
      {"remove-float-normalization", "Remove converts of floats to a wider type and back", &RemoveFloatNormalization},
      {"propagate-bf16",
       "Round f32 arrays to bf16 earlier if all users round them in the end; with approximate fast math also in "
       "between",
       &PropagateBf16,
       {{"min-bytes", Kind::kInt, "0", "leave smaller arrays alone, in bytes"},
        {"products", Kind::kBool, "false", "round the operands of dots and convolutions of default precision"}}},
      {"upcast-integer-dots",
       "Convert the operands of integer dots and convolutions to the type of the sum",
       &UpcastIntegerDots,
       {{"min-bits", Kind::kInt, "32", "fewest bits to sum in"},
        {"sub-byte-only", Kind::kBool, "false", "leave alone what has no operand or result of less than a byte"}}},
  };
  return *passes;
}

}  // namespace xla
