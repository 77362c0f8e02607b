#include "passes/analyses/dataflow.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/check.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

bool HandsOnItsFirstOperand(HloOpcode opcode) {
  return HasTrait(opcode, opcode_trait::kPassesOn) || opcode == HloOpcode::kBitcast ||
         opcode == HloOpcode::kAllReduceDone;
}

// Starts whose element 0 repeats the operands.
bool RepeatsItsOperands(HloOpcode opcode) {
  return opcode == HloOpcode::kAllGatherStart || opcode == HloOpcode::kCollectivePermuteStart ||
         opcode == HloOpcode::kSend;
}

// Which element of its operand's result a done gives; -1 for other opcodes.
int DoneElement(HloOpcode opcode) {
  if (opcode == HloOpcode::kAsyncDone || opcode == HloOpcode::kAllGatherDone ||
      opcode == HloOpcode::kCollectivePermuteDone) {
    return 1;
  }
  return opcode == HloOpcode::kCopyDone ? 0 : -1;
}

bool BindsAllOperands(const HloInstruction& async_start) {
  return async_start.operand_count() == async_start.called_computation(0)->parameter_count();
}

}  // namespace

Dataflow::Dataflow(const HloModule& module) : Dataflow(CallGraph(module)) {
  CHECK(Build(module, /*resources=*/nullptr).ok());
}

absl::StatusOr<Dataflow> Dataflow::Create(const HloModule& module, const ResourceContext* resources) {
  ASSIGN_OR_RETURN(CallGraph call_graph, CallGraph::Create(module, resources));
  Dataflow dataflow(std::move(call_graph));
  RETURN_IF_ERROR(dataflow.Build(module, resources));
  return dataflow;
}

absl::Status Dataflow::Build(const HloModule& module, const ResourceContext* resources) {
  ResourcePoll poll(resources);
  RETURN_IF_ERROR(AddPositions(module, poll));
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->is_removed()) continue;
      RETURN_IF_ERROR(poll.Check(1 + PositionCount(*instruction)));
      AddInstruction(*instruction);
    }
  }
  RETURN_IF_ERROR(SimplifyPhis(poll));
  for (Position position = 0; position < position_count(); ++position) {
    RETURN_IF_ERROR(poll.Check());
    Resolve(position);
  }
  return absl::OkStatus();
}

absl::Status Dataflow::AddPositions(const HloModule& module, ResourcePoll& poll) {
  places_.reserve(module.instruction_count());
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->is_removed()) continue;
      const Position first = shape_of_.size();
      shape_of_.Append(instruction->shape());
      places_[instruction.get()] = {first, shape_of_.size() - first};
      instruction_of_.resize(shape_of_.size(), instruction.get());
      RETURN_IF_ERROR(poll.Check(1 + PositionCount(*instruction)));
    }
  }
  value_.resize(shape_of_.size());
  for (Position position = 0; position < position_count(); ++position) value_[position] = position;
  return absl::OkStatus();
}

int64_t Dataflow::LeafOffset(const Shape& tuple, int64_t element) const { return leaf_offsets_.Of(tuple)[element]; }

Dataflow::Position Dataflow::PositionAt(const HloInstruction& instruction, absl::Span<const int64_t> index) const {
  Position position = FirstPosition(instruction);
  const Shape* shape = &instruction.shape();
  for (const int64_t element : index) {
    position += LeafOffset(*shape, element);
    shape = &shape->tuple_shape(static_cast<int>(element));
  }
  return position;
}

ShapeIndex Dataflow::IndexAt(Position position) const {
  int64_t leaf = position - FirstPosition(InstructionAt(position));
  ShapeIndex index;
  const Shape* shape = &InstructionAt(position).shape();
  while (shape->IsTuple()) {
    const std::vector<int64_t>& offsets = leaf_offsets_.Of(*shape);
    // The last element that begins at or before the leaf; empty ones before it begin there too.
    const auto next = std::upper_bound(offsets.begin(), offsets.end(), leaf);
    index.push_back(next - offsets.begin() - 1);
    leaf -= offsets[index.back()];
    shape = &shape->tuple_shape(static_cast<int>(index.back()));
  }
  return index;
}

std::string Dataflow::PositionName(Position position) const {
  const ShapeIndex index = IndexAt(position);
  return absl::StrCat(InstructionAt(position).name(), index.empty() ? "" : " ",
                      index.empty() ? "" : ShapeIndexToString(index));
}

absl::Span<const Dataflow::Position> Dataflow::PhiInputs(Value value) const {
  const auto found = phis_.find(value);
  return found == phis_.end() ? absl::Span<const Position>() : absl::MakeConstSpan(found->second);
}

void Dataflow::Forward(Position to, Position from, int64_t count) {
  for (int64_t i = 0; i < count; ++i) value_[to + i] = from + i;
}

