#include "backends/kernel_ir/lowering/pointwise_loop.h"

#include <algorithm>

#include "backends/kernel_ir/lowering/element_emitter.h"
#include "passes/analyses/loop_invariants.h"
#include "passes/analyses/side_effects.h"
#include "passes/analyses/trip_counts.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

using Role = PointwiseLoop::Role;

bool IsStaticArray(const Shape& shape) { return shape.IsArray() && !shape.IsDynamic(); }

// Whether the instruction leaves each element at its place, on arrays of the dimensions of `whole` and scalars.
bool IsPointwise(const HloInstruction& instruction, const Shape& whole) {
  const HloOpcode opcode = instruction.opcode();
  if (HasTrait(opcode, opcode_trait::kBundles)) return true;
  if (opcode == HloOpcode::kParameter || opcode == HloOpcode::kFusion) return true;
  if (!IsStaticArray(instruction.shape())) return false;
  const bool is_scalar = instruction.shape().rank() == 0;
  if (!is_scalar && !instruction.shape().SameDimensions(whole)) return false;
  if (HasTrait(opcode, opcode_trait::kFromAttributes)) return true;
  if (opcode == HloOpcode::kBroadcast) return instruction.operand(0)->shape().rank() == 0;
  if (!IsElementwise(opcode)) return false;
  const auto operands = instruction.operands();
  return std::all_of(operands.begin(), operands.end(), [&](const HloInstruction* operand) {
    const int rank = operand->shape().rank();
    return rank == 0 || (!is_scalar && operand->shape().SameDimensions(whole));
  });
}

bool AllPointwise(const HloComputation& body, const Shape& whole) {
  std::vector<const HloComputation*> pending = {&body};
  while (!pending.empty()) {
    const HloComputation* const computation = pending.back();
    pending.pop_back();
    for (const auto& instruction : computation->instructions()) {
      if (!IsPointwise(*instruction, whole)) return false;
      if (instruction->opcode() == HloOpcode::kFusion) pending.push_back(instruction->called_computation(0));
    }
  }
  return true;
}

}  // namespace

// Matches loops of known trip count whose state consists of scalars, arrays of one shape and values that do not
// change, and whose body is elementwise in these arrays.
absl::optional<PointwiseLoop> FindPointwiseLoop(const HloInstruction& loop) {
  if (loop.opcode() != HloOpcode::kWhile || !loop.shape().IsTuple()) return absl::nullopt;
  const absl::optional<LoopCounter> counter = FindLoopCounter(loop);
  if (!counter.has_value() || counter->trip_count < 1) return absl::nullopt;
  PointwiseLoop found;
  found.turns = counter->trip_count;
  const LoopInvariants invariants(loop);
  const Shape* whole = nullptr;
  for (int k = 0; k < loop.shape().tuple_size(); ++k) {
    const Shape& shape = loop.shape().tuple_shape(k);
    if (!IsStaticArray(shape)) return absl::nullopt;
    if (invariants.IsInvariantState({k})) {
      found.roles.push_back(Role::kInvariant);
      continue;
    }
    found.roles.push_back(shape.rank() == 0 ? Role::kScalar : Role::kArray);
    if (shape.rank() == 0) continue;
    if (whole != nullptr && !shape.SameDimensions(*whole)) return absl::nullopt;
    whole = &shape;
  }
  if (whole == nullptr || whole->ElementCount() == 0) return absl::nullopt;
  if (!AllPointwise(*loop.called_computation(1), *whole)) return absl::nullopt;
  // The condition is not evaluated, since the number of iterations is known: nothing else may follow from it. Asked
  // last: a body that holds loops, which are not pointwise, would be walked to its depth for each of them.
  if (SideEffects().Has(loop)) return absl::nullopt;
  return found;
}

// Inputs are the distinct initial values; outputs are the elements of the state that change and that someone reads.
absl::optional<PointwiseLoopBuffers> BuffersOfPointwiseLoop(const HloInstruction& loop) {
  const absl::optional<PointwiseLoop> found = FindPointwiseLoop(loop);
  if (!found.has_value() || loop.operand(0)->opcode() != HloOpcode::kTuple) return absl::nullopt;
  std::vector<bool> is_used(found->roles.size(), false);
  for (const HloInstruction* user : loop.users()) {
    if (user->opcode() == HloOpcode::kGetTupleElement) {
      is_used[user->attributes<GetTupleElementAttributes>().index] = true;
    } else {
      is_used.assign(is_used.size(), true);
    }
  }
  if (loop.users().empty() || loop.parent()->root() == &loop) is_used.assign(is_used.size(), true);
  PointwiseLoopBuffers buffers;
  for (size_t k = 0; k < found->roles.size(); ++k) {
    const HloInstruction* const input = loop.operand(0)->operand(static_cast<int>(k));
    if (std::find(buffers.inputs.begin(), buffers.inputs.end(), input) == buffers.inputs.end()) {
      buffers.inputs.push_back(input);
    }
    if (is_used[k] && found->roles[k] != Role::kInvariant) buffers.outputs.push_back({static_cast<int64_t>(k)});
  }
  return buffers;
}

