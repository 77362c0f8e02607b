// Discrete Fourier transform over the last one to three dimensions, of any length.
//   fft_length: lengths of the transformed dimensions, outermost first
//   FFT    c[...] -> c[...]: result[k] = sum over j of x[j] * exp(-2 pi i jk / n), dimension by dimension
//   IFFT   c[...] -> c[...]: the inverse, divided by the product of the lengths
//   RFFT   f[..., n] -> c[..., n / 2 + 1]: the first half of FFT of real numbers; f32 gives c64, f64 gives c128
//   IRFFT  c[..., n / 2 + 1] -> f[..., n]: the inverse of RFFT; imaginary parts of element 0 and, for even n, of
//   element
//          n / 2 are ignored
// Computed in double throughout and rounded once.
// Errors: InvalidArgument unless 1 to 3 lengths fit the last dimensions and the element type fits the kind. FFT and
// IFFT of arrays without elements may have any lengths, for nothing is transformed. Source: StableHLO spec, section
// `fft`.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/ops/fft_transform.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/ops/parallel_status.h"
#include "xla_core/ops/scratch_reservation.h"
#include "xla_core/ops/strided_axis.h"
#include "xla_core/ops/wide_elements.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

const char* KindName(FftType type) {
  switch (type) {
    case FftType::kFft:
      return "FFT";
    case FftType::kIfft:
      return "IFFT";
    case FftType::kRfft:
      return "RFFT";
    case FftType::kIrfft:
      break;
  }
  return "IRFFT";
}

absl::StatusOr<PrimitiveType> ResultType(FftType kind, const Shape& operand) {
  const PrimitiveType type = operand.element_type();
  if (kind == FftType::kRfft) {
    if (type == F32) return C64;
    if (type == F64) return C128;
    return absl::InvalidArgumentError(absl::StrCat("RFFT takes f32 or f64, got ", operand.ToString()));
  }
  if (!IsComplex(type))
    return absl::InvalidArgumentError(absl::StrCat(KindName(kind), " takes c64 or c128, got ", operand.ToString()));
  return kind == FftType::kIrfft ? ComplexComponentType(type) : type;
}

// Whether the operand's last dimension, of `size` elements, fits. Of a line of no elements, an IRFFT may be given
// nothing, or the one element that the formula for other lengths asks for.
bool FitsLastLength(FftType kind, int64_t size, int64_t length) {
  if (kind != FftType::kIrfft) return size == length;
  return size == length / 2 + 1 || (size == 0 && length == 0);
}

bool IsEmpty(const Shape& shape) { return absl::c_linear_search(shape.dimensions(), 0); }

// The last dimension is the one that rfft halves to n / 2 + 1 and irfft restores; the others must equal fft_length.
absl::StatusOr<Shape> InferFftShape(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction, 0, 1));
  const auto& attributes = instruction.attributes<FftAttributes>();
  const Shape& operand = instruction.operand(0)->shape();
  const int fft_rank = static_cast<int>(attributes.fft_length.size());
  if (fft_rank < 1 || fft_rank > 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("fft_length must have 1 to 3 dimensions, got {", absl::StrJoin(attributes.fft_length, ","), "}"));
  }
  if (*std::min_element(attributes.fft_length.begin(), attributes.fft_length.end()) < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("fft_length must not be negative, got {", absl::StrJoin(attributes.fft_length, ","), "}"));
  }
  if (fft_rank > operand.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("fft_length={", absl::StrJoin(attributes.fft_length, ","),
                                                   "} has more dimensions than ", operand.ToString()));
  }
  ASSIGN_OR_RETURN(const PrimitiveType type, ResultType(attributes.fft_type, operand));
  Shape result = operand.WithoutLayout();
  result.set_element_type(type);
  for (int i = 0; i < fft_rank; ++i) {
    const int d = operand.rank() - fft_rank + i;
    const int64_t length = attributes.fft_length[i];
    const bool last = i == fft_rank - 1;
    const int64_t size = operand.dimension(d);
    const bool fits = last ? FitsLastLength(attributes.fft_type, size, length) : size == length;
    const bool keeps_shape = attributes.fft_type == FftType::kFft || attributes.fft_type == FftType::kIfft;
    if (!fits && size != Shape::kUnboundedSize && !(keeps_shape && IsEmpty(operand))) {
      const int64_t expected = last && attributes.fft_type == FftType::kIrfft ? length / 2 + 1 : length;
      return absl::InvalidArgumentError(absl::StrCat(KindName(attributes.fft_type), " with fft_length={",
                                                     absl::StrJoin(attributes.fft_length, ","), "} needs ", expected,
                                                     " elements in dimension ", d, ", got ", operand.ToString()));
    }
    if (!last) continue;
    if (attributes.fft_type == FftType::kRfft && length != 0) result.set_dimension(d, length / 2 + 1);
    if (attributes.fft_type == FftType::kIrfft) result.set_dimension(d, length);
  }
  return result;
}

