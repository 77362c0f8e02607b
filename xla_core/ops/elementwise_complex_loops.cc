#include "xla_core/ops/element_complex.h"
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

template <typename Row, int arity, unsigned classes>
void AddRow(HloOpcode opcode, LoopTable& table) {
  if constexpr ((classes & kComplex) != 0) {
    LoopAt(table, opcode, C64) = LoopOver<Row, arity, std::complex<float>, std::complex<double>>();
    LoopAt(table, opcode, C128) = LoopOver<Row, arity, std::complex<double>, std::complex<long double>>();
  }
}

LoopTable MakeTable() {
  LoopTable table{};
#define UNARY(opcode, classes, ...) AddRow<opcode##Row, 1, (classes)>(HloOpcode::opcode, table);
#define BINARY(opcode, classes, ...) AddRow<opcode##Row, 2, (classes)>(HloOpcode::opcode, table);
#include "xla_core/ops/elementwise.def"
#undef UNARY
#undef BINARY
  return table;
}

}  // namespace

ElementwiseLoop FindComplexLoop(HloOpcode opcode, PrimitiveType type) {
  static const auto* const table = new LoopTable(MakeTable());
  return (*table)[static_cast<uint8_t>(opcode)][type];
}

}  // namespace xla
