// In two steps. First reduce and reduce-window with a reducer whose sums the interpreter makes in a wider type
// (known_reducer.h) are turned into those of f32 arrays. Then every elementwise operation, dot and convolution is
// computed in f32, in reducers too: what is applied as written rounds after each operation, before and after. Reducers
// that the first step had to leave keep their operations, because the interpreter would no longer know them as sums.
#include "passes/precision/normalize_narrow_floats.h"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "passes/analyses/call_graph.h"
#include "passes/base/odd_forms.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/ops/scalar_function.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// The types of the option `types`, or all floats narrower than f32 if it is empty.
absl::StatusOr<std::set<PrimitiveType>> ChosenTypes(const PassContext& context) {
  std::set<PrimitiveType> types;
  for (const std::string& name : context.ListOption("types")) {
    const PrimitiveType type = PrimitiveTypeFromName(name);
    if (!IsNarrowFloatType(type)) {
      return absl::InvalidArgumentError(
          absl::StrCat("types are floats narrower than f32, such as bf16, f16 or f8e5m2, got '", name, "'"));
    }
    types.insert(type);
  }
  if (!types.empty()) return types;
  for (int i = 0; i < kNumPrimitiveTypes; ++i) {
    const auto type = static_cast<PrimitiveType>(i);
    if (IsArrayType(type) && IsNarrowFloatType(type)) types.insert(type);
  }
  return types;
}

// add, maximum or minimum if the interpreter reduces with it in a wider type; else nullopt.
absl::optional<HloOpcode> WideReducer(const HloInstruction& root) {
  if (root.operand_count() != 2) return absl::nullopt;
  const auto function = ScalarFunction::Compile(*root.called_computation(0));
  if (!function.ok() || (*function)->known().kind != ScalarFunction::Known::Kind::kBinary) return absl::nullopt;
  const HloOpcode op = (*function)->known().op;
  const bool is_wide = op == HloOpcode::kAdd || op == HloOpcode::kMaximum || op == HloOpcode::kMinimum;
  return is_wide ? absl::make_optional(op) : absl::nullopt;
}

class Normalizer {
 public:
  Normalizer(const std::set<PrimitiveType>& types, PassContext& context) : types_(types), context_(context) {}

  absl::StatusOr<bool> Run(HloModule& module) {
    FindFixed(module);
    // New computations are in f32 and need no visit.
    std::vector<HloComputation*> computations;
    for (const auto& computation : module.computations()) {
      if (!fixed_.contains(computation.get())) computations.push_back(computation.get());
    }
    for (HloComputation* computation : computations) RETURN_IF_ERROR(Visit(computation, &Normalizer::Reduce));
    KeepRemainingReducers(module);
    for (HloComputation* computation : computations) {
      if (!fixed_.contains(computation)) RETURN_IF_ERROR(Visit(computation, &Normalizer::Compute));
    }
    return changed_;
  }

 private:
  using Rewrite = HloInstruction* (Normalizer::*)(HloInstruction* root, InstructionBuilder& build);

  bool IsChosen(const HloInstruction* x) const {
    return x->shape().IsArray() && types_.count(x->shape().element_type()) != 0;
  }
  HloInstruction* Widen(HloInstruction* x, InstructionBuilder& build) const {
    return IsChosen(x) ? build.Convert(x, F32) : x;
  }

  // The bodies of custom calls and custom fusions have a meaning elsewhere.
  void FindFixed(const HloModule& module) {
    for (const auto& computation : module.computations()) {
      for (const auto& instruction : computation->instructions()) {
        if (FixesItsCallees(*instruction)) Fix(instruction->called_computations());
      }
    }
  }

  void Fix(absl::Span<HloComputation* const> roots) {
    std::vector<HloComputation*> open(roots.begin(), roots.end());
    while (!open.empty()) {
      HloComputation* const computation = open.back();
      open.pop_back();
      if (!fixed_.insert(computation).second) continue;
      for (const auto& instruction : computation->instructions()) {
        const auto callees = instruction->called_computations();
        open.insert(open.end(), callees.begin(), callees.end());
      }
    }
  }

