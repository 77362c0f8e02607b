#include "passes/cleaning/simplify_tuples.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/analyses/call_graph.h"
#include "passes/analyses/same_shape.h"
#include "passes/base/instruction_builder.h"
#include "passes/base/splat.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr char kElementOfTuple[] = "element-of-tuple";

// The root of a fusion has no users in the fusion.
bool IsRootOfFusion(const HloInstruction& instruction) {
  return instruction.parent()->is_fusion_computation() && instruction.parent()->root() == &instruction;
}

HloInstruction* ElementOfTuple(HloInstruction* root, const RuleContext& context) {
  HloInstruction* tuple;
  if (!Match(root, m::Op(HloOpcode::kGetTupleElement, m::Op(HloOpcode::kTuple).As(&tuple)), context.log)) {
    return nullptr;
  }
  HloInstruction* const element = tuple->operand(static_cast<int>(root->attributes<GetTupleElementAttributes>().index));
  // A layout that a user sees is kept by a copy, which a tuple has none of.
  if (element->shape().IsTuple() && !SameShapeAndLayout(element->shape(), root->shape())) return nullptr;
  return element->shape().Equal(root->shape(), Shape::kIgnoreLayout) ? element : nullptr;
}

// Tuples that stand for something on its way have a fixed set of users.
bool MayHaveAnyUser(const HloInstruction& tuple) {
  static constexpr OpcodeSet kGiveValues = {HloOpcode::kParameter, HloOpcode::kFusion,         HloOpcode::kOptBarrier,
                                            HloOpcode::kSort,      HloOpcode::kReduce,         HloOpcode::kReduceWindow,
                                            HloOpcode::kScatter,   HloOpcode::kRngBitGenerator};
  return kGiveValues.Has(tuple.opcode()) ||
         HasTrait(tuple.opcode(), opcode_trait::kBundles | opcode_trait::kControlFlow);
}

HloInstruction* TupleOfElements(HloInstruction* root, const RuleContext&) {
  if (root->operand_count() == 0 || root->annotations().sharding.has_value()) return nullptr;
  if (root->operand(0)->opcode() != HloOpcode::kGetTupleElement) return nullptr;
  HloInstruction* const whole = root->operand(0)->operand(0);
  if (!MayHaveAnyUser(*whole) || !SameShapeAndLayout(whole->shape(), root->shape())) return nullptr;
  for (int i = 0; i < root->operand_count(); ++i) {
    const HloInstruction& element = *root->operand(i);
    if (element.opcode() != HloOpcode::kGetTupleElement || element.operand(0) != whole ||
        element.attributes<GetTupleElementAttributes>().index != i || element.HasControlEdges()) {
      return nullptr;
    }
  }
  return whole;
}

// nullptr if something in it is not an array.
HloInstruction* ConstantOf(const Literal& value, const Shape& shape, InstructionBuilder& build) {
  if (!shape.IsTuple()) {
    if (!shape.IsArray()) return nullptr;
    Literal element = value;
    element.ResetShape(shape);
    return build.Constant(std::move(element));
  }
  std::vector<HloInstruction*> elements;
  for (int i = 0; i < shape.tuple_size(); ++i) {
    elements.push_back(ConstantOf(value.element(i), shape.tuple_shape(i), build));
    if (elements.back() == nullptr) return nullptr;
  }
  return build.Tuple(elements);
}

HloInstruction* TupleOfConstants(HloInstruction* root, const RuleContext& context) {
  const Literal* const value = ConstantValue(*root);
  if (value == nullptr || !root->shape().IsTuple()) return nullptr;
  return ConstantOf(*value, root->shape(), context.build);
}

template <HloInstruction* (*kRewrite)(HloInstruction*, const RuleContext&)>
HloInstruction* OutsideOfFusionRoots(HloInstruction* root, const RuleContext& context) {
  return IsRootOfFusion(*root) ? nullptr : kRewrite(root, context);
}

}  // namespace

