#include "xla_core/text/async_sugar_printer.h"

#include "xla_core/ir/hlo_computation.h"
#include "xla_core/text/opcode_text.h"

namespace xla {
namespace {

const HloInstruction* StartOf(const HloInstruction& async) {
  const HloInstruction* at = &async;
  while ((at->opcode() == HloOpcode::kAsyncUpdate || at->opcode() == HloOpcode::kAsyncDone) &&
         at->operand_count() > 0) {
    at = at->operand(0);
  }
  return at->opcode() == HloOpcode::kAsyncStart && at->called_computations().size() == 1 ? at : nullptr;
}

// The parameters of the computation are operands of the root, in order and once each, and are the operands of `start`.
bool PassesOperandsThrough(const HloInstruction& start, const HloComputation& computation) {
  const HloInstruction& root = *computation.root();
  const int n = start.operand_count();
  if (computation.instruction_count() != n + 1 || root.operand_count() != n) return false;
  for (int i = 0; i < n; ++i) {
    const HloInstruction& parameter = *root.operand(i);
    if (parameter.opcode() != HloOpcode::kParameter || parameter.has_annotations()) return false;
    if (parameter.attributes<ParameterAttributes>().number != i || parameter.shape() != start.operand(i)->shape())
      return false;
  }
  return true;
}

bool SameAnnotations(const HloInstruction& start, const HloInstruction& root) {
  const InstructionAnnotations& a = start.annotations();
  const InstructionAnnotations& b = root.annotations();
  return a.metadata == b.metadata && a.original_value == b.original_value &&
         a.frontend_attributes == b.frontend_attributes && a.statistics == b.statistics &&
         a.backend_config == b.backend_config && !b.sharding.has_value() && root.control_predecessors().empty();
}

bool HasAliasing(const HloInstruction& instruction) {
  const Attributes* const attributes = instruction.raw_attributes();
  if (attributes == nullptr) return false;
  for (const AttributeField& field : attributes->schema().fields) {
    if (field.kind == FieldKind::kAliasing) return true;
  }
  return false;
}

}  // namespace

const HloInstruction* SugaredInstruction(const HloInstruction& async) {
  const HloInstruction* const start = StartOf(async);
  if (start == nullptr) return nullptr;
  const HloComputation& computation = *start->called_computation(0);
  const HloInstruction* const root = computation.root();
  const auto& attributes = start->attributes<AsyncAttributes>();
  const Shape& shape = start->shape();
  if (root == nullptr || !HasAsyncSugar(root->opcode()) ||
      computation.execution_thread() != attributes.async_execution_thread) {
    return nullptr;
  }
  // Both would write output_to_operand_aliasing=.
  if (!attributes.output_to_operand_aliasing.empty() && HasAliasing(*root)) return nullptr;
  if (!shape.IsTuple() || shape.tuple_size() < 2 || shape.tuple_shape(1) != root->shape()) return nullptr;
  return PassesOperandsThrough(*start, computation) && SameAnnotations(*start, *root) ? root : nullptr;
}

}  // namespace xla
