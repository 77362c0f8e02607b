#include "passes/expanding/expand_topk.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/ops/approx_topk.h"

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

// The first k columns of x and of their positions, best first.
HloInstruction* SortAndCut(HloInstruction* x, int64_t k, HloComputation* comparator, InstructionBuilder& build) {
  const int64_t last = x->shape().rank() - 1;
  HloInstruction* const positions = build.Iota(Shape::Array(S32, x->shape().dimensions()), last);
  HloInstruction* const sorted = build.Sort({x, positions}, last, /*is_stable=*/true, comparator);
  const auto cut = [&](int64_t i) { return build.SliceInDim(build.GetTupleElement(sorted, i), last, 0, k); };
  HloInstruction* const values = cut(0);
  return build.Tuple({values, cut(1)});
}
HloInstruction* SortAndCut(HloInstruction* x, int64_t k, bool largest, InstructionBuilder& build) {
  return SortAndCut(x, k, BetterFirst(x->shape().element_type(), largest, build), build);
}

HloInstruction* ExpandOperation(HloInstruction* topk, const RuleContext& context) {
  const TopKAttributes& attributes = topk->attributes<TopKAttributes>();
  return SortAndCut(topk->operand(0), attributes.k, attributes.largest, context.build);
}

// Whether the comparator of a custom call puts greater elements first; nullopt if it does not say so plainly.
absl::optional<bool> GreaterFirst(const HloInstruction& call) {
  if (call.called_computations().empty()) return true;
  const HloInstruction* const root = call.called_computation(0)->root();
  if (root->opcode() != HloOpcode::kCompare) return absl::nullopt;
  const auto is_parameter = [&](int i, int64_t number) {
    const HloInstruction* const operand = root->operand(i);
    return operand->opcode() == HloOpcode::kParameter && operand->attributes<ParameterAttributes>().number == number;
  };
  const bool straight = is_parameter(0, 0) && is_parameter(1, 1);
  if (!straight && !(is_parameter(0, 1) && is_parameter(1, 0))) return absl::nullopt;
  switch (root->attributes<CompareAttributes>().direction) {
    case ComparisonDirection::kGt:
    case ComparisonDirection::kGe:
      return straight;
    case ComparisonDirection::kLt:
    case ComparisonDirection::kLe:
      return !straight;
    default:
      return absl::nullopt;
  }
}

// k of the custom call TopK; nullopt if operand and result are not as they should be.
absl::optional<int64_t> BestOf(const HloInstruction& call) {
  const Shape& x = call.operand(0)->shape();
  if (!x.IsArray() || x.rank() == 0 || IsComplex(x.element_type()) ||
      x.dimension(x.rank() - 1) > std::numeric_limits<int32_t>::max() || !call.shape().IsTuple() ||
      call.shape().tuple_size() != 2 || call.shape().tuple_shape(0).rank() != x.rank()) {
    return absl::nullopt;
  }
  const int64_t k = call.shape().tuple_shape(0).dimension(x.rank() - 1);
  Shape values = x.WithoutLayout();
  values.set_dimension(x.rank() - 1, k);
  Shape positions = values;
  positions.set_element_type(S32);
  if (k > x.dimension(x.rank() - 1) || !call.shape().Compatible(Shape::Tuple({values, positions}))) {
    return absl::nullopt;
  }
  return k;
}

// The custom call TopK, which frameworks write for the same.
HloInstruction* ExpandCustomCall(HloInstruction* call, const RuleContext& context) {
  if (call->attributes<CustomCallAttributes>().custom_call_target != "TopK" || call->operand_count() != 1) {
    return nullptr;
  }
  const absl::optional<bool> largest = GreaterFirst(*call);
  const absl::optional<int64_t> k = BestOf(*call);
  if (!largest.has_value() || !k.has_value()) return nullptr;
  return SortAndCut(call->operand(0), *k, *largest, context.build);
}

