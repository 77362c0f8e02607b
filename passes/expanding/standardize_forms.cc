#include "passes/expanding/standardize_forms.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "passes/base/odd_forms.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/opcode_traits.h"
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

// ---- Tuples of one

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
  if (!GivesTupleOfOne(*root)) return nullptr;
  HloComputation* const reducer = WithoutTuple(*root->called_computation(0), context.build.module());
  HloInstruction* const array =
      Rebuild(*root, root->shape().tuple_shape(0).WithoutLayout(), root->operands(), {reducer}, context.build);
  return context.build.Tuple({array});
}

HloInstruction* UnwrapCombiner(HloInstruction* root, const RuleContext& context) {
  if (!CombinesToTuple(*root)) return nullptr;
  HloComputation* const combiner = WithoutTuple(*root->called_computation(0), context.build.module());
  return Rebuild(*root, root->shape().WithoutLayout(), root->operands(), {combiner}, context.build);
}

// The tuple of an array that replaces the tuple of one that `root` gives.
HloInstruction* TupleOfArray(const HloInstruction& root, InstructionBuilder& build) {
  return build.Tuple(
      {Rebuild(root, root.shape().tuple_shape(0).WithoutLayout(), root.operands(), root.called_computations(), build)});
}

HloInstruction* UnwrapResult(HloInstruction* root, const RuleContext& context) {
  return GivesTupleOfOne(*root) ? TupleOfArray(*root, context.build) : nullptr;
}

bool IsCollectiveToTupleOfOne(const HloInstruction& instruction) {
  // The only odd form of collectives.
  return HasTrait(instruction.opcode(), opcode_trait::kCollective) && IsOddForm(instruction);
}

// No rule, because rules leave instructions with effects alone, and collective operations have one.
absl::StatusOr<bool> UnwrapCollectives(HloModule& module, PassContext& context) {
  bool changed = false;
  for (const auto& computation : module.computations()) {
    for (HloInstruction* collective : computation->LiveInstructions()) {
      if (!IsCollectiveToTupleOfOne(*collective) || collective->HasControlEdges()) continue;
      InstructionBuilder build(computation.get(), collective);
      HloInstruction* const tuple = TupleOfArray(*collective, build);
      RETURN_IF_ERROR(build.status());
      ReplaceInstruction(collective, tuple);
      computation->RemoveInstruction(collective);
      context.CountRewrite("unwrap-collective");
      changed = true;
    }
  }
  return changed;
}

// ---- Reductions

Shape ElementOf(const Shape& shape, int i) { return shape.IsTuple() ? shape.tuple_shape(i) : shape; }

// Makes operands and results of the types in which the reducer works.
HloInstruction* ReduceAsReducer(HloInstruction* root, const RuleContext& context) {
  if (!ReducesInOtherType(*root)) return nullptr;
  const int n = root->operand_count() / 2;
  const Shape& reduced = root->called_computation(0)->root()->shape();
  std::vector<HloInstruction*> operands(root->operands().begin(), root->operands().end());
  std::vector<Shape> results;
  for (int i = 0; i < n; ++i) {
    const PrimitiveType type = ElementOf(reduced, i).element_type();
    for (const int k : {i, n + i}) {
      if (TypeOf(operands[k]) != type) operands[k] = context.build.Convert(operands[k], type);
    }
    results.push_back(WithType(ElementOf(root->shape(), i), type));
  }
  const Shape shape = root->shape().IsTuple() ? Shape::Tuple(results) : results[0];
  HloInstruction* const made = Rebuild(*root, shape, operands, root->called_computations(), context.build);
  if (!shape.IsTuple()) return context.build.Convert(made, TypeOf(root));
  std::vector<HloInstruction*> elements;
  for (int i = 0; i < n; ++i) {
    HloInstruction* const element = context.build.GetTupleElement(made, i);
    const PrimitiveType type = root->shape().tuple_shape(i).element_type();
    elements.push_back(TypeOf(element) == type ? element : context.build.Convert(element, type));
  }
  return context.build.Tuple(elements);
}

HloInstruction* TurnWindow(HloInstruction* root, const RuleContext& context) {
  if (!HasReversedWindow(*root)) return nullptr;
  WindowAttributes attributes = root->attributes<WindowAttributes>();
  for (WindowDimension& d : attributes.window.dimensions) d.window_reversal = false;
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
  if (!MultipliesKinds(*root)) return nullptr;
  const PrimitiveType type = CommonKind(TypeOf(root->operand(0)), TypeOf(root->operand(1)));
  std::vector<HloInstruction*> operands(root->operands().begin(), root->operands().end());
  for (int i = 0; i < 2; ++i) operands[i] = context.build.Convert(operands[i], type);
  return Rebuild(*root, root->shape().WithoutLayout(), operands, {}, context.build);
}

HloInstruction* WidenSum(HloInstruction* root, const RuleContext& context) {
  if (!SumsNarrowly(*root)) return nullptr;
  const PrimitiveType lhs = TypeOf(root->operand(0)), rhs = TypeOf(root->operand(1));
  const PrimitiveType wide = BitWidth(lhs) >= BitWidth(rhs) ? lhs : rhs;
  HloInstruction* const sum = Rebuild(*root, WithType(root->shape(), wide), root->operands(), {}, context.build);
  return context.build.Convert(sum, TypeOf(root));
}

// ---- Comparisons

