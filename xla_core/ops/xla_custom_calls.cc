// The targets that XLA itself gives a meaning.
//
//   identity: the targets of identity_calls.h, whose value is that of the operand. Pin and Unpin lead from an array to
//   a
//     buffer and back. SPMDFullToShardShape and SPMDShardToFullShape between different shapes only occur in programs
//     that are yet to be partitioned, which cannot run as they are. LayoutConstraint asks for the layout of its result,
//     SetBound says how large its operand can be.
//   CreateBuffer, AllocateBuffer: zeros. (Others leave the contents of AllocateBuffer open.)
//   ApproxTopK: see approx_topk.h.
//   GetRngSeed: the seed of the run, as u64[].
//   X64SplitLow, X64SplitHigh, X64Combine: 64-bit numbers as two halves. Integers by their bits; f64 as the sum of two
//     floats, the first being the nearest one.
//   PadToStatic(x) -> (x without dynamic dimensions, its sizes as s32[] each), SliceToDynamic(x, sizes...) the reverse.
//   TopK(x), k from the result: values and s32 indices of the largest elements of each row, the smallest if the called
//     computation is "less than"; by any other comparator of two elements and their positions the first of a stable
//     sort.
// Source: the sources of XLA that create these calls.
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/approx_topk.h"
#include "xla_core/ops/builtin_custom_calls.h"
#include "xla_core/ops/callee_signature.h"
#include "xla_core/ops/identity_calls.h"
#include "xla_core/ops/sort_lines.h"
#include "xla_core/ops/topk.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::Status CheckOperandCount(const CustomCall& call, int expected) {
  if (call.operands.size() == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("expected ", expected, " operands, got ", call.operands.size()));
}

// The literal of a buffer is that of its array under another shape.
const Shape& ArrayOf(const Shape& shape) { return shape.IsBuffer() ? shape.buffer_shape() : shape; }

absl::StatusOr<Literal> Identity(const CustomCall& call) {
  if (call.operands.size() == 0) return absl::InvalidArgumentError("expected an operand");
  const Shape& operand = call.operands[0].shape();
  if (!ArrayOf(operand).Compatible(ArrayOf(call.instruction.shape()))) {
    return absl::InvalidArgumentError(absl::StrCat("the result must have the shape of the operand, ",
                                                   operand.ToString(), ", got ", call.instruction.shape().ToString(),
                                                   "; partition the program for its devices before running it"));
  }
  Literal value = call.operands.Take(0);
  if (!value.IsTuple()) value.ResetShape(call.instruction.shape());
  return value;
}

// Marks that every program keeps as it is, partitioned or not.
absl::Status CheckIdentity(const HloInstruction& call) {
  if (call.operand_count() != 1)
    return absl::InvalidArgumentError(absl::StrCat("expected an operand, got ", call.operand_count()));
  const Shape& operand = call.operand(0)->shape();
  if (operand.Compatible(call.shape())) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the result must have the shape of the operand, ", operand.ToString(),
                                                 ", got ", call.shape().ToString()));
}

absl::Status CheckAllocateBuffer(const HloInstruction& call) {
  if (call.operand_count() == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("expected no operands, got ", call.operand_count()));
}

absl::Status CheckApproxTopK(const HloInstruction& call) { return ReadApproxTopK(call).status(); }

absl::StatusOr<Literal> CreateBuffer(const CustomCall& call) {
  ASSIGN_OR_RETURN(Literal buffer, call.context.AllocateZeros(ArrayOf(call.instruction.shape())));
  if (!buffer.IsTuple()) buffer.ResetShape(call.instruction.shape());
  return buffer;
}

absl::StatusOr<Literal> GetRngSeed(const CustomCall& call) {
  RETURN_IF_ERROR(CheckOperandCount(call, 0));
  return Literal::Scalar<uint64_t>(call.context.seed());
}