void Dataflow::AddPhis(const HloInstruction& instruction, absl::Span<const Position> inputs) {
  const Position first = FirstPosition(instruction);
  for (int64_t leaf = 0; leaf < PositionCount(instruction); ++leaf) {
    std::vector<Position>& phi = phis_[first + leaf];
    for (const Position input : inputs) phi.push_back(input + leaf);
    phi_order_.push_back(first + leaf);
  }
}

void Dataflow::AddInstruction(const HloInstruction& instruction) {
  const Position first = FirstPosition(instruction);
  const int64_t count = PositionCount(instruction);
  const HloOpcode opcode = instruction.opcode();
  const auto operand = [&](int i) { return FirstPosition(*instruction.operand(i)); };
  const auto root = [&](int i) { return FirstPosition(*instruction.called_computation(i)->root()); };
  if (opcode == HloOpcode::kParameter) {
    AddParameter(instruction);
  } else if (HandsOnItsFirstOperand(opcode)) {
    Forward(first, operand(0), count);
  } else if (opcode == HloOpcode::kTuple) {
    Position to = first;
    for (int i = 0; i < instruction.operand_count(); ++i) {
      Forward(to, operand(i), PositionCount(*instruction.operand(i)));
      to += PositionCount(*instruction.operand(i));
    }
  } else if (opcode == HloOpcode::kGetTupleElement) {
    const int64_t element = instruction.attributes<GetTupleElementAttributes>().index;
    Forward(first, operand(0) + LeafOffset(instruction.operand(0)->shape(), element), count);
  } else if (const int element = DoneElement(opcode); element >= 0) {
    Forward(first, operand(0) + LeafOffset(instruction.operand(0)->shape(), element), count);
  } else if (opcode == HloOpcode::kCopyStart) {
    Forward(first + LeafOffset(instruction.shape(), 1), operand(0), PositionCount(*instruction.operand(0)));
  } else if (opcode == HloOpcode::kRecvDone) {
    Forward(first, operand(0), LeafOffset(instruction.shape(), 1));  // the data; the token is new
  } else if (RepeatsItsOperands(opcode)) {
    Position to = first;
    const Position end = first + LeafOffset(instruction.shape(), 1);
    for (int i = 0; i < instruction.operand_count() && to + PositionCount(*instruction.operand(i)) <= end; ++i) {
      Forward(to, operand(i), PositionCount(*instruction.operand(i)));
      to += PositionCount(*instruction.operand(i));
    }
  } else if (opcode == HloOpcode::kAsyncUpdate && instruction.operand_count() == 1) {
    Forward(first, operand(0), count);
  } else if (opcode == HloOpcode::kAsyncStart && BindsAllOperands(instruction)) {
    Position to = first;
    for (int i = 0; i < instruction.operand_count(); ++i) {
      Forward(to, operand(i), PositionCount(*instruction.operand(i)));
      to += PositionCount(*instruction.operand(i));
    }
    Forward(to, root(0), PositionCount(*instruction.called_computation(0)->root()));
  } else if (opcode == HloOpcode::kCall) {
    Forward(first, root(0), count);
  } else if (opcode == HloOpcode::kWhile) {
    AddPhis(instruction, {operand(0), root(1)});
  } else if (opcode == HloOpcode::kConditional) {
    std::vector<Position> results;
    for (size_t i = 0; i < instruction.called_computations().size(); ++i) results.push_back(root(static_cast<int>(i)));
    AddPhis(instruction, results);
  }
}

// Binds a parameter to what its callers pass. One known caller: the parameter is that value. Several: it is a phi of
// all. Callers that apply the computation element by element (reduce, sort, map) pass values that have no position,
// so the parameter is then also marked as of unknown inputs. Arguments of the entry stay definitions of their own.
void Dataflow::AddParameter(const HloInstruction& parameter) {
  const HloComputation& computation = *parameter.parent();
  if (computation.parent() != nullptr && computation.parent()->entry() == &computation) return;
  const int number = static_cast<int>(parameter.attributes<ParameterAttributes>().number);
  std::vector<Position> arguments;
  bool all_known = true;
  for (const CallSite& site : call_graph_.CallSites(computation)) {
    const HloInstruction& caller = *site.caller;
    const HloOpcode opcode = caller.opcode();
    if (opcode == HloOpcode::kWhile) {
      arguments.push_back(FirstPosition(caller));
    } else if (opcode == HloOpcode::kConditional) {
      arguments.push_back(FirstPosition(*caller.operand(site.callee_index + 1)));
    } else if (opcode == HloOpcode::kCall || opcode == HloOpcode::kFusion ||
               (opcode == HloOpcode::kAsyncStart && BindsAllOperands(caller))) {
      arguments.push_back(FirstPosition(*caller.operand(number)));
    } else {
      all_known = false;
    }
  }
  if (arguments.empty()) return;
  if (arguments.size() == 1 && all_known) {
    Forward(FirstPosition(parameter), arguments[0], PositionCount(parameter));
    return;
  }
  AddPhis(parameter, arguments);
  if (all_known) return;
  for (int64_t leaf = 0; leaf < PositionCount(parameter); ++leaf) opaque_[FirstPosition(parameter) + leaf] = true;
}

