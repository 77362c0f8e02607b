#include "xla_core/verifier/verify_layouts.h"

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/verifier/verification.h"

namespace xla {
namespace {

std::string WithLayout(const Shape& shape) { return shape.ToString(Shape::LayoutPrinting::kWith); }

// Whether the elements of all arrays of the two, which are compatible, lie in memory in the same order.
bool SameOrder(const Shape& a, const Shape& b) {
  for (int i = 0; i < a.tuple_size(); ++i) {
    if (!SameOrder(a.tuple_shape(i), b.tuple_shape(i))) return false;
  }
  if (!a.IsArray() || a.layout() == b.layout()) return true;
  const auto order = [](const Shape& shape) -> const DimensionVector& {
    return shape.has_layout() ? shape.layout()->minor_to_major : RowMajorLayout(shape.rank())->minor_to_major;
  };
  return order(a) == order(b);
}

// `what` says of which instruction or part `got` should have the layout of `expected`.
template <typename What>
void Expect(const HloInstruction& at, const Shape& expected, const Shape& got, Verification& verification,
            const What& what) {
  if (SameOrder(expected, got)) return;
  verification.Add(at, absl::StrCat("expected ", what(), ", ", WithLayout(expected), ", got ", WithLayout(got)));
}

// ---- What instructions say of their own operands

void CompareTuple(const HloInstruction& tuple, Verification& verification) {
  for (int i = 0; i < tuple.operand_count(); ++i) {
    Expect(tuple, tuple.operand(i)->shape(), tuple.shape().tuple_shape(i), verification,
           [&] { return absl::StrCat("element ", i, " in the layout of ", tuple.operand(i)->name()); });
  }
}

void CompareElement(const HloInstruction& element, Verification& verification) {
  const auto index = static_cast<int>(element.attributes<GetTupleElementAttributes>().index);
  Expect(element, element.operand(0)->shape().tuple_shape(index), element.shape(), verification,
         [&] { return absl::StrCat("the result in the layout of element ", index, " of the operand"); });
}

// Operands of other dimensions are scalars, which have no order.
void CompareElementwise(const HloInstruction& instruction, Verification& verification) {
  for (int i = 0; i < instruction.operand_count(); ++i) {
    const Shape& operand = instruction.operand(i)->shape();
    if (!operand.SameDimensions(instruction.shape())) continue;
    Expect(instruction, instruction.shape(), operand, verification,
           [&] { return absl::StrCat("operand ", i, " in the layout of the result"); });
  }
}

// An update has as many arrays as results.
void CompareUpdate(const HloInstruction& update, Verification& verification) {
  const int arrays = update.shape().IsTuple() ? update.shape().tuple_size() : 1;
  for (int i = 0; i < arrays; ++i) {
    const Shape& result = update.shape().IsTuple() ? update.shape().tuple_shape(i) : update.shape();
    Expect(update, update.operand(i)->shape(), result, verification,
           [&] { return absl::StrCat("the result in the layout of operand ", i, ", which it updates"); });
  }
}

void CompareCustomCall(const HloInstruction& call, Verification& verification) {
  const auto& constraints = call.attributes<CustomCallAttributes>().operand_layout_constraints;
  if (!constraints.has_value() || static_cast<int>(constraints->size()) != call.operand_count()) return;
  for (int i = 0; i < call.operand_count(); ++i) {
    Expect(call, (*constraints)[i], call.operand(i)->shape(), verification,
           [&] { return absl::StrCat("operand ", i, " in the layout of operand_layout_constraints"); });
  }
}

// ---- Calls

void CompareParameter(const HloInstruction& call, int operand, const HloInstruction& parameter,
                      Verification& verification) {
  Expect(call, parameter.shape(), call.operand(operand)->shape(), verification, [&] {
    return absl::StrCat("operand ", operand, " in the layout of parameter ", parameter.name(), " of ",
                        parameter.parent()->name());
  });
}

void CompareResult(const HloInstruction& call, const HloComputation& callee, Verification& verification) {
  Expect(call, callee.root()->shape(), call.shape(), verification, [&] {
    return absl::StrCat("the result in the layout of the root ", callee.root()->name(), " of ", callee.name());
  });
}

// The state goes to the condition and to the body, from there to both again, and in the end to the result.
void CompareWhile(const HloInstruction& loop, Verification& verification) {
  for (const HloComputation* callee : loop.called_computations()) {
    CompareParameter(loop, 0, *callee->parameters()[0], verification);
  }
  CompareResult(loop, *loop.called_computation(1), verification);
  Expect(loop, loop.operand(0)->shape(), loop.shape(), verification,
         [] { return std::string("the result in the layout of the operand"); });
}

void CompareConditional(const HloInstruction& conditional, Verification& verification) {
  for (int i = 0; i < static_cast<int>(conditional.called_computations().size()); ++i) {
    const HloComputation& branch = *conditional.called_computation(i);
    CompareParameter(conditional, i + 1, *branch.parameters()[0], verification);
    CompareResult(conditional, branch, verification);
  }
}

void CompareCall(const HloInstruction& call, Verification& verification) {
  const HloComputation& callee = *call.called_computation(0);
  const std::vector<HloInstruction*> parameters = callee.parameters();
  for (int i = 0; i < call.operand_count(); ++i) CompareParameter(call, i, *parameters[i], verification);
  CompareResult(call, callee, verification);
}

// The value of the start is a tuple of the operands, the result and more.
void CompareAsyncStart(const HloInstruction& start, Verification& verification) {
  const HloComputation& callee = *start.called_computation(0);
  const std::vector<HloInstruction*> parameters = callee.parameters();
  for (int i = 0; i < start.operand_count(); ++i) CompareParameter(start, i, *parameters[i], verification);
  Expect(start, callee.root()->shape(), start.shape().tuple_shape(1), verification, [&] {
    return absl::StrCat("element 1 in the layout of the root ", callee.root()->name(), " of ", callee.name());
  });
}

void CompareAsyncDone(const HloInstruction& done, Verification& verification) {
  Expect(done, done.operand(0)->shape().tuple_shape(1), done.shape(), verification,
         [] { return std::string("the result in the layout of element 1 of the operand"); });
}

// ---- All

// What opcodes that are neither elementwise nor pass a value on demand.
using Comparison = void (*)(const HloInstruction& instruction, Verification& verification);
constexpr struct {
  HloOpcode opcode;
  Comparison compare;
} kComparisons[] = {
    {HloOpcode::kAsyncDone, &CompareAsyncDone},
    {HloOpcode::kAsyncStart, &CompareAsyncStart},
    {HloOpcode::kCall, &CompareCall},
    {HloOpcode::kConditional, &CompareConditional},
    {HloOpcode::kCustomCall, &CompareCustomCall},
    {HloOpcode::kDynamicUpdateSlice, &CompareUpdate},
    {HloOpcode::kFusion, &CompareCall},
    {HloOpcode::kGetTupleElement, &CompareElement},
    {HloOpcode::kScatter, &CompareUpdate},
    {HloOpcode::kTuple, &CompareTuple},
    {HloOpcode::kWhile, &CompareWhile},
};

void CompareInstruction(const HloInstruction& instruction, Verification& verification) {
  const HloOpcode opcode = instruction.opcode();
  if (IsElementwise(opcode) && opcode != HloOpcode::kCopy && instruction.shape().IsArray()) {
    return CompareElementwise(instruction, verification);
  }
  if (HasTrait(opcode, opcode_trait::kPassesOn)) {
    return Expect(instruction, instruction.operand(0)->shape(), instruction.shape(), verification,
                  [] { return std::string("the result in the layout of operand 0"); });
  }
  for (const auto& row : kComparisons) {
    if (row.opcode == opcode) return row.compare(instruction, verification);
  }
}

void CompareEntry(const HloModule& module, Verification& verification) {
  const auto& layout = module.config().entry_computation_layout;
  if (!layout.has_value()) return;
  const std::vector<HloInstruction*> parameters = module.entry()->parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (SameOrder(layout->parameters[i], parameters[i]->shape())) continue;
    verification.Add(absl::StrCat("entry_computation_layout says that parameter ", i, " is ",
                                  WithLayout(layout->parameters[i]), ", but ", parameters[i]->name(), " is ",
                                  WithLayout(parameters[i]->shape())));
  }
  const HloInstruction& root = *module.entry()->root();
  if (SameOrder(layout->result, root.shape())) return;
  verification.Add(absl::StrCat("entry_computation_layout says that the result is ", WithLayout(layout->result),
                                ", but the root ", root.name(), " is ", WithLayout(root.shape())));
}

// Those that custom calls and custom fusions call, and all that these call. Callers come after their callees.
absl::flat_hash_set<const HloComputation*> ComputationsAsWritten(const HloModule& module) {
  absl::flat_hash_set<const HloComputation*> as_written;
  for (auto it = module.computations().rbegin(); it != module.computations().rend(); ++it) {
    for (const auto& instruction : (*it)->instructions()) {
      const bool is_custom = instruction->opcode() == HloOpcode::kCustomCall ||
                             (instruction->opcode() == HloOpcode::kFusion &&
                              instruction->attributes<FusionAttributes>().kind == FusionKind::kCustom);
      if (!is_custom && !as_written.contains(it->get())) continue;
      as_written.insert(instruction->called_computations().begin(), instruction->called_computations().end());
    }
  }
  return as_written;
}

}  // namespace

absl::Status VerifyLayouts(const HloModule& module) {
  const VerifierOptions options;
  Verification verification(module, options);
  CompareEntry(module, verification);
  const absl::flat_hash_set<const HloComputation*> as_written = ComputationsAsWritten(module);
  for (const auto& computation : module.computations()) {
    if (as_written.contains(computation.get())) continue;
    for (const auto& instruction : computation->instructions()) CompareInstruction(*instruction, verification);
  }
  return verification.ToStatus();
}

}  // namespace xla
