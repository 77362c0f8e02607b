#include "passes/cutting/reduce_edits.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "passes/analyses/side_effects.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace {

// Zeros of a wider tuple are not a simplification.
constexpr int64_t kMaxZeroLeaves = 64;

std::unique_ptr<HloInstruction> MakeParameter(int64_t number, const Shape& shape) {
  auto parameter = std::make_unique<HloInstruction>(HloOpcode::kParameter, "", shape);
  auto attributes = std::make_unique<ParameterAttributes>();
  attributes->number = number;
  parameter->set_attributes(std::move(attributes));
  return parameter;
}

HloInstruction* Add(HloComputation* computation, HloOpcode opcode, const Shape& shape,
                    absl::Span<HloInstruction* const> operands, std::unique_ptr<Attributes> attributes) {
  auto instruction = std::make_unique<HloInstruction>(opcode, "", shape);
  for (HloInstruction* operand : operands) instruction->AddOperand(operand);
  instruction->set_attributes(std::move(attributes));
  return computation->AddInstruction(std::move(instruction));
}

// nullptr if there are none of this shape. As deep as the shape nests.
HloInstruction* AddZeros(HloComputation* computation, const Shape& shape) {
  if (shape.IsToken()) return Add(computation, HloOpcode::kAfterAll, shape, {}, nullptr);
  if (shape.IsTuple()) {
    std::vector<HloInstruction*> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      elements.push_back(AddZeros(computation, element));
      if (elements.back() == nullptr) return nullptr;
    }
    return Add(computation, HloOpcode::kTuple, shape, elements, nullptr);
  }
  if (!shape.IsArray() || shape.IsDynamic()) return nullptr;
  Shape scalar = Shape::Scalar(shape.element_type());
  scalar.SetMissingLayoutsToDefault();
  absl::StatusOr<Literal> zero = Literal::Zeros(scalar);
  if (!zero.ok()) return nullptr;
  auto constant = std::make_unique<ConstantAttributes>();
  constant->literal = std::make_shared<const Literal>(*std::move(zero));
  HloInstruction* const value = Add(computation, HloOpcode::kConstant, scalar, {}, std::move(constant));
  if (shape.IsScalar()) return value;
  return Add(computation, HloOpcode::kBroadcast, shape, {value}, std::make_unique<BroadcastAttributes>());
}

// All users of `instruction` uses `other`, and it is gone, whatever effects it has. What had to wait for it, or
// it for, is forgotten.
bool Replace(HloInstruction* instruction, HloInstruction* other) {
  instruction->ReplaceAllUsesWith(other);
  instruction->DropControlEdges();
  if (instruction->users().empty()) instruction->parent()->RemoveInstruction(instruction);
  return true;
}

}  // namespace

HloInstruction* InstructionAt(const HloModule& module, const InstructionPlace& place) {
  return module.computations()[place.computation]->instructions()[place.instruction].get();
}

bool ReplaceByParameter(HloInstruction* instruction) {
  HloComputation* const computation = instruction->parent();
  if (computation != computation->parent()->entry()) return false;
  if (instruction->shape().IsToken()) return ReplaceByZeros(instruction);
  if (instruction->shape().IsOpaque()) return false;
  // After all others; FinishEdits closes the gaps.
  const int64_t number = computation->instruction_count();
  HloInstruction* const parameter = computation->AddInstruction(MakeParameter(number, instruction->shape()));
  const std::string name = instruction->name();
  instruction->set_name(computation->parent()->NewName(name));
  parameter->set_name(name);
  return Replace(instruction, parameter);
}

bool ReplaceByZeros(HloInstruction* instruction) {
  if (LeafCount(instruction->shape()) > kMaxZeroLeaves) return false;
  HloInstruction* const zeros = AddZeros(instruction->parent(), instruction->shape());
  return zeros != nullptr && Replace(instruction, zeros);
}

bool ReplaceByOperand(HloInstruction* instruction) {
  for (HloInstruction* operand : instruction->operands()) {
    if (operand->shape().Equal(instruction->shape(), Shape::kIgnoreLayout)) return Replace(instruction, operand);
  }
  return false;
}

bool ReplaceByBody(HloInstruction* instruction, int callee) {
  std::vector<HloInstruction*> arguments(instruction->operands().begin(), instruction->operands().end());
  if (instruction->opcode() == HloOpcode::kConditional) arguments = {instruction->operand(callee + 1)};
  const HloComputation& body = *instruction->called_computation(callee);
  if (static_cast<int>(arguments.size()) != body.parameter_count()) return false;
  return Replace(instruction, InlineBody(body, arguments, instruction->parent()));
}

