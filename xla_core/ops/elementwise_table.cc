#include "xla_core/ops/elementwise_table.h"

#include <array>
#include <vector>

#include "absl/strings/str_join.h"
#include "xla_core/ir/opcode_traits.h"

namespace xla {
namespace {

using namespace element_class;  // NOLINT: the rows are written in its words
using R = ElementwiseResult;
using A = ElementwiseArithmetic;

constexpr ElementwiseRow kRows[] = {
#define UNARY(opcode, classes, result, arithmetic, max_ulp, value) \
  {HloOpcode::opcode, 1, classes, R::result, A::arithmetic, max_ulp},
#define BINARY(opcode, classes, result, arithmetic, max_ulp, value) \
  {HloOpcode::opcode, 2, classes, R::result, A::arithmetic, max_ulp},
#include "xla_core/ops/elementwise.def"
#undef UNARY
#undef BINARY
};

constexpr bool AllRowsAreElementwise() {
  for (const ElementwiseRow& row : kRows) {
    if (!HasTrait(row.opcode, opcode_trait::kElementwise)) return false;
  }
  return true;
}
static_assert(AllRowsAreElementwise(), "a row of elementwise.def is not elementwise in opcodes.def");

}  // namespace

unsigned ElementClassOf(PrimitiveType type) {
  switch (GetPrimitiveTypeInfo(type).type_class) {
    case TypeClass::kPred:
      return kPred;
    case TypeClass::kSigned:
      return kSigned;
    case TypeClass::kUnsigned:
      return kUnsigned;
    case TypeClass::kFloat:
      return IsNarrowFloatType(type) ? kNarrowFloat : kWideFloat;
    case TypeClass::kComplex:
      return kComplex;
    case TypeClass::kInvalid:
    case TypeClass::kOther:
      break;
  }
  return 0;
}

std::string DescribeElementClasses(unsigned classes) {
  std::vector<std::string> words;
  if (classes & kPred) words.push_back("pred");
  if ((classes & kInt) == kInt) {
    words.push_back("integer");
  } else if (classes & kSigned) {
    words.push_back("signed integer");
  } else if (classes & kUnsigned) {
    words.push_back("unsigned integer");
  }
  if ((classes & kFloat) == kFloat) {
    words.push_back("floating");
  } else if (classes & kWideFloat) {
    words.push_back("f32 or f64");
  }
  if (classes & kComplex) words.push_back("complex");
  const std::string last = words.back();
  words.pop_back();
  const std::string first = absl::StrJoin(words, ", ");
  return first.empty() ? last : first + " or " + last;
}

const ElementwiseRow* FindElementwiseRow(HloOpcode opcode) {
  static const auto rows = [] {
    std::array<const ElementwiseRow*, 256> by_opcode{};
    for (const ElementwiseRow& row : kRows) by_opcode[static_cast<uint8_t>(row.opcode)] = &row;
    return by_opcode;
  }();
  return rows[static_cast<uint8_t>(opcode)];
}

bool IsElementwise(HloOpcode opcode) { return HasTrait(opcode, opcode_trait::kElementwise); }

bool IsMathFunction(HloOpcode opcode) {
  const ElementwiseRow* const row = FindElementwiseRow(opcode);
  return row != nullptr && row->arithmetic == ElementwiseArithmetic::kDouble;
}

PrimitiveType ElementwiseResultType(const ElementwiseRow& row, PrimitiveType operand_type) {
  switch (row.result) {
    case ElementwiseResult::kSame:
      return operand_type;
    case ElementwiseResult::kComponent:
      return ComplexComponentType(operand_type);
    case ElementwiseResult::kPredicate:
      return PRED;
    case ElementwiseResult::kComplexOf:
      return operand_type == F32 ? C64 : C128;
  }
  return PRIMITIVE_TYPE_INVALID;
}

}  // namespace xla
