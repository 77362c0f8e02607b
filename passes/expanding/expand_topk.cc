#include "passes/expanding/expand_topk.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "passes/base/rewrite_rule.h"

namespace xla {
namespace {

// (a T[], b T[], i s32[], j s32[]) -> whether a goes before b.
HloComputation* BetterFirst(PrimitiveType type, bool largest, InstructionBuilder& build) {
  HloComputation* const comparator =
      NewComputation(build.module(), absl::StrCat(largest ? "larger_" : "smaller_", PrimitiveTypeName(type)));
  InstructionBuilder inside(comparator, build.origin());
  HloInstruction* const a = inside.Parameter(0, Shape::Scalar(type));
  HloInstruction* const b = inside.Parameter(1, Shape::Scalar(type));
  inside.Parameter(2, Shape::Scalar(S32));
  inside.Parameter(3, Shape::Scalar(S32));
  comparator->set_root(inside.CompareAs(largest ? ComparisonDirection::kGt : ComparisonDirection::kLt,
                                        IsFloat(type) ? ComparisonType::kTotalOrder : DefaultComparisonType(type), a,
                                        b));
  build.UpdateStatus(inside.status());
  return comparator;
}

HloInstruction* SortAndCut(HloInstruction* topk, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const TopKAttributes& attributes = topk->attributes<TopKAttributes>();
  HloInstruction* const x = topk->operand(0);
  const int64_t last = x->shape().rank() - 1;
  HloInstruction* const positions = build.Iota(Shape::Array(S32, x->shape().dimensions()), last);
  HloInstruction* const sorted = build.Sort({x, positions}, last, /*is_stable=*/true,
                                            BetterFirst(x->shape().element_type(), attributes.largest, build));
  const auto cut = [&](int64_t i) { return build.SliceInDim(build.GetTupleElement(sorted, i), last, 0, attributes.k); };
  HloInstruction* const values = cut(0);
  return build.Tuple({values, cut(1)});
}

}  // namespace

absl::StatusOr<bool> ExpandTopK(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {
      "topk-by-sort", "topk(x), k=K => slice of sort(x, iota), best first, stable", {HloOpcode::kTopK}, &SortAndCut};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