absl::StatusOr<LoweredKernel> LowerPointwiseLoop(const HloInstruction& loop, const PointwiseLoopBuffers& buffers,
                                                 const LoweringTarget& target, absl::Span<const int> in_place_of) {
  LoweringRequest request;
  request.name = loop.name();
  request.inputs = buffers.inputs;
  for (size_t i = 0; i < buffers.outputs.size(); ++i) {
    request.outputs.push_back({&loop, buffers.outputs[i], in_place_of.empty() ? -1 : in_place_of[i]});
  }
  return LowerToKernel(request, target);
}

// ---- The rule.

const PointwiseLoop* ElementEmitter::PointwiseLoopOf(const HloInstruction& loop) {
  const auto [place, is_new] = pointwise_loops_.try_emplace(&loop);
  if (is_new) {
    absl::optional<PointwiseLoop> found = FindPointwiseLoop(loop);
    if (found.has_value()) place->second = std::make_unique<PointwiseLoop>(*std::move(found));
  }
  return place->second.get();
}

bool ElementEmitter::IsInvariantLeaf(const HloInstruction& loop, const ShapeIndex& leaf) {
  const PointwiseLoop* const found = PointwiseLoopOf(loop);
  return found != nullptr && leaf.size() == 1 && found->roles[leaf[0]] == Role::kInvariant;
}

// Runs all iterations for one element: the loop's state at that element becomes the state of a loop in the kernel.
// The body is emitted in a context of its own for each, with parameters bound to the state.
ElementEmitter::Values ElementEmitter::RunPointwiseLoop(const Request& request) {
  const HloInstruction& loop = *request.node.instruction;
  const PointwiseLoop* const found = PointwiseLoopOf(loop);
  if (found == nullptr) {
    Fail(loop, "its iterations do not work on each element by itself");
    return {};
  }
  // Scalars need no arrays.
  const bool is_scalar = request.node.shape().rank() == 0;
  std::vector<int64_t> carried;
  Values initial;
  bool complete = true;
  for (size_t k = 0; k < found->roles.size(); ++k) {
    const Role role = found->roles[k];
    if (role == Role::kInvariant || (role == Role::kArray && is_scalar)) continue;
    const auto leaf = static_cast<int64_t>(k);
    carried.push_back(leaf);
    initial.push_back(Get({loop.operand(0), {leaf}, request.node.context},
                          role == Role::kScalar ? ElementIndex() : request.index,
                          role == Role::kScalar ? kNoValue : request.predicate));
    complete = complete && initial.back() != kNoValue;
  }
  if (!complete) return {};
  const Values last = b_.ForWithState(b_.Index(found->turns), initial, [&](KernelValue, auto state) {
    LocalContext turn;
    turn.loop = &loop;
    turn.parent = request.node.context;
    turn.arguments.assign(found->roles.size(), kNoValue);
    for (size_t i = 0; i < carried.size(); ++i) turn.arguments[carried[i]] = state[i];
    turn.depth = b_.Depth();
    const int context = kFirstLocal + static_cast<int>(local_contexts_.size());
    local_contexts_.push_back(std::move(turn));
    Values next;
    for (const int64_t leaf : carried) {
      const bool is_array = found->roles[leaf] == Role::kArray;
      next.push_back(Emit({loop.called_computation(1)->root(), {leaf}, context},
                          is_array ? request.index : ElementIndex(), is_array ? request.predicate : kNoValue));
    }
    return next;
  });
  Values values;
  size_t next = 0;
  for (size_t k = 0; k < found->roles.size(); ++k) {
    const bool is_carried = next < carried.size() && carried[next] == static_cast<int64_t>(k);
    values.push_back(is_carried ? last[next++] : Zero(loop.shape().tuple_shape(static_cast<int>(k)).element_type()));
  }
  return values;
}

}  // namespace xla
