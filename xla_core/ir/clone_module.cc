#include "xla_core/ir/clone_module.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using InstructionMap = absl::flat_hash_map<const HloInstruction*, HloInstruction*>;
using ComputationMap = absl::flat_hash_map<const HloComputation*, HloComputation*>;

// Everything but the control edges, which may lead to instructions that come later. Places in `copies` are those in the
// lists of both computations.
std::unique_ptr<HloInstruction> CloneInstruction(const HloInstruction& instruction, const HloComputation& copies,
                                                 const ComputationMap& computations) {
  auto copy = std::make_unique<HloInstruction>(instruction.opcode(), instruction.name(), instruction.shape());
  copy->set_id(instruction.id());
  for (const HloInstruction* operand : instruction.operands()) {
    copy->AddOperand(copies.instructions()[operand->place()].get());
  }
  for (const HloComputation* callee : instruction.called_computations()) {
    copy->AddCalledComputation(computations.at(callee));
  }
  copy->set_attributes(instruction.shared_attributes());
  copy->CopyAnnotations(instruction);
  return copy;
}

void CloneControlEdges(const HloComputation& from, const InstructionMap& instructions) {
  for (const auto& instruction : from.instructions()) {
    for (const HloInstruction* predecessor : instruction->control_predecessors()) {
      instructions.at(instruction.get())->AddControlPredecessor(instructions.at(predecessor));
    }
  }
}

// A copy of a computation in which operands and callees are those of the copy. Callees must have been copied before.
absl::StatusOr<std::unique_ptr<HloComputation>> CloneComputation(const HloComputation& computation,
                                                                 const ComputationMap& computations,
                                                                 const ResourceContext* resources) {
  auto copy = std::make_unique<HloComputation>(computation.name());
  copy->set_id(computation.id());
  copy->set_execution_thread(computation.execution_thread());
  copy->set_is_fusion_computation(computation.is_fusion_computation());
  for (const auto& instruction : computation.instructions()) {
    RETURN_IF_ERROR(CheckResources(resources));
    copy->AddInstruction(CloneInstruction(*instruction, *copy, computations));
  }
  for (const auto& instruction : computation.instructions()) {
    for (const HloInstruction* predecessor : instruction->control_predecessors()) {
      copy->instructions()[instruction->place()]->AddControlPredecessor(
          copy->instructions()[predecessor->place()].get());
    }
  }
  if (computation.root() != nullptr) copy->set_root(copy->instructions()[computation.root()->place()].get());
  return copy;
}

absl::StatusOr<std::unique_ptr<HloModule>> CloneWithin(const ResourceContext* resources, const HloModule& module) {
  auto copy = std::make_unique<HloModule>(module.name());
  copy->set_id(module.id());
  copy->mutable_config() = module.config();
  ComputationMap computations;
  for (const auto& computation : module.computations()) {
    ASSIGN_OR_RETURN(std::unique_ptr<HloComputation> clone, CloneComputation(*computation, computations, resources));
    computations[computation.get()] = copy->AddComputation(std::move(clone));
  }
  if (module.entry() != nullptr) copy->set_entry(computations.at(module.entry()));
  return copy;
}

}  // namespace

std::unique_ptr<HloModule> CloneModule(const HloModule& module) {
  // Without limits nothing can fail.
  return *CloneWithin(nullptr, module);
}

absl::StatusOr<std::unique_ptr<HloModule>> CloneModule(const HloModule& module, const ResourceContext& resources) {
  return CloneWithin(&resources, module);
}

namespace {

HloInstruction* AddCloneCalling(absl::Span<HloComputation* const> callees, const HloInstruction& instruction,
                                absl::Span<HloInstruction* const> operands, HloComputation* computation) {
  HloModule* const module = computation->parent();
  auto copy = std::make_unique<HloInstruction>(
      instruction.opcode(), module == nullptr ? instruction.name() : module->NewName(instruction.name()),
      instruction.shape());
  for (HloInstruction* operand : operands) copy->AddOperand(operand);
  for (HloComputation* callee : callees) copy->AddCalledComputation(callee);
  // A pass may be about to write to the original's.
  if (instruction.raw_attributes() != nullptr) copy->set_attributes(instruction.raw_attributes()->Clone());
  copy->CopyAnnotations(instruction);
  return computation->AddInstruction(std::move(copy));
}

}  // namespace

HloInstruction* AddClone(const HloInstruction& instruction, absl::Span<HloInstruction* const> operands,
                         HloComputation* computation) {
  return AddCloneCalling(instruction.called_computations(), instruction, operands, computation);
}

