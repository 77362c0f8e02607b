// What the LAPACK targets share: batches of matrices between row-major literals and LAPACK's column-major buffers.
//
// The literals of a call are row-major by logical index whatever their layouts say, so a matrix is transposed on its
// way in and out. The leading dimensions are a batch; a routine runs once per element of it.
#ifndef XLA_CORE_OPS_LAPACK_CALL_H_
#define XLA_CORE_OPS_LAPACK_CALL_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "xla_core/ops/builtin_custom_calls.h"
#include "xla_core/ops/custom_call_registry.h"
#include "xla_core/ops/ffi_attributes.h"
#include "xla_core/ops/lapack_routines.h"
#include "xla_core/ops/scratch_reservation.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/literal.h"

namespace xla {

template <typename T>
constexpr bool kIsComplexElement = std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;
template <typename T>
struct RealOf {
  using type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <typename T>
using Real = typename RealOf<T>::type;
template <typename T>
using Complex = std::complex<Real<T>>;

// The first operand as a batch of m by n matrices.
struct LapackSizes {
  DimensionVector batch_dims;
  int64_t batch = 1;
  int m = 0;
  int n = 0;

  int min() const { return std::min(m, n); }
  int max() const { return std::max(m, n); }
  // The shape of one result: batch dimensions, then these.
  Shape Result(PrimitiveType type, std::initializer_list<int64_t> dims) const;
};

// Leading dimensions of Fortran arrays are at least 1.
inline int LeadingDimension(int rows) { return std::max(rows, 1); }

// A call under way: its attributes, sizes and results.
class LapackCall {
 public:
  // InvalidArgument unless there are `operands` arrays of which the first holds matrices of `type`, of at most 2^31 - 1
  // elements each.
  static absl::StatusOr<LapackCall> Make(const CustomCall& call, int operands, PrimitiveType type);

  const FfiAttributes& attributes() const { return attributes_; }
  const LapackSizes& sizes() const { return sizes_; }
  const Literal& operand(int i) const { return call_.operands[i]; }
  int operand_count() const { return call_.operands.size(); }
  absl::Status CheckSquare() const;
  // InvalidArgument unless operand i has this shape.
  absl::Status CheckOperand(int i, const Shape& shape) const;

  // Allocates the results, zeroed. InvalidArgument unless the instruction has exactly these; one alone is no tuple.
  absl::Status SetResults(std::vector<Shape> shapes);
  // Calls run(b) for each element of the batch, with a look at the clock in between.
  template <typename Run>
  absl::StatusOr<Literal> ForBatch(const Run& run) {
    for (int64_t b = 0; b < sizes_.batch; ++b) {
      RETURN_IF_ERROR(call_.context.CheckDeadline());
      run(b);
    }
    return Finish();
  }

  // Vectors and matrices of batch element b; a matrix has `rows` by `columns` elements, in columns.
  template <typename T>
  std::vector<T> LoadMatrix(int operand, int64_t b, int64_t rows, int64_t columns) const {
    const T* const source = call_.operands[operand].data<T>() + b * rows * columns;
    std::vector<T> matrix(std::max<int64_t>(1, rows * columns));
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) matrix[j * rows + i] = source[i * columns + j];
    }
    return matrix;
  }
  template <typename T>
  void StoreMatrix(int result, int64_t b, int64_t rows, int64_t columns, const std::vector<T>& matrix) {
    T* const target = results_[result].mutable_data<T>() + b * rows * columns;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) target[i * columns + j] = matrix[j * rows + i];
    }
  }
  template <typename T>
  std::vector<T> LoadVector(int operand, int64_t b, int64_t count) const {
    const T* const source = call_.operands[operand].data<T>() + b * count;
    std::vector<T> vector(source, source + count);
    vector.resize(std::max<int64_t>(1, count));
    return vector;
  }
  // Where element b of a result of `count` elements per batch lies.
  template <typename T>
  T* ResultVector(int result, int64_t b, int64_t count) {
    return results_[result].mutable_data<T>() + b * count;
  }
  // Sets what LAPACK calls info; a failed decomposition of something that is not finite gets kNotFinite.
  void SetInfo(int result, int64_t b, int info) { results_[result].mutable_data<int32_t>()[b] = info; }
  // Fills element b of a floating result, `count` elements, with NaN.
  template <typename T>
  void FillNan(int result, int64_t b, int64_t count) {
    std::fill_n(ResultVector<T>(result, b, count), count, T(std::numeric_limits<Real<T>>::quiet_NaN()));
  }

 private:
  LapackCall(const CustomCall& call, FfiAttributes attributes) : call_(call), attributes_(std::move(attributes)) {}
  Literal Finish();

  CustomCall call_;
  FfiAttributes attributes_;
  LapackSizes sizes_;
  std::vector<Literal> results_;
  absl::optional<ScratchReservation> reservation_;
};

// info of a decomposition that was not tried because its input has NaN or infinities: LAPACK's iterations may not end
// on them. (Argument number 4 is the matrix in most routines.)
inline constexpr int kNotFinite = -4;

template <typename T>
bool AllFinite(const std::vector<T>& values) {
  return std::all_of(values.begin(), values.end(), [](T value) {
    if constexpr (kIsComplexElement<T>) {
      return std::isfinite(value.real()) && std::isfinite(value.imag());
    } else {
      return std::isfinite(value);
    }
  });
}

// Runs a routine twice: first with lwork = -1, upon which it says how much scratch memory it wants.
//   routine(T* work, const int* lwork, int* info)
template <typename T, typename Routine>
int WithWorkspace(const Routine& routine) {
  int info = 0, lwork = -1;
  T size(0);
  routine(&size, &lwork, &info);
  if (info != 0) return info;
  // A float cannot hold every size.
  const double wanted = std::ceil(static_cast<double>(std::real(size)) * (1 + 1e-6));
  lwork = static_cast<int>(std::clamp(wanted, 1.0, 2147483647.0));
  std::vector<T> work(lwork);
  routine(work.data(), &lwork, &info);
  return info;
}

// The routines of each group, by the name between the type letter and `_ffi`; Call(tag) gives a function for the
// element type of the tag.
void AddFactorizations(std::vector<BuiltinCustomCall>& calls);
void AddSolvers(std::vector<BuiltinCustomCall>& calls);
void AddDecompositions(std::vector<BuiltinCustomCall>& calls);

// Adds lapack_{s,d,c,z}... with the real and the complex name of a routine.
template <template <typename> class Target>
void AddForAllTypes(const std::string& real_name, const std::string& complex_name,
                    std::vector<BuiltinCustomCall>& calls) {
  calls.push_back({"lapack_s" + real_name + "_ffi", &Target<float>::Evaluate});
  calls.push_back({"lapack_d" + real_name + "_ffi", &Target<double>::Evaluate});
  calls.push_back({"lapack_c" + complex_name + "_ffi", &Target<complex64>::Evaluate});
  calls.push_back({"lapack_z" + complex_name + "_ffi", &Target<complex128>::Evaluate});
}

}  // namespace xla

#endif  // XLA_CORE_OPS_LAPACK_CALL_H_
