// Solves systems whose matrix is triangular: op(a) * x = b (left_side) or x * op(a) = b.
//   a T[..., n, n], b T[..., n, m] (left) or T[..., m, n] (right) with the same leading dimensions; result like b.
//   op is a, its transpose or its adjoint. Only the lower (lower) or upper triangle of a is read; with unit_diagonal
//   its diagonal is taken as ones and not read.
// Computed in double by substitution and rounded once; a zero on the diagonal gives infinities and NaN.
// Errors: InvalidArgument unless a holds square matrices of floats or complex numbers, b has the same type, leading
// dimensions and the dimension that a is contracted with, and transpose_a is one of the three.
// Source: StableHLO spec, section `triangular_solve`.
#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/ops/scratch_reservation.h"
#include "xla_core/ops/square_matrix_checks.h"
#include "xla_core/ops/wide_elements.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// a [batch.., n, n] and b [batch.., n, m], or [batch.., m, n] with left_side=false; the result has b's shape.
absl::StatusOr<Shape> InferTriangularSolveShape(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction, 0, 2));
  const auto& attributes = instruction.attributes<TriangularSolveAttributes>();
  const Shape& a = instruction.operand(0)->shape();
  const Shape& b = instruction.operand(1)->shape();
  RETURN_IF_ERROR(CheckSquareMatrices(a));
  const auto mismatch = [&](absl::string_view rule) {
    return absl::InvalidArgumentError(absl::StrCat(rule, ", got a ", a.ToString(), " and b ", b.ToString()));
  };
  if (a.element_type() != b.element_type()) return mismatch("a and b must have the same element type");
  if (a.rank() != b.rank()) return mismatch("a and b must have equally many dimensions");
  for (int d = 0; d < a.rank() - 2; ++d) {
    if (a.dimension(d) != b.dimension(d)) return mismatch("a and b must have equal batch dimensions");
  }
  const int shared = attributes.left_side ? b.rank() - 2 : b.rank() - 1;
  if (b.dimension(shared) != a.dimension(a.rank() - 1)) {
    return mismatch(absl::StrCat("with left_side=", attributes.left_side ? "true" : "false", " dimension ", shared,
                                 " of b must have the size of a's matrices"));
  }
  return b.WithoutLayout();
}

void VerifyTriangularSolve(const HloInstruction& instruction, Violations& violations) {
  if (instruction.attributes<TriangularSolveAttributes>().transpose_a == TransposeA::kInvalid) {
    violations.Add("transpose_a must be NO_TRANSPOSE, TRANSPOSE or ADJOINT");
  }
}

double Conjugate(double value) { return value; }
complex128 Conjugate(complex128 value) { return std::conj(value); }
void SubtractProduct(double a, double b, double& from) { from -= a * b; }
void SubtractProduct(complex128 a, complex128 b, complex128& from) {
  from -= complex128(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
}

template <typename Wide>
void Transpose(int64_t rows, int64_t columns, std::vector<Wide>& matrix) {
  std::vector<Wide> result(matrix.size());
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) result[j * rows + i] = matrix[i * columns + j];
  }
  matrix = std::move(result);
}

// Every case as op(a) * x = b with x in rows: a system on the right is transposed, which turns op(a) around once more.
struct Options {
  bool left_side;
  bool transposed;  // of a, as it multiplies from the left
  bool conjugated;
  bool lower;  // after transposition
  bool unit_diagonal;
};

Options OptionsOf(const TriangularSolveAttributes& attributes) {
  const bool transposed = attributes.transpose_a != TransposeA::kNoTranspose;
  Options options;
  options.left_side = attributes.left_side;
  options.transposed = transposed == attributes.left_side;
  options.conjugated = attributes.transpose_a == TransposeA::kAdjoint;
  options.lower = attributes.lower != options.transposed;
  options.unit_diagonal = attributes.unit_diagonal;
  return options;
}

