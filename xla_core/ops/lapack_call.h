// What the LAPACK targets share: batches of matrices between the program's memory and LAPACK's columns.
//
// The last two dimensions of a matrix (the last one of a vector) are LAPACK's, those before them are a batch: a routine
// runs once per element of it, which is a part of the BufferCall. A matrix that lies in columns, as programs of JAX ask
// for, is used where it is; any other is copied into scratch memory and back.
//
// A routine is a class with Init, which checks the call, and RunPart:
//
//   absl::Status Init() {
//     RETURN_IF_ERROR(TakeOperands(1, kType));
//     RETURN_IF_ERROR(SetResults({sizes().Result(kType, {sizes().m, sizes().n}), ...}));
//     InPlace(0, 0);
//     ...
//   }
//   void RunPart(int64_t b, const Memory& memory) const override {
//     T* const a = Start<T>(0, 0, b, memory);   // result 0 begins as operand 0
//     ...
//     Finish<T>(0, b, memory);
//   }
//
// The reference LAPACK ends the process when an argument is wrong, so Init lets nothing through that it could object
// to: no dimension, option, or size of a workspace.
#ifndef XLA_CORE_OPS_LAPACK_CALL_H_
#define XLA_CORE_OPS_LAPACK_CALL_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_core/ops/buffer_call.h"
#include "xla_core/ops/ffi_attributes.h"
#include "xla_core/ops/lapack_routines.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/narrow_types.h"

namespace xla {

template <typename T>
constexpr bool kIsComplexElement = std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;
// The type of the parts of a complex element type; of a real one itself.
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

// An operand as a batch of m by n matrices.
struct LapackSizes {
  DimensionVector batch_dims;
  int m = 0;
  int n = 0;

  int min() const { return std::min(m, n); }
  int max() const { return std::max(m, n); }
  // The shape of another operand or a result: batch dimensions, then these.
  Shape Result(PrimitiveType type, std::initializer_list<int64_t> dims) const;
};

// Leading dimensions of Fortran arrays are at least 1.
inline int LeadingDimension(int rows) { return std::max(rows, 1); }

// An operand or result in memory: for each element of the batch a matrix; a vector is one column, a scalar one element.
struct MatrixBatch {
  MatrixBatch() = default;
  // The first `batch_rank` dimensions of `array` are the batch.
  MatrixBatch(const Shape& array, int batch_rank, ArrayOrder order);

  // Of the first element of matrix b.
  int64_t Offset(int64_t b) const;
  int64_t element_count() const { return rows * columns; }
  // Whether it lies as LAPACK requires it, with the leading dimension LeadingDimension(rows).
  bool IsInColumns() const;
  bool LiesLike(const MatrixBatch& o) const;

  DimensionVector batch_sizes;
  DimensionVector batch_strides;
  int64_t rows = 1;
  int64_t columns = 1;
  int64_t row_stride = 1;
  int64_t column_stride = 1;
};

// Operands and results are named by their numbers in the call; `b` is the number of a batch element, which is the
// part that RunPart computes. Matrices that RunPart sees are in columns, one after the other.
class LapackCall : public BufferCall {
 public:
  absl::Status Begin(const HloInstruction& call, ArrayOrder order);
  // The instruction is no longer needed.
  void End() { call_ = nullptr; }

 protected:
  // ---- For Init.

  const FfiAttributes& attributes() const { return attributes_; }
  const LapackSizes& sizes() const { return sizes_; }
  const HloInstruction& call() const { return *call_; }
  const Shape& operand_shape(int i) const { return call_->operand(i)->shape(); }

  // InvalidArgument unless there are `count` operands, all of them arrays, of which operand `matrix` holds matrices of
  // `type`, of at most 2^31 - 1 elements each. Sets sizes().
  absl::Status TakeOperands(int count, PrimitiveType type, int matrix = 0);
  absl::Status CheckSquare() const;
  // InvalidArgument unless operand i has this shape.
  absl::Status CheckOperand(int i, const Shape& shape);
  // The same for an operand that all elements of the batch share.
  absl::Status CheckSharedOperand(int i, const Shape& shape);
  // InvalidArgument unless the results are exactly these; one alone is not a tuple.
  absl::Status SetResults(const std::vector<Shape>& shapes);
  bool HasResults(const std::vector<Shape>& shapes) const;
  // InvalidArgument if LAPACK, which counts in 32 bits, cannot count workspaces of `words` elements.
  absl::Status CheckWorkspace(double words) const;
  // The same for routines whose workspaces are some blocks of rows or columns.
  absl::Status CheckBlockWorkspace() const;