  void KeepRemainingReducers(const HloModule& module) {
    for (const auto& computation : module.computations()) {
      for (const HloInstruction* instruction : computation->LiveInstructions()) {
        if (!IsReduction(*instruction) || !IsChosen(instruction) || !WideReducer(*instruction).has_value()) continue;
        Fix(instruction->called_computations());
      }
    }
  }

  absl::Status Visit(HloComputation* computation, Rewrite rewrite) {
    RETURN_IF_ERROR(context_.CheckDeadline());
    for (HloInstruction* root : computation->LiveInstructions()) {
      if (root->HasControlEdges() || root->operand_count() == 0) continue;
      InstructionBuilder build(computation, root);
      HloInstruction* const replacement = (this->*rewrite)(root, build);
      if (replacement == nullptr) continue;
      RETURN_IF_ERROR(build.status());
      ReplaceInstruction(root, replacement);
      computation->RemoveInstruction(root);
      changed_ = true;
    }
    return absl::OkStatus();
  }

  static bool IsReduction(const HloInstruction& root) {
    return root.opcode() == HloOpcode::kReduce || root.opcode() == HloOpcode::kReduceWindow;
  }

  HloInstruction* Reduce(HloInstruction* root, InstructionBuilder& build) {
    if (!IsReduction(*root) || IsOddForm(*root) || !IsChosen(root)) return nullptr;
    const absl::optional<HloOpcode> op = WideReducer(*root);
    if (!op.has_value()) return nullptr;
    context_.CountRewrite("reduce-in-f32");
    const PrimitiveType own = root->shape().element_type();
    const auto widened = [&](int i) { return build.Convert(root->operand(i), F32); };
    HloInstruction* const wide = build.Make(root->opcode(), {widened(0), widened(1)}, root->raw_attributes()->Clone(),
                                            {ScalarComputation(build.module(), *op, F32)});
    return build.Convert(wide, own);
  }

  HloInstruction* Compute(HloInstruction* root, InstructionBuilder& build) {
    if (HasTrait(root->opcode(), opcode_trait::kProduct)) return Multiply(root, build);
    const bool compares =
        root->opcode() == HloOpcode::kCompare && root->attributes<CompareAttributes>().type == ComparisonType::kFloat;
    if (FindElementwiseRow(root->opcode()) == nullptr && !compares && root->opcode() != HloOpcode::kClamp) {
      return nullptr;
    }
    if (!IsChosen(root->operand(0))) return nullptr;
    context_.CountRewrite("compute-in-f32");
    std::vector<HloInstruction*> operands;
    for (HloInstruction* operand : root->operands()) operands.push_back(Widen(operand, build));
    HloInstruction* const wide = build.MakeLike(*root, operands);
    return IsChosen(root) ? build.Convert(wide, root->shape().element_type()) : wide;
  }

  HloInstruction* Multiply(HloInstruction* root, InstructionBuilder& build) {
    if (!IsChosen(root) && !IsChosen(root->operand(0)) && !IsChosen(root->operand(1))) return nullptr;
    if (!IsFloat(root->shape().element_type())) return nullptr;
    context_.CountRewrite("multiply-in-f32");
    Shape shape = root->shape().WithoutLayout();
    if (IsChosen(root)) shape.set_element_type(F32);
    HloInstruction* const wide =
        build.MakeOfShape(root->opcode(), shape, {Widen(root->operand(0), build), Widen(root->operand(1), build)},
                          root->raw_attributes()->Clone());
    return build.Convert(wide, root->shape().element_type());
  }

  const std::set<PrimitiveType>& types_;
  PassContext& context_;
  absl::flat_hash_set<const HloComputation*> fixed_;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> NormalizeNarrowFloats(HloModule& module, PassContext& context) {
  ASSIGN_OR_RETURN(const std::set<PrimitiveType> types, ChosenTypes(context));
  return Normalizer(types, context).Run(module);
}

}  // namespace xla