// The definition or phi that the position's value comes from, with shorter ways for the next time.
Dataflow::Position Dataflow::Resolve(Position position) {
  Position definition = position;
  while (value_[definition] != definition) definition = value_[definition];
  while (value_[position] != definition) position = std::exchange(value_[position], definition);
  return definition;
}

// A phi of one value and itself is that value. Whatever phi has such a phi among its inputs is looked at again.
absl::Status Dataflow::SimplifyPhis(ResourcePoll& poll) {
  absl::flat_hash_map<Position, std::vector<Position>> users;  // phis, by values among their inputs
  for (const Position phi : phi_order_) {
    RETURN_IF_ERROR(poll.Check(static_cast<int64_t>(phis_[phi].size())));
    for (const Position input : phis_[phi]) users[Resolve(input)].push_back(phi);
  }
  std::vector<Position> pending(phi_order_.rbegin(), phi_order_.rend());
  while (!pending.empty()) {
    const Position phi = pending.back();
    pending.pop_back();
    if (value_[phi] != phi || opaque_.contains(phi)) continue;
    RETURN_IF_ERROR(poll.Check(static_cast<int64_t>(phis_[phi].size())));
    Position only = -1;
    bool one_value = true;
    for (const Position input : phis_[phi]) {
      const Position value = Resolve(input);
      if (value == phi || value == only) continue;
      one_value = one_value && only < 0;
      only = value;
    }
    if (!one_value || only < 0) continue;
    value_[phi] = only;
    phis_.erase(phi);
    std::vector<Position> moved = std::move(users[phi]);
    pending.insert(pending.end(), moved.rbegin(), moved.rend());
    std::vector<Position>& kept = users[only];
    if (kept.size() < moved.size()) kept.swap(moved);
    kept.insert(kept.end(), moved.begin(), moved.end());
  }
  return absl::OkStatus();
}

std::vector<Dataflow::Value> Dataflow::PossibleValues(Position position) const {
  std::vector<Value> pending = {ValueAt(position)};
  absl::flat_hash_map<Value, bool> seen = {{pending[0], true}};
  std::vector<Value> values;
  while (!pending.empty()) {
    const Value value = pending.back();
    pending.pop_back();
    if (!IsPhi(value) || HasUnknownInputs(value)) values.push_back(value);
    for (const Position input : PhiInputs(value)) {
      if (seen.emplace(ValueAt(input), true).second) pending.push_back(ValueAt(input));
    }
  }
  std::sort(values.begin(), values.end());
  return values;
}

// One line a value, in order of definition: the position that defines it, the inputs of a phi, then every other
// position that holds it.
std::string PrintDataflow(const HloModule& module, const ResourceContext* resources) {
  const absl::StatusOr<Dataflow> made = Dataflow::Create(module, resources);
  if (!made.ok()) return "";
  const Dataflow& dataflow = *made;
  ResourcePoll poll(resources);
  const auto name = [&](Dataflow::Position position) {
    return absl::StrCat(dataflow.InstructionAt(position).parent()->name(), "/", dataflow.PositionName(position));
  };
  std::vector<std::vector<Dataflow::Position>> places(dataflow.position_count());
  for (Dataflow::Position position = 0; position < dataflow.position_count(); ++position) {
    if (!dataflow.IsDefinition(position)) places[dataflow.ValueAt(position)].push_back(position);
  }
  std::string text;
  for (Dataflow::Position value = 0; value < dataflow.position_count(); ++value) {
    if (!dataflow.IsDefinition(value)) continue;
    if (poll.IsOver(1 + static_cast<int64_t>(places[value].size()))) return text;
    absl::StrAppend(&text, name(value));
    const auto append_name = [&](std::string* out, Dataflow::Position position) { out->append(name(position)); };
    if (dataflow.IsPhi(value)) {
      std::vector<Dataflow::Position> inputs;
      for (const Dataflow::Position input : dataflow.PhiInputs(value)) inputs.push_back(dataflow.ValueAt(input));
      absl::StrAppend(&text, " = phi(", absl::StrJoin(inputs, ", ", append_name),
                      dataflow.HasUnknownInputs(value) ? ", ..." : "", ")");
    }
    if (!places[value].empty()) absl::StrAppend(&text, ": also ", absl::StrJoin(places[value], ", ", append_name));
    text += '\n';
  }
  return text;
}

}  // namespace xla
