// Every function with arguments of every kind: shapes of all classes, and numbers at the ends of their range. Whatever
// does not fit is an error that names the function and the call; nothing crashes, and what is accepted verifies and
// runs.
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "builders/computation_builder/lib/activations.h"
#include "builders/computation_builder/lib/cumulative.h"
#include "builders/computation_builder/lib/loops.h"
#include "builders/computation_builder/lib/math.h"
#include "builders/computation_builder/lib/matrix.h"
#include "builders/computation_builder/lib/one_hot.h"
#include "builders/computation_builder/lib/pooling.h"
#include "builders/computation_builder/lib/prng.h"
#include "builders/computation_builder/lib/qr.h"
#include "builders/computation_builder/lib/reductions.h"
#include "builders/computation_builder/lib/run_builder.h"
#include "builders/computation_builder/lib/self_adjoint_eig.h"
#include "builders/computation_builder/lib/slicing.h"
#include "builders/computation_builder/lib/solve.h"
#include "builders/computation_builder/lib/sorting.h"
#include "builders/computation_builder/lib/take.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::StartsWith;
using L = SourceLocation;
using X = XlaOp;
using I = int64_t;

struct Function {
  const char* name;
  std::function<void(X x, X y, I i, I j, L loc)> call;
};

// Functions of one operand, and of two with the same type.
const std::vector<Function>& Functions() {
  static const auto* const functions = new std::vector<Function>{
      {"Square", [](X x, X, I, I, L l) { Square(x, l); }},
      {"Reciprocal", [](X x, X, I, I, L l) { Reciprocal(x, l); }},
      {"IsNan", [](X x, X, I, I, L l) { IsNan(x, l); }},
      {"IsInf", [](X x, X, I, I, L l) { IsInf(x, l); }},
      {"IsPosInf", [](X x, X, I, I, L l) { IsPosInf(x, l); }},
      {"IsNegZero", [](X x, X, I, I, L l) { IsNegZero(x, l); }},
      {"NextAfter", [](X x, X y, I, I, L l) { NextAfter(x, y, l); }},
      {"Erfc", [](X x, X, I, I, L l) { Erfc(x, l); }},
      {"ErfInv", [](X x, X, I, I, L l) { ErfInv(x, l); }},
      {"Lgamma", [](X x, X, I, I, L l) { Lgamma(x, l); }},
      {"Digamma", [](X x, X, I, I, L l) { Digamma(x, l); }},
      {"EvaluatePolynomial", [](X x, X, I, I, L l) { EvaluatePolynomial(x, {1, 2}, l); }},
      {"Relu", [](X x, X, I, I, L l) { Relu(x, l); }},
      {"Relu6", [](X x, X, I, I, L l) { Relu6(x, l); }},
      {"LeakyRelu", [](X x, X, I, I, L l) { LeakyRelu(x, 0.1, l); }},
      {"Selu", [](X x, X, I, I, L l) { Selu(x, l); }},
      {"Gelu", [](X x, X, I i, I, L l) { Gelu(x, i > 0, l); }},
      {"Softplus", [](X x, X, I, I, L l) { Softplus(x, l); }},
      {"Swish", [](X x, X, I, I, L l) { Swish(x, l); }},
      {"Softmax", [](X x, X, I i, I, L l) { Softmax(x, i, l); }},
      {"LogSoftmax", [](X x, X, I i, I, L l) { LogSoftmax(x, i, l); }},
      {"ReduceSum", [](X x, X, I i, I j, L l) { ReduceSum(x, {i, j}, false, l); }},
      {"ReduceProduct", [](X x, X, I i, I, L l) { ReduceProduct(x, {i}, true, l); }},
      {"ReduceMax", [](X x, X, I i, I, L l) { ReduceMax(x, {i}, true, l); }},
      {"ReduceMin", [](X x, X, I i, I, L l) { ReduceMin(x, {i}, false, l); }},
      {"Any", [](X x, X, I, I, L l) { Any(x, l); }},
      {"All", [](X x, X, I i, I, L l) { All(x, {i}, l); }},
      {"Mean", [](X x, X, I i, I, L l) { Mean(x, {i}, true, l); }},
      {"Variance", [](X x, X, I i, I j, L l) { Variance(x, {i}, j, true, l); }},
      {"LogSumExp", [](X x, X, I i, I, L l) { LogSumExp(x, {i}, true, l); }},
      {"ArgMax", [](X x, X, I i, I, L l) { ArgMax(x, S32, i, l); }},
      {"ArgMin", [](X x, X, I i, I j, L l) { ArgMin(x, static_cast<PrimitiveType>(j), i, l); }},
      {"CumSum", [](X x, X, I i, I j, L l) { CumSum(x, i, j > 0, j == 1, l); }},
      {"CumProd", [](X x, X, I i, I, L l) { CumProd(x, i, false, true, l); }},
      {"CumMax", [](X x, X, I i, I, L l) { CumMax(x, i, true, true, l); }},
      {"CumLogSumExp", [](X x, X, I i, I, L l) { CumLogSumExp(x, i, false, false, l); }},
      {"SliceInMinorDims", [](X x, X, I i, I j, L l) { SliceInMinorDims(x, {i}, {j}, l); }},
      {"DynamicSliceInMinorDims", [](X x, X y, I i, I, L l) { DynamicSliceInMinorDims(x, {y}, {i}, l); }},
      {"UpdateSliceInMinorDims", [](X x, X y, I i, I, L l) { UpdateSliceInMinorDims(x, y, {i}, l); }},
      {"DynamicUpdateSliceInMinorDims", [](X x, X y, I, I, L l) { DynamicUpdateSliceInMinorDims(x, x, {y}, l); }},
      {"UpdateSlice", [](X x, X y, I i, I j, L l) { UpdateSlice(x, y, {i, j}, l); }},
      {"Split", [](X x, X, I i, I j, L l) { Split(x, i, j, l); }},
      {"SplitBySizes", [](X x, X, I i, I j, L l) { SplitBySizes(x, {i, i}, j, l); }},
      {"Stack", [](X x, X y, I i, I, L l) { Stack({x, y}, i, l); }},
      {"Unstack", [](X x, X, I i, I, L l) { Unstack(x, i, l); }},
      {"Tile", [](X x, X, I i, I j, L l) { Tile(x, {i, j}, l); }},
      {"Repeat", [](X x, X, I i, I j, L l) { Repeat(x, i, j, l); }},
      {"Take", [](X x, X y, I i, I j, L l) { Take(x, y, i, j, l); }},
      {"TakeAlongAxis", [](X x, X y, I i, I, L l) { TakeAlongAxis(x, y, i, l); }},
      {"TorchGather", [](X x, X y, I i, I, L l) { TorchGather(x, y, i, l); }},
      {"TorchScatterDense",
       [](X x, X y, I i, I, L l) { TorchScatterDense(x, y, x, i, [](X a, X b) { return a + b; }, l); }},
      {"OneHot", [](X x, X, I i, I j, L l) { OneHot(x, i, F32, j, l); }},
      {"OneHot", [](X x, X y, I i, I j, L l) { OneHot(x, i, j, y, y, l); }},
      {"SortKeys", [](X x, X, I i, I, L l) { SortKeys(x, i, true, l); }},
      {"ArgSort", [](X x, X, I i, I j, L l) { ArgSort(x, i, false, static_cast<PrimitiveType>(j), l); }},
      {"SortByKey", [](X x, X y, I i, I, L l) { SortByKey(x, {y}, i, false, l); }},
      {"TopK", [](X x, X, I i, I, L l) { TopK(x, i, S64, l); }},
      {"MatrixDiag", [](X x, X, I i, I, L l) { MatrixDiag(x, i, l); }},
      {"Kron", [](X x, X y, I, I, L l) { Kron(x, y, l); }},
      {"GetDiagonalMask", [](X x, X, I i, I, L l) { GetDiagonalMask(x, i, l); }},
      {"TriangleMask", [](X x, X, I i, I, L l) { TriangleMask(x, i, l); }},
      {"GetMatrixDiagonal", [](X x, X, I i, I, L l) { GetMatrixDiagonal(x, i, l); }},
      {"SetMatrixDiagonal", [](X x, X y, I i, I, L l) { SetMatrixDiagonal(x, y, i, l); }},
      {"UpperTriangle", [](X x, X, I, I, L l) { UpperTriangle(x, l); }},
      {"Symmetrize", [](X x, X, I, I, L l) { Symmetrize(x, true, l); }},
      {"TransposeInMinorDims", [](X x, X, I, I, L l) { TransposeInMinorDims(x, l); }},
      {"BatchDot", [](X x, X y, I i, I j, L l) { BatchDot(x, i > 0, y, j > 0, {}, l); }},
      {"Einsum", [](X x, X y, I, I, L l) { Einsum(x, y, "...ij,...jk->...ik", {}, l); }},
      {"Einsum", [](X x, X, I, I, L l) { Einsum(x, "...ii->...", l); }},
      {"Qr", [](X x, X, I, I, L l) { Qr(x, l); }},
      {"ProductOfElementaryHouseholderReflectors",
       [](X x, X y, I, I, L l) { ProductOfElementaryHouseholderReflectors(x, y, l); }},
      {"LuDecomposition", [](X x, X, I, I, L l) { LuDecomposition(x, l); }},
      {"Solve", [](X x, X y, I, I, L l) { Solve(x, y, l); }},
      {"CholeskySolve", [](X x, X y, I i, I, L l) { CholeskySolve(x, y, i > 0, l); }},
      {"Inverse", [](X x, X, I, I, L l) { Inverse(x, l); }},
      {"SLogDet", [](X x, X, I, I, L l) { SLogDet(x, l); }},
      {"LogDet", [](X x, X, I, I, L l) { LogDet(x, l); }},
      {"SelfAdjointEig", [](X x, X, I i, I, L l) { SelfAdjointEig(x, true, i, 0, true, l); }},
      {"SVD", [](X x, X, I i, I, L l) { SVD(x, i, 0, l); }},
      {"ThreeFryBitGenerator", [](X x, X y, I, I, L l) { ThreeFryBitGenerator(x, y, Shape::Array(U8, {3}), l); }},
      {"PhiloxBitGenerator", [](X x, X y, I i, I, L l) { PhiloxBitGenerator(x, y, Shape::Array(F32, {i}), l); }},
      {"SplitKey", [](X x, X, I i, I, L l) { SplitKey(x, i, l); }},
      {"FoldIn", [](X x, X y, I, I, L l) { FoldIn(x, y, l); }},
      {"MaxPool", [](X x, X, I i, I j, L l) { MaxPool(x, {i}, {j}, Padding::kSame, TensorFormat::NCHW(1), l); }},
      {"SumPool", [](X x, X, I i, I j, L l) { SumPool(x, {i}, {j}, {{i, j}}, TensorFormat::NHWC(1), l); }},
      {"AvgPool", [](X x, X, I i, I j, L l) { AvgPool(x, {i}, {1}, {{i, j}}, TensorFormat::NCHW(1), false, l); }},
      {"MaxPoolGrad",
       [](X x, X y, I i, I j, L l) { MaxPoolGrad(x, y, {i}, {j}, Padding::kValid, TensorFormat::NCHW(1), l); }},
      {"AvgPoolGrad",
       [](X x, X, I i, I j, L l) { AvgPoolGrad(x, {2, 3, i}, {1}, {1}, {{j, i}}, TensorFormat(2, 1, {0}), true, l); }},
      {"ForEachIndex",
       [](X x, X y, I i, I, L l) {
         const auto body = [](X, ArraySlice<X> v, ComputationBuilder*) { return std::vector<X>{v[1], v[0]}; };
         ForEachIndex(i, S8, body, {x, y}, "swap", x.builder(), l);
       }},
  };
  return *functions;
}

