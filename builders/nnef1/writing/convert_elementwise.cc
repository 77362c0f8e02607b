// One operation on each element: those that NNEF has under another name are rows of a table, the others have
// functions. Operands have equal shapes in HLO, so NNEF's broadcasting never comes into play.
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/writing/convert_instructions.h"

namespace xla {
namespace nnef1 {
namespace {

struct ElementwiseName {
  HloOpcode opcode;
  const char* operation;
  bool is_logical;  // takes logical tensors, else scalars
};
constexpr ElementwiseName kElementwise[] = {
    {HloOpcode::kAbs, "abs", false},      {HloOpcode::kAcos, "acos", false},
    {HloOpcode::kAcosh, "acosh", false},  {HloOpcode::kAdd, "add", false},
    {HloOpcode::kAnd, "and", true},       {HloOpcode::kAsin, "asin", false},
    {HloOpcode::kAsinh, "asinh", false},  {HloOpcode::kAtanh, "atanh", false},
    {HloOpcode::kCeil, "ceil", false},    {HloOpcode::kCos, "cos", false},
    {HloOpcode::kCosh, "cosh", false},    {HloOpcode::kDivide, "div", false},
    {HloOpcode::kExp, "exp", false},      {HloOpcode::kFloor, "floor", false},
    {HloOpcode::kLog, "log", false},      {HloOpcode::kLogistic, "sigmoid", false},
    {HloOpcode::kMaximum, "max", false},  {HloOpcode::kMinimum, "min", false},
    {HloOpcode::kMultiply, "mul", false}, {HloOpcode::kNegate, "neg", false},
    {HloOpcode::kNot, "not", true},       {HloOpcode::kOr, "or", true},
    {HloOpcode::kPower, "pow", false},    {HloOpcode::kRsqrt, "rsqrt", false},
    {HloOpcode::kSign, "sign", false},    {HloOpcode::kSin, "sin", false},
    {HloOpcode::kSinh, "sinh", false},    {HloOpcode::kSqrt, "sqrt", false},
    {HloOpcode::kSubtract, "sub", false}, {HloOpcode::kTan, "tan", false},
    {HloOpcode::kTanh, "tanh", false},
};

const ElementwiseName* FindElementwise(HloOpcode opcode) {
  for (const ElementwiseName& row : kElementwise) {
    if (row.opcode == opcode) return &row;
  }
  return nullptr;
}

}  // namespace

bool IsElementwiseOperation(HloOpcode opcode) { return FindElementwise(opcode) != nullptr; }

absl::Status ConvertElementwise(const HloInstruction& instruction, Conversion& to) {
  const ElementwiseName* const row = FindElementwise(instruction.opcode());
  const Primitive wanted = row->is_logical ? Primitive::kLogical : Primitive::kScalar;
  if (PrimitiveOf(instruction.shape()) != wanted) {
    return CannotSay(instruction, absl::StrCat("'", row->operation, "' takes ", Type::Tensor(wanted).ToString()));
  }
  if (instruction.operand_count() == 1) {
    to.SetNew(instruction, row->operation, {{"x", to.ValueOf(instruction.operand(0))}});
  } else {
    to.SetNew(instruction, row->operation,
              {{"x", to.ValueOf(instruction.operand(0))}, {"y", to.ValueOf(instruction.operand(1))}});
  }
  return absl::OkStatus();
}

absl::Status ConvertCompare(const HloInstruction& instruction, Conversion& to) {
  const CompareAttributes& attributes = instruction.attributes<CompareAttributes>();
  if (PrimitiveOf(instruction.operand(0)->shape()) != Primitive::kScalar || attributes.type != ComparisonType::kFloat) {
    return CannotSay(instruction, "only scalars are compared, as floats");
  }
  static constexpr std::pair<ComparisonDirection, const char*> kNames[] = {
      {ComparisonDirection::kEq, "eq"}, {ComparisonDirection::kNe, "ne"}, {ComparisonDirection::kGe, "ge"},
      {ComparisonDirection::kGt, "gt"}, {ComparisonDirection::kLe, "le"}, {ComparisonDirection::kLt, "lt"}};
  for (const auto& [direction, name] : kNames) {
    if (direction != attributes.direction) continue;
    to.SetNew(instruction, name,
              {{"x", to.ValueOf(instruction.operand(0))}, {"y", to.ValueOf(instruction.operand(1))}});
  }
  return absl::OkStatus();
}

// Where bounds cross, HLO gives the upper one, and NNEF's clamp the lower one.
absl::Status ConvertClamp(const HloInstruction& instruction, Conversion& to) {
  if (PrimitiveOf(instruction.shape()) != Primitive::kScalar) return CannotSay(instruction, "only scalars are clamped");
  const int bounded = to.writer().Add(
      "max", {{"x", to.ValueOf(instruction.operand(0))}, {"y", to.ValueOf(instruction.operand(1))}}, Primitive::kScalar,
      ExtentsOf(instruction.shape()), absl::StrCat(instruction.name(), "_at_least"));
  to.SetNew(instruction, "min", {{"x", Value::Tensor(bounded)}, {"y", to.ValueOf(instruction.operand(2))}});
  return absl::OkStatus();
}

absl::Status ConvertSelect(const HloInstruction& instruction, Conversion& to) {
  to.SetNew(instruction, "select",
            {{"condition", to.ValueOf(instruction.operand(0))},
             {"true_value", to.ValueOf(instruction.operand(1))},
             {"false_value", to.ValueOf(instruction.operand(2))}});
  return absl::OkStatus();
}

absl::Status ConvertConvert(const HloInstruction& instruction, Conversion& to) {
  const Primitive from = PrimitiveOf(instruction.operand(0)->shape());
  if (from == PrimitiveOf(instruction.shape())) {
    to.Set(instruction, to.Of(instruction.operand(0)));
  } else {
    to.SetNew(instruction, "cast", {{"input", to.ValueOf(instruction.operand(0))}});
  }
  return absl::OkStatus();
}

absl::Status ConvertCopy(const HloInstruction& instruction, Conversion& to) {
  to.SetNew(instruction, "copy", {{"x", to.ValueOf(instruction.operand(0))}});
  return absl::OkStatus();
}

}  // namespace nnef1
}  // namespace xla
