#include "backends/autopsy/decisions.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "passes/base/pass_context.h"
#include "passes/pass_table.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/literal_io/format_literal.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

bool IsDiscrete(const Shape& shape) {
  return shape.IsArray() && !IsFloat(shape.element_type()) && !IsComplex(shape.element_type());
}

bool HasDiscreteLeaf(const Shape& shape) {
  for (const Shape& leaf : LeafShapes({shape})) {
    if (IsDiscrete(leaf)) return true;
  }
  return false;
}

bool RoundsToWholeNumbers(HloOpcode opcode) {
  return opcode == HloOpcode::kFloor || opcode == HloOpcode::kCeil || opcode == HloOpcode::kSign ||
         opcode == HloOpcode::kRoundNearestAfz || opcode == HloOpcode::kRoundNearestEven;
}

bool ReadsFloats(const HloInstruction& instruction) {
  for (const HloInstruction* operand : instruction.operands()) {
    for (const Shape& leaf : LeafShapes({operand->shape()})) {
      if (leaf.IsArray() && !IsDiscrete(leaf)) return true;
    }
  }
  return false;
}

bool Decides(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kTuple || opcode == HloOpcode::kGetTupleElement || opcode == HloOpcode::kParameter) {
    return false;
  }
  return ReadsFloats(instruction) && (RoundsToWholeNumbers(opcode) || HasDiscreteLeaf(instruction.shape()));
}

// Bodies of fusions and calls become part of the entry, so that what they decide can be looked at.
absl::Status OpenBodies(HloModule& module, const ResourceContext* resources) {
  PassContext context;
  context.resources = resources;
  for (const char* name : {"inline-calls", "unfuse"}) {
    const Pass* const pass = FindPass(name);
    context.StartPass(pass->name, {});
    RETURN_IF_ERROR(pass->run(module, context).status());
    module.Tidy();
  }
  return absl::OkStatus();
}

// The instructions of the entry that decide, and those that these read, as the elements of its result: a decision, then
// its operands.
std::vector<const HloInstruction*> ShowDecisions(HloModule& module) {
  HloComputation& entry = *module.entry();
  std::vector<const HloInstruction*> decisions;
  std::vector<HloInstruction*> shown;
  for (HloInstruction* instruction : entry.LiveInstructions()) {
    if (!Decides(*instruction)) continue;
    decisions.push_back(instruction);
    shown.push_back(instruction);
    shown.insert(shown.end(), instruction->operands().begin(), instruction->operands().end());
  }
  std::vector<Shape> shapes;
  for (const HloInstruction* instruction : shown) shapes.push_back(instruction->shape());
  HloInstruction* const root = entry.AddInstruction(std::make_unique<HloInstruction>(
      HloOpcode::kTuple, module.NewName("decisions"), Shape::Tuple(std::move(shapes))));
  for (HloInstruction* instruction : shown) root->AddOperand(instruction);
  entry.set_root(root);
  module.mutable_config().entry_computation_layout.reset();
  module.mutable_config().input_output_alias.clear();
  return decisions;
}

// The first element that is decided otherwise; -1: none is.
absl::StatusOr<int64_t> FirstOtherElement(const Literal& mine, const Literal& other) {
  if (IsDiscrete(mine.shape())) {
    const auto width = static_cast<int64_t>(ByteWidth(mine.shape().element_type()));
    const char* const a = static_cast<const char*>(mine.untyped_data());
    const char* const b = static_cast<const char*>(other.untyped_data());
    for (int64_t i = 0; i < mine.element_count(); ++i) {
      if (std::memcmp(a + i * width, b + i * width, static_cast<size_t>(width)) != 0) return i;
    }
    return -1;
  }
  if (IsComplex(mine.shape().element_type())) return -1;
  ASSIGN_OR_RETURN(const Literal a, LiteralUtil::Convert(mine, F64));
  ASSIGN_OR_RETURN(const Literal b, LiteralUtil::Convert(other, F64));
  for (int64_t i = 0; i < mine.element_count(); ++i) {
    if (std::abs(a.data<double>()[i] - b.data<double>()[i]) >= 0.5) return i;
  }
  return -1;
}

// What the operands of an elementwise decision are at an element: "0.3 and 0.5".
std::string OperandsAt(const HloInstruction& decision, const Literal& values, int first, int64_t position) {
  std::string text;
  for (int i = 0; i < decision.operand_count(); ++i) {
    const Literal& operand = values.element(first + i);
    if (!operand.shape().IsArray() || operand.shape().dimensions() != decision.shape().dimensions()) return "";
    absl::StrAppend(&text, i > 0 ? " and " : "", FormatElement(operand, position));
  }
  return text;
}

// "" if the decision is the same.
absl::StatusOr<std::string> DescribeDecision(const HloInstruction& decision, const Literal& mine, const Literal& others,
                                             int element) {
  const std::vector<Literal> my_leaves = FlattenLeaves(mine.element(element));
  const std::vector<Literal> other_leaves = FlattenLeaves(others.element(element));
  for (size_t leaf = 0; leaf < my_leaves.size(); ++leaf) {
    const Shape& shape = my_leaves[leaf].shape();
    const bool is_decided = IsDiscrete(shape) || (shape.IsArray() && RoundsToWholeNumbers(decision.opcode()));
    if (!is_decided) continue;
    ASSIGN_OR_RETURN(const int64_t position, FirstOtherElement(my_leaves[leaf], other_leaves[leaf]));
    if (position < 0) continue;
    std::string text = absl::StrCat(decision.ToShortString(), " at ", FormatIndex(shape.dimensions(), position), ": ");
    const bool is_elementwise = decision.shape().IsArray();
    const std::string of_mine = is_elementwise ? OperandsAt(decision, mine, element + 1, position) : "";
    const std::string of_others = is_elementwise ? OperandsAt(decision, others, element + 1, position) : "";
    absl::StrAppend(&text, FormatElement(my_leaves[leaf], position), of_mine.empty() ? "" : " of ", of_mine, ", ",
                    FormatElement(other_leaves[leaf], position), of_others.empty() ? "" : " of ", of_others);
    return text;
  }
  return std::string();
}

}  // namespace

absl::StatusOr<std::string> FindDecision(const HloModule& module, const std::vector<Literal>& mine,
                                         const std::vector<Literal>& others, const ResourceContext* resources) {
  const std::unique_ptr<HloModule> open = CloneModule(module);
  RETURN_IF_ERROR(OpenBodies(*open, resources));
  const std::vector<const HloInstruction*> decisions = ShowDecisions(*open);
  if (decisions.empty()) return std::string();
  RETURN_IF_ERROR(VerifyModule(*open));
  EvaluatorOptions options;
  options.resources = resources;
  ASSIGN_OR_RETURN(const std::unique_ptr<Evaluator> evaluator, Evaluator::Create(*open, options));
  ASSIGN_OR_RETURN(const Literal my_values, evaluator->RunOne(mine));
  ASSIGN_OR_RETURN(const Literal other_values, evaluator->RunOne(others));
  int element = 0;
  for (const HloInstruction* decision : decisions) {
    ASSIGN_OR_RETURN(std::string text, DescribeDecision(*decision, my_values, other_values, element));
    if (!text.empty()) return text;
    element += 1 + decision->operand_count();
  }
  return std::string();
}

}  // namespace xla
