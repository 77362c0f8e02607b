#include "xla_core/ops/element_value.h"
#include "xla_core/ops/elementwise_expansion.h"

namespace xla {
namespace {

using namespace element_class;          // NOLINT: elementwise.def is written in the words of these
using namespace element_value;          // NOLINT
using namespace elementwise_expansion;  // NOLINT

#define UNARY HALO_UNARY_ROW
#define BINARY HALO_BINARY_ROW
#include "xla_core/ops/elementwise.def"
#undef UNARY
#undef BINARY

template <typename Row, int arity, unsigned classes, ElementwiseArithmetic arithmetic>
void AddRow(HloOpcode opcode, LoopTable& table) {
  if constexpr ((classes & kWideFloat) != 0) {
    using Computed = std::conditional_t<arithmetic == ElementwiseArithmetic::kDouble, double, float>;
    LoopAt(table, opcode, F32) = LoopOver<Row, arity, float, Computed>();
    LoopAt(table, opcode, F64) = LoopOver<Row, arity, double, double>();
  }
}

LoopTable MakeTable() {
  LoopTable table{};
#define UNARY(opcode, classes, result, arithmetic, max_ulp, value) \
  AddRow<opcode##Row, 1, (classes), ElementwiseArithmetic::arithmetic>(HloOpcode::opcode, table);
#define BINARY(opcode, classes, result, arithmetic, max_ulp, value) \
  AddRow<opcode##Row, 2, (classes), ElementwiseArithmetic::arithmetic>(HloOpcode::opcode, table);
#include "xla_core/ops/elementwise.def"
#undef UNARY
#undef BINARY
  return table;
}

}  // namespace

ElementwiseLoop FindFloatLoop(HloOpcode opcode, PrimitiveType type) {
  static const auto* const table = new LoopTable(MakeTable());
  return (*table)[static_cast<uint8_t>(opcode)][type];
}

}  // namespace xla
