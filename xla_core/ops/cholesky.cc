// Cholesky factorisation of symmetric (Hermitian) positive definite matrices.
//   a T[..., n, n]; result of the same shape: l with l * l^H = a if lower, else u with u^H * u = a. Only that triangle
//   of a is read; the other one of the result is zero.
// Computed in double and rounded once. A matrix that is not positive definite gives NaN in all its elements, both
// triangles.
// Errors: InvalidArgument unless a holds square matrices of floats or complex numbers.
// Source: StableHLO spec, section `cholesky`.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/scratch_reservation.h"
#include "xla_core/ops/square_matrix_checks.h"
#include "xla_core/ops/wide_elements.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<Shape> InferCholeskyShape(const HloInstruction& instruction) {
  const Shape& a = instruction.operand(0)->shape();
  RETURN_IF_ERROR(CheckSquareMatrices(a));
  return a.WithoutLayout();
}

double Conjugate(double value) { return value; }
complex128 Conjugate(complex128 value) { return std::conj(value); }
double Real(double value) { return value; }
double Real(complex128 value) { return value.real(); }
double Product(double a, double b) { return a * b; }
complex128 Product(complex128 a, complex128 b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Replaces the lower triangle by its factor, row by row, and zeroes the upper one. False if not positive definite.
// Calls `check` once per row; its error ends the work.
template <typename Wide, typename Check>
absl::StatusOr<bool> FactorLower(int64_t n, Wide* a, const Check& check) {
  for (int64_t i = 0; i < n; ++i) {
    RETURN_IF_ERROR(check());
    Wide* const row = a + i * n;
    for (int64_t j = 0; j <= i; ++j) {
      const Wide* const other = a + j * n;
      Wide sum = row[j];
      for (int64_t k = 0; k < j; ++k) sum -= Product(row[k], Conjugate(other[k]));
      if (j < i) {
        row[j] = sum / Real(other[j]);
        continue;
      }
      const double square = Real(sum);
      if (!(square > 0) || !std::isfinite(square)) return false;
      row[i] = std::sqrt(square);
    }
    std::fill(row + i + 1, row + n, Wide());
  }
  return true;
}

template <typename Wide>
void ConjugateTranspose(int64_t n, Wide* a) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      const Wide below = a[i * n + j];
      a[i * n + j] = Conjugate(a[j * n + i]);
      a[j * n + i] = Conjugate(below);
    }
  }
}

// Factors matrix number `index`.
template <typename Wide, typename Check>
absl::Status FactorMatrix(bool lower, int64_t n, int64_t index, const Literal& a, const WideStore& store,
                          std::vector<Wide>& work, const Check& check) {
  ReadWide(a.shape().element_type(), a.untyped_data(), index * n * n, n * n, work.data());
  // The upper factor is the conjugate transpose of the lower factor of the matrix that the upper triangle stands for.
  if (!lower) ConjugateTranspose(n, work.data());
  ASSIGN_OR_RETURN(const bool is_positive_definite, FactorLower(n, work.data(), check));
  if (!is_positive_definite) {
    std::fill(work.begin(), work.end(), Wide(std::numeric_limits<double>::quiet_NaN()));
  } else if (!lower) {
    ConjugateTranspose(n, work.data());
  }
  WriteWide(store, work.data(), index * n * n, n * n);
  return absl::OkStatus();
}

// Factors `count` matrices of n x n. Errors: only the deadline; a matrix that is not positive definite gives NaN.
template <typename Wide>
absl::Status FactorAll(bool lower, int64_t n, int64_t count, const Literal& a, const WideStore& store,
                       EvalContext& context) {
  // Large matrices take long: they are done one after the other, with a look at the clock for each row.
  constexpr int64_t kLarge = 256;
  if (n >= kLarge) {
    ASSIGN_OR_RETURN(const auto reservation,
                     ScratchReservation::Make(static_cast<double>(n) * n, sizeof(Wide), context));
    std::vector<Wide> work(n * n);
    for (int64_t i = 0; i < count; ++i) {
      RETURN_IF_ERROR(FactorMatrix(lower, n, i, a, store, work, [&] { return context.CheckDeadline(); }));
    }
    return absl::OkStatus();
  }
  return context.ParallelFor(count, std::max<int64_t>(1, 30000 / (n * n * n)), [&](int64_t begin, int64_t end) {
    std::vector<Wide> work(n * n);
    for (int64_t i = begin; i < end; ++i) {
      FactorMatrix(lower, n, i, a, store, work, [] { return absl::OkStatus(); }).IgnoreError();
    }
  });
}

// Computes in double or complex double and rounds once; only the triangle that `lower` names is read.
absl::StatusOr<Literal> EvaluateCholesky(const HloInstruction& instruction, OperandValues& operands,
                                         EvalContext& context) {
  const Literal& a = operands[0];
  ASSIGN_OR_RETURN(Literal result, context.Allocate(instruction.shape()));
  if (a.has_dynamic_sizes()) result.CopyDynamicSizesFrom(a);
  if (result.element_count() == 0) return result;
  const bool lower = instruction.attributes<CholeskyAttributes>().lower;
  const int64_t n = a.shape().dimension(a.shape().rank() - 1);
  const int64_t count = result.element_count() / (n * n);
  const WideStore store{a.shape().element_type(), result.untyped_mutable_data()};
  if (IsComplex(store.type)) {
    RETURN_IF_ERROR(FactorAll<complex128>(lower, n, count, a, store, context));
  } else {
    RETURN_IF_ERROR(FactorAll<double>(lower, n, count, a, store, context));
  }
  return result;
}

}  // namespace

OpDefinition Define_kCholesky() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<CholeskyAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferCholeskyShape;
  op.evaluate = &EvaluateCholesky;
  return op;
}

}  // namespace xla
