// What an opcode's word means: the opcode itself, or async sugar for one.
#ifndef XLA_CORE_TEXT_OPCODE_TEXT_H_
#define XLA_CORE_TEXT_OPCODE_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "xla_core/ir/opcode.h"

namespace xla {

// The word `all-reduce` gives just an opcode; `custom-call-start` is short for an async-start whose computation is a
// custom-call.
struct OpcodeText {
  HloOpcode opcode = HloOpcode::kParameter;
  // Of `custom-call-start`: custom-call; opcode is then one of async-start, async-update, async-done.
  absl::optional<HloOpcode> wrapped;
};

// nullopt if the word is neither.
absl::optional<OpcodeText> OpcodeFromText(absl::string_view word);

// Whether `OPCODE-start` is sugar for an asynchronous OPCODE.
bool HasAsyncSugar(HloOpcode opcode);

// "; did you mean 'transpose'?" for an unknown word, or nothing.
std::string NearestOpcode(absl::string_view word);

}  // namespace xla

#endif  // XLA_CORE_TEXT_OPCODE_TEXT_H_
