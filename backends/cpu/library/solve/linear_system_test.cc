// Factorisations and triangular systems against the evaluator, on every instruction set that this processor has, and
// the same bits on one thread and several.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/library/program_testing.h"
#include "backends/cpu/library/solve/linear_system_program.h"
#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

std::vector<const SolveKernelSet*> KernelsOfThisProcessor() {
  std::vector<const SolveKernelSet*> all = {&BaselineSolveKernels()};
  const int widest = HostSolveKernels().vector_bytes;
  if (widest >= 32) all.push_back(&Avx2SolveKernels());
  if (widest >= 64) all.push_back(&Avx512SolveKernels());
  return all;
}

template <typename T>
void ChangeElements(bool lower, int64_t n, T diagonal, Literal& a) {
  T* const data = a.mutable_data<T>();
  const T scale = T(1.0 / std::sqrt(static_cast<double>(n)));
  for (int64_t i = 0; i < a.element_count(); ++i) {
    const int64_t row = i / n % n, column = i % n;
    if (row == column) {
      data[i] = diagonal;
    } else if ((row > column) == lower) {
      data[i] *= scale;
    } else {
      data[i] = T(std::numeric_limits<double>::quiet_NaN());
    }
  }
}

// Makes of random matrices some that are positive definite, and well-conditioned triangles; the other triangle, which
// nothing may read, is NaN.
void MakeWellConditioned(bool lower, double diagonal, Literal& a) {
  const int64_t n = a.shape().dimension(a.shape().rank() - 1);
  switch (a.shape().element_type()) {
    case F32:
      return ChangeElements<float>(lower, n, static_cast<float>(diagonal), a);
    case F64:
      return ChangeElements<double>(lower, n, diagonal, a);
    case C64:
      return ChangeElements<complex64>(lower, n, complex64(static_cast<float>(diagonal)), a);
    case C128:
      return ChangeElements<complex128>(lower, n, complex128(diagonal), a);
    default:
      return;
  }
}

void CheckRun(const TestRun& test) {
  for (const SolveKernelSet* kernels : KernelsOfThisProcessor()) {
    const auto program = MakeLinearSystemProgram(test.root(), *kernels);
    ASSERT_TRUE(program.ok()) << program.status();
    test.Check(**program, absl::StrCat(kernels->vector_bytes, " bytes"));
  }
}

void CheckCholesky(const std::string& shape, double diagonal = 4) {
  for (const bool lower : {true, false}) {
    const std::string text = absl::StrCat("HloModule m\nENTRY e {\n  a = ", shape, " parameter(0)\n  ROOT r = ", shape,
                                          " cholesky(a), lower=", lower ? "true" : "false", "\n}\n");
    SCOPED_TRACE(text);
    CheckRun(
        TestRun(text, [&](std::vector<Literal>& arguments) { MakeWellConditioned(lower, diagonal, arguments[0]); }));
  }
}

void CheckSolves(const std::string& type, const std::string& batch, int64_t n, int64_t m) {
  for (int options = 0; options < 24; ++options) {
    const bool left = options & 1, lower = options & 2, unit = options & 4;
    const char* const kTransposes[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
    const std::string b = absl::StrCat(type, "[", batch, left ? n : m, ",", left ? m : n, "]");
    const auto text_of = [](bool value) { return value ? "true" : "false"; };
    const std::string text =
        absl::StrCat("HloModule m\nENTRY e {\n  a = ", type, "[", batch, n, ",", n, "] parameter(0)\n  b = ", b,
                     " parameter(1)\n  ROOT r = ", b, " triangular-solve(a, b), left_side=", text_of(left),
                     ", lower=", text_of(lower), ", unit_diagonal=", text_of(unit),
                     ", transpose_a=", kTransposes[options / 8], "\n}\n");
    SCOPED_TRACE(text);
    CheckRun(TestRun(text, [&](std::vector<Literal>& arguments) { MakeWellConditioned(lower, 2.5, arguments[0]); }));
  }
}

TEST(LinearSystem, FactorsOfEverySize) {
  for (int64_t n = 1; n <= 18; ++n) {
    for (const char* type : {"f32", "f64", "c64", "c128"}) CheckCholesky(absl::StrCat(type, "[", n, ",", n, "]"));
  }
  for (const int64_t n : {31, 32, 33, 64, 100, 129}) {
    for (const char* type : {"f32", "f64", "c64", "c128"}) CheckCholesky(absl::StrCat(type, "[", n, ",", n, "]"));
  }
}

TEST(LinearSystem, FactorsOfBatches) {
  CheckCholesky("f32[37,5,5]");
  CheckCholesky("c64[2,3,7,7]");
  CheckCholesky("f64[3,70,70]");
  CheckCholesky("f32[9,70,70]");
  CheckCholesky("f32[2,135,135]");
}

TEST(LinearSystem, ManySmallMatrices) {
  for (const char* type : {"f32", "f64"}) {
    for (const int64_t n : {1, 2, 5, 8, 16}) {
      CheckCholesky(absl::StrCat(type, "[77,", n, ",", n, "]"));
      CheckSolves(type, "77,", n, 3);
    }
    CheckCholesky(absl::StrCat(type, "[8,4,4]"), -1);
    CheckSolves(type, "4,2,", 4, 16);
  }
}

TEST(LinearSystem, WhatIsNotPositiveDefiniteIsNanThroughout) {
  CheckCholesky("f32[3,3]", -1);
  CheckCholesky("c128[9,40,40]", 0);
  CheckCholesky("f64[150,150]", 0.5);
  CheckCholesky("f64[150,150]", std::numeric_limits<double>::infinity());
}

TEST(LinearSystem, SystemsOfEveryKind) {
  for (const char* type : {"f32", "f64", "c64", "c128"}) {
    CheckSolves(type, "", 1, 1);
    CheckSolves(type, "", 3, 2);
    CheckSolves(type, "2,", 17, 33);
    CheckSolves(type, "11,", 40, 5);
  }
  CheckSolves("f64", "", 100, 70);
  CheckSolves("f32", "", 131, 40);
  CheckSolves("c64", "", 130, 3);
}

TEST(LinearSystem, NarrowFloats) {
  const std::string text =
      "HloModule m\nENTRY e { a = bf16[3,3] parameter(0) b = bf16[3,2] parameter(1) ROOT r = bf16[3,2] "
      "triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=true, transpose_a=NO_TRANSPOSE }";
  CheckRun(TestRun(text));
}

TEST(LinearSystem, ZerosOnTheDiagonal) {
  for (const char* type : {"f32", "c128"}) {
    const std::string text = absl::StrCat(
        "HloModule m\nENTRY e { a = ", type, "[2,2] parameter(0) b = ", type, "[2,2] parameter(1) ROOT r = ", type,
        "[2,2] triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=false, transpose_a=NO_TRANSPOSE }");
    CheckRun(TestRun(text, [](std::vector<Literal>& arguments) { MakeWellConditioned(true, 0, arguments[0]); }));
  }
}

}  // namespace
}  // namespace xla
