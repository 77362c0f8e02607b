// LAPACK targets that work with the reflectors of geqrf and geqp3, whose product is the matrix Q:
//   orgqr   a m by n, tau[k] -> the first n columns of q                       (ungqr for complex elements)
//   ormqr   a m by n, tau[k], c -> q c (left) or c q; with transpose q' c or c q', where q' is the (conjugate)
//           transpose. c has m rows (left) or m columns.                       left, transpose (unmqr for complex)
// Column i of a has reflector i below the diagonal; n >= k, and m >= n (orgqr) or m >= k (ormqr).
// Conventions as in JAX 0.10's lowerings for CPU. XLA's own target ProductOfElementaryHouseholderReflectors is orgqr of
// any floating or complex type.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/lapack_call.h"

namespace xla {
namespace {

// The last dimension of tau.
absl::StatusOr<int64_t> ReflectorCount(const Shape& tau) {
  if (tau.rank() > 0) return tau.dimension(tau.rank() - 1);
  return absl::InvalidArgumentError(absl::StrCat("tau must hold vectors, got ", tau.ToString()));
}

template <typename T, typename Stored>
class Orgqr : public LapackCall {
 public:
  // orgqr / ungqr: Q from its reflectors. Half floats are computed as f32 and rounded at the end (Stored).
  absl::Status Init() {
    constexpr PrimitiveType kType = PrimitiveTypeOf<Stored>::value;
    RETURN_IF_ERROR(TakeOperands(2, kType));
    const LapackSizes& s = sizes();
    ASSIGN_OR_RETURN(const int64_t k, ReflectorCount(operand_shape(1)));
    if (s.n > s.m || k > s.n) {
      return absl::InvalidArgumentError(
          absl::StrCat("a must have no more columns than rows, and tau no more elements than columns, got ",
                       operand_shape(0).ToString(), " and ", operand_shape(1).ToString()));
    }
    k_ = static_cast<int>(k);
    RETURN_IF_ERROR(CheckOperand(1, s.Result(kType, {k})));
    RETURN_IF_ERROR(SetResults({s.Result(kType, {s.m, s.n})}));
    RETURN_IF_ERROR(CheckBlockWorkspace());
    InPlace(0, 0);
    ReserveWorkspace<T>(s.n,
                        [&](T* work, const int* lwork, int* info) { Call(nullptr, nullptr, work, lwork, info); });
    SetCost(2.0 * s.m * s.n * k_);
    return absl::OkStatus();
  }
  void RunPart(int64_t b, const Memory& memory) const override {
    const T* const tau = Operand<T, Stored>(1, b, memory);
    T* const a = Start<T, Stored>(0, 0, b, memory);
    int info = 0;
    Call(a, tau, work<T>(memory), lwork(), &info);
    Finish<T, Stored>(0, b, memory);
  }

 private:
  void Call(T* a, const T* tau, T* work, const int* lwork, int* info) const {
    const int lda = LeadingDimension(sizes().m);
    LapackRoutines<T>::orgqr(&sizes().m, &sizes().n, &k_, a, &lda, tau, work, lwork, info);
  }

  int k_ = 0;
};
template <typename T>
using SameOrgqr = Orgqr<T, T>;

template <typename T>
class Ormqr : public LapackCall {
 public:
  // ormqr / unmqr: Q, given by reflectors in a, times a matrix c from the left or the right.
  absl::Status Init() {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value;
    RETURN_IF_ERROR(TakeOperands(3, kType));
    const LapackSizes& s = sizes();
    ASSIGN_OR_RETURN(const bool left, attributes().GetBool("left"));
    ASSIGN_OR_RETURN(const bool transpose, attributes().GetBool("transpose"));
    side_ = left ? 'L' : 'R';
    trans_ = !transpose ? 'N' : kIsComplexElement<T> ? 'C' : 'T';
    ASSIGN_OR_RETURN(const int64_t k, ReflectorCount(operand_shape(1)));
    if (k > s.min()) {
      return absl::InvalidArgumentError(
          absl::StrCat("tau must have no more elements than a has rows or columns, got ", operand_shape(0).ToString(),
                       " and ", operand_shape(1).ToString()));
    }
    k_ = static_cast<int>(k);
    RETURN_IF_ERROR(CheckOperand(1, s.Result(kType, {k})));
    const Shape& c = operand_shape(2);
    if (c.rank() < 2) return absl::InvalidArgumentError(absl::StrCat("c must hold matrices, got ", c.ToString()));
    const int64_t other = c.dimension(c.rank() - (left ? 1 : 2));
    if (other > std::numeric_limits<int>::max()) {
      return absl::InvalidArgumentError(
          absl::StrCat("LAPACK counts elements in 32 bits, too few for ", c.ToString()));
    }
    rows_ = left ? s.m : static_cast<int>(other);
    columns_ = left ? static_cast<int>(other) : s.m;
    const Shape result = s.Result(kType, {rows_, columns_});
    RETURN_IF_ERROR(CheckOperand(2, result));
    RETURN_IF_ERROR(SetResults({result}));
    constexpr double kRowsOfBlocks = 128, kSquares = 8192;
    RETURN_IF_ERROR(CheckWorkspace(kRowsOfBlocks * (static_cast<double>(s.m) + s.n + other) + kSquares));
    InPlace(2, 0);
    // It writes ones over the diagonal, and restores it.
    CopyOperand(0);
    ReserveWorkspace<T>(other, [&](T* work, const int* lwork, int* info) {
      Call(nullptr, nullptr, nullptr, work, lwork, info);
    });
    SetCost(4.0 * rows_ * columns_ * k_);
    return absl::OkStatus();
  }
  void RunPart(int64_t b, const Memory& memory) const override {
    T* const a = Operand<T>(0, b, memory);
    const T* const tau = Operand<T>(1, b, memory);
    T* const c = Start<T>(0, 2, b, memory);
    int info = 0;
    Call(a, tau, c, work<T>(memory), lwork(), &info);
    Finish<T>(0, b, memory);
  }

 private:
  void Call(T* a, const T* tau, T* c, T* work, const int* lwork, int* info) const {
    const int lda = LeadingDimension(sizes().m), ldc = LeadingDimension(rows_);
    LapackRoutines<T>::ormqr(&side_, &trans_, &rows_, &columns_, &k_, a, &lda, tau, c, &ldc, work, lwork, info, 1, 1);
  }

  char side_ = 'L';
  char trans_ = 'N';
  int rows_ = 0;
  int columns_ = 0;
  int k_ = 0;
};

}  // namespace

void AddReflections(std::vector<BufferCallTarget>& targets) {
  AddForAllTypes<SameOrgqr>("orgqr", "ungqr", targets);
  AddForAllTypes<Ormqr>("ormqr", "unmqr", targets);
  targets.push_back({"ProductOfElementaryHouseholderReflectors", &MakeCallOfAnyType<Orgqr>});
}

}  // namespace xla
