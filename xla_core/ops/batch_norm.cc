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
// Source: StableHLO spec, sections `batch_norm_training`, `batch_norm_inference`,
// `batch_norm_grad`.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/float_convert.h"
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

// The array as blocks x features x run, where features are the dimension `feature_index` and the other dimensions
// within the dynamic sizes make up a feature. Walks dimensions one by one only if there are dynamic sizes.
class FeatureLoop {
 public:
  // Dimensions before the feature are `blocks_`, those after it are a `run_` of neighbours: element (block, feature,
  // i) is at (block * features + feature) * run + i. Elements beyond dynamic sizes are marked and left out of means.
  FeatureLoop(const Literal& x, int64_t feature_index) {
    const int rank = x.shape().rank();
    for (int i = 0; i < rank; ++i) {
      (i < feature_index ? blocks_ : i > feature_index ? run_ : features_) *= x.shape().dimension(i);
      if (i != feature_index) elements_ *= x.dynamic_size(i);
    }
    if (!x.has_dynamic_sizes()) return;
    valid_.assign(x.element_count(), true);
    for (int64_t e = 0; e < x.element_count(); ++e) {
      int64_t index = e;
      for (int i = rank - 1; i >= 0; --i) {
        if (index % x.shape().dimension(i) >= x.dynamic_size(i)) valid_[e] = false;
        index /= x.shape().dimension(i);
      }
    }
  }

  int64_t features() const { return features_; }
  // Of each feature.
  double elements() const { return static_cast<double>(elements_); }

  // Calls body(f, i) for every valid element i of every feature f; each feature's elements come in row-major order.
  template <typename Body>
  absl::Status ForEach(EvalContext& context, Body&& body) const {
    const int64_t grain = std::max<int64_t>(1, kElementsPerBlock / std::max<int64_t>(1, blocks_ * run_));
    return context.ParallelFor(features_, grain, [&](int64_t begin, int64_t end) {
      for (int64_t block = 0; block < blocks_; ++block) {
        for (int64_t f = begin; f < end; ++f) {
          const int64_t first = (block * features_ + f) * run_;
          for (int64_t i = first; i < first + run_; ++i) {
            if (valid_.empty() || valid_[i]) body(f, i);
          }
        }
      }
    });
  }

 private:
  static constexpr int64_t kElementsPerBlock = 1 << 16;

  int64_t blocks_ = 1;
  int64_t features_ = 1;
  int64_t run_ = 1;
  int64_t elements_ = 1;
  std::vector<bool> valid_;  // empty: all are
};

using Doubles = std::vector<double>;

// The operands in f64, which `arrays` keeps alive.
struct F64Operands {
  std::vector<Literal> arrays;
  const double* operator[](int i) const { return arrays[i].data<double>(); }
};

absl::StatusOr<F64Operands> ToF64(const OperandValues& operands, EvalContext& context) {
  F64Operands result;
  for (int i = 0; i < operands.size(); ++i) {
    ASSIGN_OR_RETURN(Literal array, ConvertFloats(operands[i], F64, context));
    result.arrays.push_back(std::move(array));
  }
  return result;
}

// A result array of shape `like`, computed in f64.
absl::StatusOr<Literal> NewF64(const Shape& like, EvalContext& context) {
  Shape shape = like;
  shape.set_element_type(F64);
  return context.AllocateZeros(shape);
}

// Rounds an f64 result to the type of `shape`. Dynamic sizes are those of `x`.
absl::StatusOr<Literal> FinishArray(const Literal& computed, const Shape& shape, const Literal& x,
                                    EvalContext& context) {
  ASSIGN_OR_RETURN(Literal result, ConvertFloats(computed, shape.element_type(), context));
  result.ResetShape(shape);
  result.CopyDynamicSizesFrom(x);
  return result;
}

absl::StatusOr<Literal> FinishFeatures(const Doubles& values, const Shape& shape, const Literal& x,
                                       int64_t feature_index, EvalContext& context) {
  ASSIGN_OR_RETURN(Literal computed, NewF64(shape, context));
  std::copy(values.begin(), values.end(), computed.mutable_data<double>());
  ASSIGN_OR_RETURN(Literal result, ConvertFloats(computed, shape.element_type(), context));
  result.ResetShape(shape);
  if (x.has_dynamic_sizes()) result.SetDynamicSize(0, x.dynamic_size(static_cast<int>(feature_index)));
  return result;
}

// (x - mean) * i * scale + offset
absl::StatusOr<Literal> Normalize(const HloInstruction& instruction, const FeatureLoop& loop, const F64Operands& in,
                                  const double* mean, const double* variance, const Shape& shape, const Literal& x,
                                  EvalContext& context) {
  const double epsilon = instruction.attributes<BatchNormAttributes>().epsilon;
  Doubles inverse(loop.features());
  for (int64_t f = 0; f < loop.features(); ++f) inverse[f] = 1 / std::sqrt(variance[f] + epsilon);
  ASSIGN_OR_RETURN(Literal y, NewF64(shape, context));
  double* const result = y.mutable_data<double>();
  const double *source = in[0], *scale = in[1], *offset = in[2];
  RETURN_IF_ERROR(loop.ForEach(
      context, [&](int64_t f, int64_t i) { result[i] = (source[i] - mean[f]) * inverse[f] * scale[f] + offset[f]; }));
  return FinishArray(y, shape, x, context);
}

