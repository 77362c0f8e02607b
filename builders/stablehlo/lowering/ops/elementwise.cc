// Operations on elements of equal index: arithmetic, functions of one number, logic.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/ops/lexicographic.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

// result_accuracy, which twelve functions have.
absl::Status SetResultAccuracy(const OperationCall& call, XlaOp result) {
  if (!call.attributes().Has("result_accuracy")) return absl::OkStatus();
  ASSIGN_OR_RETURN(const AttributeReader fields, call.attributes().Struct("result_accuracy"));
  ResultAccuracy accuracy;
  ASSIGN_OR_RETURN(accuracy.atol, fields.NumberOr("atol", 0));
  ASSIGN_OR_RETURN(accuracy.rtol, fields.NumberOr("rtol", 0));
  ASSIGN_OR_RETURN(accuracy.ulps, fields.IntOr("ulps", 0));
  ASSIGN_OR_RETURN(const std::string mode, fields.WordOr("mode", "DEFAULT"));
  if (mode == "HIGHEST") {
    accuracy.mode = ResultAccuracy::Mode::kHighest;
  } else if (mode == "TOLERANCE") {
    accuracy.mode = ResultAccuracy::Mode::kTolerance;
  } else if (mode != "DEFAULT") {
    return absl::InvalidArgumentError(
        absl::StrCat("the mode of result_accuracy must be DEFAULT, HIGHEST or TOLERANCE, got ", mode));
  }
  if (accuracy.mode != ResultAccuracy::Mode::kDefault) call.builder().SetInstructionResultAccuracy(result, accuracy);
  return absl::OkStatus();
}

// Only add has more than one constraint for it. What is_finite gives is never quantized.
absl::Status CheckElementwiseQuantization(const OperationCall& call) {
  const HloOpcode opcode = call.row().opcode;
  if (opcode == HloOpcode::kIsFinite) return absl::OkStatus();
  if (opcode == HloOpcode::kAdd) return CheckSameQuantization(call, "add_c2", "add_c3", "add_c4");
  const std::string same = call.Constraint("c1");
  return CheckSameQuantization(call, same, same, same);
}

// Operands and result of one shape; the result's element type follows from them (abs of complex numbers is real).
absl::Status LowerElementwise(OperationCall& call) {
  const std::string same = call.Constraint("c1");
  RETURN_IF_ERROR(CheckElementTypes(call));
  RETURN_IF_ERROR(CheckElementwiseQuantization(call));
  RETURN_IF_ERROR(CheckSameShapes(call, same));
  const XlaOp result = call.builder().AddOp(call.row().opcode, call.operands());
  RETURN_IF_ERROR(SetResultAccuracy(call, result));
  return call.Return(result, {same, call.row().opcode == HloOpcode::kAbs ? "abs_c2" : same});
}

// HLO orders no complex numbers.
absl::Status LowerExtremum(OperationCall& call) {
  if (!IsComplex(call.shape(0).element_type())) return LowerElementwise(call);
  RETURN_IF_ERROR(CheckElementTypes(call));
  RETURN_IF_ERROR(CheckSameShapes(call, call.Constraint("c1")));
  const ComparisonDirection direction =
      call.row().opcode == HloOpcode::kMaximum ? ComparisonDirection::kGe : ComparisonDirection::kLe;
  const XlaOp takes_lhs = CompareLexicographically(call.builder(), call.operand(0), call.operand(1), direction);
  return call.Return(call.builder().Select(takes_lhs, call.operand(0), call.operand(1)), call.Constraint("c1"));
}

absl::Status LowerComplex(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  RETURN_IF_ERROR(CheckSameShapes(call, "complex_c1"));
  return call.Return(call.builder().AddOp(HloOpcode::kComplex, call.operands()), {"complex_c2", "complex_c3"});
}

absl::Status LowerRealOrImag(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  const bool is_real = call.row().opcode == HloOpcode::kReal;
  const XlaOp x = call.operand(0);
  return call.Return(is_real ? call.builder().Real(x) : call.builder().Imag(x),
                     {call.Constraint("c1"), call.Constraint("c2")});
}

OperationRow Elementwise(absl::string_view name, HloOpcode opcode, int operands, uint8_t classes,
                         absl::Status (*lower)(OperationCall&) = LowerElementwise) {
  OperationRow row = Row(name, operands, lower).WithClasses(classes);
  row.opcode = opcode;
  return row;
}

constexpr uint8_t kFloatOrComplex = kFloatClass | kComplexClass;
constexpr uint8_t kLogicClass = kPredClass | kIntClass;
constexpr uint8_t kNumberClass = kIntClass | kFloatClass | kComplexClass;
constexpr uint8_t kSignedNumberClass = kSignedClass | kFloatClass | kComplexClass;

}  // namespace

