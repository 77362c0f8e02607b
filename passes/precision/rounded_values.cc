#include "passes/precision/rounded_values.h"

#include <algorithm>
#include <cstddef>

#include "passes/analyses/call_graph.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

// Elementwise operations on floats that mean in bf16 what they mean in f32, except for rounding.
bool Computes(HloOpcode opcode) {
  static constexpr OpcodeSet kRounding = {HloOpcode::kConvert, HloOpcode::kReducePrecision,
                                          HloOpcode::kStochasticConvert};
  return IsElementwise(opcode) && !kRounding.Has(opcode);
}

// A convert before the operation writes no more than one after it.
bool IsNarrowAtNoCost(const HloInstruction& operand, const HloInstruction& user) {
  if (operand.shape().IsDynamic()) return false;
  if (!IsArrayOf(F32, operand)) return operand.shape().IsArray() && !IsFloat(operand.shape().element_type());
  return IsConvert(operand, BF16, F32) || operand.shape().ByteSize() <= user.shape().ByteSize();
}

bool HasDefaultPrecision(const HloInstruction& product) {
  const bool is_dot = product.opcode() == HloOpcode::kDot;
  const std::vector<Precision>& precision = is_dot ? product.attributes<DotAttributes>().operand_precision
                                                   : product.attributes<ConvolutionAttributes>().operand_precision;
  return (!is_dot || product.attributes<DotAttributes>().algorithm == DotAlgorithm::kUnset) &&
         std::all_of(precision.begin(), precision.end(), [](Precision p) { return p == Precision::kDefault; });
}

// A dot or a convolution in f32, whose author did not ask for the precision of f32.
bool IsOrdinaryProduct(const HloInstruction& instruction) {
  if (!HasTrait(instruction.opcode(), opcode_trait::kProduct)) return false;
  if (instruction.HasControlEdges() || !IsArrayOf(F32, instruction)) return false;
  const auto operands = instruction.operands();
  const bool all_f32 = std::all_of(operands.begin(), operands.end(), [](const HloInstruction* operand) {
    return IsArrayOf(F32, *operand) && !operand->shape().IsDynamic();
  });
  return all_f32 && HasDefaultPrecision(instruction);
}

bool SameElements(const HloInstruction& a, const HloInstruction& b) {
  return a.shape().IsTuple() && b.shape().IsTuple() && a.shape().tuple_size() == b.shape().tuple_size();
}

}  // namespace

bool IsArrayOf(PrimitiveType type, const HloInstruction& instruction) {
  return instruction.shape().IsArray() && instruction.shape().element_type() == type;
}

bool IsConvert(const HloInstruction& instruction, PrimitiveType from, PrimitiveType to) {
  return instruction.opcode() == HloOpcode::kConvert && IsArrayOf(to, instruction) &&
         IsArrayOf(from, *instruction.operand(0));
}

bool OnlyMovesOrSelects(HloOpcode opcode) {
  return HasTrait(opcode, opcode_trait::kMovesElements | opcode_trait::kChoosesOperand) ||
         opcode == HloOpcode::kOptBarrier;
}

RoundedValues::RoundedValues(const HloModule& module, const RoundedValuesOptions& options) : options_(options) {
  AddModule(module);
  Solve();
}

bool RoundedValues::Holds(const HloInstruction& instruction, int element) const {
  const auto node = nodes_.find(Value(&instruction, element));
  return node != nodes_.end() && rounded_[node->second];
}

// ---- The graph

int RoundedValues::NodeOf(const HloInstruction& instruction, int element) {
  const auto [node, is_new] = nodes_.try_emplace(Value(&instruction, element), static_cast<int>(parent_.size()));
  if (is_new) {
    parent_.push_back(node->second);
    const Shape& shape = element < 0 ? instruction.shape() : instruction.shape().tuple_shape(element);
    const bool may_round =
        shape.IsArray() && shape.element_type() == F32 && !shape.IsDynamic() && shape.ByteSize() >= options_.min_bytes;
    if (!may_round) needed_.push_back(node->second);
  }
  return node->second;
}

int RoundedValues::Find(int node) {
  while (parent_[node] != node) {
    parent_[node] = parent_[parent_[node]];
    node = parent_[node];
  }
  return node;
}

