#include "passes/expanding/standardize_forms.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "passes/base/rewrite_rule.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

PrimitiveType TypeOf(const HloInstruction* x) { return x->shape().element_type(); }

Shape WithType(const Shape& shape, PrimitiveType type) {
  Shape result = shape.WithoutLayout();
  result.set_element_type(type);
  return result;
}

// `like` of another shape, with other operands and called computations.
HloInstruction* Rebuild(const HloInstruction& like, const Shape& shape, absl::Span<HloInstruction* const> operands,
                        absl::Span<HloComputation* const> called, InstructionBuilder& build) {
  return build.MakeOfShape(like.opcode(), shape, operands, like.raw_attributes()->Clone(), called);
}

// ---- Reductions

// A copy of `reducer`, which gives a tuple of one, that gives its element.
HloComputation* WithoutTuple(const HloComputation& reducer, HloModule* module) {
  HloComputation* const copy = AddCloneOfComputation(reducer, module);
  HloInstruction* const root = copy->root();
  if (root->opcode() == HloOpcode::kTuple) {
    copy->set_root(root->operand(0));
    if (root->users().empty() && !root->HasControlEdges()) copy->RemoveInstruction(root);
  } else {
    copy->set_root(InstructionBuilder(copy, root).GetTupleElement(root, 0));
  }
  copy->Tidy();
  return copy;
}

HloInstruction* UnwrapReduction(HloInstruction* root, const RuleContext& context) {
  if (root->operand_count() != 2 || !root->shape().IsTuple()) return nullptr;
  HloComputation* const reducer = WithoutTuple(*root->called_computation(0), context.build.module());
  HloInstruction* const array =
      Rebuild(*root, root->shape().tuple_shape(0).WithoutLayout(), root->operands(), {reducer}, context.build);
  return context.build.Tuple({array});
}

HloInstruction* TurnWindow(HloInstruction* root, const RuleContext& context) {
  WindowAttributes attributes = root->attributes<WindowAttributes>();
  bool is_reversed = false;
  for (WindowDimension& d : attributes.window.dimensions) is_reversed |= std::exchange(d.window_reversal, false);
  if (!is_reversed) return nullptr;
  return context.build.MakeOfShape(root->opcode(), root->shape().WithoutLayout(), root->operands(),
                                   std::make_unique<WindowAttributes>(std::move(attributes)),
                                   root->called_computations());
}

// ---- Products

// The type in which operands of different kinds meet: complex numbers are wide enough for each real one.
PrimitiveType CommonKind(PrimitiveType lhs, PrimitiveType rhs) {
  if (IsComplex(lhs) != IsComplex(rhs)) return C128;
  return lhs == PRED ? rhs : lhs;
}

HloInstruction* ConvertOperands(HloInstruction* root, const RuleContext& context) {
  const PrimitiveType lhs = TypeOf(root->operand(0)), rhs = TypeOf(root->operand(1));
  const bool differ = (lhs == PRED) != (rhs == PRED) || IsComplex(lhs) != IsComplex(rhs);
  if (!differ) return nullptr;
  const PrimitiveType type = CommonKind(lhs, rhs);
  std::vector<HloInstruction*> operands(root->operands().begin(), root->operands().end());
  for (int i = 0; i < 2; ++i) operands[i] = context.build.Convert(operands[i], type);
  return Rebuild(*root, root->shape().WithoutLayout(), operands, {}, context.build);
}

HloInstruction* WidenSum(HloInstruction* root, const RuleContext& context) {
  const PrimitiveType lhs = TypeOf(root->operand(0)), rhs = TypeOf(root->operand(1)), own = TypeOf(root);
  if (!IsInt(lhs) || !IsInt(rhs) || !IsInt(own)) return nullptr;
  const PrimitiveType wide = BitWidth(lhs) >= BitWidth(rhs) ? lhs : rhs;
  if (BitWidth(own) >= BitWidth(wide)) return nullptr;
  HloInstruction* const sum = Rebuild(*root, WithType(root->shape(), wide), root->operands(), {}, context.build);
  return context.build.Convert(sum, own);
}

// ---- Comparisons

HloInstruction* CompareAsOperands(HloInstruction* root, const RuleContext& context) {
  const auto& attributes = root->attributes<CompareAttributes>();
  const PrimitiveType type = TypeOf(root->operand(0));
  if (attributes.type == DefaultComparisonType(type)) return nullptr;
  if (attributes.type == ComparisonType::kTotalOrder && IsFloat(type)) return nullptr;
  return context.build.Compare(attributes.direction, root->operand(0), root->operand(1));
}

// ---- Bits of complex numbers

// The shape of x with one more dimension at the end.
std::vector<int64_t> Appended(const Shape& shape, int64_t size) {
  std::vector<int64_t> dimensions(shape.dimensions().begin(), shape.dimensions().end());
  dimensions.push_back(size);
  return dimensions;
}

