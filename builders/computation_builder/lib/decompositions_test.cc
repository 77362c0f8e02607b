// Loops, and what is made of them: QR, LU, eigenvalues, singular values.
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "builders/computation_builder/lib/loops.h"
#include "builders/computation_builder/lib/matrix.h"
#include "builders/computation_builder/lib/qr.h"
#include "builders/computation_builder/lib/run_builder.h"
#include "builders/computation_builder/lib/self_adjoint_eig.h"
#include "builders/computation_builder/lib/solve.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Numbers without a pattern, between -1 and 1.
std::vector<double> Noise(int64_t count) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(std::sin(static_cast<double>(i * i + 3 * i + 1)));
  return values;
}

XlaOp NoiseArray(ComputationBuilder& b, ArraySlice<int64_t> dimensions) {
  int64_t count = 1;
  for (const int64_t d : dimensions) count *= d;
  return b.ConstantArray<double>(dimensions, Noise(count));
}

// That no element is farther from zero.
template <typename T = double>
void ExpectZero(ComputationBuilder& b, XlaOp x, double tolerance) {
  T greatest = 0;
  for (const T value : Values<T>(b, b.Abs(x))) greatest = value <= greatest ? greatest : value;
  EXPECT_LE(greatest, tolerance);
}

TEST(Loops, RunOverSeveralValues) {
  ComputationBuilder b("test");
  const auto step = [](XlaOp i, ArraySlice<XlaOp> values, ComputationBuilder*) {
    return std::vector<XlaOp>{values[0] * (i + 1), values[1] + values[0]};
  };
  const auto results =
      ForEachIndex(4, S32, step, {b.ConstantR0<int32_t>(1), b.ConstantR0<int32_t>(0)}, "factorial", &b);
  ASSERT_EQ(results.size(), 2);
  EXPECT_THAT(Values<int32_t>(b, b.Concatenate({b.Reshape(results[0], {1}), b.Reshape(results[1], {1})}, 0)),
              ElementsAre(24, 1 + 1 + 2 + 6));

  ComputationBuilder c("test");
  const auto below_100 = [](ArraySlice<XlaOp> values, ComputationBuilder* b) {
    return b->Lt(values[0], b->ConstantR0<float>(100));
  };
  const auto twice = [](ArraySlice<XlaOp> values, ComputationBuilder*) {
    return std::vector<XlaOp>{values[0] + values[0]};
  };
  const auto doubled = WhileLoopHelper(below_100, twice, {c.ConstantR0<float>(3)}, "twice", &c);
  ASSERT_EQ(doubled.size(), 1);
  EXPECT_THAT(Values<float>(c, doubled[0]), ElementsAre(192));
}

TEST(LoopErrors, AreThoseOfTheFunctions) {
  ComputationBuilder b("test");
  const XlaOp one = b.ConstantR0<float>(1);
  const auto wrong = [](XlaOp i, ArraySlice<XlaOp> values, ComputationBuilder*) {
    return std::vector<XlaOp>{values[0] + i};
  };
  EXPECT_THAT(ForEachIndex(4, S32, wrong, {one}, "loop", &b), IsEmpty());
  ExpectError(b, __FILE__, __LINE__ - 1, "ForEachIndex(f32[]): While(");
  EXPECT_THAT(std::string(b.first_error().message()), ::testing::HasSubstr("Add(f32[], s32[])"));
  ComputationBuilder c("test");
  const auto refuses = [](XlaOp, ArraySlice<XlaOp>, ComputationBuilder*) -> absl::StatusOr<std::vector<XlaOp>> {
    return absl::UnimplementedError("not today");
  };
  ForEachIndex(4, S32, refuses, {c.ConstantR0<float>(1)}, "loop", &c);
  EXPECT_EQ(c.first_error().code(), absl::StatusCode::kUnimplemented);
  ComputationBuilder d("test");
  ForEachIndex(-1, S32, refuses, {}, "loop", &d);
  ExpectError(d, __FILE__, __LINE__ - 1, "ForEachIndex(): num_iterations must be at least 0 and of an integer type");
  ComputationBuilder e("test");
  ForEachIndex(200, S8, wrong, {e.ConstantR0<int8_t>(1)}, "loop", &e);
  ExpectError(e, __FILE__, __LINE__ - 1, "ForEachIndex(s8[])");
}

