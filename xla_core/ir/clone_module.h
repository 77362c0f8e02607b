// Copies of modules, and of parts of them within a module.
#ifndef XLA_CORE_IR_CLONE_MODULE_H_
#define XLA_CORE_IR_CLONE_MODULE_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

class ResourceContext;

// A copy with the same names, ids, order and annotations, down to the last attribute; the values of constants are
// shared. `module` must own all operands and callees of its instructions, as VerifyModule checks.
std::unique_ptr<HloModule> CloneModule(const HloModule& module);
// The same within limits: the error is that of resources.Check().
absl::StatusOr<std::unique_ptr<HloModule>> CloneModule(const HloModule& module, const ResourceContext& resources);

// Adds a copy of `instruction`, with these operands, to `computation`, under a new name made from the old one. The
// copy calls the same computations, has the same shape, attributes and annotations, and no control edges.
HloInstruction* AddClone(const HloInstruction& instruction, absl::Span<HloInstruction* const> operands,
                         HloComputation* computation);

// Adds a copy of `computation`, which may be of another module if it calls nothing, under new names. It calls the same
// computations, except for what belongs to one instruction alone, the bodies of fusions and asynchronous operations,
// which are copied too.
HloComputation* AddCloneOfComputation(const HloComputation& computation, HloModule* module);

// How many instructions AddCloneOfComputation adds.
int64_t InstructionsOfClone(const HloComputation& computation);

// Adds copies of the instructions of `body` to `computation`, `arguments` standing for its parameters, and returns what
// stands for its root. Control edges within the body are copied, and so are bodies that belong to one instruction
// alone.
HloInstruction* InlineBody(const HloComputation& body, absl::Span<HloInstruction* const> arguments,
                           HloComputation* computation);

}  // namespace xla

#endif  // XLA_CORE_IR_CLONE_MODULE_H_