// The result's array shape with another element type.
absl::Status CheckSameDimensions(const CustomCall& call) {
  const Shape& result = call.instruction.shape();
  for (int i = 0; i < call.operands.size(); ++i) {
    const Shape& operand = call.operands[i].shape();
    if (operand.IsArray() && result.IsArray() && operand.SameDimensions(result)) continue;
    return absl::InvalidArgumentError(absl::StrCat("operands and result must have equal dimensions, got ",
                                                   operand.ToString(), " and ", result.ToString()));
  }
  return absl::OkStatus();
}

// What X64Split* turn a 64-bit type into.
PrimitiveType HalfOf(PrimitiveType type) {
  return type == F64 ? F32 : type == S64 ? U32 : type == U64 ? U32 : PRIMITIVE_TYPE_INVALID;
}

// A float is split into the nearest f32 and the f32 of what is left; an integer into its words.
template <bool kHigh>
absl::StatusOr<Literal> X64Split(const CustomCall& call) {
  RETURN_IF_ERROR(CheckOperandCount(call, 1));
  RETURN_IF_ERROR(CheckSameDimensions(call));
  const Literal& x = call.operands[0];
  const PrimitiveType type = x.shape().element_type(), half = call.instruction.shape().element_type();
  const bool is_float = type == F64 && half == F32;
  if (!is_float && (HalfOf(type) != U32 || (half != U32 && half != S32))) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot split ", x.shape().ToString(), " into ", call.instruction.shape().ToString()));
  }
  ASSIGN_OR_RETURN(Literal result, call.context.Allocate(call.instruction.shape()));
  for (int64_t i = 0; i < x.element_count(); ++i) {
    if (is_float) {
      const double value = x.data<double>()[i];
      const float high = static_cast<float>(value);
      const float low = std::isfinite(high) ? static_cast<float>(value - high) : 0;
      result.mutable_data<float>()[i] = kHigh ? high : low;
    } else {
      const uint64_t value = x.data<uint64_t>()[i];
      result.mutable_data<uint32_t>()[i] = static_cast<uint32_t>(kHigh ? value >> 32 : value);
    }
  }
  if (x.has_dynamic_sizes()) result.CopyDynamicSizesFrom(x);
  return result;
}

// The inverse of X64Split: high + low, or the words put together.
absl::StatusOr<Literal> X64Combine(const CustomCall& call) {
  RETURN_IF_ERROR(CheckOperandCount(call, 2));
  RETURN_IF_ERROR(CheckSameDimensions(call));
  const Literal& low = call.operands[0];
  const Literal& high = call.operands[1];
  const PrimitiveType type = call.instruction.shape().element_type();
  const bool is_float = type == F64 && low.shape().element_type() == F32 && high.shape().element_type() == F32;
  const auto is_word = [](const Literal& x) {
    return IsInt(x.shape().element_type()) && BitWidth(x.shape().element_type()) == 32;
  };
  if (!is_float && (HalfOf(type) != U32 || !is_word(low) || !is_word(high))) {
    return absl::InvalidArgumentError(absl::StrCat("cannot combine ", low.shape().ToString(), " and ",
                                                   high.shape().ToString(), " to ",
                                                   call.instruction.shape().ToString()));
  }
  ASSIGN_OR_RETURN(Literal result, call.context.Allocate(call.instruction.shape()));
  for (int64_t i = 0; i < result.element_count(); ++i) {
    if (is_float) {
      result.mutable_data<double>()[i] = static_cast<double>(high.data<float>()[i]) + low.data<float>()[i];
    } else {
      result.mutable_data<uint64_t>()[i] = low.data<uint32_t>()[i] | uint64_t{high.data<uint32_t>()[i]} << 32;
    }
  }
  if (low.has_dynamic_sizes()) result.CopyDynamicSizesFrom(low);
  return result;
}