std::vector<Shape> Shapes() {
  const bool dynamic[] = {true, false};
  return {Shape::Scalar(F32),
          Shape::Array(F32, {4}),
          Shape::Array(F32, {2, 3}),
          Shape::Array(F64, {2, 2}),
          Shape::Array(F32, {2, 3, 3}),
          Shape::Array(F32, {0, 3}),
          Shape::Array(F64, {2, 0, 0}),
          Shape::Array(BF16, {3, 3}),
          Shape::Array(F8E8M0FNU, {2}),
          Shape::Array(F4E2M1FN, {2, 2}),
          Shape::Array(C64, {2, 2}),
          Shape::Array(S32, {2, 3}),
          Shape::Array(S64, {2, 2, 2}),
          Shape::Array(U1, {2}),
          Shape::Scalar(S4),
          Shape::Scalar(U64),
          Shape::Array(U64, {2}),
          Shape::Array(PRED, {2, 2}),
          Shape::Array(F32, {4, 2}, dynamic),
          Shape::Array(F32, {int64_t{1} << 31, int64_t{1} << 29}),
          Shape::Tuple({Shape::Scalar(F32)}),
          Shape::Token()};
}

// Verifies the program, and runs it if its values are small.
absl::Status RunWithZeros(ComputationBuilder& b) {
  constexpr int64_t kMaxBytes = 1 << 20;
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, b.BuildModule());
  const HloComputation& entry = *module->entry();
  for (const auto& instruction : entry.instructions()) {
    if (instruction->shape().ByteSize() > kMaxBytes) return absl::OkStatus();
  }
  std::vector<Literal> arguments;
  for (const HloInstruction* parameter : entry.parameters()) {
    ASSIGN_OR_RETURN(Literal zeros, Literal::Zeros(parameter->shape()));
    arguments.push_back(std::move(zeros));
  }
  EvaluatorOptions options;
  options.timeout = absl::Seconds(10);
  ASSIGN_OR_RETURN(const std::unique_ptr<Evaluator> evaluator, Evaluator::Create(*module, options));
  return evaluator->RunOne(std::move(arguments)).status();
}

