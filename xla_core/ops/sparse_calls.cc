// The target that multiplies sparse matrices. Operands -> result:
//   cpu_csr_sparse_dense_ffi   data[nse], starts[m + 1], columns[nse], x[n] or x n by k -> y[m] or y m by k
//     Row i of the m by n matrix has the elements e from starts[i] up to, without it, starts[i + 1]: data[e] in column
//     columns[e]. y is the matrix times x. Elements outside of data or of the matrix count as zeros, so that arrays may
//     be padded; elements of the same place add up.
//   data, x, y: s32, s64, f32, f64, c64 or c128, all three alike; starts, columns: s32 or s64, both alike.
// Conventions as in JAX 0.10's lowering of bcsr_dot_general for CPU.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/lapack_call.h"

namespace xla {
namespace {

absl::Status CheckShapeOf(const char* what, const Shape& got, const Shape& expected) {
  if (got.Compatible(expected)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, " must be ", expected.ToString(), ", got ", got.ToString()));
}

// Integers wrap around. Complex products are the plain formula, without the search for infinities among NaN.
template <typename T>
void AddProduct(T a, T b, T& sum) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    sum = static_cast<T>(static_cast<U>(sum) + static_cast<U>(a) * static_cast<U>(b));
  } else if constexpr (kIsComplexElement<T>) {
    sum += T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  } else {
    sum += a * b;
  }
}

// A part is a block of rows.
template <typename T, typename Index>
class CsrTimesDense : public BufferCall {
 public:
  absl::Status Init(const HloInstruction& call, ArrayOrder order) {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value, kIndex = PrimitiveTypeOf<Index>::value;
    const Shape& data = call.operand(0)->shape();
    const Shape& starts = call.operand(1)->shape();
    const Shape& x = call.operand(3)->shape();
    if (data.rank() != 1 || starts.rank() != 1 || starts.dimension(0) < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("data and the starts of rows must have one dimension, and starts at least one element, got ",
                       data.ToString(), " and ", starts.ToString()));
    }
    if (!x.IsArray() || x.element_type() != kType || x.rank() < 1 || x.rank() > 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("x must be a vector or matrix of ", PrimitiveTypeName(kType), ", got ", x.ToString()));
    }
    element_count_ = data.dimension(0);
    RETURN_IF_ERROR(CheckShapeOf("columns", call.operand(2)->shape(), Shape::Array(kIndex, {element_count_})));
    DimensionVector dims(x.dimensions().begin(), x.dimensions().end());
    dims[0] = starts.dimension(0) - 1;
    RETURN_IF_ERROR(CheckShapeOf("the result", call.shape(), Shape::Array(kType, dims)));
    x_ = MatrixBatch(x, 0, order);
    y_ = MatrixBatch(call.shape(), 0, order);
    part_count_ = (y_.rows + kRowsOfPart - 1) / kRowsOfPart;
    const double elements_of_row =
        static_cast<double>(element_count_) / static_cast<double>(std::max<int64_t>(1, y_.rows));
    part_cost_ = kRowsOfPart * (1 + elements_of_row) * static_cast<double>(y_.columns);
    return absl::OkStatus();
  }
  void RunPart(int64_t part, const Memory& memory) const override {
    const T* const data = static_cast<const T*>(memory.operands[0]);
    const Index* const starts = static_cast<const Index*>(memory.operands[1]);
    const Index* const columns = static_cast<const Index*>(memory.operands[2]);
    const T* const x = static_cast<const T*>(memory.operands[3]);
    T* const y = static_cast<T*>(memory.results[0]);
    const int64_t end_row = std::min(y_.rows, (part + 1) * kRowsOfPart);
    for (int64_t row = part * kRowsOfPart; row < end_row; ++row) {
      T* const sums = y + row * y_.row_stride;
      for (int64_t j = 0; j < y_.columns; ++j) sums[j * y_.column_stride] = T(0);
      const int64_t begin = std::clamp<int64_t>(starts[row], 0, element_count_);
      const int64_t end = std::clamp<int64_t>(starts[row + 1], 0, element_count_);
      for (int64_t e = begin; e < end; ++e) {
        const int64_t column = columns[e];
        if (column < 0 || column >= x_.rows) continue;
        const T* const factors = x + column * x_.row_stride;
        for (int64_t j = 0; j < y_.columns; ++j) {
          AddProduct(data[e], factors[j * x_.column_stride], sums[j * y_.column_stride]);
        }
      }
    }
  }

 private:
  static constexpr int64_t kRowsOfPart = 64;

  int64_t element_count_ = 0;
  MatrixBatch x_;
  MatrixBatch y_;
};

using Made = absl::StatusOr<std::unique_ptr<BufferCall>>;

template <typename T, typename Index>
Made MakeOfTypes(const HloInstruction& call, ArrayOrder order) {
  auto made = std::make_unique<CsrTimesDense<T, Index>>();
  RETURN_IF_ERROR(made->Init(call, order));
  return std::unique_ptr<BufferCall>(std::move(made));
}

template <typename T>
Made MakeOfType(const HloInstruction& call, ArrayOrder order) {
  switch (ElementTypeOfOperand(call, 1)) {
    case S32:
      return MakeOfTypes<T, int32_t>(call, order);
    case S64:
      return MakeOfTypes<T, int64_t>(call, order);
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("the starts of rows must be an array of s32 or s64, got ", call.operand(1)->shape().ToString()));
  }
}

Made MakeCsrTimesDense(const HloInstruction& call, ArrayOrder order) {
  if (call.operand_count() != 4) {
    return absl::InvalidArgumentError(absl::StrCat("expected 4 operands, got ", call.operand_count()));
  }
  switch (ElementTypeOfOperand(call, 0)) {
    case S32:
      return MakeOfType<int32_t>(call, order);
    case S64:
      return MakeOfType<int64_t>(call, order);
    case F32:
      return MakeOfType<float>(call, order);
    case F64:
      return MakeOfType<double>(call, order);
    case C64:
      return MakeOfType<complex64>(call, order);
    case C128:
      return MakeOfType<complex128>(call, order);
    default:
      return absl::InvalidArgumentError(absl::StrCat("data must be an array of s32, s64, f32, f64, c64 or c128, got ",
                                                     call.operand(0)->shape().ToString()));
  }
}

}  // namespace

void AddSparseProducts(std::vector<BufferCallTarget>& targets) {
  targets.push_back({"cpu_csr_sparse_dense_ffi", &MakeCsrTimesDense});
}

}  // namespace xla
