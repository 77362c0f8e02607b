#include "passes/cleaning/equal_instructions.h"

#include <algorithm>
#include <cstddef>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "passes/analyses/comparison_direction.h"
#include "passes/analyses/same_shape.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ir/structure_hash.h"

namespace xla {
namespace {

uint64_t HashOfConstant(const HloInstruction& constant, uint64_t state) {
  const Literal* const literal = constant.attributes<ConstantAttributes>().literal.get();
  // Elements beyond a dynamic size mean nothing: comparing tells.
  if (literal == nullptr || !literal->shape().IsArray() || literal->has_dynamic_sizes()) return state;
  return MixHash(state, HashOfElements(*literal));
}

bool SameConstant(const HloInstruction& a, const HloInstruction& b) {
  const auto& left = a.attributes<ConstantAttributes>().literal;
  const auto& right = b.attributes<ConstantAttributes>().literal;
  return left != nullptr && right != nullptr && (left == right || left->BitwiseEquals(*right));
}

// The bits of the result do not depend on the order of the operands (except for those of a NaN). A complex product is
// not among them: its parts are sums whose terms would change places with the parts of the factors.
bool IsCommutative(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  return HasTrait(opcode, opcode_trait::kCommutative) &&
         !(opcode == HloOpcode::kMultiply && IsComplex(instruction.shape().element_type()));
}

bool SameAnnotations(const HloInstruction& a, const HloInstruction& b) {
  if (!a.has_annotations() && !b.has_annotations()) return true;
  const InstructionAnnotations& left = a.annotations();
  const InstructionAnnotations& right = b.annotations();
  return left.sharding == right.sharding && left.frontend_attributes == right.frontend_attributes &&
         left.backend_config == right.backend_config && left.result_accuracy == right.result_accuracy;
}

bool SameAttributes(const HloInstruction& a, const HloInstruction& b) {
  if (a.raw_attributes() == nullptr) return b.raw_attributes() == nullptr;
  if (a.opcode() == HloOpcode::kConstant) return SameConstant(a, b);
  if (a.opcode() != HloOpcode::kCompare) return AttributesEqual(*a.raw_attributes(), *b.raw_attributes());
  return a.attributes<CompareAttributes>().type == b.attributes<CompareAttributes>().type;
}

// The parameters of a computation, its side effects in their order and the root, each after what it stands on that is
// not there yet; the place of each in that order.
struct Walk {
  std::vector<const HloInstruction*> order;
  absl::flat_hash_map<const HloInstruction*, int64_t> places;

  Walk(const HloComputation& computation, SideEffects& effects) {
    for (const HloInstruction* parameter : computation.parameters()) Place(parameter);
    for (const auto& instruction : computation.instructions()) {
      if (effects.Has(*instruction)) PlaceAllOf(instruction.get());
    }
    PlaceAllOf(computation.root());
  }

  OrderedOperands Operands(const HloInstruction& instruction) const {
    OrderedOperands ordered;
    for (const HloInstruction* operand : instruction.operands()) ordered.operands.push_back(places.at(operand));
    // As they stand: a computation whose operands are exchanged is another one.
    if (instruction.opcode() == HloOpcode::kCompare) {
      ordered.direction = instruction.attributes<CompareAttributes>().direction;
    }
    return ordered;
  }

