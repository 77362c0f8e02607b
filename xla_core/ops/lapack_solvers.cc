// LAPACK targets that solve linear systems. Operands -> results:
//   trsm   a (triangular), b m by n -> x with op(a) x = b (side L) or x op(a) = b (side R)   side, uplo, trans_x, diag
//          A third operand, if there is one, is a scalar that b is multiplied by.
//   gtsv   dl[n], d[n], du[n], b n by k -> dl, d, du as LAPACK leaves them, x, info s32
//          Row i of the tridiagonal matrix is dl[i], d[i], du[i]; dl[0] and du[n - 1] are not used.
// Conventions as in JAX 0.10's lowerings for CPU.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/lapack_call.h"

namespace xla {
namespace {

template <typename T>
struct Trsm {
  static absl::StatusOr<Literal> Evaluate(const CustomCall& custom_call) {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value;
    const bool scaled = custom_call.operands.size() == 3;
    ASSIGN_OR_RETURN(LapackCall call, LapackCall::Make(custom_call, scaled ? 3 : 2, kType));
    const LapackSizes& s = call.sizes();
    RETURN_IF_ERROR(call.CheckSquare());
    ASSIGN_OR_RETURN(const char side, call.attributes().GetChar("side", "LR"));
    ASSIGN_OR_RETURN(const char uplo, call.attributes().GetChar("uplo", "LU"));
    ASSIGN_OR_RETURN(const char trans, call.attributes().GetChar("trans_x", "NTC"));
    ASSIGN_OR_RETURN(const char diag, call.attributes().GetChar("diag", "NU"));
    const Shape& b_shape = call.operand(1).shape();
    const int rank = b_shape.rank();
    if (rank < 2) return absl::InvalidArgumentError(absl::StrCat("b must hold matrices, got ", b_shape.ToString()));
    const int64_t other = b_shape.dimension(side == 'L' ? rank - 1 : rank - 2);
    if (other > std::numeric_limits<int>::max()) return absl::InvalidArgumentError("b is too large for LAPACK");
    const int m = side == 'L' ? s.n : static_cast<int>(other), n = side == 'L' ? static_cast<int>(other) : s.n;
    const Shape result = s.Result(kType, {m, n});
    RETURN_IF_ERROR(call.CheckOperand(1, result));
    if (scaled) RETURN_IF_ERROR(call.CheckOperand(2, Shape::Scalar(kType)));
    const T alpha = scaled ? call.operand(2).template data<T>()[0] : T(1);
    RETURN_IF_ERROR(call.SetResults({result}));
    return call.ForBatch([&](int64_t b) {
      const std::vector<T> a = call.LoadMatrix<T>(0, b, s.n, s.n);
      std::vector<T> x = call.LoadMatrix<T>(1, b, m, n);
      const int lda = LeadingDimension(s.n), ldb = LeadingDimension(m);
      LapackRoutines<T>::trsm(&side, &uplo, &trans, &diag, &m, &n, &alpha, a.data(), &lda, x.data(), &ldb, 1, 1, 1, 1);
      call.StoreMatrix(0, b, m, n, x);
    });
  }
};

template <typename T>
struct Gtsv {
  static absl::StatusOr<Literal> Evaluate(const CustomCall& custom_call) {
    constexpr PrimitiveType kType = PrimitiveTypeOf<T>::value;
    if (custom_call.operands.size() != 4) return absl::InvalidArgumentError("expected the operands dl, d, du and b");
    // b comes last but has the sizes; the diagonals follow from it.
    Literal values[4] = {custom_call.operands.Take(3), custom_call.operands.Take(0), custom_call.operands.Take(1),
                         custom_call.operands.Take(2)};
    Literal* const order[4] = {&values[0], &values[1], &values[2], &values[3]};
    const bool owned[4] = {};
    OperandValues reordered(order, owned);
    ASSIGN_OR_RETURN(LapackCall call,
                     LapackCall::Make({custom_call.instruction, reordered, custom_call.context}, 4, kType));
    const LapackSizes& s = call.sizes();
    const Shape diagonal = s.Result(kType, {s.m});
    for (int i = 1; i < 4; ++i) RETURN_IF_ERROR(call.CheckOperand(i, diagonal));
    RETURN_IF_ERROR(call.SetResults({diagonal, diagonal, diagonal, s.Result(kType, {s.m, s.n}), s.Result(S32, {})}));
    return call.ForBatch([&](int64_t b) {
      std::vector<T> x = call.LoadMatrix<T>(0, b, s.m, s.n);
      T* diagonals[3];
      for (int i = 0; i < 3; ++i) {
        const std::vector<T> values = call.LoadVector<T>(i + 1, b, s.m);
        diagonals[i] = call.ResultVector<T>(i, b, s.m);
        std::copy_n(values.begin(), s.m, diagonals[i]);
      }
      const int ldb = LeadingDimension(s.m);
      int info = 0;
      // LAPACK's lower diagonal starts in row 1.
      if (s.m > 0) {
        LapackRoutines<T>::gtsv(&s.m, &s.n, diagonals[0] + 1, diagonals[1], diagonals[2], x.data(), &ldb, &info);
      }
      call.StoreMatrix(3, b, s.m, s.n, x);
      call.SetInfo(4, b, info);
    });
  }
};

}  // namespace

void AddSolvers(std::vector<BuiltinCustomCall>& calls) {
  AddForAllTypes<Trsm>("trsm", "trsm", calls);
  AddForAllTypes<Gtsv>("gtsv", "gtsv", calls);
}

}  // namespace xla