std::vector<OperationRow> ElementwiseOperations() {
  return {
      Elementwise("stablehlo.abs", HloOpcode::kAbs, 1, kSignedNumberClass),
      Elementwise("stablehlo.cbrt", HloOpcode::kCbrt, 1, kFloatOrComplex),
      Elementwise("stablehlo.ceil", HloOpcode::kCeil, 1, kFloatClass),
      Elementwise("stablehlo.count_leading_zeros", HloOpcode::kCountLeadingZeros, 1, kIntClass),
      Elementwise("stablehlo.cosine", HloOpcode::kCos, 1, kFloatOrComplex),
      Elementwise("stablehlo.exponential", HloOpcode::kExp, 1, kFloatOrComplex),
      Elementwise("stablehlo.exponential_minus_one", HloOpcode::kExpm1, 1, kFloatOrComplex),
      Elementwise("stablehlo.floor", HloOpcode::kFloor, 1, kFloatClass),
      Elementwise("stablehlo.imag", HloOpcode::kImag, 1, kFloatOrComplex, LowerRealOrImag),
      Elementwise("stablehlo.is_finite", HloOpcode::kIsFinite, 1, kFloatClass),
      Elementwise("stablehlo.log", HloOpcode::kLog, 1, kFloatOrComplex),
      Elementwise("stablehlo.log_plus_one", HloOpcode::kLog1p, 1, kFloatOrComplex),
      Elementwise("stablehlo.logistic", HloOpcode::kLogistic, 1, kFloatOrComplex),
      Elementwise("stablehlo.negate", HloOpcode::kNegate, 1, kNumberClass),
      Elementwise("stablehlo.not", HloOpcode::kNot, 1, kLogicClass),
      Elementwise("stablehlo.popcnt", HloOpcode::kPopulationCount, 1, kIntClass),
      Elementwise("stablehlo.real", HloOpcode::kReal, 1, kFloatOrComplex, LowerRealOrImag),
      Elementwise("stablehlo.round_nearest_afz", HloOpcode::kRoundNearestAfz, 1, kFloatClass),
      Elementwise("stablehlo.round_nearest_even", HloOpcode::kRoundNearestEven, 1, kFloatClass),
      Elementwise("stablehlo.rsqrt", HloOpcode::kRsqrt, 1, kFloatOrComplex),
      Elementwise("stablehlo.sign", HloOpcode::kSign, 1, kSignedNumberClass),
      Elementwise("stablehlo.sine", HloOpcode::kSin, 1, kFloatOrComplex),
      Elementwise("stablehlo.sqrt", HloOpcode::kSqrt, 1, kFloatOrComplex),
      Elementwise("stablehlo.tan", HloOpcode::kTan, 1, kFloatOrComplex),
      Elementwise("stablehlo.tanh", HloOpcode::kTanh, 1, kFloatOrComplex),
      Elementwise("stablehlo.add", HloOpcode::kAdd, 2, kAnyClass),
      Elementwise("stablehlo.and", HloOpcode::kAnd, 2, kLogicClass),
      Elementwise("stablehlo.atan2", HloOpcode::kAtan2, 2, kFloatOrComplex),
      Elementwise("stablehlo.complex", HloOpcode::kComplex, 2, kFloatClass, LowerComplex),
      Elementwise("stablehlo.divide", HloOpcode::kDivide, 2, kNumberClass),
      Elementwise("stablehlo.maximum", HloOpcode::kMaximum, 2, kAnyClass, LowerExtremum),
      Elementwise("stablehlo.minimum", HloOpcode::kMinimum, 2, kAnyClass, LowerExtremum),
      Elementwise("stablehlo.multiply", HloOpcode::kMultiply, 2, kAnyClass),
      Elementwise("stablehlo.or", HloOpcode::kOr, 2, kLogicClass),
      Elementwise("stablehlo.power", HloOpcode::kPower, 2, kNumberClass),
      Elementwise("stablehlo.remainder", HloOpcode::kRemainder, 2, kNumberClass),
      Elementwise("stablehlo.shift_left", HloOpcode::kShiftLeft, 2, kIntClass),
      Elementwise("stablehlo.shift_right_arithmetic", HloOpcode::kShiftRightArithmetic, 2, kIntClass),
      Elementwise("stablehlo.shift_right_logical", HloOpcode::kShiftRightLogical, 2, kIntClass),
      Elementwise("stablehlo.subtract", HloOpcode::kSubtract, 2, kNumberClass),
      Elementwise("stablehlo.xor", HloOpcode::kXor, 2, kLogicClass),
  };
}

}  // namespace stablehlo
}  // namespace xla