  // Scratch memory for `count` elements. Counts are products of two of LAPACK's integers and a small factor at most.
  template <typename T>
  int64_t Reserve(int64_t count) {
    return ReserveBytes(std::max<int64_t>(1, count) * static_cast<int64_t>(sizeof(T)));
  }
  // What the routine needs as lwork, which it says when it is called with -1, and `least` at least; with the memory.
  //   routine(T* work, const int* lwork, int* info)
  template <typename T, typename Routine>
  void ReserveWorkspace(int64_t least, const Routine& routine) {
    int info = 0, lwork = -1;
    T size(0);
    routine(&size, &lwork, &info);
    // A float cannot hold every size.
    const double wanted = info == 0 ? std::ceil(static_cast<double>(std::real(size)) * (1 + 1e-6)) : 0;
    lwork_ = static_cast<int>(std::clamp(std::max(wanted, static_cast<double>(least)), 1.0, 2147483647.0));
    work_ = Reserve<T>(lwork_);
  }
  // The routine writes into its operand i: it works on a copy.
  void CopyOperand(int i);
  // Result j begins as operand i, which may lie in its place.
  void InPlace(int i, int j);
  void SetCost(double operations) { part_cost_ = operations; }

  // ---- For RunPart.

  const int* lwork() const { return &lwork_; }
  template <typename T>
  T* work(const Memory& memory) const {
    return Scratch<T>(memory, work_);
  }
  template <typename T>
  static T* Scratch(const Memory& memory, int64_t offset) {
    return reinterpret_cast<T*>(static_cast<char*>(memory.scratch) + offset);
  }

  // Operand i in columns: where it lies, or in scratch memory. Stored: its element type if that is not T.
  template <typename T, typename Stored = T>
  T* Operand(int i, int64_t b, const Memory& memory) const {
    const Array& operand = operands_[i];
    const Stored* const from = static_cast<const Stored*>(memory.operands[i]) + operand.matrices.Offset(b);
    if constexpr (std::is_same_v<T, Stored>) {
      if (operand.slot < 0) return const_cast<T*>(from);
    }
    T* const to = Scratch<T>(memory, operand.slot);
    CopyIntoColumns(operand.matrices, from, to);
    return to;
  }
  // Where result j is made, in columns.
  template <typename T, typename Stored = T>
  T* Result(int j, int64_t b, const Memory& memory) const {
    const Array& result = results_[j];
    if constexpr (std::is_same_v<T, Stored>) {
      if (result.slot < 0) return static_cast<T*>(memory.results[j]) + result.matrices.Offset(b);
    }
    return Scratch<T>(memory, result.slot);
  }
  // Result j with the contents of operand i.
  template <typename T, typename Stored = T>
  T* Start(int j, int i, int64_t b, const Memory& memory) const {
    T* const to = Result<T, Stored>(j, b, memory);
    const Stored* const from = static_cast<const Stored*>(memory.operands[i]) + operands_[i].matrices.Offset(b);
    if (static_cast<const void*>(to) != from) CopyIntoColumns(operands_[i].matrices, from, to);
    return to;
  }
  // Result j, made where Result says, goes to its place.
  template <typename T, typename Stored = T>
  void Finish(int j, int64_t b, const Memory& memory) const {
    const Array& result = results_[j];
    if (result.slot < 0) return;
    Stored* const to = static_cast<Stored*>(memory.results[j]) + result.matrices.Offset(b);
    CopyFromColumns(result.matrices, Scratch<T>(memory, result.slot), to);
  }
  // Zeros where result j is made: routines that fail leave parts of their results as they were.
  template <typename T>
  void Clear(int j, int64_t b, const Memory& memory) const {
    std::fill_n(Result<T>(j, b, memory), results_[j].matrices.element_count(), T(0));
  }
  // All elements of matrix b of result j.
  template <typename T>
  void Fill(int j, int64_t b, T value, const Memory& memory) const {
    std::fill_n(Result<T>(j, b, memory), results_[j].matrices.element_count(), value);
    Finish<T>(j, b, memory);
  }
  template <typename T>
  void FillNan(int j, int64_t b, const Memory& memory) const {
    Fill<T>(j, b, T(std::numeric_limits<Real<T>>::quiet_NaN()), memory);
  }
  // What LAPACK calls info, and other scalars.
  void SetInteger(int j, int64_t b, int32_t value, const Memory& memory) const { Fill<int32_t>(j, b, value, memory); }

  template <typename T>
  static bool AllFinite(const T* values, int64_t count) {
    return std::all_of(values, values + count, [](T value) {
      if constexpr (kIsComplexElement<T>) {
        return std::isfinite(value.real()) && std::isfinite(value.imag());
      } else {
        return std::isfinite(value);
      }
    });
  }

 private:
  struct Array {
    MatrixBatch matrices;
    int64_t slot = -1;  // its scratch memory, if it is not used where it lies
    int width = 0;      // bytes of an element there
  };

