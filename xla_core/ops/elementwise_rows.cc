#include "xla_core/ops/op_definition.h"

namespace xla {

OpDefinition Define_kAbs() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kAcos() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kAcosh() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kAsin() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kAsinh() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kAtanh() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kCbrt() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kCeil() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kCos() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kCosh() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kCountLeadingZeros() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kErf() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kExp() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kExpm1() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kFloor() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kImag() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kIsFinite() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kLog() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kLog1p() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kLogistic() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kNegate() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kNot() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kPopulationCount() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kReal() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kRoundNearestAfz() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kRoundNearestEven() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kRsqrt() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kSign() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kSin() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kSinh() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kSqrt() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kTan() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kTanh() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kCopy() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kConvert() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  return op;
}

OpDefinition Define_kBitcastConvert() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  return op;
}

OpDefinition Define_kReducePrecision() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<ReducePrecisionAttributes>;
  return op;
}

OpDefinition Define_kStochasticConvert() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  return op;
}

OpDefinition Define_kAdd() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kAtan2() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kAnd() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kComplex() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kDivide() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kMaximum() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kMinimum() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kMulhi() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kMultiply() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kOr() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kPower() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kRemainder() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kShiftLeft() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kShiftRightArithmetic() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kShiftRightLogical() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kSubtract() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kXor() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kAddDependency() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kCompare() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.make_attributes = &MakeAttributes<CompareAttributes>;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kSelect() {
  OpDefinition op;
  op.min_operands = 3;
  op.max_operands = 3;
  op.shape_may_be_omitted = true;
  return op;
}

OpDefinition Define_kClamp() {
  OpDefinition op;
  op.min_operands = 3;
  op.max_operands = 3;
  op.shape_may_be_omitted = true;
  return op;
}

}  // namespace xla
