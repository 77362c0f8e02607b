// The rules that all other code takes for granted: whoever walks over a module follows operands, callees, parameter
// numbers and attributes without asking.
//
// Names: instructions are distinguished by name within their computation, computations within the module. XLA also
// wants instruction names to differ between computations, and renames what it reads until they do; Halo keeps names as
// read.
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/verifier/verification.h"

namespace xla {
namespace {

// ---- One instruction

// The schema of the attributes that an opcode has; nullptr for none.
const AttributeSchema* SchemaOf(HloOpcode opcode) {
  static const auto& schemas = *[] {
    auto* list = new std::vector<const AttributeSchema*>;
    for (HloOpcode op : AllOpcodes()) {
      list->push_back(GetOp(op).make_attributes == nullptr ? nullptr : &GetOp(op).make_attributes()->schema());
    }
    return list;
  }();
  return schemas[static_cast<size_t>(opcode)];
}

bool HasItsAttributes(const HloInstruction& instruction) {
  const Attributes* attributes = instruction.raw_attributes();
  return (attributes == nullptr ? nullptr : &attributes->schema()) == SchemaOf(instruction.opcode());
}

void CheckAttributes(const HloInstruction& instruction, Verification& verification) {
  if (HasItsAttributes(instruction)) return;
  const AttributeSchema* expected = SchemaOf(instruction.opcode());
  const Attributes* attributes = instruction.raw_attributes();
  verification.Add(instruction, absl::StrCat("expected attributes ", expected == nullptr ? "(none)" : expected->name,
                                             ", got ", attributes == nullptr ? "(none)" : attributes->schema().name));
  verification.MarkUnsound(instruction);
}

void CheckOperandCount(const HloInstruction& instruction, Verification& verification) {
  const OpDefinition& op = GetOp(instruction.opcode());
  const int count = instruction.operand_count();
  if (count >= op.min_operands && (op.max_operands < 0 || count <= op.max_operands)) return;
  const std::string expected = op.max_operands == op.min_operands ? absl::StrCat(op.min_operands)
                               : op.max_operands < 0              ? absl::StrCat("at least ", op.min_operands)
                                                     : absl::StrCat(op.min_operands, " to ", op.max_operands);
  verification.Add(instruction,
                   absl::StrCat("expected ", expected, expected == "1" ? " operand" : " operands", ", got ", count));
  verification.MarkUnsound(instruction);
}

// Callees by their roles in the op table: a name that ends in `*` takes any number, one that ends in `?` none or one.
void CheckCalleeCount(const HloInstruction& instruction, Verification& verification) {
  const std::vector<const char*>& roles = GetOp(instruction.opcode()).called_computations;
  size_t fewest = 0;
  bool any_number = false;
  for (absl::string_view role : roles) {
    any_number |= absl::EndsWith(role, "*");
    fewest += absl::EndsWith(role, "*") || absl::EndsWith(role, "?") ? 0 : 1;
  }
  const size_t count = instruction.called_computations().size();
  if (count >= fewest && (any_number || count <= roles.size())) return;
  if (roles.empty()) {
    verification.Add(instruction, absl::StrCat("a ", instruction.opcode_name(), " calls no computation, but this one ",
                                               "calls ", count));
  } else {
    verification.Add(instruction,
                     absl::StrCat("expected the computations ", absl::StrJoin(roles, ", "), ", got ", count));
  }
  verification.MarkUnsound(instruction);
}

void CheckShape(const HloInstruction& instruction, Verification& verification) {
  const absl::Status valid = ValidateShape(instruction.shape());
  if (!valid.ok()) {
    verification.Add(instruction, valid.message());
    verification.MarkUnsound(instruction);
  } else if (instruction.shape().IsUnboundedDynamic()) {
    if (verification.options().allow_unbounded_dimensions) {
      verification.Warn(instruction, "a dimension has no size until arguments give it one");
    } else {
      verification.Add(instruction, "a dimension has no bound; write `<=N` instead of `?`");
      verification.MarkUnsound(instruction);
    }
  }
}

// ---- One computation

using Positions = absl::flat_hash_map<const HloInstruction*, int64_t>;

// The instruction belongs to its computation, after its operands; control predecessors belong to it too. What
// violates this is unsound, and other rules do not look at it.
void CheckOwnershipAndOrder(const HloInstruction& instruction, const HloComputation& computation,
                            const Positions& positions, Verification& verification) {
  if (instruction.parent() != &computation) {
    verification.Add(instruction, absl::StrCat("stands in computation ", computation.name(),
                                               " but says that another one is its parent"));
    verification.MarkUnsound(instruction);
  }
  const int64_t position = positions.at(&instruction);
  for (const HloInstruction* operand : instruction.operands()) {
    const auto it = positions.find(operand);
    if (operand == nullptr || it == positions.end()) {
      verification.Add(instruction, absl::StrCat("operand ", operand == nullptr ? "(missing)" : operand->name(),
                                                 " is no instruction of the same computation"));
      verification.MarkUnsound(instruction);
    } else if (it->second >= position) {
      verification.Add(instruction, absl::StrCat("operand ", operand->name(), " must come before it"));
      verification.MarkUnsound(instruction);
    }
  }
  for (const HloInstruction* predecessor : instruction.control_predecessors()) {
    if (predecessor == nullptr || !positions.contains(predecessor)) {
      verification.Add(instruction, "a control predecessor is no instruction of the same computation");
      verification.MarkUnsound(instruction);
    }
  }
}

// Operands come first, so that only control edges to later instructions can close a cycle. Removes instructions without
// predecessors until none is left (Kahn).
void CheckControlCycles(const HloComputation& computation, const Positions& positions, Verification& verification) {
  bool points_back = false;
  for (const auto& instruction : computation.instructions()) {
    for (const HloInstruction* predecessor : instruction->control_predecessors()) {
      points_back |= positions.at(predecessor) >= positions.at(instruction.get());
    }
  }
  if (!points_back) return;
  const size_t count = computation.instructions().size();
  std::vector<std::vector<int64_t>> successors(count);
  std::vector<int64_t> waiting(count, 0);
  const auto add_edge = [&](const HloInstruction* from, const HloInstruction* to) {
    successors[positions.at(from)].push_back(positions.at(to));
    ++waiting[positions.at(to)];
  };
  std::vector<int64_t> ready;
  for (const auto& instruction : computation.instructions()) {
    for (const HloInstruction* operand : instruction->operands()) add_edge(operand, instruction.get());
    for (const HloInstruction* p : instruction->control_predecessors()) add_edge(p, instruction.get());
  }
  for (size_t i = 0; i < count; ++i) {
    if (waiting[i] == 0) ready.push_back(static_cast<int64_t>(i));
  }
  while (!ready.empty()) {
    const int64_t at = ready.back();
    ready.pop_back();
    for (int64_t next : successors[at]) {
      if (--waiting[next] == 0) ready.push_back(next);
    }
  }
  for (size_t i = 0; i < count; ++i) {
    if (waiting[i] == 0) continue;
    verification.Add(*computation.instructions()[i], "waits for itself through its operands and control predecessors");
    verification.MarkUnsound(computation);
    return;
  }
}

void CheckNamesAndIds(const HloComputation& computation, Verification& verification) {
  absl::flat_hash_set<absl::string_view> names;
  absl::flat_hash_set<int64_t> ids;
  names.reserve(computation.instructions().size());
  for (const auto& instruction : computation.instructions()) {
    if (!names.insert(instruction->name()).second) {
      verification.Add(*instruction, "another instruction of the computation has the same name");
    }
    if (instruction->id() >= 0 && !ids.insert(instruction->id()).second) {
      verification.Add(*instruction,
                       absl::StrCat("another instruction of the computation has the same id ", instruction->id()));
    }
  }
}

// Parameters are numbered from 0, each number once.
void CheckParameterNumbers(const HloComputation& computation, Verification& verification) {
  const int count = computation.parameter_count();
  std::vector<bool> seen(count, false);
  bool sound = true;
  for (const auto& instruction : computation.instructions()) {
    if (instruction->opcode() != HloOpcode::kParameter || !HasItsAttributes(*instruction)) continue;
    const int64_t number = instruction->attributes<ParameterAttributes>().number;
    if (number < 0 || number >= count) {
      verification.Add(*instruction, absl::StrCat("parameter number ", number, " is out of range: the computation has ",
                                                  count, " parameters, numbered from 0"));
      sound = false;
    } else if (seen[number]) {
      verification.Add(*instruction, absl::StrCat("parameter number ", number, " appears more than once"));
      sound = false;
    } else {
      seen[number] = true;
    }
  }
  for (int number = 0; number < count; ++number) {
    if (seen[number]) continue;
    verification.Add(computation, absl::StrCat("parameter number ", number, " is not present"));
    sound = false;
  }
  if (!sound) verification.MarkUnsound(computation);
}

// Checks the structure of a computation, on which all other rules rely.
void CheckComputation(const HloComputation& computation, Verification& verification) {
  if (computation.parent() != &verification.module()) {
    verification.Add(computation, "stands in this module but says that another one is its parent");
    verification.MarkUnsound(computation);
  }
  Positions positions;
  positions.reserve(computation.instructions().size());
  for (const auto& instruction : computation.instructions()) {
    positions.emplace(instruction.get(), static_cast<int64_t>(positions.size()));
  }
  bool sound = true;
  for (const auto& instruction : computation.instructions()) {
    if (verification.MustStop()) return;
    CheckOwnershipAndOrder(*instruction, computation, positions, verification);
    CheckAttributes(*instruction, verification);
    CheckOperandCount(*instruction, verification);
    CheckCalleeCount(*instruction, verification);
    CheckShape(*instruction, verification);
    sound &= verification.IsSound(*instruction);
  }
  CheckNamesAndIds(computation, verification);
  CheckParameterNumbers(computation, verification);
  if (computation.root() == nullptr || !positions.contains(computation.root())) {
    verification.Add(computation, "has no root among its instructions");
    verification.MarkUnsound(computation);
  } else if (!verification.IsSound(*computation.root())) {
    verification.MarkUnsound(computation);
  }
  if (sound) CheckControlCycles(computation, positions, verification);
}

// ---- Calls

// Every callee is a computation of the module.
void CheckCallees(Verification& verification) {
  absl::flat_hash_set<const HloComputation*> own;
  for (const auto& computation : verification.module().computations()) own.insert(computation.get());
  for (const auto& computation : verification.module().computations()) {
    for (const auto& instruction : computation->instructions()) {
      for (const HloComputation* callee : instruction->called_computations()) {
        if (own.contains(callee)) continue;
        verification.Add(*instruction, "calls a computation that is not part of the module");
        verification.MarkUnsound(*instruction);
      }
    }
  }
}

// No computation calls itself, directly or through others: a walk over the call graph, depth first and without
// recursion.
void CheckRecursion(Verification& verification) {
  enum class State { kNew, kOpen, kDone };
  absl::flat_hash_map<const HloComputation*, State> states;
  struct Frame {
    const HloComputation* computation;
    std::vector<const HloComputation*> callees;
    size_t next = 0;
  };
  const auto open = [&](const HloComputation* computation) {
    Frame frame{computation, {}, 0};
    for (const auto& instruction : computation->instructions()) {
      if (!verification.IsSound(*instruction)) continue;
      for (const HloComputation* callee : instruction->called_computations()) frame.callees.push_back(callee);
    }
    states[computation] = State::kOpen;
    return frame;
  };
  for (const auto& start : verification.module().computations()) {
    if (states[start.get()] != State::kNew) continue;
    std::vector<Frame> path = {open(start.get())};
    while (!path.empty()) {
      if (verification.MustStop()) return;
      Frame& frame = path.back();
      if (frame.next == frame.callees.size()) {
        states[frame.computation] = State::kDone;
        path.pop_back();
        continue;
      }
      const HloComputation* callee = frame.callees[frame.next++];
      const State state = states[callee];
      if (state == State::kNew) path.push_back(open(callee));
      if (state != State::kOpen) continue;
      verification.Add(*frame.computation,
                       absl::StrCat("calls ", callee->name(), ", which calls it: HLO has no recursion"));
      verification.MarkUnsound(*callee);
    }
  }
}

void CheckComputationNames(Verification& verification) {
  absl::flat_hash_set<absl::string_view> names;
  for (const auto& computation : verification.module().computations()) {
    if (!names.insert(computation->name()).second) {
      verification.Add(*computation, "another computation of the module has the same name");
    }
  }
}

void CheckEntry(Verification& verification) {
  for (const auto& computation : verification.module().computations()) {
    if (computation.get() == verification.module().entry()) return;
  }
  verification.Add("the module has no entry computation");
}

}  // namespace

void VerifyGraph(Verification& verification) {
  CheckEntry(verification);
  CheckComputationNames(verification);
  CheckCallees(verification);
  for (const auto& computation : verification.module().computations()) CheckComputation(*computation, verification);
  if (!verification.MustStop()) CheckRecursion(verification);
}

}  // namespace xla