// Overwrites the n rows of x, `m` elements each. Calls `check` once per row; its error ends the work.
template <typename Wide, typename Check>
absl::Status Substitute(const Options& options, int64_t n, int64_t m, const std::vector<Wide>& a, std::vector<Wide>& x,
                        const Check& check) {
  const auto element = [&](int64_t i, int64_t k) {
    const Wide value = options.transposed ? a[k * n + i] : a[i * n + k];
    return options.conjugated ? Conjugate(value) : value;
  };
  for (int64_t step = 0; step < n; ++step) {
    RETURN_IF_ERROR(check());
    const int64_t i = options.lower ? step : n - 1 - step;
    Wide* const row = x.data() + i * m;
    for (int64_t known = 0; known < step; ++known) {
      const int64_t k = options.lower ? known : n - 1 - known;
      const Wide factor = element(i, k);
      const Wide* const other = x.data() + k * m;
      for (int64_t j = 0; j < m; ++j) SubtractProduct(factor, other[j], row[j]);
    }
    if (options.unit_diagonal) continue;
    const Wide diagonal = element(i, i);
    for (int64_t j = 0; j < m; ++j) row[j] /= diagonal;
  }
  return absl::OkStatus();
}

template <typename Wide, typename Check>
absl::Status SolveOne(const Options& options, int64_t n, int64_t m, int64_t index, const Literal& a, const Literal& b,
                      const WideStore& store, const Check& check) {
  std::vector<Wide> matrix(n * n), x(n * m);
  ReadWide(a.shape().element_type(), a.untyped_data(), index * n * n, n * n, matrix.data());
  ReadWide(b.shape().element_type(), b.untyped_data(), index * n * m, n * m, x.data());
  if (!options.left_side) Transpose(m, n, x);
  RETURN_IF_ERROR(Substitute(options, n, m, matrix, x, check));
  if (!options.left_side) Transpose(n, m, x);
  WriteWide(store, x.data(), index * n * m, n * m);
  return absl::OkStatus();
}

// Solves `count` systems of n unknowns and m right-hand sides. Errors: only the deadline; a zero on the diagonal
// gives infinities or NaN.
template <typename Wide>
absl::Status SolveAll(const Options& options, int64_t n, int64_t m, int64_t count, const Literal& a, const Literal& b,
                      const WideStore& store, EvalContext& context) {
  const double products = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(m) / 2;
  // Large systems take long: they are done one after the other, with a look at the clock for each row.
  if (products >= 1e7) {
    // The matrix, and twice the other side for its transposition.
    ASSIGN_OR_RETURN(const auto reservation,
                     ScratchReservation::Make(static_cast<double>(n) * (n + 2 * m), sizeof(Wide), context));
    for (int64_t i = 0; i < count; ++i) {
      RETURN_IF_ERROR(SolveOne<Wide>(options, n, m, i, a, b, store, [&] { return context.CheckDeadline(); }));
    }
    return absl::OkStatus();
  }
  const int64_t per_task = 1 + static_cast<int64_t>(20000 / (products + 1));
  return context.ParallelFor(count, per_task, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      SolveOne<Wide>(options, n, m, i, a, b, store, [] { return absl::OkStatus(); }).IgnoreError();
    }
  });
}

// Only the triangle that `lower` names is read. Computes in double or complex double and rounds once.
absl::StatusOr<Literal> EvaluateTriangularSolve(const HloInstruction& instruction, OperandValues& operands,
                                                EvalContext& context) {
  const Literal& a = operands[0];
  const Literal& b = operands[1];
  ASSIGN_OR_RETURN(Literal result, context.Allocate(instruction.shape()));
  if (b.has_dynamic_sizes()) result.CopyDynamicSizesFrom(b);
  if (result.element_count() == 0) return result;
  const Options options = OptionsOf(instruction.attributes<TriangularSolveAttributes>());
  const int rank = b.shape().rank();
  const int64_t n = a.shape().dimension(rank - 1);
  const int64_t m = b.shape().dimension(options.left_side ? rank - 1 : rank - 2);
  const int64_t count = result.element_count() / (n * m);
  const WideStore store{b.shape().element_type(), result.untyped_mutable_data()};
  if (IsComplex(store.type)) {
    RETURN_IF_ERROR(SolveAll<complex128>(options, n, m, count, a, b, store, context));
  } else {
    RETURN_IF_ERROR(SolveAll<double>(options, n, m, count, a, b, store, context));
  }
  return result;
}

}  // namespace

OpDefinition Define_kTriangularSolve() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.make_attributes = &MakeAttributes<TriangularSolveAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferTriangularSolveShape;
  op.verify = &VerifyTriangularSolve;
  op.evaluate = &EvaluateTriangularSolve;
  return op;
}

}  // namespace xla