// Two passes, as the variance is that of the differences from the mean; the one-pass formula E[x^2] - E[x]^2 cancels.
absl::StatusOr<Literal> EvaluateTraining(const HloInstruction& instruction, OperandValues& operands,
                                         EvalContext& context) {
  const int64_t feature_index = instruction.attributes<BatchNormAttributes>().feature_index;
  const Literal& x = operands[0];
  const FeatureLoop loop(x, feature_index);
  ASSIGN_OR_RETURN(const F64Operands in, ToF64(operands, context));
  const double* source = in[0];

  Doubles mean(loop.features()), variance(loop.features());
  RETURN_IF_ERROR(loop.ForEach(context, [&](int64_t f, int64_t i) { mean[f] += source[i]; }));
  for (double& sum : mean) sum /= loop.elements();
  RETURN_IF_ERROR(loop.ForEach(
      context, [&](int64_t f, int64_t i) { variance[f] += (source[i] - mean[f]) * (source[i] - mean[f]); }));
  for (double& sum : variance) sum /= loop.elements();

  const Shape& shape = instruction.shape();
  std::vector<Literal> results(3);
  ASSIGN_OR_RETURN(results[0],
                   Normalize(instruction, loop, in, mean.data(), variance.data(), shape.tuple_shape(0), x, context));
  ASSIGN_OR_RETURN(results[1], FinishFeatures(mean, shape.tuple_shape(1), x, feature_index, context));
  ASSIGN_OR_RETURN(results[2], FinishFeatures(variance, shape.tuple_shape(2), x, feature_index, context));
  return Literal::Tuple(std::move(results));
}

absl::StatusOr<Literal> EvaluateInference(const HloInstruction& instruction, OperandValues& operands,
                                          EvalContext& context) {
  const FeatureLoop loop(operands[0], instruction.attributes<BatchNormAttributes>().feature_index);
  ASSIGN_OR_RETURN(const F64Operands in, ToF64(operands, context));
  return Normalize(instruction, loop, in, in[3], in[4], instruction.shape(), operands[0], context);
}

// The derivatives of scale * (x - mean) / sqrt(variance + epsilon) + offset, where mean and variance depend on x too:
// hence the terms with the sums of dy and of dy * (x - mean). Source: StableHLO spec, section `batch_norm_grad`.
absl::StatusOr<Literal> EvaluateGrad(const HloInstruction& instruction, OperandValues& operands, EvalContext& context) {
  const BatchNormAttributes& attributes = instruction.attributes<BatchNormAttributes>();
  const Literal& x = operands[0];
  const FeatureLoop loop(x, attributes.feature_index);
  ASSIGN_OR_RETURN(const F64Operands in, ToF64(operands, context));
  const double *source = in[0], *scale = in[1], *mean = in[2], *variance = in[3], *dy = in[4];

  Doubles sum_dy(loop.features()), sum_dy_xc(loop.features());  // xc = x - mean
  RETURN_IF_ERROR(loop.ForEach(context, [&](int64_t f, int64_t i) {
    sum_dy[f] += dy[i];
    sum_dy_xc[f] += dy[i] * (source[i] - mean[f]);
  }));
  Doubles inverse(loop.features()), dscale(loop.features());
  for (int64_t f = 0; f < loop.features(); ++f) {
    inverse[f] = 1 / std::sqrt(variance[f] + attributes.epsilon);
    dscale[f] = sum_dy_xc[f] * inverse[f];
  }
  const Shape& shape = instruction.shape();
  ASSIGN_OR_RETURN(Literal dx, NewF64(shape.tuple_shape(0), context));
  double* const result = dx.mutable_data<double>();
  const double n = loop.elements();
  RETURN_IF_ERROR(loop.ForEach(context, [&](int64_t f, int64_t i) {
    const double along_x = (source[i] - mean[f]) * (sum_dy_xc[f] / n) / (variance[f] + attributes.epsilon);
    result[i] = scale[f] * inverse[f] * (dy[i] - sum_dy[f] / n - along_x);
  }));
  std::vector<Literal> results(3);
  ASSIGN_OR_RETURN(results[0], FinishArray(dx, shape.tuple_shape(0), x, context));
  ASSIGN_OR_RETURN(results[1], FinishFeatures(dscale, shape.tuple_shape(1), x, attributes.feature_index, context));
  ASSIGN_OR_RETURN(results[2], FinishFeatures(sum_dy, shape.tuple_shape(2), x, attributes.feature_index, context));
  return Literal::Tuple(std::move(results));
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
  op.evaluate = &EvaluateTraining;
  return op;
}

OpDefinition Define_kBatchNormInference() {
  OpDefinition op = DefineBatchNorm(5);
  op.infer_shape = &InferArray;
  op.verify = &VerifyInference;
  op.evaluate = &EvaluateInference;
  return op;
}

OpDefinition Define_kBatchNormGrad() {
  OpDefinition op = DefineBatchNorm(5);
  op.infer_shape = &InferTuple;
  op.verify = &VerifyGrad;
  op.evaluate = &EvaluateGrad;
  return op;
}

}  // namespace xla