  int64_t ReserveBytes(int64_t bytes);
  Array Place(const Shape& shape, int batch_rank);
  absl::Status CheckShape(int i, const Shape& shape) const;

  // Squares of this many rows and columns stay in the first cache.
  static constexpr int64_t kTile = 32;

  template <typename From, typename To>
  static void CopyIntoColumns(const MatrixBatch& matrix, const From* from, To* to) {
    if (std::is_same_v<From, To> && matrix.IsInColumns()) {
      if (matrix.element_count() > 0) std::memcpy(to, from, matrix.element_count() * sizeof(To));
      return;
    }
    ForTiles(matrix, [&](int64_t i, int64_t j) {
      to[j * matrix.rows + i] = static_cast<To>(from[i * matrix.row_stride + j * matrix.column_stride]);
    });
  }
  template <typename From, typename To>
  static void CopyFromColumns(const MatrixBatch& matrix, const From* from, To* to) {
    ForTiles(matrix, [&](int64_t i, int64_t j) {
      to[i * matrix.row_stride + j * matrix.column_stride] = static_cast<To>(from[j * matrix.rows + i]);
    });
  }
  template <typename Body>
  static void ForTiles(const MatrixBatch& matrix, const Body& body) {
    for (int64_t row = 0; row < matrix.rows; row += kTile) {
      const int64_t row_end = std::min(matrix.rows, row + kTile);
      for (int64_t column = 0; column < matrix.columns; column += kTile) {
        const int64_t column_end = std::min(matrix.columns, column + kTile);
        for (int64_t j = column; j < column_end; ++j) {
          for (int64_t i = row; i < row_end; ++i) body(i, j);
        }
      }
    }
  }

  const HloInstruction* call_ = nullptr;
  ArrayOrder order_ = ArrayOrder::kAsInLiteral;
  FfiAttributes attributes_;
  LapackSizes sizes_;
  std::vector<Array> operands_;
  std::vector<Array> results_;
  int lwork_ = 1;
  int64_t work_ = 0;
};

// info of a decomposition that was not tried because its input has NaN or infinities: LAPACK's iterations may not end
// on them. (Argument number 4 is the matrix in most routines.)
inline constexpr int kNotFinite = -4;

template <typename Routine>
absl::StatusOr<std::unique_ptr<BufferCall>> MakeLapackCall(const HloInstruction& instruction, ArrayOrder order) {
  auto call = std::make_unique<Routine>();
  RETURN_IF_ERROR(call->Begin(instruction, order));
  RETURN_IF_ERROR(call->Init());
  call->End();
  return std::unique_ptr<BufferCall>(std::move(call));
}

// For targets of any element type: the type of operand `i`; PRIMITIVE_TYPE_INVALID if there is none.
PrimitiveType ElementTypeOfOperand(const HloInstruction& call, int i);
// Routine<T, Stored> for that type, computing half floats as f32; Routine<float, float>, which refuses it, for others.
template <template <typename T, typename Stored> class Routine>
absl::StatusOr<std::unique_ptr<BufferCall>> MakeCallOfAnyType(const HloInstruction& call, ArrayOrder order) {
  switch (ElementTypeOfOperand(call, 0)) {
    case F16:
      return MakeLapackCall<Routine<float, half>>(call, order);
    case BF16:
      return MakeLapackCall<Routine<float, bfloat16>>(call, order);
    case F64:
      return MakeLapackCall<Routine<double, double>>(call, order);
    case C64:
      return MakeLapackCall<Routine<complex64, complex64>>(call, order);
    case C128:
      return MakeLapackCall<Routine<complex128, complex128>>(call, order);
    default:
      return MakeLapackCall<Routine<float, float>>(call, order);
  }
}

// The targets of each group.
void AddFactorizations(std::vector<BufferCallTarget>& targets);
void AddReflections(std::vector<BufferCallTarget>& targets);
void AddSolvers(std::vector<BufferCallTarget>& targets);
void AddDecompositions(std::vector<BufferCallTarget>& targets);
void AddSparseProducts(std::vector<BufferCallTarget>& targets);

// Adds lapack_{s,d,c,z}.._ffi with the real and the complex name of a routine.
template <template <typename> class Routine>
void AddForAllTypes(const std::string& real_name, const std::string& complex_name,
                    std::vector<BufferCallTarget>& targets) {
  targets.push_back({"lapack_s" + real_name + "_ffi", &MakeLapackCall<Routine<float>>});
  targets.push_back({"lapack_d" + real_name + "_ffi", &MakeLapackCall<Routine<double>>});
  targets.push_back({"lapack_c" + complex_name + "_ffi", &MakeLapackCall<Routine<complex64>>});
  targets.push_back({"lapack_z" + complex_name + "_ffi", &MakeLapackCall<Routine<complex128>>});
}

}  // namespace xla

#endif  // XLA_CORE_OPS_LAPACK_CALL_H_
