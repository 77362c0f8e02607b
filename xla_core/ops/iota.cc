// iota: counts along one dimension: result[i,j,k] = j for iota_dimension=1.
//
//   iota_dimension  the dimension, of the result
// The result shape must be written: integers, floats or complex, rank 1 or more. Counts are converted as `convert` does
// from s64: integers wrap, floats round to nearest even, complex numbers have imaginary part 0.
// Source: StableHLO spec, section `iota`.
#include <algorithm>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/dimension_checks.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/ops/strided_copy.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

// Numbers that one thread writes before it asks for more.
constexpr int64_t kIotaGrain = 1 << 15;

absl::StatusOr<Shape> InferShapeOfIota(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckWrittenArray(instruction));
  const Shape& written = instruction.shape();
  if (written.rank() == 0) {
    return absl::InvalidArgumentError(absl::StrCat("iota needs a dimension to count along, got the scalar result ",
                                                   written.ToString(), "; use a constant 0"));
  }
  if (written.element_type() == PRED) {
    return absl::InvalidArgumentError(absl::StrCat("iota counts in integers, floats or complex numbers, got ",
                                                   written.ToString(), "; compare or convert the result of another"));
  }
  RETURN_IF_ERROR(CheckDimension("iota_dimension", instruction.attributes<IotaAttributes>().iota_dimension, written));
  return written.WithoutLayout();
}

// Writes the numbers begin..end-1 to their places.
template <typename T>
void Count(int64_t begin, int64_t end, int unused_bits, T* out) {
  for (int64_t i = begin; i < end; ++i) {
    if constexpr (std::is_integral_v<T>) {
      // Sub-byte types keep their low bits; shifting up and down extends the sign as the type has one.
      const auto bits = static_cast<std::make_unsigned_t<T>>(static_cast<uint64_t>(i) << unused_bits);
      out[i] = static_cast<T>(static_cast<T>(bits) >> unused_bits);
    } else if constexpr (std::is_floating_point_v<T>) {
      out[i] = static_cast<T>(i);
    } else {
      out[i] = T(static_cast<typename T::value_type>(i), 0);
    }
  }
}

void CountNarrow(int64_t begin, int64_t end, PrimitiveType type, char* out) {
  constexpr int64_t kChunk = 512;
  double values[kChunk];
  for (int64_t i = begin; i < end; i += kChunk) {
    const int64_t n = std::min(kChunk, end - i);
    Count<double>(0, n, 0, values);
    for (int64_t k = 0; k < n; ++k)
      values[k] += static_cast<double>(i);  // exact below 2^53, more than any memory holds
    EncodeNarrow(NarrowFormatOf(type), values, ElementAt(out, i, type), n);
  }
}

void CountInto(PrimitiveType type, int64_t begin, int64_t end, void* out) {
  if (IsNarrowFloatType(type)) return CountNarrow(begin, end, type, static_cast<char*>(out));
  DispatchNative(type, [&](auto tag) {
    using T = TagType<decltype(tag)>;
    if constexpr (!std::is_same_v<T, bool>) {
      const int unused_bits = IsSubByte(type) ? 8 - BitWidth(type) : 0;
      Count(begin, end, unused_bits, static_cast<T*>(out));
    }
  });
}

// Counts along one line and copies it along the other dimensions with stride 0.
absl::StatusOr<Literal> EvaluateIota(const HloInstruction& instruction, OperandValues&, EvalContext& context) {
  const Shape& shape = instruction.shape();
  const PrimitiveType type = shape.element_type();
  const int dimension = static_cast<int>(instruction.attributes<IotaAttributes>().iota_dimension);
  const int64_t size = shape.dimension(dimension);
  ASSIGN_OR_RETURN(Literal result, context.Allocate(shape));
  if (shape.ElementCount() == 0) return result;

  // One line of numbers, then repeated along the other dimensions.
  const bool is_line = shape.ElementCount() == size;
  Literal line;
  if (!is_line) {
    ASSIGN_OR_RETURN(line, context.Allocate(Shape::Array(type, {size})));
  }
  void* numbers = is_line ? result.untyped_mutable_data() : line.untyped_mutable_data();
  RETURN_IF_ERROR(
      context.ParallelFor(size, kIotaGrain, [&](int64_t begin, int64_t end) { CountInto(type, begin, end, numbers); }));
  if (is_line) return result;
  const DimensionVector strides = RowMajorStrides(shape);
  CopyDimensions copy(shape.rank());
  for (int d = 0; d < shape.rank(); ++d) copy[d] = {shape.dimension(d), d == dimension ? 1 : 0, strides[d]};
  RETURN_IF_ERROR(StridedCopy(type, copy).Run(numbers, result.untyped_mutable_data(), context));
  return result;
}

}  // namespace

OpDefinition Define_kIota() {
  OpDefinition op;
  op.min_operands = 0;
  op.max_operands = 0;
  op.make_attributes = &MakeAttributes<IotaAttributes>;
  op.infer_shape = &InferShapeOfIota;
  op.evaluate = &EvaluateIota;
  return op;
}

}  // namespace xla
