// Which computations a module that is printed with nested bodies spells in braces where they are called, and which it
// gives a name.
#ifndef XLA_CORE_TEXT_NESTED_BODIES_H_
#define XLA_CORE_TEXT_NESTED_BODIES_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Whether text spells what the instruction calls: updates and completions find their computation through their operand.
bool SpellsCallees(const HloInstruction& instruction);

// The computations that are printed on their own, and the names that they get. The text is linear in the size of the
// module, reads back as a program that does the same, and prints as the same text again.
absl::flat_hash_map<const HloComputation*, std::string> NamesOfComputationsOnTheirOwn(const HloModule& module);

}  // namespace xla

#endif  // XLA_CORE_TEXT_NESTED_BODIES_H_