HloInstruction* CompareAsOperands(HloInstruction* root, const RuleContext& context) {
  if (!ComparesAsOtherType(*root)) return nullptr;
  const ComparisonDirection direction = root->attributes<CompareAttributes>().direction;
  return context.build.Compare(direction, root->operand(0), root->operand(1));
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

// Reinterprets complex numbers as pairs of reals next to each other, and the other way round, with reshapes for what
// does not fit in one element.
HloInstruction* BitcastParts(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  HloInstruction* const x = root->operand(0);
  const PrimitiveType from = TypeOf(x), to = TypeOf(root);
  if (!BitcastsParts(*root)) return nullptr;
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

// ---- Selections

bool IsMadeOfArraysAndTokens(const Shape& shape) {
  for (const Shape& element : shape.tuple_shapes()) {
    if (!IsMadeOfArraysAndTokens(element)) return false;
  }
  return shape.IsTuple() || shape.IsArray() || shape.IsToken();
}

// A token that is selected comes after both.
HloInstruction* SelectLeaves(HloInstruction* predicate, HloInstruction* on_true, HloInstruction* on_false,
                             InstructionBuilder& build) {
  const Shape& shape = on_true->shape();
  if (shape.IsToken()) return build.Make(HloOpcode::kAfterAll, {on_true, on_false});
  if (shape.IsArray()) return build.Select(predicate, on_true, on_false);
  std::vector<HloInstruction*> elements;
  for (int i = 0; i < shape.tuple_size(); ++i) {
    HloInstruction* const element_if_true = build.GetTupleElement(on_true, i);
    HloInstruction* const element_if_false = build.GetTupleElement(on_false, i);
    elements.push_back(SelectLeaves(predicate, element_if_true, element_if_false, build));
  }
  return build.Tuple(elements);
}

HloInstruction* SelectElements(HloInstruction* root, const RuleContext& context) {
  if (!SelectsTuple(*root) || !IsMadeOfArraysAndTokens(root->shape())) return nullptr;
  return SelectLeaves(root->operand(0), root->operand(1), root->operand(2), context.build);
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
       /*dynamic_dimensions=*/true,
       /*odd_forms=*/true},
      {"unwrap-combiner",
       "scatter(x, i, u), to_apply=f => scatter(x, i, u), to_apply=f's element",
       {HloOpcode::kScatter},
       &UnwrapCombiner,
       kExact,
       /*dynamic_dimensions=*/true,
       /*odd_forms=*/true},
      {"unwrap-result",
       "(f32[2]) sort(x) => tuple(sort(x))",
       {HloOpcode::kScatter, HloOpcode::kSort},
       &UnwrapResult,
       kExact,
       /*dynamic_dimensions=*/true,
       /*odd_forms=*/true},
      {"reduce-as-reducer",
       "bf16 reduce(x bf16, i f32), to_apply=f => convert(reduce(convert(x) f32, i), to_apply=f) bf16  (f works in "
       "f32)",
       {HloOpcode::kReduce, HloOpcode::kReduceWindow},
       &ReduceAsReducer,
       kExact,
       /*dynamic_dimensions=*/true,
       /*odd_forms=*/true},
      {"turn-window",
       "reduce-window(x, i), window={rhs_reversal=1} => reduce-window(x, i)",
       {HloOpcode::kReduceWindow, HloOpcode::kSelectAndScatter},
       &TurnWindow,
       kExact,
       /*dynamic_dimensions=*/true,
       /*odd_forms=*/true},
      {"convert-operands",
       "dot(x pred, y f32) => dot(convert(x) f32, y)",
       {HloOpcode::kDot, HloOpcode::kConvolution, HloOpcode::kRaggedDot},
       &ConvertOperands,
       kExact,
       /*dynamic_dimensions=*/true,
       /*odd_forms=*/true},
      {"widen-sum",
       "dot(x s32, y s32) -> s8 => convert(dot(x, y) -> s32) s8",
       {HloOpcode::kDot, HloOpcode::kConvolution, HloOpcode::kRaggedDot},
       &WidenSum,
       kExact,
       /*dynamic_dimensions=*/true,
       /*odd_forms=*/true},
      {"compare-as-operands",
       "compare(x f32, y), type=SIGNED => compare(x, y), type=FLOAT",
       {HloOpcode::kCompare},
       &CompareAsOperands,
       kExact,
       /*dynamic_dimensions=*/true,
       /*odd_forms=*/true},
      {"select-elements",
       "select(p, x, y) of tuples => tuple(select(p, x's element, y's element))",
       {HloOpcode::kSelect},
       &SelectElements,
       kExact,
       /*dynamic_dimensions=*/true,
       /*odd_forms=*/true},
      {"bitcast-parts",
       "bitcast-convert(x c64) u64 => bitcast-convert(real and imag of x beside each other) u64",
       {HloOpcode::kBitcastConvert},
       &BitcastParts,
       kExact,
       /*dynamic_dimensions=*/false,
       /*odd_forms=*/true},
  };
  std::vector<const RewriteRule*> rules;
  for (const RewriteRule& rule : kRules) rules.push_back(&rule);
  // Before the rules, which remove unused tuples.
  ASSIGN_OR_RETURN(const bool unwrapped, UnwrapCollectives(module, context));
  ASSIGN_OR_RETURN(const bool rewritten, ApplyRules(rules, module, context));
  return TidyFusions(module, context) || rewritten || unwrapped;
}

}  // namespace xla