void VerifyFft(const HloInstruction& instruction, Violations& violations) {
  const auto& attributes = instruction.attributes<FftAttributes>();
  const Shape& operand = instruction.operand(0)->shape();
  const int fft_rank = static_cast<int>(attributes.fft_length.size());
  if (attributes.fft_type == FftType::kRfft || attributes.fft_type == FftType::kIrfft || !operand.IsArray()) return;
  for (int i = 0; i < fft_rank && fft_rank <= operand.rank(); ++i) {
    const int64_t size = operand.dimension(operand.rank() - fft_rank + i);
    if (size == attributes.fft_length[i] || size == Shape::kUnboundedSize || !IsEmpty(operand)) continue;
    return violations.Warn(absl::StrCat("fft_length={", absl::StrJoin(attributes.fft_length, ","), "} does not fit ",
                                        operand.ToString(), ", which has no elements to transform"));
  }
}

// The transforms of one evaluation, each run over all lines along one dimension.
class FftEvaluation {
 public:
  FftEvaluation(const FftAttributes& attributes, EvalContext& context) : attributes_(attributes), context_(context) {}

  // Lines along the last dimension first, then along the others; for irfft the last dimension comes at the end,
  // because only then the values are those of a real signal. All in complex double, rounded once.
  absl::StatusOr<Literal> Run(const HloInstruction& instruction, const Literal& operand) {
    ASSIGN_OR_RETURN(Literal result, context_.Allocate(instruction.shape()));
    if (operand.has_dynamic_sizes()) CopyBatchSizes(operand, result);
    if (result.element_count() == 0) return result;
    const bool to_real = attributes_.fft_type == FftType::kIrfft;
    const Shape& wide_shape = to_real ? operand.shape() : result.shape();
    ASSIGN_OR_RETURN(Literal wide, context_.Allocate(Shape::Array(C128, wide_shape.dimensions())));
    if (attributes_.fft_type == FftType::kRfft) {
      RETURN_IF_ERROR(TransformRealLines(operand, wide));
    } else {
      ReadWide(operand.shape().element_type(), operand.untyped_data(), 0, operand.element_count(),
               wide.mutable_data<complex128>());
      if (!to_real) RETURN_IF_ERROR(TransformLines(wide, wide_shape.rank() - 1));
    }
    const int fft_rank = static_cast<int>(attributes_.fft_length.size());
    for (int i = 2; i <= fft_rank; ++i) RETURN_IF_ERROR(TransformLines(wide, wide_shape.rank() - i));
    if (to_real) {
      RETURN_IF_ERROR(TransformToRealLines(wide, result));
      return result;
    }
    Scale(wide);
    WriteWide({result.shape().element_type(), result.untyped_mutable_data()}, wide.data<complex128>(), 0,
              result.element_count());
    return result;
  }

 private:
  using Line = std::vector<complex128>;

  bool inverse() const { return attributes_.fft_type == FftType::kIfft || attributes_.fft_type == FftType::kIrfft; }
  double scale() const {
    double size = 1;
    for (const int64_t length : attributes_.fft_length) size *= static_cast<double>(length);
    return inverse() ? 1 / size : 1;
  }

  void CopyBatchSizes(const Literal& operand, Literal& result) const {
    for (int d = 0; d + static_cast<int>(attributes_.fft_length.size()) < operand.shape().rank(); ++d) {
      if (operand.dynamic_size(d) != operand.shape().dimension(d)) result.SetDynamicSize(d, operand.dynamic_size(d));
    }
  }

  void Scale(Literal& wide) const {
    if (!inverse()) return;
    complex128* const values = wide.mutable_data<complex128>();
    for (int64_t i = 0; i < wide.element_count(); ++i) values[i] *= scale();
  }

