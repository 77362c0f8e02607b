// The op table: one row per opcode, made by the function that the op's file exports.
#include "xla_core/ops/op_definition.h"

namespace xla {

// kSlice is defined by Define_kSlice(), in the file of its family.
#define OPCODE(enumerator, name, traits) OpDefinition Define_##enumerator();
#include "xla_core/ir/opcodes.def"
#undef OPCODE

const OpDefinition& GetOp(HloOpcode opcode) {
  static const auto& rows = *new std::vector<OpDefinition>{
#define OPCODE(enumerator, name, traits) Define_##enumerator(),
#include "xla_core/ir/opcodes.def"
#undef OPCODE
  };
  return rows[static_cast<size_t>(opcode)];
}

}  // namespace xla
