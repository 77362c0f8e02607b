// Applies a function of scalars to the elements of n arrays of equal dimensions:
//   map(x0 T0[d..], .., xn-1 Tn-1[d..]), to_apply=f  ->  R[d..],   result[i] = f(x0[i], .., xn-1[i]),   f: (T0[], ..)
//   -> R[]
// Errors: InvalidArgument if the operands' dimensions differ, if `dimensions` is given and not 0..r-1, or if f has
// another signature.
// Source: StableHLO spec, section `map`.
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/ops/callee_signature.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/ops/parallel_status.h"
#include "xla_core/ops/scalar_function.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<PrimitiveType> ResultType(const HloInstruction& map) {
  if (map.called_computations().empty()) return absl::InvalidArgumentError("map has no to_apply");
  const HloInstruction* root = map.called_computation(0)->root();
  if (root == nullptr || !root->shape().IsScalar()) {
    return absl::InvalidArgumentError(absl::StrCat("to_apply ", map.called_computation(0)->name(),
                                                   " must return a scalar, got ",
                                                   root == nullptr ? "nothing" : root->shape().ToString()));
  }
  return root->shape().element_type();
}

absl::StatusOr<Shape> InferShapeOfMap(const HloInstruction& map) {
  RETURN_IF_ERROR(CheckEqualDimensions(map, map.operand_count()));
  ASSIGN_OR_RETURN(const PrimitiveType type, ResultType(map));
  Shape result = map.operand(0)->shape().WithoutLayout();
  result.set_element_type(type);
  return result;
}

absl::Status CheckDimensions(const HloInstruction& map, const DimensionVector& dimensions) {
  const Shape& operand = map.operand(0)->shape();
  bool all_in_order = static_cast<int>(dimensions.size()) == operand.rank();
  for (int i = 0; all_in_order && i < operand.rank(); ++i) all_in_order = dimensions[i] == i;
  if (dimensions.empty() || all_in_order) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("dimensions must be all those of operand ", operand.ToString(),
                                                 " in order, got {", absl::StrJoin(dimensions, ","), "}"));
}

void VerifyMap(const HloInstruction& map, Violations& violations) {
  if (!CheckArrayOperands(map, 0, map.operand_count()).ok()) return;
  violations.Add(CheckDimensions(map, map.attributes<MapAttributes>().dimensions));
  const absl::StatusOr<PrimitiveType> result = ResultType(map);
  if (!result.ok()) return;
  std::vector<PrimitiveType> parameters;
  for (const HloInstruction* operand : map.operands()) parameters.push_back(operand->shape().element_type());
  CheckScalarCallee("to_apply", *map.called_computation(0), parameters, {*result}, violations);
}

// Functions that are not compiled may call back into the evaluator and stay on this thread, in small blocks.
absl::StatusOr<Literal> EvaluateMap(const HloInstruction& map, OperandValues& operands, EvalContext& context) {
  ASSIGN_OR_RETURN(const ScalarFunction* function, context.GetScalarFunction(*map.called_computation(0)));
  ASSIGN_OR_RETURN(Literal result, context.Allocate(map.shape()));
  char* const results = result.mutable_data<char>();
  const int64_t result_width = ByteWidth(map.shape().element_type());
  const auto map_block = [&](int64_t begin, int64_t end) {
    std::vector<LaneInput> inputs;
    for (int i = 0; i < operands.size(); ++i) {
      const int64_t width = ByteWidth(operands[i].shape().element_type());
      inputs.push_back({operands[i].data<char>() + begin * width, width});
    }
    void* const outputs[] = {results + begin * result_width};
    return function->Apply(end - begin, inputs, outputs, context);
  };
  constexpr int64_t kGrain = 1 << 14;
  constexpr int64_t kSlowGrain = 64;  // a deadline should be noticed between calls that may take long
  RETURN_IF_ERROR(function->is_compiled() ? ParallelForStatus(context, result.element_count(), kGrain, map_block)
                                          : SerialForStatus(context, result.element_count(), kSlowGrain, map_block));
  result.CopyDynamicSizesFrom(operands[0]);
  return result;
}

}  // namespace

OpDefinition Define_kMap() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<MapAttributes>;
  op.called_computations = {"to_apply"};
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShapeOfMap;
  op.verify = &VerifyMap;
  op.evaluate = &EvaluateMap;
  return op;
}

}  // namespace xla
