#include "passes/cleaning/liveness_of_elements.h"

#include <algorithm>

#include "passes/analyses/call_graph.h"
#include "xla_core/ir/opcode_traits.h"

namespace xla {
namespace {

bool HasSharding(const HloInstruction& instruction) {
  return instruction.has_annotations() && instruction.annotations().sharding.has_value();
}

}  // namespace

ElementLiveness::ElementLiveness(const HloModule& module, const FixedComputations& fixed, SideEffects& effects)
    : fixed_(fixed), effects_(effects) {
  for (const auto& computation : module.computations()) {
    parameters_[computation.get()] = computation->parameters();
    const size_t count = computation->instructions().size();
    marks_.emplace(computation.get(), Marks{Bits(count, false), Bits(count, false)});
  }
  Enter(module.entry());
  Run();
}

void ElementLiveness::Enter(const HloComputation* computation) {
  if (entered_.insert(computation).second) unseeded_.push_back(computation);
}

void ElementLiveness::Seed(const HloComputation& computation) {
  if (MustPin(computation)) Pin(&computation);
  for (const auto& instruction : computation.instructions()) {
    if (effects_.Has(*instruction)) MarkNeedsOfRunning(*instruction);
    const bool is_marked_barrier = instruction->opcode() == HloOpcode::kOptBarrier && HasSharding(*instruction);
    if (instruction->HasControlEdges() || is_marked_barrier) MarkAll(instruction.get());
  }
}

bool ElementLiveness::IsMarked(Bits Marks::*kind, const HloInstruction& instruction) const {
  const auto marks = marks_.find(instruction.parent());
  if (marks == marks_.end()) return false;
  const Bits& bits = marks->second.*kind;
  return instruction.place() < static_cast<int64_t>(bits.size()) && bits[instruction.place()];
}

// Shapes change while this is used: what had one element when it was marked is found among the marks.
bool ElementLiveness::IsLive(const HloInstruction& instruction, int64_t element) const {
  const auto found = live_elements_.find(&instruction);
  if (found != live_elements_.end()) return found->second[element];
  return IsMarked(&Marks::live, instruction);
}

bool ElementLiveness::IsAllDead(const HloInstruction& instruction) const {
  const auto found = live_elements_.find(&instruction);
  if (found == live_elements_.end()) return !IsMarked(&Marks::live, instruction);
  return std::find(found->second.begin(), found->second.end(), true) == found->second.end();
}

bool ElementLiveness::IsResultLive(const HloComputation& computation, int64_t element) const {
  const auto found = live_results_.find(&computation);
  return found != live_results_.end() && found->second[element];
}

int64_t ElementLiveness::ElementCount(const HloInstruction& instruction) {
  return std::max<int64_t>(1, instruction.shape().tuple_size());
}

bool ElementLiveness::MustPin(const HloComputation& computation) const {
  if (computation.callers().empty() || fixed_.Contain(computation) || HasSharding(*computation.root())) return true;
  for (const HloInstruction* parameter : parameters_.at(&computation)) {
    if (HasSharding(*parameter) || parameter->HasControlEdges() ||
        !parameter->attributes<ParameterAttributes>().parameter_replication.empty()) {
      return true;
    }
  }
  return false;
}

// Callees of custom calls and the like are there as a whole; so are those of reduce, sort, map ... Computations that
// one instruction calls change together or not at all.
void ElementLiveness::Pin(const HloComputation* computation) {
  std::vector<const HloComputation*> new_pins;
  const auto pin = [&](const HloComputation* callee) {
    if (pinned_.insert(callee).second) new_pins.push_back(callee);
  };
  pin(computation);
  while (!new_pins.empty()) {
    const HloComputation* const pinned = new_pins.back();
    new_pins.pop_back();
    const int64_t elements = ElementCount(*pinned->root());
    for (int64_t i = 0; i < elements; ++i) MarkResult(pinned, i);
    MarkAll(pinned->root());
    for (const HloInstruction* parameter : parameters_.at(pinned)) MarkAll(parameter);
    for (const HloInstruction* site : pinned->callers()) {
      if (!IsRunning(*site) || !pinning_sites_.insert(site).second) continue;
      for (const HloComputation* callee : site->called_computations()) pin(callee);
    }
  }
}

void ElementLiveness::MarkAll(const HloInstruction* instruction) {
  for (int64_t i = ElementCount(*instruction); i > 0; --i) Mark(instruction, i - 1);
}

void ElementLiveness::Mark(const HloInstruction* instruction, int64_t element) {
  if (!instruction->shape().IsTuple()) {
    if (MarkOf(&Marks::live, *instruction)) return;
    MarkOf(&Marks::live, *instruction) = true;
  } else {
    Bits& bits = live_elements_[instruction];
    if (bits.empty()) bits.resize(ElementCount(*instruction));
    if (bits[element]) return;
    bits[element] = true;
  }
  waiting_.emplace_back(instruction, element);
}

void ElementLiveness::MarkResult(const HloComputation* computation, int64_t element) {
  Bits& bits = live_results_[computation];
  if (bits.empty()) bits.resize(ElementCount(*computation->root()));
  if (bits[element]) return;
  bits[element] = true;
  Mark(computation->root(), element);
  for (const HloInstruction* site : computation->callers()) {
    if (!IsRunning(*site)) continue;
    if (PassesValuesThrough(*site) && site->called_computations().back() == computation) Mark(site, element);
    if (site->opcode() == HloOpcode::kConditional) Mark(site, element);
  }
}

void ElementLiveness::Run() {
  while (!waiting_.empty() || !unseeded_.empty()) {
    if (!unseeded_.empty()) {
      const HloComputation* const computation = unseeded_.back();
      unseeded_.pop_back();
      Seed(*computation);
      continue;
    }
    const auto [instruction, element] = waiting_.back();
    waiting_.pop_back();
    MarkNeedsOfRunning(*instruction);
    Spread(*instruction, element);
  }
}

void ElementLiveness::MarkNeedsOfRunning(const HloInstruction& instruction) {
  if (MarkOf(&Marks::running, instruction)) return;
  MarkOf(&Marks::running, instruction) = true;
  if (!instruction.called_computations().empty()) EnterCallees(instruction);
  // What runs for its side effects alone gives its result all the same. Only a tuple can give less of it.
  if (PassesValuesThrough(instruction) && !instruction.shape().IsTuple()) Mark(&instruction, 0);
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kWhile) {
    MarkResult(instruction.called_computation(0), 0);
  } else if (opcode == HloOpcode::kConditional) {
    MarkAll(instruction.operand(0));
  } else if (!PassesValuesThrough(instruction) && !HasTrait(opcode, opcode_trait::kBundles) &&
             opcode != HloOpcode::kOptBarrier) {
    for (const HloInstruction* operand : instruction.operands()) MarkAll(operand);
  }
}