// The parts of complex numbers beside each other, as in memory: c64[..] to f32[.., 2].
HloInstruction* PartsBesideEachOther(HloInstruction* x, InstructionBuilder& build) {
  const std::vector<int64_t> single = Appended(x->shape(), 1);
  return build.Concatenate({build.Reshape(build.Unary(HloOpcode::kReal, x), single),
                            build.Reshape(build.Unary(HloOpcode::kImag, x), single)},
                           x->shape().rank());
}

// The reverse.
HloInstruction* JoinParts(HloInstruction* parts, InstructionBuilder& build) {
  const int last = parts->shape().rank() - 1;
  Shape shape = parts->shape();
  shape.DeleteDimension(last);
  const auto part = [&](int64_t i) {
    return build.Reshape(build.SliceInDim(parts, last, i, i + 1), shape.dimensions());
  };
  return build.Binary(HloOpcode::kComplex, part(0), part(1));
}

int BitsInMemory(PrimitiveType type) { return type == PRED ? 8 : BitWidth(type); }

HloInstruction* BitcastParts(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  HloInstruction* const x = root->operand(0);
  const PrimitiveType from = TypeOf(x), to = TypeOf(root);
  if (IsComplex(from) == IsComplex(to)) return nullptr;
  const PrimitiveType part = ComplexComponentType(IsComplex(from) ? from : to);
  const int64_t bits = IsComplex(from) ? BitsInMemory(to) : BitsInMemory(from);
  const int64_t per_part = BitWidth(part) / bits;  // real elements in a part; 0 if they are as wide as both
  // The real array with the elements of a part in a dimension of their own.
  const Shape& real = IsComplex(from) ? root->shape() : x->shape();
  Shape split = real.WithoutLayout();
  if (per_part > 1) {
    split.DeleteDimension(split.rank() - 1);
    split.AddDimension(2);
    split.AddDimension(per_part);
  }
  if (IsComplex(from)) {
    return build.Reshape(build.BitcastConvert(PartsBesideEachOther(x, build), split), real.dimensions());
  }
  Shape parts = root->shape().WithoutLayout();
  parts.AddDimension(2);
  parts.set_element_type(part);
  return JoinParts(build.BitcastConvert(build.Reshape(x, split.dimensions()), parts), build);
}

// ---- Fusions

// Removes what has no users within the bodies of fusions.
bool TidyFusions(HloModule& module, PassContext& context) {
  bool changed = false;
  for (const auto& computation : module.computations()) {
    for (HloInstruction* fusion : computation->LiveInstructions()) {
      if (fusion->opcode() != HloOpcode::kFusion) continue;
      HloComputation* const body = fusion->called_computation(0);
      const std::vector<HloInstruction*> instructions = body->LiveInstructions();
      for (auto it = instructions.rbegin(); it != instructions.rend(); ++it) {
        if (*it == body->root() || !(*it)->users().empty() || !IsRemovable(**it)) continue;
        body->RemoveInstruction(*it);
        context.CountRewrite("remove-unused-in-fusion");
        changed = true;
      }
    }
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> StandardizeForms(HloModule& module, PassContext& context) {
  static const RewriteRule kRules[] = {
      {"unwrap-reduction",
       "(f32[2]) reduce(x, i), to_apply=f => tuple(reduce(x, i), to_apply=f's element)",
       {HloOpcode::kReduce, HloOpcode::kReduceWindow},
       &UnwrapReduction,
       kExact,
       /*dynamic_dimensions=*/true},
      {"turn-window",
       "reduce-window(x, i), window={rhs_reversal=1} => reduce-window(x, i)",
       {HloOpcode::kReduceWindow},
       &TurnWindow,
       kExact,
       /*dynamic_dimensions=*/true},
      {"convert-operands",
       "dot(x pred, y f32) => dot(convert(x) f32, y)",
       {HloOpcode::kDot, HloOpcode::kConvolution, HloOpcode::kRaggedDot},
       &ConvertOperands,
       kExact,
       /*dynamic_dimensions=*/true},
      {"widen-sum",
       "dot(x s32, y s32) -> s8 => convert(dot(x, y) -> s32) s8",
       {HloOpcode::kDot, HloOpcode::kConvolution, HloOpcode::kRaggedDot},
       &WidenSum,
       kExact,
       /*dynamic_dimensions=*/true},
      {"compare-as-operands",
       "compare(x f32, y), type=SIGNED => compare(x, y), type=FLOAT",
       {HloOpcode::kCompare},
       &CompareAsOperands,
       kExact,
       /*dynamic_dimensions=*/true},
      {"bitcast-parts",
       "bitcast-convert(x c64) u64 => bitcast-convert(real and imag of x beside each other) u64",
       {HloOpcode::kBitcastConvert},
       &BitcastParts},
  };
  std::vector<const RewriteRule*> rules;
  for (const RewriteRule& rule : kRules) rules.push_back(&rule);
  ASSIGN_OR_RETURN(const bool rewritten, ApplyRules(rules, module, context));
  return TidyFusions(module, context) || rewritten;
}

}  // namespace xla
