// Products of matrices and their relatives, decompositions, Fourier transforms, random numbers.
#include "absl/strings/str_cat.h"
#include "builders/computation_builder/computation_builder.h"

namespace xla {
namespace {

// What text would write as the result: only the element type matters, and only if it is asked for.
Shape PreferredType(PrimitiveType type) { return type == PRIMITIVE_TYPE_INVALID ? Shape() : Shape::Scalar(type); }

std::unique_ptr<Attributes> MakeDotAttributes(const DotDimensionNumbers& numbers, const DotOptions& options) {
  auto attributes = std::make_unique<DotAttributes>();
  attributes->lhs_contracting_dims = numbers.lhs_contracting_dims;
  attributes->rhs_contracting_dims = numbers.rhs_contracting_dims;
  attributes->lhs_batch_dims = numbers.lhs_batch_dims;
  attributes->rhs_batch_dims = numbers.rhs_batch_dims;
  attributes->operand_precision = options.precision;
  attributes->algorithm = options.algorithm;
  return attributes;
}

}  // namespace

// ---- Dot

// Floats of different precision go together, integers too; what mixes them forgot to convert, unless it says what the
// result is to be.
bool ComputationBuilder::CheckFactorTypes(XlaOp lhs, XlaOp rhs, PrimitiveType preferred) {
  if (preferred != PRIMITIVE_TYPE_INVALID && !IsArrayType(preferred)) {
    FailInvalid(
        absl::StrCat("preferred_element_type must be a type of array elements, got ", PrimitiveTypeName(preferred)));
    return false;
  }
  const PrimitiveType left = ShapeOf(lhs).element_type();
  const PrimitiveType right = ShapeOf(rhs).element_type();
  const bool fit = left == right || (IsFloat(left) && IsFloat(right)) || (IsInt(left) && IsInt(right));
  if (fit || preferred != PRIMITIVE_TYPE_INVALID) return true;
  FailInvalid(absl::StrCat("lhs and rhs must have the same element type, got ", ShapeOf(lhs).ToString(), " and ",
                           ShapeOf(rhs).ToString(), "; convert one of them, or set preferred_element_type"));
  return false;
}

XlaOp ComputationBuilder::Dot(XlaOp lhs, XlaOp rhs, const DotOptions& options, SourceLocation loc) {
  ActiveCall call(this, "Dot", loc, {lhs, rhs});
  if (!call || !CheckArray("lhs", ShapeOf(lhs)) || !CheckArray("rhs", ShapeOf(rhs))) return Invalid();
  const int lhs_rank = ShapeOf(lhs).rank();
  const int rhs_rank = ShapeOf(rhs).rank();
  if (lhs_rank == 0 || rhs_rank == 0) return FailInvalid("a scalar has no dimension to contract; use Mul");
  DotDimensionNumbers numbers;
  numbers.lhs_contracting_dims = {lhs_rank - 1};
  numbers.rhs_contracting_dims = {rhs_rank == 1 ? 0 : rhs_rank - 2};
  return DotGeneral(lhs, rhs, numbers, options, loc);
}

XlaOp ComputationBuilder::DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers,
                                     const DotOptions& options, SourceLocation loc) {
  ActiveCall call(this, "DotGeneral", loc, {lhs, rhs});
  if (!call || !CheckArray("lhs", ShapeOf(lhs)) || !CheckArray("rhs", ShapeOf(rhs)) ||
      !CheckFactorTypes(lhs, rhs, options.preferred_element_type)) {
    return Invalid();
  }
  return Append(HloOpcode::kDot, {lhs, rhs}, MakeDotAttributes(dimension_numbers, options), {},
                PreferredType(options.preferred_element_type));
}

XlaOp ComputationBuilder::RaggedDot(XlaOp lhs, XlaOp rhs, XlaOp group_sizes,
                                    const RaggedDotDimensionNumbers& dimension_numbers, const DotOptions& options,
                                    SourceLocation loc) {
  ActiveCall call(this, "RaggedDot", loc, {lhs, rhs, group_sizes});
  if (!call || !CheckArray("lhs", ShapeOf(lhs)) || !CheckArray("rhs", ShapeOf(rhs)) ||
      !CheckArray("group_sizes", ShapeOf(group_sizes)) || !CheckFactorTypes(lhs, rhs, options.preferred_element_type)) {
    return Invalid();
  }
  auto attributes = std::make_unique<RaggedDotAttributes>();
  attributes->lhs_contracting_dims = dimension_numbers.dot.lhs_contracting_dims;
  attributes->rhs_contracting_dims = dimension_numbers.dot.rhs_contracting_dims;
  attributes->lhs_batch_dims = dimension_numbers.dot.lhs_batch_dims;
  attributes->rhs_batch_dims = dimension_numbers.dot.rhs_batch_dims;
  attributes->lhs_ragged_dims = dimension_numbers.lhs_ragged_dims;
  attributes->rhs_group_dims = dimension_numbers.rhs_group_dims;
  attributes->operand_precision = options.precision;
  attributes->algorithm = options.algorithm;
  return Append(HloOpcode::kRaggedDot, {lhs, rhs, group_sizes}, std::move(attributes), {},
                PreferredType(options.preferred_element_type));
}

