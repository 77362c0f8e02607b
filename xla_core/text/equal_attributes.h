// Lets instructions with equal attributes share them: most of a module's broadcasts, reshapes and dots are alike.
#ifndef XLA_CORE_TEXT_EQUAL_ATTRIBUTES_H_
#define XLA_CORE_TEXT_EQUAL_ATTRIBUTES_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

class EqualAttributes {
 public:
  // Gives an instruction whose attributes are complete those of one that came before, if they are equal to the last
  // bit.
  void Share(HloInstruction* instruction);

 private:
  absl::flat_hash_map<uint64_t, SharedAttributes> last_;  // by hash
};

}  // namespace xla

#endif  // XLA_CORE_TEXT_EQUAL_ATTRIBUTES_H_