namespace {

// What a fusion or an asynchronous operation calls belongs to it alone.
bool OwnsCallees(HloOpcode opcode) {
  return opcode == HloOpcode::kFusion || HasTrait(opcode, opcode_trait::kAsyncCall);
}

HloComputation* AddEmptyCloneOf(const HloComputation& computation, HloModule* module) {
  auto owned = std::make_unique<HloComputation>(module->NewName(computation.name()));
  owned->set_execution_thread(computation.execution_thread());
  owned->set_is_fusion_computation(computation.is_fusion_computation());
  return module->AddComputation(std::move(owned));
}

// Copies bodies together with those that their instructions own, which may nest: what is still to be copied is a list.
class BodyCloner {
 public:
  // Adds copies of what `body` holds, apart from what `instructions` maps already.
  void Clone(const HloComputation& body, InstructionMap& instructions, HloComputation* computation) {
    AddClonesOf(body, instructions, computation);
    while (!owned_.empty()) {
      const auto [callee, copy] = owned_.back();
      owned_.pop_back();
      InstructionMap inner;
      AddClonesOf(*callee, inner, copy);
      copy->set_root(inner.at(callee->root()));
    }
  }

 private:
  using Copies = absl::flat_hash_map<const HloComputation*, HloComputation*>;

  HloComputation* CopyOf(HloComputation* callee, Copies& copies, HloModule* module) {
    HloComputation*& copy = copies[callee];
    if (copy == nullptr) {
      copy = AddEmptyCloneOf(*callee, module);
      owned_.emplace_back(callee, copy);
    }
    return copy;
  }

  void AddCloneOf(const HloInstruction& instruction, InstructionMap& instructions, Copies& copies,
                  HloComputation* computation) {
    std::vector<HloInstruction*> operands;
    operands.reserve(instruction.operands().size());
    for (const HloInstruction* operand : instruction.operands()) operands.push_back(instructions.at(operand));
    std::vector<HloComputation*> callees;
    for (HloComputation* callee : instruction.called_computations()) {
      callees.push_back(OwnsCallees(instruction.opcode()) ? CopyOf(callee, copies, computation->parent()) : callee);
    }
    instructions[&instruction] = AddCloneCalling(callees, instruction, operands, computation);
  }

  // Adds copies of a body's instructions to another computation, operands first. `instructions` holds what stands for
  // those that are not copied, such as parameters.
  void AddClonesOf(const HloComputation& body, InstructionMap& instructions, HloComputation* computation) {
    // The steps of an asynchronous operation call the same computation.
    Copies copies;
    // A pass may copy what it has changed and not tidied yet, so that operands may come after their users.
    std::vector<const HloInstruction*> waiting;
    for (const auto& instruction : body.instructions()) {
      if (!instruction->is_removed()) waiting.push_back(instruction.get());
      while (!waiting.empty()) {
        const HloInstruction* const next = waiting.back();
        const size_t count = waiting.size();
        if (!instructions.contains(next)) {
          for (const HloInstruction* operand : next->operands()) {
            if (!instructions.contains(operand)) waiting.push_back(operand);
          }
        }
        if (waiting.size() != count) continue;
        waiting.pop_back();
        if (!instructions.contains(next)) AddCloneOf(*next, instructions, copies, computation);
      }
    }
    CloneControlEdges(body, instructions);
  }

  std::vector<std::pair<const HloComputation*, HloComputation*>> owned_;  // with their copies, which are empty
};

}  // namespace

HloComputation* AddCloneOfComputation(const HloComputation& computation, HloModule* module) {
  HloComputation* const copy = AddEmptyCloneOf(computation, module);
  InstructionMap instructions;
  BodyCloner().Clone(computation, instructions, copy);
  copy->set_root(instructions.at(computation.root()));
  return copy;
}

int64_t InstructionsOfClone(const HloComputation& computation) {
  int64_t count = 0;
  absl::flat_hash_set<const HloComputation*> seen = {&computation};
  std::vector<const HloComputation*> pending = {&computation};
  while (!pending.empty()) {
    const HloComputation& copied = *pending.back();
    pending.pop_back();
    count += copied.instruction_count();
    for (const auto& instruction : copied.instructions()) {
      if (!OwnsCallees(instruction->opcode())) continue;
      for (const HloComputation* callee : instruction->called_computations()) {
        if (seen.insert(callee).second) pending.push_back(callee);
      }
    }
  }
  return count;
}

HloInstruction* InlineBody(const HloComputation& body, absl::Span<HloInstruction* const> arguments,
                           HloComputation* computation) {
  InstructionMap instructions;
  const std::vector<HloInstruction*> parameters = body.parameters();
  for (size_t i = 0; i < parameters.size(); ++i) instructions[parameters[i]] = arguments[i];
  BodyCloner().Clone(body, instructions, computation);
  return instructions.at(body.root());
}

}  // namespace xla