// What is known of the callees holds for this call of them from now on.
void ElementLiveness::EnterCallees(const HloInstruction& call) {
  const auto callees = call.called_computations();
  for (const HloComputation* callee : callees) Enter(callee);
  const bool is_pinned = std::any_of(callees.begin(), callees.end(),
                                     [this](const HloComputation* callee) { return pinned_.contains(callee); });
  if (is_pinned || !PassesValuesThrough(call) || call.HasControlEdges() || HasSharding(call)) {
    for (const HloComputation* callee : callees) Pin(callee);
  }
  if (!PassesValuesThrough(call)) return;
  for (const HloComputation* callee : callees) {
    const bool gives_result = call.opcode() == HloOpcode::kConditional || callee == callees.back();
    for (int64_t i = gives_result ? ElementCount(call) : 0; i > 0; --i) {
      if (IsResultLive(*callee, i - 1)) Mark(&call, i - 1);
    }
    for (const HloInstruction* parameter : parameters_.at(callee)) {
      for (int64_t i = ElementCount(*parameter); i > 0; --i) {
        if (IsLive(*parameter, i - 1)) SpreadToCaller(*parameter, i - 1, call);
      }
    }
  }
}

void ElementLiveness::Spread(const HloInstruction& instruction, int64_t element) {
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kTuple) {
    if (element < instruction.operand_count()) MarkAll(instruction.operand(static_cast<int>(element)));
  } else if (opcode == HloOpcode::kGetTupleElement) {
    SpreadToElement(instruction, element);
  } else if (opcode == HloOpcode::kOptBarrier) {
    Mark(instruction.operand(0), element);
  } else if (opcode == HloOpcode::kParameter) {
    SpreadToCallers(instruction, element);
  } else if (opcode == HloOpcode::kWhile) {
    SpreadState(instruction, element);
  } else if (PassesValuesThrough(instruction)) {
    SpreadToCallee(instruction, element);
  }
}

// Whoever takes an element of a tuple that is put together in sight needs that element and not the tuple.
void ElementLiveness::SpreadToElement(const HloInstruction& get, int64_t element) {
  const HloInstruction* const tuple = get.operand(0);
  const int64_t index = get.attributes<GetTupleElementAttributes>().index;
  if (tuple->opcode() == HloOpcode::kTuple && !get.HasControlEdges()) {
    Mark(tuple->operand(static_cast<int>(index)), element);
  } else {
    Mark(tuple, index);
  }
}

void ElementLiveness::SpreadToCallee(const HloInstruction& call, int64_t element) {
  for (const HloComputation* callee : call.called_computations()) MarkResult(callee, element);
}

void ElementLiveness::SpreadToCallers(const HloInstruction& parameter, int64_t element) {
  for (const HloInstruction* site : parameter.parent()->callers()) {
    if (IsRunning(*site) && PassesValuesThrough(*site)) SpreadToCaller(parameter, element, *site);
  }
}

void ElementLiveness::SpreadToCaller(const HloInstruction& parameter, int64_t element, const HloInstruction& site) {
  if (site.opcode() == HloOpcode::kWhile) {
    SpreadState(site, element);
  } else if (site.opcode() == HloOpcode::kConditional) {
    for (size_t i = 0; i < site.called_computations().size(); ++i) {
      if (site.called_computations()[i] == parameter.parent()) Mark(site.operand(static_cast<int>(i) + 1), element);
    }
  } else {
    Mark(site.operand(static_cast<int>(parameter.attributes<ParameterAttributes>().number)), element);
  }
}

void ElementLiveness::SpreadState(const HloInstruction& loop, int64_t element) {
  Mark(&loop, element);
  Mark(loop.operand(0), element);
  for (const HloComputation* callee : loop.called_computations()) Mark(parameters_.at(callee)[0], element);
  MarkResult(loop.called_computation(1), element);
}

}  // namespace xla