  // Calls work(line number, line, transform, scratch) for `count` lines of `length` elements.
  template <typename Work>
  absl::Status ForLines(int64_t count, int64_t length, const Work& work) {
    ASSIGN_OR_RETURN(const auto reservation, ScratchReservation::Make(1, FftTransform::MemoryBytes(length), context_));
    const FftTransform transform(length, [this] { return !context_.CheckDeadline().ok(); });
    constexpr int64_t kElementsPerTask = 20000;
    const int64_t grain = std::max<int64_t>(1, kElementsPerTask / length);
    // The line, the scratch of its transform, and its elements as reals.
    const int64_t bytes = (length + transform.scratch_size()) * int64_t{sizeof(complex128)} + length * sizeof(double);
    MemoryBudget* const budget = context_.memory_budget();
    RETURN_IF_ERROR(ParallelForStatus(context_, count, grain, [&](int64_t begin, int64_t end) -> absl::Status {
      ASSIGN_OR_RETURN(const auto of_task, ScratchReservation::Make(bytes, budget));
      Line line(length), scratch(transform.scratch_size());
      for (int64_t i = begin; i < end; ++i) work(i, line, transform, scratch.data());
      return absl::OkStatus();
    }));
    return context_.CheckDeadline();
  }

  // Transforms along dimension `d` in place.
  absl::Status TransformLines(Literal& wide, int d) {
    const int64_t length = wide.shape().dimension(d);
    const int64_t stride = RowMajorStrides(wide.shape().dimensions())[d];
    complex128* const values = wide.mutable_data<complex128>();
    return ForLines(wide.element_count() / length, length,
                    [&](int64_t i, Line& line, const FftTransform& transform, complex128* scratch) {
                      complex128* const first = values + i / stride * stride * length + i % stride;
                      for (int64_t j = 0; j < length; ++j) line[j] = first[j * stride];
                      if (inverse()) {
                        transform.Inverse(line.data(), scratch);
                      } else {
                        transform.Forward(line.data(), scratch);
                      }
                      for (int64_t j = 0; j < length; ++j) first[j * stride] = line[j];
                    });
  }

  absl::Status TransformRealLines(const Literal& operand, Literal& wide) {
    const int64_t length = attributes_.fft_length.back(), kept = length / 2 + 1;
    complex128* const values = wide.mutable_data<complex128>();
    return ForLines(operand.element_count() / length, length,
                    [&](int64_t i, Line& line, const FftTransform& transform, complex128* scratch) {
                      ReadWide(operand.shape().element_type(), operand.untyped_data(), i * length, length, line.data());
                      transform.Forward(line.data(), scratch);
                      std::copy_n(line.begin(), kept, values + i * kept);
                      // The sums of real numbers; rounding leaves nothing else, but Bluestein's algorithm does.
                      values[i * kept] = values[i * kept].real();
                      if (length % 2 == 0) values[i * kept + length / 2] = values[i * kept + length / 2].real();
                    });
  }

  // The spectrum of a real signal is symmetric, so the second half follows from the first; imaginary parts of the
  // first and the middle element, which must be zero, are ignored.
  absl::Status TransformToRealLines(const Literal& wide, Literal& result) {
    const int64_t length = attributes_.fft_length.back(), given = length / 2 + 1;
    const complex128* const values = wide.data<complex128>();
    const WideStore store{result.shape().element_type(), result.untyped_mutable_data()};
    return ForLines(result.element_count() / length, length,
                    [&](int64_t i, Line& line, const FftTransform& transform, complex128* scratch) {
                      std::copy_n(values + i * given, given, line.begin());
                      line[0] = line[0].real();
                      if (length % 2 == 0) line[length / 2] = line[length / 2].real();
                      for (int64_t j = given; j < length; ++j) line[j] = std::conj(line[length - j]);
                      transform.Inverse(line.data(), scratch);
                      std::vector<double> reals(length);
                      for (int64_t j = 0; j < length; ++j) reals[j] = line[j].real() * scale();
                      WriteWide(store, reals.data(), i * length, length);
                    });
  }

  const FftAttributes& attributes_;
  EvalContext& context_;
};

absl::StatusOr<Literal> EvaluateFft(const HloInstruction& instruction, OperandValues& operands, EvalContext& context) {
  return FftEvaluation(instruction.attributes<FftAttributes>(), context).Run(instruction, operands[0]);
}

}  // namespace

OpDefinition Define_kFft() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<FftAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferFftShape;
  op.verify = &VerifyFft;
  op.evaluate = &EvaluateFft;
  return op;
}

}  // namespace xla
