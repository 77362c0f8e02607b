// Normalisation of every feature over a batch; a feature is an index of dimension `feature_index`, its n elements are
// all those with that index. With F features, eps = epsilon (an f32 for every type) and i = 1 / sqrt(var + eps):
//   batch-norm-training(x T[..], scale T[F], offset T[F]) -> (y T[..], mean T[F], var T[F])
//       mean = sum(x) / n, var = sum((x - mean)^2) / n (biased), y = (x - mean) * i * scale + offset
//   batch-norm-inference(x, scale, offset, mean T[F], var T[F]) -> y, the same with the statistics given
//   batch-norm-grad(x, scale, mean, var, dy T[..]) -> (dx T[..], dscale T[F], doffset T[F])
//       doffset = sum(dy), dscale = sum(dy * (x - mean)) * i,
//       dx = scale * i * (dy - doffset / n - (x - mean) * (sum(dy * (x - mean)) / n) / (var + eps))
// T is any float type. Everything is computed in f64 and rounded once. A feature without elements has mean and variance
// NaN.
// Errors: InvalidArgument if x is not a float array of at least one dimension, if feature_index is not one of its
// dimensions, or if another operand is not of the shape above.
// Source: hlo-opcodes.md section 3.5 and [M]; StableHLO spec, sections `batch_norm_training`, `batch_norm_inference`,
// `batch_norm_grad`.
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// The shape of scale, offset, mean and variance.
absl::StatusOr<Shape> FeatureShape(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction, 0, 1));
  const Shape& x = instruction.operand(0)->shape();
  const int64_t feature_index = instruction.attributes<BatchNormAttributes>().feature_index;
  RETURN_IF_ERROR(CheckDimension("feature_index", feature_index, x));
  const int feature = static_cast<int>(feature_index);
  return Shape::Array(x.element_type(), {x.dimension(feature)}, {x.is_dynamic_dimension(feature)});
}

// The array of operand 0 and two values for each feature.
absl::StatusOr<Shape> InferTuple(const HloInstruction& instruction) {
  ASSIGN_OR_RETURN(const Shape feature, FeatureShape(instruction));
  return Shape::Tuple({instruction.operand(0)->shape().WithoutLayout(), feature, feature});
}

absl::StatusOr<Shape> InferArray(const HloInstruction& instruction) {
  RETURN_IF_ERROR(FeatureShape(instruction).status());
  return instruction.operand(0)->shape().WithoutLayout();
}

void ExpectShape(const HloInstruction& instruction, int operand, const char* name, const Shape& expected,
                 Violations& violations) {
  const Shape& shape = instruction.operand(operand)->shape();
  if (shape.Compatible(expected)) return;
  violations.Add(absl::StrCat(name, " (operand ", operand, ") must be ", expected.ToString(), ", as operand 0 is ",
                              instruction.operand(0)->shape().ToString(), " with feature_index ",
                              instruction.attributes<BatchNormAttributes>().feature_index, "; got ", shape.ToString()));
}

// `names` are those of operands 1, 2, ..., which have a value for each feature.
void VerifyFeatures(const HloInstruction& instruction, std::vector<const char*> names, Violations& violations) {
  const absl::StatusOr<Shape> feature = FeatureShape(instruction);
  if (!feature.ok()) return;
  if (!IsFloat(feature->element_type())) {
    violations.Add(absl::StrCat("operand 0 must be of a float type, got ", instruction.operand(0)->shape().ToString()));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    ExpectShape(instruction, static_cast<int>(i) + 1, names[i], *feature, violations);
  }
}

void VerifyTraining(const HloInstruction& instruction, Violations& violations) {
  VerifyFeatures(instruction, {"scale", "offset"}, violations);
}

void VerifyInference(const HloInstruction& instruction, Violations& violations) {
  VerifyFeatures(instruction, {"scale", "offset", "mean", "variance"}, violations);
}

void VerifyGrad(const HloInstruction& instruction, Violations& violations) {
  VerifyFeatures(instruction, {"scale", "mean", "variance"}, violations);
  if (!FeatureShape(instruction).ok()) return;
  ExpectShape(instruction, 4, "grad_output", instruction.operand(0)->shape(), violations);
}

OpDefinition DefineBatchNorm(int operands) {
  OpDefinition op;
  op.min_operands = operands;
  op.max_operands = operands;
  op.make_attributes = &MakeAttributes<BatchNormAttributes>;
  op.shape_may_be_omitted = true;
  return op;
}

}  // namespace

OpDefinition Define_kBatchNormTraining() {
  OpDefinition op = DefineBatchNorm(3);
  op.infer_shape = &InferTuple;
  op.verify = &VerifyTraining;
  return op;
}

OpDefinition Define_kBatchNormInference() {
  OpDefinition op = DefineBatchNorm(5);
  op.infer_shape = &InferArray;
  op.verify = &VerifyInference;
  return op;
}

OpDefinition Define_kBatchNormGrad() {
  OpDefinition op = DefineBatchNorm(5);
  op.infer_shape = &InferTuple;
  op.verify = &VerifyGrad;
  return op;
}

}  // namespace xla
