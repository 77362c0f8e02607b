// Targets that solve linear systems. Operands -> results:
//   trsm   a (triangular), b m by n -> x with op(a) x = b (side L) or x op(a) = b (side R)   side, uplo, trans_x, diag
//          A third operand, if there is one, is a scalar that b is multiplied by.
//   gtsv   dl[n], d[n], du[n], b n by k -> dl, d, du as LAPACK leaves them, x, info s32
//          Row i of the tridiagonal matrix is dl[i], d[i], du[i]; dl[0] and du[n - 1] are not used.
//   tridiagonal_solve_perturbed_ffi, of any of the four types: the same operands -> x. Where the matrix is singular or
//          nearly so, pivots are changed by as little as lets x be finite, which is what inverse iteration needs.
// Conventions as in JAX 0.10's lowerings for CPU.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/lapack_call.h"

namespace xla {
namespace {

template <typename T>
class Trsm : public LapackCall {
 public:
  // m and n are those of b; a is square, of the size of the side that it is multiplied from.
  absl::Status Init() {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value;
    is_scaled_ = call().operand_count() == 3;
    RETURN_IF_ERROR(TakeOperands(is_scaled_ ? 3 : 2, kType));
    const LapackSizes& s = sizes();
    RETURN_IF_ERROR(CheckSquare());
    ASSIGN_OR_RETURN(side_, attributes().GetChar("side", "LR"));
    ASSIGN_OR_RETURN(uplo_, attributes().GetChar("uplo", "LU"));
    ASSIGN_OR_RETURN(trans_, attributes().GetChar("trans_x", "NTC"));
    ASSIGN_OR_RETURN(diag_, attributes().GetChar("diag", "NU"));
    const Shape& b_shape = operand_shape(1);
    const int rank = b_shape.rank();
    if (rank < 2) return absl::InvalidArgumentError(absl::StrCat("b must hold matrices, got ", b_shape.ToString()));
    const int64_t other = b_shape.dimension(side_ == 'L' ? rank - 1 : rank - 2);
    if (other > std::numeric_limits<int>::max()) {
      return absl::InvalidArgumentError(
          absl::StrCat("LAPACK counts elements in 32 bits, too few for ", b_shape.ToString()));
    }
    m_ = side_ == 'L' ? s.n : static_cast<int>(other);
    n_ = side_ == 'L' ? static_cast<int>(other) : s.n;
    const Shape result = s.Result(kType, {m_, n_});
    RETURN_IF_ERROR(CheckOperand(1, result));
    if (is_scaled_) RETURN_IF_ERROR(CheckSharedOperand(2, Shape::Scalar(kType)));
    RETURN_IF_ERROR(SetResults({result}));
    InPlace(1, 0);
    SetCost(static_cast<double>(s.n) * m_ * n_);
    return absl::OkStatus();
  }
  void RunPart(int64_t b, const Memory& memory) const override {
    const T alpha = is_scaled_ ? *Operand<T>(2, b, memory) : T(1);
    const T* const a = Operand<T>(0, b, memory);
    T* const x = Start<T>(0, 1, b, memory);
    const int lda = LeadingDimension(sizes().n), ldb = LeadingDimension(m_);
    LapackRoutines<T>::trsm(&side_, &uplo_, &trans_, &diag_, &m_, &n_, &alpha, a, &lda, x, &ldb, 1, 1, 1, 1);
    Finish<T>(0, b, memory);
  }