void RoundedValues::Join(int a, int b) { parent_[Find(b)] = Find(a); }

void RoundedValues::JoinElements(const HloInstruction& a, const HloInstruction& b) {
  if (!SameElements(a, b)) {
    NeedAll(a);
    NeedAll(b);
    return;
  }
  for (int i = 0; i < static_cast<int>(a.shape().tuple_size()); ++i) Join(NodeOf(a, i), NodeOf(b, i));
}

void RoundedValues::AddFlow(const HloInstruction& from, int from_element, const HloInstruction& into, int into_element,
                            bool strict) {
  // What was widened before is narrow already.
  if (IsConvert(from, BF16, F32)) return;
  flows_.push_back({NodeOf(from, from_element), NodeOf(into, into_element), strict});
}

void RoundedValues::Pass(const HloInstruction& from, const HloInstruction& into, bool strict) {
  if (from.shape().IsTuple()) {
    JoinElements(from, into);
  } else if (from.shape().IsArray()) {
    AddFlow(from, kArray, into, kArray, strict);
  }
}

// All calls of one computation get the same result.
void RoundedValues::PassResult(const HloInstruction& root, const HloInstruction& call) {
  if (root.shape().IsTuple()) JoinElements(root, call);
  if (!root.shape().IsArray()) return;
  AddFlow(root, kArray, root, kResult, /*strict=*/false);
  Join(NodeOf(root, kResult), NodeOf(call, kArray));
}

void RoundedValues::NeedAll(const HloInstruction& value) {
  if (value.shape().IsArray()) needed_.push_back(NodeOf(value, kArray));
  if (!value.shape().IsTuple()) return;
  for (int i = 0; i < static_cast<int>(value.shape().tuple_size()); ++i) needed_.push_back(NodeOf(value, i));
}

void RoundedValues::AddModule(const HloModule& module) {
  for (const auto& computation : module.computations()) {
    const auto callers = computation->callers();
    const bool is_fixed = IsFixedByCaller(*computation);  // an outside user knows what it is made of
    const bool is_open =
        !callers.empty() && computation.get() != module.entry() &&
        std::all_of(callers.begin(), callers.end(), [](const HloInstruction* c) { return PassesValuesThrough(*c); });
    for (const HloInstruction* instruction : computation->LiveInstructions()) {
      const bool is_parameter = instruction->opcode() == HloOpcode::kParameter;
      if (instruction->HasControlEdges() || (is_parameter && !is_open) || is_fixed) {
        NeedAll(*instruction);
        needed_.push_back(NodeOf(*instruction, kOperands));
      }
      if (!is_parameter) AddInstruction(*instruction);
    }
    if (!is_open) NeedAll(*computation->root());
  }
}

// An operation whose result may be made of bf16 if its operands are.
bool RoundedValues::MayRound(const HloInstruction& instruction) const {
  if (!IsArrayOf(F32, instruction)) return false;
  if (!OnlyMovesOrSelects(instruction.opcode()) && !(options_.approximate && Computes(instruction.opcode()))) {
    return false;
  }
  const auto operands = instruction.operands();
  return std::all_of(operands.begin(), operands.end(),
                     [&](const HloInstruction* operand) { return IsNarrowAtNoCost(*operand, instruction); });
}

void RoundedValues::AddTuple(const HloInstruction& tuple) {
  for (int i = 0; i < tuple.operand_count(); ++i) {
    const HloInstruction& element = *tuple.operand(i);
    if (IsArrayOf(F32, element)) {
      AddFlow(element, kArray, tuple, i, /*strict=*/false);
    } else {
      NeedAll(element);
    }
  }
}