TEST(Qr, OfTallAndWideMatricesInBatches) {
  for (const bool full : {false, true}) {
    for (const std::vector<int64_t>& dimensions :
         {std::vector<int64_t>{2, 5, 3}, {3, 5}, {4, 4}, {1, 1}, {3, 0}, {2, 2, 1, 4}}) {
      ComputationBuilder b("test");
      const XlaOp a = NoiseArray(b, dimensions);
      XlaOp q, r;
      QrExplicit(a, full, q, r);
      ExpectZero(b, b.Sub(BatchDot(q, r), a), 1e-13);
      ComputationBuilder c("test");
      QrExplicit(NoiseArray(c, dimensions), full, q, r);
      const int64_t k = c.ShapeOrInvalid(q).dimension(static_cast<int>(dimensions.size()) - 1);
      const XlaOp identity =
          c.Broadcast(IdentityMatrix(&c, F64, k, k), absl::MakeConstSpan(dimensions).subspan(0, dimensions.size() - 2));
      ExpectZero(c, c.Sub(BatchDot(q, true, q, false), identity), 1e-13);
      ComputationBuilder d("test");
      QrExplicit(NoiseArray(d, dimensions), full, q, r);
      ExpectZero(d, d.Sub(r, UpperTriangle(r)), 0);
    }
  }
}

TEST(Qr, OfComplexAndOfDegenerateMatrices) {
  ComputationBuilder b("test");
  const XlaOp a = b.Complex(NoiseArray(b, {4, 3}), b.Neg(b.Mul(NoiseArray(b, {4, 3}), NoiseArray(b, {4, 3}))));
  XlaOp q, r;
  QrExplicit(a, false, q, r);
  ExpectZero(b, b.Sub(BatchDot(q, r), a), 1e-13);
  ComputationBuilder c("test");
  QrExplicit(c.ConstantR2<double>({{0, 1}, {0, 1}}), true, q, r);
  ExpectZero(c, c.Sub(BatchDot(q, true, q, false), IdentityMatrix(&c, F64, 2, 2)), 1e-15);
}

TEST(Lu, ReproducesTheMatrixAndSolves) {
  for (const std::vector<int64_t>& dimensions : {std::vector<int64_t>{2, 4, 4}, {5, 3}, {3, 5}, {1, 1}}) {
    ComputationBuilder b("test");
    const XlaOp a = NoiseArray(b, dimensions);
    const LuDecompositionResult result = LuDecomposition(a);
    const int64_t rank = static_cast<int64_t>(dimensions.size());
    const int64_t m = dimensions[rank - 2], n = dimensions[rank - 1], k = std::min(m, n);
    std::vector<int64_t> from(rank, 0), to_l = dimensions, to_u = dimensions;
    to_l[rank - 1] = k;
    to_u[rank - 2] = k;
    XlaOp l = LowerTriangle(b.Slice(result.lu, from, to_l));
    const XlaOp mask = GetDiagonalMask(l);
    l = b.Select(mask, b.BroadcastInDim(b.ConstantR0<double>(1), to_l, {}), l);
    const XlaOp product = BatchDot(l, UpperTriangle(b.Slice(result.lu, from, to_u)));
    // Row i of the product is row permutation[i] of a: a matrix of ones at those places takes it there.
    std::vector<int64_t> square = dimensions, kept;
    square[rank - 1] = m;
    for (int64_t d = 0; d + 1 < rank; ++d) kept.push_back(d);
    const XlaOp numbers = b.Iota(Shape::Array(S32, square), rank - 1);
    const XlaOp permutation = b.Eq(b.BroadcastInDim(result.permutation, square, kept), numbers);
    ExpectZero(b, b.Sub(BatchDot(b.ConvertElementType(permutation, F64), a), product), 1e-14);
  }
  ComputationBuilder b("test");
  const XlaOp a = NoiseArray(b, {2, 4, 4}), rhs = NoiseArray(b, {2, 4, 3});
  ExpectZero(b, b.Sub(BatchDot(a, Solve(a, rhs)), rhs), 1e-12);
  ComputationBuilder c("test");
  EXPECT_THAT(Values<float>(c, Inverse(c.ConstantR2<float>({{0, 2}, {4, 0}}))), ElementsAre(0, 0.25f, 0.5f, 0));
  ComputationBuilder d("test");
  EXPECT_THAT(Values<int32_t>(d, LuDecomposition(d.ConstantR2<float>({{0, 2}, {4, 0}})).pivots), ElementsAre(1, 1));
}

TEST(Cholesky, SolvesBothTriangles) {
  for (const bool lower : {false, true}) {
    ComputationBuilder b("test");
    const XlaOp root = NoiseArray(b, {3, 3}), rhs = NoiseArray(b, {3, 2});
    const XlaOp a = b.Add(BatchDot(root, false, root, true), IdentityMatrix(&b, F64, 3, 3));
    ExpectZero(b, b.Sub(BatchDot(a, CholeskySolve(b.Cholesky(a, lower), rhs, lower)), rhs), 1e-13);
  }
}