bool HasDynamicOperand(const HloInstruction& call) {
  const auto operands = call.operands();
  return std::any_of(operands.begin(), operands.end(), [](const auto* x) { return x->shape().IsDynamic(); });
}

// The custom call TopK with a comparator that is not plainly one of topk's, of elements and their positions.
HloInstruction* ExpandCallWithComparator(HloInstruction* call, const RuleContext& context) {
  if (call->attributes<CustomCallAttributes>().custom_call_target != "TopK" || call->operand_count() != 1 ||
      HasDynamicOperand(*call) || GreaterFirst(*call).has_value()) {
    return nullptr;
  }
  const Shape& x = call->operand(0)->shape();
  const absl::optional<int64_t> k = BestOf(*call);
  HloComputation* const comparator = call->called_computation(0);
  const std::vector<Shape> parameters = {Shape::Scalar(x.element_type()), Shape::Scalar(x.element_type()),
                                         Shape::Scalar(S32), Shape::Scalar(S32)};
  if (!k.has_value() || comparator->parameter_count() != 4 || !comparator->root()->shape().IsScalarOf(PRED)) {
    return nullptr;
  }
  for (int i = 0; i < 4; ++i) {
    if (!comparator->parameters()[i]->shape().Compatible(parameters[i])) return nullptr;
  }
  return SortAndCut(call->operand(0), *k, comparator, context.build);
}

// The custom call ApproxTopK, whose comparator sorts all arrays; the initial values are not needed.
HloInstruction* ExpandApproxCall(HloInstruction* call, const RuleContext& context) {
  if (call->attributes<CustomCallAttributes>().custom_call_target != "ApproxTopK" || HasDynamicOperand(*call)) {
    return nullptr;
  }
  const absl::StatusOr<ApproxTopK> read = ReadApproxTopK(*call);
  if (!read.ok()) return nullptr;
  const std::vector<HloInstruction*> arrays(call->operands().begin(), call->operands().begin() + read->operand_count);
  InstructionBuilder& build = context.build;
  HloInstruction* const sorted =
      build.Sort(arrays, read->dimension, /*is_stable=*/true, call->called_computation(0));
  std::vector<HloInstruction*> best;
  for (int i = 0; i < read->operand_count; ++i) {
    HloInstruction* const line = arrays.size() == 1 ? sorted : build.GetTupleElement(sorted, i);
    best.push_back(build.SliceInDim(line, read->dimension, 0, read->kept));
  }
  return call->shape().IsTuple() ? build.Tuple(best) : best[0];
}

}  // namespace

absl::StatusOr<bool> ExpandTopK(HloModule& module, PassContext& context) {
  static const RewriteRule kOperation = {"topk-by-sort",
                                         "topk(x), k=K => slice of sort(x, iota), best first, stable",
                                         {HloOpcode::kTopK},
                                         &ExpandOperation};
  static const RewriteRule kCustomCall = {"topk-call-by-sort",
                                          "custom-call(x), target TopK => slice of sort(x, iota), best first, stable",
                                          {HloOpcode::kCustomCall},
                                          &ExpandCustomCall};
  static const RewriteRule kApproxCall = {
      "approx-topk-call-by-sort",
      "custom-call(x.., initial values), target ApproxTopK => slices of sort(x..) by its comparator, stable",
      {HloOpcode::kCustomCall},
      &ExpandApproxCall};
  static const RewriteRule kCallWithComparator = {
      "topk-call-by-its-comparator",
      "custom-call(x), target TopK => slice of sort(x, iota) by its comparator, unless that is less or greater, stable",
      {HloOpcode::kCustomCall},
      &ExpandCallWithComparator};
  if (context.BoolOption("comparators-only")) {
    return ApplyRules({&kApproxCall, &kCallWithComparator}, module, context);
  }
  return ApplyRules({&kOperation, &kCustomCall, &kApproxCall, &kCallWithComparator}, module, context);
}

}  // namespace xla
