// The copies of the body's instructions are appended to the caller, and tidying puts them in front of their users: that
// would let side effects, which happen in the order of the list, change places. They are therefore tied together by
// control edges while the caller is tidied.
#include "passes/cleaning/inline_call.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "passes/analyses/same_shape.h"
#include "xla_core/ir/clone_module.h"

namespace xla {
namespace {

// Equal, or arrays that a copy can make equal.
bool CanStandFor(const Shape& value, const Shape& wanted) {
  return SameShapeAndLayout(value, wanted) || (value.IsArray() && value.Equal(wanted, Shape::kIgnoreLayout));
}

// Whoever sees the layout of a parameter sees it as the callee wrote it.
HloInstruction* AsParameter(HloInstruction* argument, const HloInstruction& parameter) {
  if (SameShapeAndLayout(argument->shape(), parameter.shape())) return argument;
  auto copy = std::make_unique<HloInstruction>(HloOpcode::kCopy, "", parameter.shape());
  copy->AddOperand(argument);
  return argument->parent()->AddInstruction(std::move(copy));
}

struct ControlEdges {
  HloInstruction* instruction;
  std::vector<HloInstruction*> predecessors;
  std::vector<HloInstruction*> successors;
};

ControlEdges TakeControlEdges(HloInstruction* instruction) {
  const auto before = instruction->control_predecessors();
  const auto after = instruction->control_successors();
  ControlEdges edges{instruction, {before.begin(), before.end()}, {after.begin(), after.end()}};
  instruction->DropControlEdges();
  return edges;
}

// Orders the list of instructions so that these follow one another as given.
void OrderInstructions(HloComputation* computation, const std::vector<HloInstruction*>& order) {
  if (order.size() < 2) return;
  std::vector<ControlEdges> written;
  for (HloInstruction* instruction : order) written.push_back(TakeControlEdges(instruction));
  const auto restore = [&written] {
    for (const ControlEdges& edges : written) {
      for (HloInstruction* predecessor : edges.predecessors) edges.instruction->AddControlPredecessor(predecessor);
      for (HloInstruction* successor : edges.successors) successor->AddControlPredecessor(edges.instruction);
    }
  };
  restore();
  for (size_t i = 1; i < order.size(); ++i) order[i]->AddControlPredecessor(order[i - 1]);
  computation->Tidy();
  for (HloInstruction* instruction : order) instruction->DropControlEdges();
  restore();
}

}  // namespace

bool CanInline(const HloInstruction& call, const HloComputation& body, absl::Span<HloInstruction* const> arguments) {
  if (call.HasControlEdges() || call.annotations().sharding.has_value()) return false;
  if (!CanStandFor(body.root()->shape(), call.shape())) return false;
  const std::vector<HloInstruction*> parameters = body.parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!CanStandFor(arguments[i]->shape(), parameters[i]->shape())) return false;
  }
  return true;
}

HloInstruction* CallInliner::Inline(HloInstruction* call, const HloComputation& body,
                                    absl::Span<HloInstruction* const> arguments) {
  const bool ordered = effects_.Has(body);
  // What was inlined so far has no effects, so nothing with an effect is out of its place yet.
  if (ordered && effectful_.empty()) {
    for (HloInstruction* instruction : caller_->LiveInstructions()) {
      if (effects_.Has(*instruction)) effectful_.push_back(instruction);
    }
  }
  std::vector<HloInstruction*> values;
  const std::vector<HloInstruction*> parameters = body.parameters();
  for (size_t i = 0; i < parameters.size(); ++i) values.push_back(AsParameter(arguments[i], *parameters[i]));
  const size_t size_before = caller_->instructions().size();
  HloInstruction* result = InlineBody(body, values, caller_);
  if (ordered) {
    std::vector<HloInstruction*>& copies = stands_for_[call];
    for (size_t i = size_before; i < caller_->instructions().size(); ++i) {
      HloInstruction* const copy = caller_->instructions()[i].get();
      if (effects_.Has(*copy)) copies.push_back(copy);
    }
  }
  if (!SameShapeAndLayout(result->shape(), call->shape())) {
    auto copy = std::make_unique<HloInstruction>(HloOpcode::kCopy, "", call->shape());
    copy->AddOperand(result);
    result = caller_->AddInstruction(std::move(copy));
  }
  call->ReplaceAllUsesWith(result);
  caller_->RemoveInstruction(call);
  return result;
}

void CallInliner::Finish() {
  std::vector<HloInstruction*> order;
  std::vector<HloInstruction*> pending(effectful_.rbegin(), effectful_.rend());
  while (!pending.empty()) {
    HloInstruction* const next = pending.back();
    pending.pop_back();
    const auto copies = stands_for_.find(next);
    if (copies == stands_for_.end()) {
      order.push_back(next);
    } else {
      pending.insert(pending.end(), copies->second.rbegin(), copies->second.rend());
    }
  }
  OrderInstructions(caller_, order);
  effectful_.clear();
  stands_for_.clear();
}

HloInstruction* InlineCall(HloInstruction* call, const HloComputation& body,
                           absl::Span<HloInstruction* const> arguments, SideEffects& effects) {
  CallInliner inliner(call->parent(), effects);
  HloInstruction* const result = inliner.Inline(call, body, arguments);
  inliner.Finish();
  return result;
}

}  // namespace xla