std::vector<const RewriteRule*> SimplifyTuplesRules(absl::string_view /*pass*/) {
  static const auto* const rules = new std::vector<const RewriteRule*>{
      new RewriteRule{"element-of-tuple",
                      "get-tuple-element(tuple(a, b), index=1) => b",
                      {HloOpcode::kGetTupleElement},
                      &OutsideOfFusionRoots<ElementOfTuple>,
                      kExact,
                      /*dynamic_dimensions=*/true},
      new RewriteRule{"tuple-of-constants",
                      "constant((a, b)) => tuple(constant(a), constant(b))",
                      {HloOpcode::kConstant},
                      &TupleOfConstants,
                      kExact,
                      /*dynamic_dimensions=*/true},
      new RewriteRule{"tuple-of-elements",
                      "tuple(get-tuple-element(t, 0), ..., get-tuple-element(t, n)) => t",
                      {HloOpcode::kTuple},
                      &OutsideOfFusionRoots<TupleOfElements>,
                      kExact,
                      /*dynamic_dimensions=*/true},
  };
  return *rules;
}

namespace {

// Instructions in place of get-tuple-elements. Users with many operands, of which many may be replaced, are given all
// of their new operands at once.
class TakenElements {
 public:
  // `get` is unused then, or will be after Apply. An element that was itself replaced is taken for what replaces it.
  void Add(HloInstruction* get, HloInstruction* element) {
    const auto known = put_off_.find(element);
    if (known != put_off_.end()) element = known->second;
    const auto users = get->users();
    const bool is_plain = SameShapeAndLayout(get->shape(), element->shape());
    const auto is_wide = [](const HloInstruction* user) { return user->operand_count() > kManyOperands; };
    if (!is_plain || std::none_of(users.begin(), users.end(), is_wide)) return ReplaceInstruction(get, element);
    for (HloInstruction* user : users) {
      if (seen_.insert(user).second) users_.push_back(user);
    }
    put_off_.emplace(get, element);
    if (get->parent()->root() == get) get->parent()->set_root(element);
  }

  void Apply() {
    std::vector<HloInstruction*> operands;
    for (HloInstruction* user : users_) {
      operands.assign(user->operands().begin(), user->operands().end());
      for (HloInstruction*& operand : operands) {
        const auto found = put_off_.find(operand);
        if (found != put_off_.end()) operand = found->second;
      }
      user->SetOperands(operands);
    }
  }

 private:
  static constexpr int kManyOperands = 64;

  absl::flat_hash_map<const HloInstruction*, HloInstruction*> put_off_;
  std::vector<HloInstruction*> users_;  // of these
  absl::flat_hash_set<const HloInstruction*> seen_;
};

// Applies the first rule to all there is, which costs one look at each instruction: the worklist of the rules would
// look at a tuple again, with all its operands, whenever one of its elements has been taken.
bool TakeElements(HloModule& module, PassContext& context) {
  const auto fixed = context.analyses.Get<FixedComputations>(module);
  bool changed = false;
  for (const auto& computation : module.computations()) {
    if (fixed->Contain(*computation)) continue;
    TakenElements taken;
    std::vector<HloInstruction*> unused;
    for (HloInstruction* get : computation->LiveInstructions()) {
      if (get->opcode() != HloOpcode::kGetTupleElement || get->HasControlEdges() || IsRootOfFusion(*get)) continue;
      InstructionBuilder build(computation.get(), get);
      HloInstruction* const element = ElementOfTuple(get, {build, context, nullptr});
      if (element == nullptr) continue;
      taken.Add(get, element);
      unused.push_back(get);
      context.CountRewrite(kElementOfTuple);
      changed = true;
    }
    taken.Apply();
    for (HloInstruction* get : unused) computation->RemoveInstruction(get);
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> SimplifyTuples(HloModule& module, PassContext& context) {
  const bool took_elements = context.RuleEnabled(kElementOfTuple) && TakeElements(module, context);
  ASSIGN_OR_RETURN(const bool applied, ApplyRules(SimplifyTuplesRules(context.pass()), module, context));
  return took_elements || applied;
}

}  // namespace xla