 private:
  bool is_scaled_ = false;
  char side_ = 'L';
  char uplo_ = 'L';
  char trans_ = 'N';
  char diag_ = 'N';
  int m_ = 0;
  int n_ = 0;
};

// dl, d, du and b, the last of which has the sizes.
class TridiagonalCall : public LapackCall {
 protected:
  absl::Status TakeSystem(PrimitiveType type) {
    RETURN_IF_ERROR(TakeOperands(4, type, /*matrix=*/3));
    for (int i = 0; i < 3; ++i) RETURN_IF_ERROR(CheckOperand(i, sizes().Result(type, {sizes().m})));
    SetCost(10.0 * sizes().m * (sizes().n + 1.0));
    return absl::OkStatus();
  }
};

template <typename T>
class Gtsv : public TridiagonalCall {
 public:
  absl::Status Init() {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value;
    RETURN_IF_ERROR(TakeSystem(kType));
    const LapackSizes& s = sizes();
    const Shape diagonal = s.Result(kType, {s.m});
    RETURN_IF_ERROR(SetResults({diagonal, diagonal, diagonal, s.Result(kType, {s.m, s.n}), s.Result(S32, {})}));
    for (int i = 0; i < 4; ++i) InPlace(i, i);
    return absl::OkStatus();
  }
  void RunPart(int64_t b, const Memory& memory) const override {
    T* parts[4];
    for (int i = 0; i < 4; ++i) parts[i] = Start<T>(i, i, b, memory);
    const int ldb = LeadingDimension(sizes().m);
    int info = 0;
    // LAPACK's lower diagonal starts in row 1.
    if (sizes().m > 0) {
      LapackRoutines<T>::gtsv(&sizes().m, &sizes().n, parts[0] + 1, parts[1], parts[2], parts[3], &ldb, &info);
    }
    for (int i = 0; i < 4; ++i) Finish<T>(i, b, memory);
    SetInteger(4, b, info, memory);
  }
};

// Elimination with scaled row exchanges, as in LAPACK's lagtf, then substitution, as in lagts with job -1.
template <typename T>
class PerturbedTridiagonalSolve : public TridiagonalCall {
 public:
  absl::Status Init() {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value;
    RETURN_IF_ERROR(TakeSystem(kType));
    RETURN_IF_ERROR(SetResults({sizes().Result(kType, {sizes().m, sizes().n})}));
    InPlace(3, 0);
    for (int64_t& diagonal : upper_) diagonal = Reserve<T>(sizes().m);
    return absl::OkStatus();
  }
  // Elimination with a floor for pivots: epsilon times the largest element.
  void RunPart(int64_t b, const Memory& memory) const override {
    System system;
    system.rows = sizes().m;
    system.columns = sizes().n;
    system.lower = Operand<T>(0, b, memory);
    system.diagonal = Operand<T>(1, b, memory);
    system.upper = Operand<T>(2, b, memory);
    for (int i = 0; i < 3; ++i) system.u[i] = Scratch<T>(memory, upper_[i]);
    system.x = Start<T>(0, 3, b, memory);
    if (system.rows > 0) {
      const R largest = Eliminate(system);
      Substitute(system, std::numeric_limits<R>::epsilon() * largest);
    }
    Finish<T>(0, b, memory);
  }

 private:
  using R = Real<T>;

  struct System {
    int64_t rows, columns;
    const T *lower, *diagonal, *upper;
    T* u[3];  // the triangular factor: its diagonal and the two above
    T* x;     // the right-hand sides first, in columns
  };

  // Leaves the factor in u and the right-hand sides multiplied by the inverse of the other factor. Returns what
  // perturbations are measured by, a great magnitude in u.
  static R Eliminate(System& s) {
    const int64_t n = s.rows;
    s.u[0][0] = s.diagonal[0];
    s.u[1][0] = n > 1 ? s.upper[0] : T(0);
    s.u[2][0] = T(0);
    R row_sum = std::abs(s.u[0][0]) + std::abs(s.u[1][0]);
    for (int64_t k = 0; k + 1 < n; ++k) {
      const bool has_upper = k + 2 < n;
      const T below = s.lower[k + 1], diagonal = s.diagonal[k + 1], upper = has_upper ? s.upper[k + 1] : T(0);
      const R next_sum = std::abs(below) + std::abs(diagonal) + std::abs(upper);
      const R pivot = s.u[0][k] == T(0) ? R(0) : std::abs(s.u[0][k]) / row_sum;
      s.u[2][k + 1] = T(0);
      if (below == T(0) || std::abs(below) / next_sum <= pivot) {
        const T factor = below == T(0) ? T(0) : below / s.u[0][k];
        s.u[0][k + 1] = below == T(0) ? diagonal : diagonal - factor * s.u[1][k];
        s.u[1][k + 1] = upper;
        if (below != T(0)) SubtractRow(s, k + 1, factor, k);
        row_sum = next_sum;
      } else {
        const T factor = s.u[0][k] / below;
        s.u[0][k + 1] = s.u[1][k] - factor * diagonal;
        s.u[1][k + 1] = -factor * upper;
        s.u[0][k] = below;
        s.u[1][k] = diagonal;
        s.u[2][k] = upper;
        for (int64_t j = 0; j < s.columns; ++j) std::swap(s.x[j * n + k], s.x[j * n + k + 1]);
        SubtractRow(s, k + 1, factor, k);
        row_sum = std::abs(s.u[0][k + 1]) + std::abs(s.u[1][k + 1]);
      }
    }
    // As in JAX, the row before the last is not among them.
    R largest = std::max(R(std::abs(s.u[0][n - 1])), R(std::abs(s.diagonal[0])));
    if (n > 1) largest = std::max(largest, R(std::abs(s.upper[0])));
    for (const T* const u : s.u) {
      for (int64_t k = 0; k + 2 < n; ++k) largest = std::max(largest, R(std::abs(u[k])));
    }
    return largest;
  }