void RoundedValues::AddInstruction(const HloInstruction& instruction) {
  const auto operands = instruction.operands();
  if (PassesValuesThrough(instruction)) return AddCalls(instruction);
  if (MayRound(instruction)) {
    for (const HloInstruction* operand : operands) {
      if (IsArrayOf(F32, *operand)) AddFlow(*operand, kArray, instruction, kArray, /*strict=*/false);
    }
    return;
  }
  if (options_.products && IsOrdinaryProduct(instruction)) {
    for (const HloInstruction* operand : operands) {
      AddFlow(*operand, kArray, instruction, kOperands, /*strict=*/false);
    }
    converted_.push_back(NodeOf(instruction, kOperands));
    NeedAll(instruction);
    return;
  }
  const HloOpcode opcode = instruction.opcode();
  if (IsConvert(instruction, F32, BF16) && !instruction.HasControlEdges()) {
    converted_.push_back(NodeOf(*operands[0], kArray));
    return;
  }
  if (opcode == HloOpcode::kTuple) return AddTuple(instruction);
  if (opcode == HloOpcode::kGetTupleElement && instruction.shape().IsArray()) {
    const auto index = static_cast<int>(instruction.attributes<GetTupleElementAttributes>().index);
    return Join(NodeOf(*operands[0], index), NodeOf(instruction, kArray));
  }
  const bool passes_on = opcode == HloOpcode::kCopy || opcode == HloOpcode::kOptBarrier;
  if (passes_on && instruction.shape().IsTuple()) return JoinElements(*operands[0], instruction);
  // Needs and makes all bits.
  NeedAll(instruction);
  for (const HloInstruction* operand : operands) NeedAll(*operand);
}

void RoundedValues::AddCalls(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  const auto callees = instruction.called_computations();
  for (size_t c = 0; c < callees.size(); ++c) {
    const std::vector<HloInstruction*> parameters = callees[c]->parameters();
    const bool is_condition = opcode == HloOpcode::kWhile && c == 0;
    if (!is_condition) PassResult(*callees[c]->root(), instruction);
    for (size_t p = 0; p < parameters.size(); ++p) {
      const HloInstruction& parameter = *parameters[p];
      if (opcode == HloOpcode::kWhile) {
        // One type for the state wherever it is seen.
        if (parameter.shape().IsArray()) Join(NodeOf(instruction, kArray), NodeOf(parameter, kArray));
        if (parameter.shape().IsTuple()) JoinElements(instruction, parameter);
      } else {
        const size_t operand = opcode == HloOpcode::kConditional ? c + 1 : p;
        // Rounding outside of a branch is done even if another one is taken, and outside of a fusion it is a pass over
        // memory of its own.
        Pass(*instruction.operand(static_cast<int>(operand)), parameter, /*strict=*/opcode != HloOpcode::kCall);
      }
    }
  }
  if (opcode == HloOpcode::kWhile) Pass(*instruction.operand(0), instruction, /*strict=*/false);
  if (opcode == HloOpcode::kConditional) NeedAll(*instruction.operand(0));
}

// ---- The largest set of values that nothing needs more of

void RoundedValues::Solve() {
  const size_t count = parent_.size();
  std::vector<std::vector<int>> sources(count);       // what flows into a node
  std::vector<std::vector<int>> strict_users(count);  // what it flows into without a rounding in between
  for (const Flow& flow : flows_) {
    sources[Find(flow.into)].push_back(Find(flow.from));
    if (flow.strict) strict_users[Find(flow.from)].push_back(Find(flow.into));
  }
  std::vector<bool> rounded(count, true);
  std::vector<int> pending;
  const auto need = [&](int node) {
    if (rounded[node]) pending.push_back(node);
    rounded[node] = false;
  };
  for (const int node : needed_) need(Find(node));
  while (!pending.empty()) {
    const int node = pending.back();
    pending.pop_back();
    for (const int source : sources[node]) need(source);
    for (const int user : strict_users[node]) need(user);
  }
  rounded_.resize(count);
  for (size_t node = 0; node < count; ++node) rounded_[node] = rounded[Find(static_cast<int>(node))];
  KeepUseful();
}

// Values that are joined to no convert, over any number of flows, would only change their type for nothing.
void RoundedValues::KeepUseful() {
  std::vector<bool> may_round = rounded_;
  for (const Flow& flow : flows_) {
    if (may_round[flow.from] && may_round[flow.into]) Join(flow.from, flow.into);
  }
  std::vector<bool> useful(parent_.size(), false);
  for (const int node : converted_) useful[Find(node)] = true;
  for (size_t node = 0; node < parent_.size(); ++node) {
    rounded_[node] = may_round[node] && useful[Find(static_cast<int>(node))];
  }
}

}  // namespace xla
