#include "passes/precision/propagate_bf16.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "passes/base/instruction_builder.h"
#include "passes/base/rewrite_rule.h"
#include "passes/precision/rounded_values.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Changes types where they stand: an operation that moves bf16 instead of f32 is otherwise the same one.
class Narrowing {
 public:
  Narrowing(HloModule& module, const RoundedValues& values, PassContext& context)
      : module_(module), values_(values), context_(context) {
    for (const auto& computation : module.computations()) order_.push_back(computation->LiveInstructions());
  }

  absl::StatusOr<bool> Run() {
    for (const auto& instructions : order_) {
      for (HloInstruction* instruction : instructions) RoundOperands(instruction);
    }
    for (const auto& computation : module_.computations()) RoundRoot(computation.get());
    for (const auto& instructions : order_) {
      for (HloInstruction* instruction : instructions) SetType(instruction);
    }
    for (const auto& instructions : order_) {
      for (HloInstruction* instruction : instructions) RemoveRounding(instruction);
    }
    if (changed_) RemoveUnused();
    if (!status_.ok()) return status_;
    return changed_;
  }

 private:
  // Operands that flow into something narrow, and are not narrow themselves.
  void RoundOperands(HloInstruction* user) {
    const bool tuple = user->opcode() == HloOpcode::kTuple;
    const bool called = user->opcode() == HloOpcode::kCall || user->opcode() == HloOpcode::kFusion;
    const std::vector<HloInstruction*> parameters =
        called ? user->called_computation(0)->parameters() : std::vector<HloInstruction*>{};
    for (int i = 0; i < user->operand_count(); ++i) {
      HloInstruction* const operand = user->operand(i);
      if (!IsArrayOf(F32, *operand) || values_.Holds(*operand)) continue;
      const bool narrow = tuple    ? values_.Holds(*user, i)
                          : called ? values_.Holds(*parameters[i])
                                   : IsNarrowOperand(*user, i);
      if (narrow) user->ReplaceOperand(i, Rounded(operand));
    }
  }

  bool IsNarrowOperand(const HloInstruction& user, int operand) const {
    if (user.opcode() == HloOpcode::kConditional) {
      return operand > 0 && values_.Holds(*user.called_computation(operand - 1)->parameters()[0]);
    }
    if (HasTrait(user.opcode(), opcode_trait::kProduct)) return values_.Holds(user, RoundedValues::kOperands);
    return values_.Holds(user);  // it takes the type that it gives
  }

  // What a loop, a branch, a function or a fusion returns. (The condition of a loop returns no f32.)
  void RoundRoot(HloComputation* computation) {
    HloInstruction* const root = computation->root();
    if (!IsArrayOf(F32, *root) || values_.Holds(*root) || !values_.Holds(*root, RoundedValues::kResult)) return;
    computation->set_root(AsRoot(Rounded(root), nullptr));
  }

  // The root of a fusion has no users, except for one that goes, and is not a parameter.
  HloInstruction* AsRoot(HloInstruction* value, const HloInstruction* goes) {
    const auto users = value->users();
    const bool unused = users.empty() || (users.size() == 1 && users[0] == goes);
    if (!value->parent()->is_fusion_computation() || (unused && value->opcode() != HloOpcode::kParameter)) return value;
    InstructionBuilder builder(value->parent(), value);
    HloInstruction* const copy = builder.MakeOfShape(HloOpcode::kCopy, value->shape(), {value});
    status_.Update(builder.status());
    return copy;
  }

  HloInstruction* Rounded(HloInstruction* value) {
    HloInstruction*& known = rounded_[value];
    if (known != nullptr) return known;
    if (IsConvert(*value, BF16, F32)) return known = value->operand(0);
    InstructionBuilder builder(value->parent(), value);
    known = builder.Convert(value, BF16);
    status_.Update(builder.status());
    return known;
  }

  // Sets the element type of every leaf that the solution narrows to bf16, without touching what the instruction
  // does.
  void SetType(HloInstruction* instruction) {
    bool narrow = false;
    if (instruction->shape().IsArray() && values_.Holds(*instruction)) {
      instruction->mutable_shape().set_element_type(BF16);
      narrow = true;
    }
    const absl::Span<const Shape> written = instruction->shape().tuple_shapes();
    std::vector<Shape> elements(written.begin(), written.end());
    bool narrows_elements = false;
    for (size_t i = 0; i < elements.size(); ++i) {
      if (!values_.Holds(*instruction, static_cast<int>(i))) continue;
      elements[i].set_element_type(BF16);
      narrows_elements = true;
    }
    if (narrows_elements) instruction->mutable_shape() = Shape::Tuple(std::move(elements));
    narrow = narrow || narrows_elements;
    if (narrow) Count(*instruction);
    if (values_.Holds(*instruction, RoundedValues::kOperands)) {
      context_.CountRewrite("product-bf16");
      changed_ = true;
    }
  }

  void Count(const HloInstruction& instruction) {
    const HloOpcode opcode = instruction.opcode();
    if (OnlyMovesOrSelects(opcode)) {
      context_.CountRewrite("move-bf16");
    } else {
      context_.CountRewrite(IsElementwise(opcode) ? "compute-bf16" : "pass-bf16");
    }
    changed_ = true;
  }

  void RemoveRounding(HloInstruction* convert) {
    if (convert->opcode() != HloOpcode::kConvert || !IsArrayOf(BF16, *convert)) return;
    HloInstruction* narrow = convert->operand(0);
    if (!values_.Holds(*narrow)) return;
    HloComputation* const computation = convert->parent();
    if (computation->root() == convert) narrow = AsRoot(narrow, convert);
    ReplaceInstruction(convert, narrow);
    computation->RemoveInstruction(convert);
  }

  // What was widened for a user that no longer needs it.
  void RemoveUnused() {
    for (const auto& instructions : order_) {
      for (HloInstruction* convert : instructions) {
        if (convert->is_removed() || !IsConvert(*convert, BF16, F32) || !convert->users().empty()) continue;
        if (convert->parent()->root() != convert && IsRemovable(*convert)) {
          convert->parent()->RemoveInstruction(convert);
        }
      }
    }
  }

  HloModule& module_;
  const RoundedValues& values_;
  PassContext& context_;
  std::vector<std::vector<HloInstruction*>> order_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> rounded_;
  absl::Status status_;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> PropagateBf16(HloModule& module, PassContext& context) {
  RoundedValuesOptions options;
  options.approximate = context.FastMathAllows(kApproximate);
  options.products = context.BoolOption("products");
  options.min_bytes = context.IntOption("min-bytes");
  const RoundedValues values(module, options);
  RETURN_IF_ERROR(context.CheckDeadline());
  return Narrowing(module, values, context).Run();
}

}  // namespace xla