  // Row `row` of x less `factor` times row `other`.
  static void SubtractRow(System& s, int64_t row, T factor, int64_t other) {
    for (int64_t j = 0; j < s.columns; ++j) s.x[j * s.rows + row] -= factor * s.x[j * s.rows + other];
  }

  static void Substitute(System& s, R perturbation) {
    for (int64_t k = s.rows - 1; k >= 0; --k) {
      if (k + 1 < s.rows) SubtractRow(s, k, s.u[1][k], k + 1);
      if (k + 2 < s.rows) SubtractRow(s, k, s.u[2][k], k + 2);
      const T inverse = T(1) / SafePivot(s, k, perturbation);
      for (int64_t j = 0; j < s.columns; ++j) s.x[j * s.rows + k] *= inverse;
    }
  }

  // The pivot of row k, changed or scaled with its row until neither its inverse nor the row times that overflows.
  static T SafePivot(System& s, int64_t k, R perturbation) {
    constexpr R kSmallest = std::numeric_limits<R>::min();
    constexpr R kGreatest = R(1) / kSmallest;
    T pivot = s.u[0][k];
    R magnitude = std::abs(pivot), row = 0;
    if (!(magnitude < R(1))) return pivot;
    for (int64_t j = 0; j < s.columns; ++j) row = std::max(row, R(std::abs(s.x[j * s.rows + k])));
    perturbation = std::copysign(std::max(perturbation, kSmallest), std::real(pivot));
    while (magnitude < R(1)) {
      const bool is_tiny = magnitude < kSmallest;
      if (is_tiny && magnitude != R(0) && row * kSmallest <= magnitude) {
        for (int64_t j = 0; j < s.columns; ++j) s.x[j * s.rows + k] *= kGreatest;
        return pivot * kGreatest;
      }
      if (!is_tiny && !(row > magnitude * kGreatest)) return pivot;
      pivot += perturbation;
      perturbation *= 2;
      magnitude = std::abs(pivot);
    }
    return pivot;
  }

  int64_t upper_[3] = {};
};

absl::StatusOr<std::unique_ptr<BufferCall>> MakePerturbedSolve(const HloInstruction& call, ArrayOrder order) {
  switch (ElementTypeOfOperand(call, 3)) {
    case F64:
      return MakeLapackCall<PerturbedTridiagonalSolve<double>>(call, order);
    case C64:
      return MakeLapackCall<PerturbedTridiagonalSolve<complex64>>(call, order);
    case C128:
      return MakeLapackCall<PerturbedTridiagonalSolve<complex128>>(call, order);
    default:
      return MakeLapackCall<PerturbedTridiagonalSolve<float>>(call, order);
  }
}

}  // namespace

void AddSolvers(std::vector<BufferCallTarget>& targets) {
  AddForAllTypes<Trsm>("trsm", "trsm", targets);
  AddForAllTypes<Gtsv>("gtsv", "gtsv", targets);
  targets.push_back({"tridiagonal_solve_perturbed_ffi", &MakePerturbedSolve});
}

}  // namespace xla