TEST(Determinants, HaveSignAndLogarithm) {
  ComputationBuilder b("test");
  const XlaOp a = b.ConstantR3<double>({{{0, 2}, {4, 0}}, {{1, 2}, {2, 4}}, {{3, 0}, {0, 5}}});
  const SignAndLogDet result = SLogDet(a);
  const auto values = Values<double>(b, b.Concatenate({result.sign, result.logdet, LogDet(a)}, 0));
  ASSERT_EQ(values.size(), 9);
  EXPECT_THAT(std::vector<double>(values.begin(), values.begin() + 3), ElementsAre(-1, 0, 1));
  EXPECT_NEAR(values[3], std::log(8), 1e-14);
  EXPECT_EQ(values[4], -std::numeric_limits<double>::infinity());
  EXPECT_NEAR(values[5], std::log(15), 1e-14);
  EXPECT_TRUE(std::isnan(values[6]));
  EXPECT_NEAR(values[8], std::log(15), 1e-14);
}

TEST(SelfAdjointEig, DiagonalizesBatches) {
  ComputationBuilder b("test");
  EXPECT_THAT(Values<float>(b, SelfAdjointEig(b.ConstantR2<float>({{2, 9}, {1, 2}})).w),
              ElementsAre(::testing::FloatEq(1), ::testing::FloatEq(3)));
  for (const int64_t n : {0, 1, 2, 5, 12}) {
    ComputationBuilder c("test");
    const XlaOp a = Symmetrize(NoiseArray(c, {2, n, n}));
    const SelfAdjointEigResult eig = SelfAdjointEig(a);
    ExpectZero(c, c.Sub(BatchDot(a, eig.v), c.Mul(eig.v, eig.w, {0, 2})), 1e-12);
    ComputationBuilder d("test");
    const SelfAdjointEigResult again = SelfAdjointEig(NoiseArray(d, {2, n, n}));
    const XlaOp identity = d.Broadcast(IdentityMatrix(&d, F64, n, n), {2});
    ExpectZero(d, d.Sub(BatchDot(again.v, true, again.v, false), identity), 1e-13);
  }
}

TEST(Svd, OfTallWideAndSingularMatrices) {
  ComputationBuilder b("test");
  EXPECT_THAT(Values<double>(b, SVD(b.ConstantR2<double>({{3, 0}, {0, -4}})).d), ElementsAre(4, 3));
  for (const std::vector<int64_t>& dimensions : {std::vector<int64_t>{2, 5, 3}, {3, 5}, {6, 6}, {1, 1}}) {
    ComputationBuilder c("test");
    const XlaOp a = NoiseArray(c, dimensions);
    const SVDResult svd = SVD(a);
    std::vector<int64_t> columns;
    for (size_t d = 0; d + 2 < dimensions.size(); ++d) columns.push_back(static_cast<int64_t>(d));
    columns.push_back(static_cast<int64_t>(dimensions.size()) - 1);
    ExpectZero(c, c.Sub(BatchDot(c.Mul(svd.u, svd.d, columns), false, svd.v, true), a), 1e-12);
  }
  ComputationBuilder c("test");
  const SVDResult svd = SVD(c.ConstantR2<double>({{1, 1}, {1, 1}, {0, 0}}));
  ExpectZero(c, c.Sub(BatchDot(svd.u, true, svd.u, false), IdentityMatrix(&c, F64, 2, 2)), 1e-14);
}

TEST(DecompositionErrors, NameTheFunctionAndTheCall) {
  const auto expect = [](const std::string& message, auto f) {
    ComputationBuilder b("test");
    f(b, SourceLocation::At("model.cc", 42));
    ExpectError(b, "model.cc", 42, message);
  };
  using B = ComputationBuilder;
  using L = SourceLocation;
  expect("Qr(s32[1,1]): a must be of f32, f64, c64 or c128, got s32[1,1]; convert it",
         [](B& b, L loc) { Qr(b.ConstantR2<int32_t>({{1}}), loc); });
  expect("SelfAdjointEig(f64[2,3]): a must be square in its last two dimensions, got f64[2,3]", [](B& b, L loc) {
    SelfAdjointEig(NoiseArray(b, {2, 3}), true, 15, 1e-7f, true, loc);
  });
  expect("SVD(f64[3]): a must be an array of at least 2 dimensions, got f64[3]",
         [](B& b, L loc) { SVD(NoiseArray(b, {3}), 30, 1e-6f, loc); });
  expect("Solve(f64[2,2], f64[3,1]): b must have the batch dimensions and the rows of f64[2,2], got f64[3,1]",
         [](B& b, L loc) {
           Solve(NoiseArray(b, {2, 2}), NoiseArray(b, {3, 1}), loc);
         });
  expect(
      "ProductOfElementaryHouseholderReflectors(f64[3,2], f64[3]): taus must have the batch dimensions of f64[3,2] and "
      "at most 2 elements for each matrix, got f64[3]",
      [](B& b, L loc) {
        ProductOfElementaryHouseholderReflectors(NoiseArray(b, {3, 2}), NoiseArray(b, {3}), loc);
      });
}

}  // namespace
}  // namespace xla
