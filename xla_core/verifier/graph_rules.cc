// The rules that all other code takes for granted: whoever walks over a module follows operands, callees, parameter
// numbers and attributes without asking.
//
// Names: instructions are distinguished by name within their computation, computations within the module. XLA also
// wants instruction names to differ between computations, and renames what it reads until they do; Halo keeps names as
// read.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
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

// Whether it stands in the list of the computation.
bool StandsIn(const HloInstruction* instruction, const HloComputation& computation) {
  return instruction != nullptr && instruction->parent() == &computation &&
         instruction->place() < computation.instruction_count() &&
         computation.instructions()[instruction->place()].get() == instruction;
}

// The instruction belongs to its computation, after its operands; control predecessors belong to it too. What
// violates this is unsound, and other rules do not look at it.
void CheckOwnershipAndOrder(const HloInstruction& instruction, int64_t place, const HloComputation& computation,
                            Verification& verification) {
  if (instruction.parent() != &computation || instruction.place() != place) {
    verification.Add(instruction, absl::StrCat("stands in computation ", computation.name(),
                                               instruction.parent() != &computation
                                                   ? " but says that another one is its parent"
                                                   : " but says that it stands elsewhere in its list"));
    verification.MarkUnsound(instruction);
  }
  for (const HloInstruction* operand : instruction.operands()) {
    if (!StandsIn(operand, computation)) {
      verification.Add(instruction, absl::StrCat("operand ", operand == nullptr ? "(missing)" : operand->name(),
                                                 " is no instruction of the same computation"));
      verification.MarkUnsound(instruction);
    } else if (operand->place() >= place) {
      verification.Add(instruction, absl::StrCat("operand ", operand->name(), " must come before it"));
      verification.MarkUnsound(instruction);
    }
  }
  for (const HloInstruction* predecessor : instruction.control_predecessors()) {
    if (!StandsIn(predecessor, computation)) {
      verification.Add(instruction, "a control predecessor is no instruction of the same computation");
      verification.MarkUnsound(instruction);
    }
  }
}

// Operands come first, so that only control edges to later instructions can close a cycle. Removes instructions without
// predecessors until none is left (Kahn).
void CheckControlCycles(const HloComputation& computation, Verification& verification) {
  bool points_back = false;
  for (const auto& instruction : computation.instructions()) {
    for (const HloInstruction* predecessor : instruction->control_predecessors()) {
      points_back |= predecessor->place() >= instruction->place();
    }
  }
  if (!points_back) return;
  const size_t count = computation.instructions().size();
  std::vector<std::vector<int64_t>> successors(count);
  std::vector<int64_t> waiting(count, 0);
  const auto add_edge = [&](const HloInstruction* from, const HloInstruction* to) {
    successors[from->place()].push_back(to->place());
    ++waiting[to->place()];
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

// The first instruction with a name stands for the name, by its place: half of what a table of names would take.
class SetOfNames {
 public:
  explicit SetOfNames(const HloComputation& computation) : places_(0, Hash{&computation}, Equal{&computation}) {
    places_.reserve(computation.instructions().size());
  }

  // False if an earlier instruction has the same name.
  bool Insert(int64_t place) { return places_.insert(static_cast<uint32_t>(place)).second; }

 private:
  static const std::string& Name(const HloComputation* computation, uint32_t place) {
    return computation->instructions()[place]->name();
  }
  struct Hash {
    const HloComputation* computation;
    size_t operator()(uint32_t place) const { return absl::Hash<absl::string_view>()(Name(computation, place)); }
  };
  struct Equal {
    const HloComputation* computation;
    bool operator()(uint32_t a, uint32_t b) const { return Name(computation, a) == Name(computation, b); }
  };

  absl::flat_hash_set<uint32_t, Hash, Equal> places_;
};

void CheckNames(const HloComputation& computation, Verification& verification) {
  SetOfNames names(computation);
  for (int64_t place = 0; place < computation.instruction_count(); ++place) {
    if (names.Insert(place)) continue;
    verification.Add(*computation.instructions()[place], "another instruction of the computation has the same name");
  }
}

// Ids mostly ascend, and then no set is needed to tell that they differ.
void CheckIds(const HloComputation& computation, Verification& verification) {
  const auto instructions = computation.instructions();
  int64_t last = -1;
  size_t ascending = 0;
  for (; ascending < instructions.size(); ++ascending) {
    const int64_t id = instructions[ascending]->id();
    if (id >= 0 && id <= last) break;
    last = std::max(last, id);
  }
  if (ascending == instructions.size()) return;
  absl::flat_hash_set<int64_t> ids;
  for (const auto& instruction : instructions) {
    if (instruction->id() < 0 || ids.insert(instruction->id()).second) continue;
    verification.Add(*instruction,
                     absl::StrCat("another instruction of the computation has the same id ", instruction->id()));
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
  bool sound = true;
  for (int64_t place = 0; place < computation.instruction_count(); ++place) {
    if (verification.MustStop()) return;
    const HloInstruction* const instruction = computation.instructions()[place].get();
    CheckOwnershipAndOrder(*instruction, place, computation, verification);
    CheckAttributes(*instruction, verification);
    CheckOperandCount(*instruction, verification);
    CheckCalleeCount(*instruction, verification);
    CheckShape(*instruction, verification);
    sound &= verification.IsSound(*instruction);
  }
  CheckNames(computation, verification);
  CheckIds(computation, verification);
  CheckParameterNumbers(computation, verification);
  if (!StandsIn(computation.root(), computation)) {
    verification.Add(computation, "has no root among its instructions");
    verification.MarkUnsound(computation);
  } else if (!verification.IsSound(*computation.root())) {
    verification.MarkUnsound(computation);
  }
  if (sound) CheckControlCycles(computation, verification);
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
