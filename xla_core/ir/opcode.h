// HloOpcode and its spelling.
#ifndef XLA_CORE_IR_OPCODE_H_
#define XLA_CORE_IR_OPCODE_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

namespace xla {

enum class HloOpcode : uint8_t {
#define OPCODE(enumerator, name, traits) enumerator,
#include "xla_core/ir/opcodes.def"
#undef OPCODE
};

constexpr int kOpcodeCount = 0
#define OPCODE(enumerator, name, traits) +1
#include "xla_core/ir/opcodes.def"
#undef OPCODE
    ;

// The opcodes in alphabetical order of their enumerators.
absl::Span<const HloOpcode> AllOpcodes();
absl::string_view HloOpcodeName(HloOpcode opcode);
// nullopt if HLO has no such opcode. Case-sensitive.
absl::optional<HloOpcode> HloOpcodeFromName(absl::string_view name);

}  // namespace xla

#endif  // XLA_CORE_IR_OPCODE_H_