 private:
  void PlaceAllOf(const HloInstruction* last) {
    std::vector<std::pair<const HloInstruction*, int>> path = {{last, 0}};
    while (!path.empty()) {
      auto& [instruction, next] = path.back();
      if (places.contains(instruction)) {
        path.pop_back();
      } else if (next == instruction->operand_count()) {
        Place(instruction);
        path.pop_back();
      } else {
        const HloInstruction* const operand = instruction->operand(next++);
        if (!places.contains(operand)) path.emplace_back(operand, 0);
      }
    }
  }
  void Place(const HloInstruction* instruction) {
    places.emplace(instruction, static_cast<int64_t>(order.size()));
    order.push_back(instruction);
  }
};

}  // namespace

OrderedOperands OrderOperands(const HloInstruction& instruction, absl::Span<const int64_t> operands) {
  OrderedOperands ordered;
  ordered.operands.assign(operands.begin(), operands.end());
  const bool is_compare = instruction.opcode() == HloOpcode::kCompare;
  if (is_compare) ordered.direction = instruction.attributes<CompareAttributes>().direction;
  if (!is_compare && !IsCommutative(instruction)) return ordered;
  if (ordered.operands[0] > ordered.operands[1]) {
    std::swap(ordered.operands[0], ordered.operands[1]);
    ordered.direction = Exchanged(ordered.direction);
  } else if (is_compare && ordered.operands[0] == ordered.operands[1]) {
    ordered.direction = std::min(ordered.direction, Exchanged(ordered.direction));
  }
  return ordered;
}

uint64_t HashOfOperation(const HloInstruction& instruction, const OrderedOperands& operands,
                         ComputationNumbers& computations) {
  uint64_t state = HashOfShape(instruction.shape(), static_cast<uint64_t>(instruction.opcode()) + 1);
  if (instruction.opcode() == HloOpcode::kConstant) {
    state = HashOfConstant(instruction, state);
  } else if (instruction.raw_attributes() != nullptr && instruction.opcode() != HloOpcode::kCompare) {
    state = MixHash(state, HashAttributes(*instruction.raw_attributes()));
  }
  state = MixHash(state, static_cast<uint64_t>(operands.direction));
  for (const int64_t operand : operands.operands) state = MixHash(state, static_cast<uint64_t>(operand));
  for (const HloComputation* callee : instruction.called_computations()) {
    state = MixHash(state, static_cast<uint64_t>(computations.Number(*callee)));
  }
  return state;
}

bool SameOperation(const HloInstruction& a, const OrderedOperands& operands_of_a, const HloInstruction& b,
                   const OrderedOperands& operands_of_b, ComputationNumbers& computations) {
  if (a.opcode() != b.opcode() || operands_of_a.operands != operands_of_b.operands ||
      operands_of_a.direction != operands_of_b.direction || !SameShapeAndLayout(a.shape(), b.shape()) ||
      a.called_computations().size() != b.called_computations().size()) {
    return false;
  }
  for (size_t i = 0; i < a.called_computations().size(); ++i) {
    if (computations.Number(*a.called_computations()[i]) != computations.Number(*b.called_computations()[i])) {
      return false;
    }
  }
  return SameAttributes(a, b) && SameAnnotations(a, b);
}

int64_t ComputationNumbers::Number(const HloComputation& computation) {
  if (const auto known = numbers_.find(&computation); known != numbers_.end()) return known->second;
  const Walk walk(computation, effects_);
  uint64_t hash = walk.order.size();
  for (const HloInstruction* instruction : walk.order) {
    hash = MixHash(hash, HashOfOperation(*instruction, walk.Operands(*instruction), *this));
  }
  std::vector<const HloComputation*>& examples = examples_[hash];
  for (const HloComputation* example : examples) {
    if (SameStructure(*example, computation)) return numbers_[&computation] = numbers_.at(example);
  }
  examples.push_back(&computation);
  return numbers_[&computation] = next_++;
}

bool ComputationNumbers::SameStructure(const HloComputation& a, const HloComputation& b) {
  if (a.execution_thread() != b.execution_thread()) return false;
  const Walk walk_a(a, effects_);
  const Walk walk_b(b, effects_);
  if (walk_a.order.size() != walk_b.order.size() || walk_a.places.at(a.root()) != walk_b.places.at(b.root())) {
    return false;
  }
  for (size_t i = 0; i < walk_a.order.size(); ++i) {
    const HloInstruction& of_a = *walk_a.order[i];
    const HloInstruction& of_b = *walk_b.order[i];
    if (!SameOperation(of_a, walk_a.Operands(of_a), of_b, walk_b.Operands(of_b), *this)) return false;
  }
  return true;
}

}  // namespace xla
