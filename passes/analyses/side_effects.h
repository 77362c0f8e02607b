// Side effects of instructions, through everything that they call.
#ifndef PASSES_ANALYSES_SIDE_EFFECTS_H_
#define PASSES_ANALYSES_SIDE_EFFECTS_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// Looks at each computation once, when it is first asked for, so it must not outlive changes to computations that it
// was asked about.
class SideEffects {
 public:
  // Whether the instruction, or anything it calls, must run although the result is unused.
  bool Has(const HloInstruction& instruction);
  bool Has(const HloComputation& computation);
  // Whether what it knows of the module's computations is what it would find now.
  bool StillHolds(const HloModule& module) const;

 private:
  absl::flat_hash_map<const HloComputation*, bool> known_;
};

// A line for each instruction that has side effects, itself or through what it calls.
std::string PrintSideEffects(const HloModule& module, const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // PASSES_ANALYSES_SIDE_EFFECTS_H_
