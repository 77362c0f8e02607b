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

// Fills the table's columns for the integer types of a row; `if constexpr` keeps the functions of other types from
// being instantiated.
template <typename Row, int arity, unsigned classes>
void AddRow(HloOpcode opcode, LoopTable& table) {
  if constexpr ((classes & kPred) != 0) LoopAt(table, opcode, PRED) = LoopOver<Row, arity, bool, bool>();
  if constexpr ((classes & kSigned) != 0) {
    LoopAt(table, opcode, S8) = LoopOver<Row, arity, int8_t, int8_t>();
    LoopAt(table, opcode, S16) = LoopOver<Row, arity, int16_t, int16_t>();
    LoopAt(table, opcode, S32) = LoopOver<Row, arity, int32_t, int32_t>();
    LoopAt(table, opcode, S64) = LoopOver<Row, arity, int64_t, int64_t>();
  }
  if constexpr ((classes & kUnsigned) != 0) {
    LoopAt(table, opcode, U8) = LoopOver<Row, arity, uint8_t, uint8_t>();
    LoopAt(table, opcode, U16) = LoopOver<Row, arity, uint16_t, uint16_t>();
    LoopAt(table, opcode, U32) = LoopOver<Row, arity, uint32_t, uint32_t>();
    LoopAt(table, opcode, U64) = LoopOver<Row, arity, uint64_t, uint64_t>();
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

ElementwiseLoop FindIntegerLoop(HloOpcode opcode, PrimitiveType type) {
  static const auto* const table = new LoopTable(MakeTable());
  return (*table)[static_cast<uint8_t>(opcode)][type];
}

}  // namespace xla
