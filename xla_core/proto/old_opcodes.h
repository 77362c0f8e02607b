// Instructions as files of 2017 and 2018 have them and HLO has no more.
#ifndef XLA_CORE_PROTO_OLD_OPCODES_H_
#define XLA_CORE_PROTO_OLD_OPCODES_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/ir/opcode.h"

namespace xla {

// The opcode that took the place of `name`; of comparisons ("greater-than") also the direction.
struct OldOpcode {
  HloOpcode opcode;
  absl::optional<ComparisonDirection> direction;
};
absl::optional<OldOpcode> FindOldOpcode(absl::string_view name);

// The name of an instruction without a value or an effect, which is to be left out.
bool IsDroppedOpcode(absl::string_view name);

// Appends to `computation` what a `select` of whole tuples (`tuple-select`) amounts to: one select for each array of
// the tuple. `on_true` and `on_false` have the shape of `select`, which brings name, id and annotations and is not part
// of a computation yet; the result, which has them now, is part of it.
HloInstruction* ExpandTupleSelect(std::unique_ptr<HloInstruction> select, HloComputation* computation);

// Infeed and outfeed had no tokens: gives them one from an after-all. The result of an old infeed was its data alone:
// then the value returned, its element 0, has the infeed's name.
HloInstruction* AddTokenToFeed(std::unique_ptr<HloInstruction> feed, HloComputation* computation);

// A computation that adds two scalars of `type`, as cross-replica-sum implied. Not part of a module yet.
std::unique_ptr<HloComputation> MakeScalarAdd(std::string name, PrimitiveType type);

}  // namespace xla

#endif  // XLA_CORE_PROTO_OLD_OPCODES_H_