// Moves elements between the bounded strides of dynamic dimensions, which Literal has anyway, so nothing moves.
absl::StatusOr<Literal> PadToStatic(const CustomCall& call) {
  RETURN_IF_ERROR(CheckOperandCount(call, 1));
  const Shape& shape = call.instruction.shape();
  Literal x = call.operands.Take(0);
  const int rank = x.shape().rank();
  if (!shape.IsTuple() || shape.tuple_size() != rank + 1 || !shape.tuple_shape(0).Compatible(x.shape())) {
    return absl::InvalidArgumentError(absl::StrCat("the result of ", x.shape().ToString(),
                                                   " must be a tuple of its bounds and ", rank, " sizes, got ",
                                                   shape.ToString()));
  }
  std::vector<Literal> results(1);
  for (int d = 0; d < rank; ++d) {
    if (!shape.tuple_shape(d + 1).IsScalarOf(S32)) return absl::InvalidArgumentError("sizes must be s32[]");
    results.push_back(Literal::Scalar<int32_t>(static_cast<int32_t>(x.dynamic_size(d))));
  }
  x.ClearDynamicSizes();
  x.ResetShape(shape.tuple_shape(0));
  results[0] = std::move(x);
  return Literal::Tuple(std::move(results));
}

// Only sets run-time sizes; elements stay where they are. The inverse of PadToStatic.
absl::StatusOr<Literal> SliceToDynamic(const CustomCall& call) {
  const Shape& shape = call.instruction.shape();
  if (call.operands.size() < 1 || !call.operands[0].shape().IsArray() || !shape.Compatible(call.operands[0].shape()) ||
      call.operands.size() != shape.rank() + 1) {
    return absl::InvalidArgumentError(absl::StrCat("expected an array like the result, ", shape.ToString(),
                                                   ", and one size for each of its ", "dimensions"));
  }
  Literal x = call.operands.Take(0);
  x.ClearDynamicSizes();
  x.ResetShape(shape);
  for (int d = 0; d < shape.rank(); ++d) {
    const Literal& size = call.operands[d + 1];
    if (!size.shape().IsScalarOf(S32)) return absl::InvalidArgumentError("sizes must be s32[]");
    const int64_t value = size.data<int32_t>()[0];
    if (value < 0 || value > shape.dimension(d)) {
      return absl::InvalidArgumentError(
          absl::StrCat("size ", value, " of dimension ", d, " is not within ", shape.ToString()));
    }
    if (shape.is_dynamic_dimension(d)) x.SetDynamicSize(d, value);
  }
  return x;
}

// Whether the called computation says that greater elements come first.
absl::StatusOr<bool> LargestFirst(const HloInstruction& instruction) {
  if (instruction.called_computations().empty()) return true;
  const HloInstruction* const root = instruction.called_computation(0)->root();
  const auto is_parameter = [&](int i, int64_t number) {
    const HloInstruction* const operand = root->operand(i);
    return operand->opcode() == HloOpcode::kParameter && operand->attributes<ParameterAttributes>().number == number;
  };
  if (root->opcode() == HloOpcode::kCompare) {
    const bool straight = is_parameter(0, 0) && is_parameter(1, 1);
    const bool crossed = is_parameter(0, 1) && is_parameter(1, 0);
    const ComparisonDirection direction = root->attributes<CompareAttributes>().direction;
    const bool greater = direction == ComparisonDirection::kGt || direction == ComparisonDirection::kGe;
    const bool less = direction == ComparisonDirection::kLt || direction == ComparisonDirection::kLe;
    if ((straight || crossed) && (greater || less)) return greater == straight;
  }
  return absl::UnimplementedError("the comparator must compare its first two parameters by GT or LT");
}

