// gemm, matmul and triangular. Each is a row of the operator table: operands and options with what they admit, the
// rules that infer the result's shape, and the lowering to HLO.
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/lowering/movement.h"
#include "builders/webnn/lowering/products.h"
#include "builders/webnn/ops/operand_checks.h"
#include "builders/webnn/ops/operator_groups.h"
#include "builders/webnn/shape_rules.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

absl::Status CheckInnerDimension(const OperatorCall& call, uint32_t columns_of_a, uint32_t rows_of_b) {
  if (columns_of_a == rows_of_b) return absl::OkStatus();
  return TypeError("inner dimension",
                   absl::StrCat("a must have as many columns as b has rows, got ", columns_of_a, " columns of ",
                                call.operand(0).descriptor().ToString(), " and ", rows_of_b, " rows of ",
                                call.operand(1).descriptor().ToString(), "; transpose one of them"));
}

// ---- gemm

// (a or its transpose) x (b or its transpose), both matrices; c is broadcast to the result in one direction.
absl::StatusOr<MLOperandDescriptor> InferGemm(const OperatorCall& call) {
  const auto& options = call.parameters<MLGemmOptions>();
  const MLOperand& a = call.operand(0);
  const MLOperand& b = call.operand(1);
  RETURN_IF_ERROR(CheckSameType(a, b, "b"));
  if (a.rank() != 2 || b.rank() != 2) {
    return TypeError("rank 2", absl::StrCat("a and b must have 2 dimensions, got ", a.descriptor().ToString(), " and ",
                                            b.descriptor().ToString(), "; use matmul for batches of matrices"));
  }
  UnsignedList a_shape = a.shape(), b_shape = b.shape();
  if (options.aTranspose) std::swap(a_shape[0], a_shape[1]);
  if (options.bTranspose) std::swap(b_shape[0], b_shape[1]);
  RETURN_IF_ERROR(CheckInnerDimension(call, a_shape[1], b_shape[0]));
  const MLOperandDescriptor result(a.dataType(), {a_shape[0], b_shape[1]});
  if (options.c.has_value()) {
    RETURN_IF_ERROR(CheckUnidirectionalBroadcast(options.c->shape(), result.dimensions, "c"));
    RETURN_IF_ERROR(CheckSameType(a, *options.c, "c", "c dtype"));
  }
  return result;
}

XlaOp LowerGemmCall(const LoweringCall& call) {
  const auto& options = call.parameters<MLGemmOptions>();
  return LowerGemm(call.value(0), call.value(1), OptionalValue(call, options.c), options.alpha, options.beta,
                   options.aTranspose, options.bTranspose);
}

// ---- matmul

// Matrix products, with batch dimensions broadcast in both directions.
absl::StatusOr<MLOperandDescriptor> InferMatmul(const OperatorCall& call) {
  const MLOperand& a = call.operand(0);
  const MLOperand& b = call.operand(1);
  RETURN_IF_ERROR(CheckSameType(a, b, "b"));
  if (a.rank() < 2 || b.rank() < 2) {
    return TypeError("rank >= 2",
                     absl::StrCat("a and b must have 2 dimensions or more, got ", a.descriptor().ToString(), " and ",
                                  b.descriptor().ToString(), "; reshape a vector to a matrix of one row or column"));
  }
  const absl::Span<const uint32_t> a_shape = a.shape(), b_shape = b.shape();
  RETURN_IF_ERROR(CheckInnerDimension(call, a_shape[a_shape.size() - 1], b_shape[b_shape.size() - 2]));
  absl::optional<UnsignedList> shape =
      BroadcastShapes(a_shape.first(a_shape.size() - 2), b_shape.first(b_shape.size() - 2));
  if (!shape.has_value()) {
    return TypeError("bidirectional broadcast",
                     absl::StrCat("batch dimensions of a and b must be equal, or one of them 1, got ",
                                  a.descriptor().ToString(), " and ", b.descriptor().ToString()));
  }
  shape->push_back(a_shape[a_shape.size() - 2]);
  shape->push_back(b_shape[b_shape.size() - 1]);
  return MLOperandDescriptor(a.dataType(), *std::move(shape));
}

XlaOp LowerMatmulCall(const LoweringCall& call) { return LowerMatmul(call.value(0), call.value(1)); }

// ---- triangular

absl::StatusOr<MLOperandDescriptor> InferTriangular(const OperatorCall& call) { return call.operand(0).descriptor(); }

XlaOp LowerTriangularCall(const LoweringCall& call) {
  const auto& options = call.parameters<MLTriangularOptions>();
  return LowerTriangular(call.value(0), options.upper, options.diagonal);
}

}  // namespace

std::vector<OperatorDefinition> MatrixOperators() {
  return {
      DefineOperator("gemm",
                     {OperandRule("a", kFloatTypes).Rank(2, 2),
                      OperandRule("b", kFloatTypes).TypeRule("dtype mismatch").Rank(2, 2)},
                     ParameterList<MLGemmOptions>()
                         .Option("c", &MLGemmOptions::c)
                         .Admits(kFloatTypes, 0, 2)
                         .Option("alpha", &MLGemmOptions::alpha)
                         .Option("beta", &MLGemmOptions::beta)
                         .Option("aTranspose", &MLGemmOptions::aTranspose)
                         .Option("bTranspose", &MLGemmOptions::bTranspose),
                     InferGemm, LowerGemmCall),
      DefineOperator("matmul",
                     {OperandRule("a", kFloatTypes).Rank(2, kMaxRank),
                      OperandRule("b", kFloatTypes).TypeRule("dtype mismatch").Rank(2, kMaxRank)},
                     ParameterList<MLOperatorOptions>(), InferMatmul, LowerMatmulCall),
      DefineOperator("triangular", {OperandRule("input", kDraftTypes).Rank(2, kMaxRank, "rank >= 2")},
                     ParameterList<MLTriangularOptions>()
                         .Option("upper", &MLTriangularOptions::upper)
                         .Option("diagonal", &MLTriangularOptions::diagonal),
                     InferTriangular, LowerTriangularCall),
  };
}

}  // namespace webnn
}  // namespace xla
