#include "builders/computation_builder/lib/matrix.h"

#include "builders/computation_builder/lib/run_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using B = ComputationBuilder;

XlaOp Square2(B& b) { return b.ConstantR2<float>({{1, 2}, {3, 4}}); }
XlaOp Wide(B& b) { return b.ConstantR2<float>({{1, 2, 3}, {4, 5, 6}}); }

template <typename F>
std::vector<float> Compute(const F& f) {
  ComputationBuilder b("test");
  return Values<float>(b, f(b));
}

TEST(Matrix, IdentityDiagonalsAndTriangles) {
  EXPECT_THAT(Compute([](B& b) { return IdentityMatrix(&b, F32, 2, 3); }), ElementsAre(1, 0, 0, 0, 1, 0));
  EXPECT_THAT(Compute([](B& b) { return GetMatrixDiagonal(Wide(b)); }), ElementsAre(1, 5));
  EXPECT_THAT(Compute([](B& b) { return GetMatrixDiagonal(Wide(b), 1); }), ElementsAre(2, 6));
  EXPECT_THAT(Compute([](B& b) { return GetMatrixDiagonal(Wide(b), 2); }), ElementsAre(3));
  EXPECT_THAT(Compute([](B& b) { return GetMatrixDiagonal(Wide(b), -1); }), ElementsAre(4));
  EXPECT_THAT(Compute([](B& b) { return GetMatrixDiagonal(b.Broadcast(Square2(b), {2})); }), ElementsAre(1, 4, 1, 4));
  EXPECT_THAT(Compute([](B& b) { return GetMatrixDiagonal(IdentityMatrix(&b, F32, 0, 3)); }), IsEmpty());
  const auto set = [](int64_t k, std::vector<float> diagonal) {
    return Compute([&](B& b) { return SetMatrixDiagonal(Wide(b), b.ConstantR1<float>(diagonal), k); });
  };
  EXPECT_THAT(set(0, {7, 8}), ElementsAre(7, 2, 3, 4, 8, 6));
  EXPECT_THAT(set(1, {7, 8}), ElementsAre(1, 7, 3, 4, 5, 8));
  EXPECT_THAT(set(2, {7}), ElementsAre(1, 2, 7, 4, 5, 6));
  EXPECT_THAT(set(-1, {7}), ElementsAre(1, 2, 3, 7, 5, 6));
  EXPECT_THAT(Compute([](B& b) { return MatrixDiag(b.ConstantR1<float>({1, 2})); }), ElementsAre(1, 0, 0, 2));
  EXPECT_THAT(Compute([](B& b) { return MatrixDiag(b.ConstantR1<float>({7}), -1); }), ElementsAre(0, 0, 7, 0));
  EXPECT_THAT(Compute([](B& b) { return LowerTriangle(Wide(b)); }), ElementsAre(1, 0, 0, 4, 5, 0));
  EXPECT_THAT(Compute([](B& b) { return UpperTriangle(Wide(b)); }), ElementsAre(1, 2, 3, 0, 5, 6));
  EXPECT_THAT(Compute([](B& b) { return Symmetrize(Square2(b)); }), ElementsAre(1, 3, 3, 4));
  EXPECT_THAT(Compute([](B& b) { return Symmetrize(Square2(b), /*lower=*/false); }), ElementsAre(1, 2, 2, 4));
  EXPECT_THAT(Compute([](B& b) { return b.ConvertElementType(TriangleMask(Wide(b), 1), F32); }),
              ElementsAre(1, 1, 0, 1, 1, 1));
  EXPECT_THAT(Compute([](B& b) { return TransposeInMinorDims(Wide(b)); }), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(Compute([](B& b) {
                return Kron(b.ConstantR2<float>({{1, 2}}), b.ConstantR2<float>({{3}, {4}}));
              }),
              ElementsAre(3, 6, 4, 8));
}

TEST(BatchDot, BroadcastsBatchDimensionsAndTransposes) {
  EXPECT_THAT(Compute([](B& b) { return BatchDot(Square2(b), Wide(b)); }), ElementsAre(9, 12, 15, 19, 26, 33));
  EXPECT_THAT(Compute([](B& b) { return BatchDot(Wide(b), true, Square2(b), true); }),
              ElementsAre(9, 19, 12, 26, 15, 33));
  EXPECT_THAT(Compute([](B& b) { return BatchDot(b.Broadcast(Square2(b), {2}), Square2(b)); }),
              ElementsAre(7, 10, 15, 22, 7, 10, 15, 22));
  ComputationBuilder b("test");
  const XlaOp x = b.Parameter(0, Shape::Array(F32, {5, 1, 2, 3}));
  const XlaOp y = b.Parameter(1, Shape::Array(F32, {7, 3, 4}));
  EXPECT_EQ(b.ShapeOrInvalid(BatchDot(x, y)).ToString(), "f32[5,7,2,4]");
}

TEST(Einsum, ProductsTracesTransposesAndBatches) {
  const auto two = [](const char* formula) {
    return Compute([&](B& b) { return Einsum(Square2(b), Wide(b), formula); });
  };
  const auto one = [](const char* formula) { return Compute([&](B& b) { return Einsum(Square2(b), formula); }); };
  EXPECT_THAT(two("ij,jk->ik"), ElementsAre(9, 12, 15, 19, 26, 33));
  EXPECT_THAT(two("ij, jk -> ki"), ElementsAre(9, 19, 12, 26, 15, 33));
  EXPECT_THAT(two("ij,ik->"), ElementsAre(3 * 6 + 7 * 15));
  EXPECT_THAT(two("ij,ik->ijk"), ElementsAre(1, 2, 3, 2, 4, 6, 12, 15, 18, 16, 20, 24));
  EXPECT_THAT(two("ii,jk->j"), ElementsAre(5 * 6, 5 * 15));
  EXPECT_THAT(two("ii,ik->k"), ElementsAre(1 + 16, 2 + 20, 3 + 24));
  EXPECT_THAT(one("ii->"), ElementsAre(5));
  EXPECT_THAT(one("ii->i"), ElementsAre(1, 4));
  EXPECT_THAT(one("ij->ji"), ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(one("ij->i"), ElementsAre(3, 7));
  EXPECT_THAT(one("...i->..."), ElementsAre(3, 7));
  const auto shape = [](std::initializer_list<int64_t> x, std::initializer_list<int64_t> y, const char* formula) {
    ComputationBuilder b("test");
    const XlaOp lhs = b.Parameter(0, Shape::Array(F32, x));
    const XlaOp rhs = b.Parameter(1, Shape::Array(F32, y));
    return b.ShapeOrInvalid(Einsum(lhs, rhs, formula)).ToString();
  };
  EXPECT_EQ(shape({8, 5, 2, 3}, {5, 3, 4}, "...ij,...jk->...ik"), "f32[8,5,2,4]");
  EXPECT_EQ(shape({8, 1, 2, 3}, {5, 3, 4}, "...ij,...jk->ik..."), "f32[2,4,8,5]");
  EXPECT_EQ(shape({1, 2, 3}, {1, 3, 4}, "...ij,...jk->...ik"), "f32[1,2,4]");
  EXPECT_EQ(shape({2, 3}, {5, 3, 4}, "ij,...jk->...ik"), "f32[5,2,4]");
}

TEST(MatrixErrors, NameTheFunctionAndTheCall) {
  const auto expect = [](const std::string& message, auto f) {
    ComputationBuilder b("test");
    f(b, SourceLocation::At("model.cc", 42));
    ExpectError(b, "model.cc", 42, message);
  };
  using L = SourceLocation;
  expect("LowerTriangle(f32[2]): x must be an array of at least 2 dimensions, got f32[2]", [](B& b, L loc) {
    LowerTriangle(b.ConstantR1<float>({1, 2}), loc);
  });
  expect("IdentityMatrix(): ", [](B& b, L loc) { IdentityMatrix(&b, F32, -1, 2, loc); });
  expect("IdentityMatrix(): ", [](B& b, L loc) { IdentityMatrix(&b, TOKEN, 1, 2, loc); });
  expect(
      "GetMatrixDiagonal(f32[2,3]): k must be a diagonal of f32[2,3], that is greater than -2 and less than 3, got 3",
      [](B& b, L loc) { GetMatrixDiagonal(Wide(b), 3, loc); });
  expect("SetMatrixDiagonal(f32[2,3], f32[2,3]): diagonal 0 of f32[2,3] must be f32[2], got f32[2,3]",
         [](B& b, L loc) { SetMatrixDiagonal(Wide(b), Wide(b), 0, loc); });
  expect("Symmetrize(f32[2,3]): x must be square in its last two dimensions, got f32[2,3]",
         [](B& b, L loc) { Symmetrize(Wide(b), true, loc); });
  expect("BatchDot(f32[2,3], f32[2,3]): DotGeneral(", [](B& b, L loc) { BatchDot(Wide(b), Wide(b), {}, loc); });
  expect("BatchDot(f32[2,2,2], f32[3,2,2]): batch dimensions must be equal, or one of them 1",
         [](B& b, L loc) { BatchDot(b.Broadcast(Square2(b), {2}), b.Broadcast(Square2(b), {3}), {}, loc); });
  expect("MatrixDiag(f32[2]): k is too large", [](B& b, L loc) {
    MatrixDiag(b.ConstantR1<float>({1, 2}), INT64_MIN, loc);
  });
  const auto einsum = [&](const char* formula, const std::string& message) {
    expect("Einsum(f32[2,2], f32[2,3]): " + message,
           [&](B& b, L loc) { Einsum(Square2(b), Wide(b), formula, {}, loc); });
  };
  einsum("ij,jk", "the formula must be of the form ij,jk->ik, got 'ij,jk'");
  einsum("ij->ij", "the formula must be of the form ij,jk->ik, got 'ij->ij'");
  einsum("ij,jkl->i", "the formula must have one letter for each dimension of f32[2,3], got 'jkl'");
  einsum("ij,kj->i", "the formula gives 'j' two sizes, 2 and 3");
  einsum("ij,jk->iz", "the formula must have 'z' once in the result, and in an operand too");
  einsum("ij,jk->ii", "the formula must have 'i' once in the result, and in an operand too");
  einsum("i...,jk->ijk", "the formula must have ... in the result if an operand has it");
  einsum("i1,jk->i", "the formula must have one letter for each dimension of f32[2,2], got 'i1'");
  einsum("ij.,jk->i", "the formula must have letters and at most one ... for each array, got 'ij.'");
}

}  // namespace
}  // namespace xla