XlaOp ComputationBuilder::ScaledDot(XlaOp lhs, XlaOp rhs, XlaOp lhs_scale, XlaOp rhs_scale,
                                    const DotDimensionNumbers& dimension_numbers, const DotOptions& options,
                                    SourceLocation loc) {
  ActiveCall call(this, "ScaledDot", loc, {lhs, rhs, lhs_scale, rhs_scale});
  if (!call) return Invalid();
  for (const XlaOp operand : {lhs, rhs, lhs_scale, rhs_scale}) {
    if (!CheckArray("each operand", ShapeOf(operand))) return Invalid();
  }
  if (!CheckFactorTypes(lhs, rhs, options.preferred_element_type)) return Invalid();
  return Append(HloOpcode::kScaledDot, {lhs, rhs, lhs_scale, rhs_scale}, MakeDotAttributes(dimension_numbers, options),
                {}, PreferredType(options.preferred_element_type));
}

// ---- Transforms and decompositions

XlaOp ComputationBuilder::Fft(XlaOp operand, FftType fft_type, ArraySlice<int64_t> fft_length, SourceLocation loc) {
  ActiveCall call(this, "Fft", loc, {operand});
  if (!call) return Invalid();
  auto attributes = std::make_unique<FftAttributes>();
  attributes->fft_type = fft_type;
  attributes->fft_length.assign(fft_length.begin(), fft_length.end());
  return Append(HloOpcode::kFft, {operand}, std::move(attributes));
}

XlaOp ComputationBuilder::Cholesky(XlaOp a, bool lower, SourceLocation loc) {
  ActiveCall call(this, "Cholesky", loc, {a});
  if (!call) return Invalid();
  auto attributes = std::make_unique<CholeskyAttributes>();
  attributes->lower = lower;
  return Append(HloOpcode::kCholesky, {a}, std::move(attributes));
}

XlaOp ComputationBuilder::TriangularSolve(XlaOp a, XlaOp b, bool left_side, bool lower, bool unit_diagonal,
                                          TransposeA transpose_a, SourceLocation loc) {
  ActiveCall call(this, "TriangularSolve", loc, {a, b});
  if (!call) return Invalid();
  auto attributes = std::make_unique<TriangularSolveAttributes>();
  attributes->left_side = left_side;
  attributes->lower = lower;
  attributes->unit_diagonal = unit_diagonal;
  attributes->transpose_a = transpose_a;
  return Append(HloOpcode::kTriangularSolve, {a, b}, std::move(attributes));
}

// ---- Random numbers

XlaOp ComputationBuilder::AppendRng(RandomDistribution distribution, XlaOp a, XlaOp b, const Shape& shape) {
  auto attributes = std::make_unique<RngAttributes>();
  attributes->distribution = distribution;
  return Append(HloOpcode::kRng, {a, b}, std::move(attributes), {}, shape);
}

XlaOp ComputationBuilder::RngUniform(XlaOp a, XlaOp b, const Shape& shape, SourceLocation loc) {
  ActiveCall call(this, "RngUniform", loc, {a, b});
  return call ? AppendRng(RandomDistribution::kUniform, a, b, shape) : Invalid();
}

XlaOp ComputationBuilder::RngNormal(XlaOp mu, XlaOp sigma, const Shape& shape, SourceLocation loc) {
  ActiveCall call(this, "RngNormal", loc, {mu, sigma});
  return call ? AppendRng(RandomDistribution::kNormal, mu, sigma, shape) : Invalid();
}

XlaOp ComputationBuilder::RngBernoulli(XlaOp mean, const Shape& shape, SourceLocation loc) {
  ActiveCall call(this, "RngBernoulli", loc, {mean});
  if (!call) return Invalid();
  if (!ShapeOf(mean).IsScalarOf(F32)) return FailInvalid("the mean must be f32[]");
  if (shape.element_type() != U32) {
    return FailInvalid(absl::StrCat("the shape must have the element type u32, got ", shape.ToString()));
  }
  Shape uniform = shape;
  uniform.set_element_type(F32);
  const XlaOp drawn = AppendRng(RandomDistribution::kUniform, ConstantR0<float>(0), ConstantR0<float>(1), uniform);
  return ConvertElementType(Lt(drawn, mean), U32);
}

XlaOp ComputationBuilder::RngBitGenerator(RandomAlgorithm algorithm, XlaOp initial_state, const Shape& shape,
                                          SourceLocation loc) {
  ActiveCall call(this, "RngBitGenerator", loc, {initial_state});
  if (!call) return Invalid();
  auto attributes = std::make_unique<RngBitGeneratorAttributes>();
  attributes->algorithm = algorithm;
  return Append(HloOpcode::kRngBitGenerator, {initial_state}, std::move(attributes), {},
                Shape::Tuple({ShapeOf(initial_state), shape}));
}

XlaOp ComputationBuilder::RngGetAndUpdateState(int64_t delta, SourceLocation loc) {
  ActiveCall call(this, "RngGetAndUpdateState", loc, {});
  if (!call) return Invalid();
  auto attributes = std::make_unique<RngGetAndUpdateStateAttributes>();
  attributes->delta = delta;
  return Append(HloOpcode::kRngGetAndUpdateState, {}, std::move(attributes), {}, Shape::Array(U64, {2}));
}

}  // namespace xla