// By a comparator of two elements and their positions, whatever it computes.
absl::StatusOr<Literal> TopKBySort(const CustomCall& call, int64_t k) {
  Literal values = call.operands.Take(0);
  const int64_t length = values.shape().dimension(values.shape().rank() - 1);
  Shape positions_shape = values.shape();
  positions_shape.set_element_type(S32);
  ASSIGN_OR_RETURN(Literal positions, call.context.Allocate(positions_shape));
  for (int64_t i = 0; i < positions.element_count(); ++i) {
    positions.mutable_data<int32_t>()[i] = static_cast<int32_t>(i % length);
  }
  Literal* const arrays[] = {&values, &positions};
  const bool owned[] = {false, false};
  OperandValues operands(arrays, owned);
  const int last = values.shape().rank() - 1;
  ASSIGN_OR_RETURN(const std::vector<Literal> sorted,
                   SortLines(*call.instruction.called_computation(0), last, operands, call.context));
  std::vector<Literal> results;
  for (int i = 0; i < 2; ++i) {
    ASSIGN_OR_RETURN(Literal best, call.context.Allocate(call.instruction.shape().tuple_shape(i)));
    const int64_t width = ByteWidth(best.shape().element_type());
    for (int64_t line = 0; k > 0 && line < best.element_count() / k; ++line) {
      std::memcpy(best.mutable_data<char>() + line * k * width, sorted[i].data<char>() + line * length * width,
                  k * width);
    }
    results.push_back(std::move(best));
  }
  return Literal::Tuple(std::move(results));
}

bool ComparesWithPositions(const HloInstruction& call, PrimitiveType type) {
  if (call.called_computations().size() != 1) return false;
  Violations violations;
  CheckScalarCallee("the comparator", *call.called_computation(0), {type, type, S32, S32}, {PRED}, violations);
  return violations.messages().empty();
}

// The comparator must order by value, largest or least first; one that also compares positions is run by sorting.
absl::StatusOr<Literal> TopK(const CustomCall& call) {
  RETURN_IF_ERROR(CheckOperandCount(call, 1));
  const Shape& x = call.operands[0].shape();
  const Shape& result = call.instruction.shape();
  const bool is_pair = result.IsTuple() && result.tuple_size() == 2 && x.IsArray() && x.rank() > 0 &&
                       !IsComplex(x.element_type()) && result.tuple_shape(0).rank() == x.rank();
  Shape values = x.WithoutLayout();
  if (is_pair) values.set_dimension(x.rank() - 1, result.tuple_shape(0).dimension(x.rank() - 1));
  Shape indices = values;
  indices.set_element_type(S32);
  if (!is_pair || values.dimension(x.rank() - 1) > x.dimension(x.rank() - 1) ||
      x.dimension(x.rank() - 1) > std::numeric_limits<int32_t>::max() ||
      !result.Compatible(Shape::Tuple({values, indices}))) {
    return absl::InvalidArgumentError(
        absl::StrCat("the result must be values and s32 indices of at most the last dimension of ", x.ToString(),
                     ", got ", result.ToString()));
  }
  const int64_t k = values.dimension(x.rank() - 1);
  const absl::StatusOr<bool> largest = LargestFirst(call.instruction);
  if (largest.ok()) return EvaluateTopK(call.operands[0], k, *largest, result, call.context);
  if (call.operands[0].has_dynamic_sizes() || !ComparesWithPositions(call.instruction, x.element_type())) {
    return largest.status();
  }
  return TopKBySort(call, k);
}

}  // namespace

const std::vector<BuiltinCustomCall>& XlaCustomCalls() {
  static const auto* const calls = [] {
    auto* const made = new std::vector<BuiltinCustomCall>{
        {"AllocateBuffer", &CreateBuffer, &CheckAllocateBuffer},
        {"ApproxTopK", &EvaluateApproxTopK, &CheckApproxTopK},
        {"CreateBuffer", &CreateBuffer},
        {"GetRngSeed", &GetRngSeed},
        {"PadToStatic", &PadToStatic},
        {"SliceToDynamic", &SliceToDynamic},
        {"TopK", &TopK},
        {"X64Combine", &X64Combine},
        {"X64SplitHigh", &X64Split<true>},
        {"X64SplitLow", &X64Split<false>},
    };
    for (const IdentityCall& call : IdentityCalls()) {
      made->push_back({std::string(call.target), &Identity, call.keeps_shape ? &CheckIdentity : nullptr});
    }
    return made;
  }();
  return *calls;
}

}  // namespace xla