namespace {

// ---- Loops

bool OnlyElementsAreUsed(const HloInstruction& tuple) {
  return std::all_of(tuple.users().begin(), tuple.users().end(),
                     [](const HloInstruction* user) { return user->opcode() == HloOpcode::kGetTupleElement; });
}

bool IsCalledOnce(const HloComputation* computation) {
  int64_t calls = 0;
  for (const auto& caller : computation->parent()->computations()) {
    for (const auto& instruction : caller->instructions()) {
      const auto callees = instruction->called_computations();
      calls += std::count(callees.begin(), callees.end(), computation);
    }
  }
  return calls == 1;
}

// The get-tuple-elements of `tuple` ask for the kept elements by their new places, or become zeros.
bool RenumberElements(HloInstruction* tuple, const std::vector<bool>& keep) {
  const std::vector<HloInstruction*> users(tuple->users().begin(), tuple->users().end());
  for (HloInstruction* user : users) {
    int64_t& index = user->mutable_attributes<GetTupleElementAttributes>().index;
    if (keep[index]) {
      index = std::count(keep.begin(), keep.begin() + index, true);
    } else if (!ReplaceByZeros(user)) {
      return false;
    }
  }
  return true;
}

// A tuple of the kept elements of `tuple`, which is one or gives one.
HloInstruction* AddNarrowed(HloInstruction* tuple, const std::vector<bool>& keep, const Shape& shape) {
  std::vector<HloInstruction*> elements;
  for (size_t i = 0; i < keep.size(); ++i) {
    if (!keep[i]) continue;
    if (tuple->opcode() == HloOpcode::kTuple) {
      elements.push_back(tuple->operand(static_cast<int>(i)));
      continue;
    }
    auto attributes = std::make_unique<GetTupleElementAttributes>();
    attributes->index = static_cast<int64_t>(i);
    elements.push_back(Add(tuple->parent(), HloOpcode::kGetTupleElement,
                           tuple->shape().tuple_shape(static_cast<int>(i)), {tuple}, std::move(attributes)));
  }
  return Add(tuple->parent(), HloOpcode::kTuple, shape, elements, nullptr);
}

}  // namespace

bool NarrowLoop(HloInstruction* loop, const std::vector<bool>& keep) {
  HloComputation* const body = loop->called_computation(1);
  std::vector<HloInstruction*> states = {loop};
  for (HloComputation* callee : loop->called_computations()) {
    states.push_back(callee->parameters()[0]);
    if (!IsCalledOnce(callee) || callee->root() == states.back()) return false;
  }
  for (const HloInstruction* state : states) {
    if (!OnlyElementsAreUsed(*state)) return false;
  }
  std::vector<Shape> kept;
  for (size_t i = 0; i < keep.size(); ++i) {
    if (keep[i]) kept.push_back(loop->shape().tuple_shape(static_cast<int>(i)));
  }
  const Shape shape = Shape::Tuple(std::move(kept));
  loop->ReplaceOperand(0, AddNarrowed(loop->operand(0), keep, shape));
  body->set_root(AddNarrowed(body->root(), keep, shape));
  for (HloInstruction* state : states) {
    if (!RenumberElements(state, keep)) return false;
    state->mutable_shape() = shape;
  }
  return true;
}

bool SetRoot(HloModule* module, HloInstruction* root) {
  if (root->shape().IsToken() || root->shape().IsOpaque() || module->entry()->root() == root) return false;
  module->entry()->set_root(root);
  return true;
}

bool KeepTupleElements(HloModule* module, const std::vector<bool>& keep) {
  HloInstruction* const root = module->entry()->root();
  std::vector<HloInstruction*> kept;
  for (size_t i = 0; i < keep.size(); ++i) {
    if (keep[i]) kept.push_back(root->operand(static_cast<int>(i)));
  }
  std::vector<Shape> shapes;
  for (const HloInstruction* element : kept) shapes.push_back(element->shape());
  module->entry()->set_root(Add(module->entry(), HloOpcode::kTuple, Shape::Tuple(std::move(shapes)), kept, nullptr));
  return true;
}

bool RemoveParameter(HloInstruction* parameter) {
  HloComputation* const computation = parameter->parent();
  if (!parameter->users().empty() || computation->root() == parameter) return false;
  computation->RemoveInstruction(parameter);
  return true;
}

namespace {

// ---- Cleaning up

// Users first, so that what is only used by what goes, goes too.
void RemoveUnused(HloComputation* computation, SideEffects& effects) {
  const std::vector<HloInstruction*> instructions = computation->LiveInstructions();
  for (auto it = instructions.rbegin(); it != instructions.rend(); ++it) {
    HloInstruction* const instruction = *it;
    if (instruction == computation->root() || !instruction->users().empty()) continue;
    if (instruction->opcode() == HloOpcode::kParameter || effects.Has(*instruction)) continue;
    computation->RemoveInstruction(instruction);
  }
}

void NumberParameters(HloComputation* entry) {
  std::vector<HloInstruction*> parameters;
  for (HloInstruction* instruction : entry->LiveInstructions()) {
    if (instruction->opcode() == HloOpcode::kParameter) parameters.push_back(instruction);
  }
  std::stable_sort(parameters.begin(), parameters.end(), [](const HloInstruction* a, const HloInstruction* b) {
    return a->attributes<ParameterAttributes>().number < b->attributes<ParameterAttributes>().number;
  });
  for (size_t i = 0; i < parameters.size(); ++i) {
    parameters[i]->mutable_attributes<ParameterAttributes>().number = static_cast<int64_t>(i);
  }
}

}  // namespace

void FinishEdits(HloModule* module) {
  SideEffects effects;
  for (const auto& computation : module->computations()) {
    computation->Tidy();
    RemoveUnused(computation.get(), effects);
  }
  NumberParameters(module->entry());
  module->RemoveUnreachableComputations();
  module->Tidy();
  HloModuleConfig& config = module->mutable_config();
  config.input_output_alias.clear();
  config.buffer_donors.clear();
  config.allow_spmd_sharding_propagation_to_parameters.clear();
  config.allow_spmd_sharding_propagation_to_output.clear();
  config.is_scheduled = false;
  ProgramShape layout;
  for (const HloInstruction* parameter : module->entry()->parameters()) layout.parameters.push_back(parameter->shape());
  layout.result = module->entry()->root()->shape();
  config.entry_computation_layout = std::move(layout);
}

}  // namespace xla