TEST(AnyArguments, GiveAnErrorOfTheCallOrAProgram) {
  const std::vector<std::pair<I, I>> numbers = {
      {0, 0}, {1, 0}, {0, 1}, {1, 2}, {2, 2}, {-1, 3}, {INT64_MAX, 1}, {1, INT64_MAX}, {INT64_MIN, INT64_MIN}};
  int errors = 0, programs = 0;
  for (const Function& function : Functions()) {
    for (const Shape& x_shape : Shapes()) {
      // Mostly the same shape again, or an index; what does not fit x is found with one other.
      for (const Shape& y_shape : {x_shape, Shape::Scalar(S32), Shape::Array(U64, {2})}) {
        for (const auto& [i, j] : numbers) {
          ComputationBuilder b("test");
          const XlaOp x = b.Parameter(0, x_shape), y = b.Parameter(1, y_shape);
          function.call(x, y, i, j, SourceLocation::At("model.cc", 42));
          const std::string arguments =
              absl::StrCat(function.name, " of ", x_shape.ToString(), ", ", y_shape.ToString(), ", ", i, ", ", j);
          if (!b.ok()) {
            ++errors;
            EXPECT_EQ(b.first_error().code(), absl::StatusCode::kInvalidArgument) << arguments;
            EXPECT_THAT(std::string(b.first_error().message()),
                        StartsWith(absl::StrCat("model.cc:42: ", function.name, "(")))
                << arguments;
          } else {
            ++programs;
            const absl::Status status = RunWithZeros(b);
            EXPECT_TRUE(status.ok()) << arguments << ": " << status;
          }
        }
      }
    }
  }
  EXPECT_GT(errors, 1000);
  EXPECT_GT(programs, 1000);
}

TEST(AnyArguments, InvalidOperandsAreReportedOrIgnored) {
  for (const Function& function : Functions()) {
    function.call(XlaOp(), XlaOp(), 0, 0, SourceLocation::At("model.cc", 42));
    ComputationBuilder b("test"), other("other");
    const XlaOp x = b.Parameter(0, Shape::Array(F32, {2, 2}));
    const XlaOp foreign = other.Parameter(0, Shape::Array(F32, {2, 2}));
    function.call(x, foreign, 0, 0, SourceLocation::At("model.cc", 42));
    function.call(x, XlaOp(), 0, 0, SourceLocation::At("model.cc", 42));
    EXPECT_TRUE(other.ok()) << function.name;
    b.Add(x, XlaOp());
    EXPECT_FALSE(b.ok());
    function.call(x, x, 0, 0, SourceLocation::At("model.cc", 42));
  }
}

}  // namespace
}  // namespace xla
