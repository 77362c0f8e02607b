// Rewrites by rewrites until none applies. Nothing is freed before the end, so that what is known of the program by
// pointers stays true; each new collective gets the place of the later one that it stands for, and the lists are put in
// order at the end.
#include "passes/collectives/sink_collectives.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "passes/base/identity_element.h"
#include "passes/base/instruction_builder.h"
#include "passes/base/rewrite_rule.h"
#include "passes/base/splat.h"
#include "passes/collectives/collective_facts.h"
#include "passes/collectives/instruction_places.h"
#include "passes/loops/loop_parts.h"
#include "passes/loops/tuple_elements.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int kMostScales = 4;          // of one term
constexpr int kMostStepsToFactor = 32;  // of what a factor is computed from

constexpr OpcodeSet kSums = {HloOpcode::kAllReduce, HloOpcode::kReduceScatter};

// Read once, by one user, and seen by no other.
bool HasSoleUse(const HloInstruction& value) {
  if (value.users().size() != 1 || value.parent()->root() == &value || value.HasControlEdges()) return false;
  const auto operands = value.users()[0]->operands();
  return std::count(operands.begin(), operands.end(), &value) == 1;
}

// A multiply, divide or negate, and which of its operands it scales.
struct Scale {
  HloInstruction* instruction;
  int scaled;

  // nullptr of a negate
  const HloInstruction* factor() const {
    return instruction->operand_count() == 2 ? instruction->operand(1 - scaled) : nullptr;
  }
};

// A collective that combines one array, and what its result is multiplied by and the like before it is added.
struct CombinedTerm {
  HloInstruction* collective;
  HloOpcode reduction;
  std::vector<Scale> scales;    // the first one reads the collective
  unsigned fast_math = kExact;  // that scaling before combining needs
};

class Sinker {
 public:
  // `uniform`: those of the module.
  Sinker(HloModule& module, const UniformValues& uniform, PassContext& context)
      : module_(module),
        context_(context),
        keeps_order_(context.BoolOption("keep-order") && !context.FastMathAllows(kReassociate)),
        uniform_(uniform),
        changeable_(module, uniform) {}

  absl::StatusOr<bool> Run() {
    // Callees come first: what leaves a loop may be joined outside.
    for (const auto& computation : module_.computations()) {
      if (!changeable_.MayChange(*computation)) continue;
      RETURN_IF_ERROR(RunIn(computation.get()));
    }
    for (const auto& computation : module_.computations()) {
      const auto found = places_.find(computation.get());
      if (found != places_.end()) RETURN_IF_ERROR(found->second->Apply());
    }
    return changed_;
  }

 private:
  absl::Status RunIn(HloComputation* computation) {
    bool changed = true;
    while (changed) {
      changed = false;
      for (HloInstruction* instruction : computation->LiveInstructions()) {
        if (instruction->is_removed()) continue;
        RETURN_IF_ERROR(context_.CheckDeadline());
        bool rewritten = false;
        if (instruction->opcode() == HloOpcode::kWhile) {
          ASSIGN_OR_RETURN(rewritten, SinkFromLoop(instruction));
        } else if (instruction->operand_count() == 2 && HasTrait(instruction->opcode(), opcode_trait::kElementwise)) {
          ASSIGN_OR_RETURN(rewritten, JoinOperands(instruction));
        }
        changed = changed || rewritten;
      }
      changed_ = changed_ || changed;
    }
    return absl::OkStatus();
  }

  InstructionPlaces& PlacesIn(HloComputation* computation) {
    std::unique_ptr<InstructionPlaces>& places = places_[computation];
    if (places == nullptr) places = std::make_unique<InstructionPlaces>(computation);
    return *places;
  }

  // ---- Terms

  static bool HasConstrainedLayout(const HloInstruction& sum) {
    return sum.opcode() == HloOpcode::kAllReduce ? sum.attributes<AllReduceAttributes>().constrain_layout
                                                 : sum.attributes<ShardingCollectiveAttributes>().constrain_layout;
  }

  absl::optional<CombinedTerm> FindTerm(HloInstruction* value) const {
    CombinedTerm term;
    if (!FindCollective(value, &term) || !AreScalesAllowed(&term)) return absl::nullopt;
    return term;
  }

  // Through scales, each of which has been put into `term` already.
  bool FindCollective(HloInstruction* value, CombinedTerm* term) const {
    if (!HasSoleUse(*value)) return false;
    if (kSums.Has(value->opcode())) {
      if (value->operand_count() != 1 || !changeable_.Contain(*value) || HasConstrainedLayout(*value)) return false;
      const absl::optional<HloOpcode> reduction = ReductionOf(*value);
      if (!reduction.has_value()) return false;
      term->collective = value;
      term->reduction = *reduction;
      std::reverse(term->scales.begin(), term->scales.end());
      return true;
    }
    static constexpr OpcodeSet kScales = {HloOpcode::kDivide, HloOpcode::kMultiply, HloOpcode::kNegate};
    if (!kScales.Has(value->opcode()) || term->scales.size() == kMostScales) return false;
    for (int i = 0; i < (value->opcode() == HloOpcode::kMultiply ? 2 : 1); ++i) {
      term->scales.push_back({value, i});
      if (FindCollective(value->operand(i), term)) return true;
      term->scales.pop_back();
    }
    return false;
  }

  // Whether the factors are the same on all devices, and what scaling their elements apart changes.
  bool AreScalesAllowed(CombinedTerm* term) const {
    const PrimitiveType type = term->collective->shape().element_type();
    if (term->scales.empty()) return true;
    // The factor of a part says nothing of the other parts.
    if (term->reduction != HloOpcode::kAdd || type == PRED || term->collective->opcode() != HloOpcode::kAllReduce) {
      return false;
    }
    for (const Scale& scale : term->scales) {
      const HloOpcode opcode = scale.instruction->opcode();
      if (opcode == HloOpcode::kDivide && IsInt(type)) return false;
      if (!IsInt(type)) term->fast_math |= kReassociate;
      if (!IsInt(type) && opcode == HloOpcode::kNegate) term->fast_math |= kNoSignedZeros;
      if (scale.factor() != nullptr && !IsSameInGroups(*scale.factor(), *term->collective)) return false;
    }
    return true;
  }

  // Of all devices, or follows from what all devices of each group of `collective` got from such a collective.
  bool IsSameInGroups(const HloInstruction& factor, const HloInstruction& collective) const {
    std::vector<const HloInstruction*> open = {&factor};
    for (int step = 0; !open.empty(); ++step) {
      const HloInstruction* const current = open.back();
      open.pop_back();
      if (uniform_.IsUniform(*current)) continue;
      static constexpr OpcodeSet kSharing = {HloOpcode::kAllReduce, HloOpcode::kAllGather};
      if (kSharing.Has(current->opcode()) && HaveSameGroups(*current, collective)) continue;
      constexpr uint32_t kFollows =
          opcode_trait::kElementwise | opcode_trait::kMovesElements | opcode_trait::kBundles | opcode_trait::kPassesOn;
      if (step == kMostStepsToFactor || current->operand_count() == 0 || !HasTrait(current->opcode(), kFollows) ||
          HasTrait(current->opcode(), opcode_trait::kVaries) || !current->called_computations().empty()) {
        return false;
      }
      open.insert(open.end(), current->operands().begin(), current->operands().end());
    }
    return true;
  }

  // What the operand of the collective becomes if it is scaled before; at `place` of `places`.
  static HloInstruction* ScaledBefore(const CombinedTerm& term, InstructionBuilder& build, InstructionPlaces& places,
                                      int64_t place) {
    HloInstruction* value = term.collective->operand(0);
    for (const Scale& scale : term.scales) {
      const auto before = scale.instruction->operands();
      std::vector<HloInstruction*> operands(before.begin(), before.end());
      operands[scale.scaled] = value;
      value = build.MakeLike(*scale.instruction, operands);
      places.Set(*value, place);
    }
    return value;
  }

  static void RemoveTerm(const CombinedTerm& term) {
    for (auto scale = term.scales.rbegin(); scale != term.scales.rend(); ++scale) Remove(scale->instruction);
    Remove(term.collective);
  }
  static void Remove(HloInstruction* instruction) { instruction->parent()->RemoveInstruction(instruction); }

  // ---- Sums of sums

  static bool AreAlike(const HloInstruction& a, const HloInstruction& b) {
    if (a.opcode() != b.opcode() || !HaveSameGroups(a, b) || !a.shape().Compatible(b.shape())) return false;
    if (a.opcode() == HloOpcode::kReduceScatter && a.attributes<ShardingCollectiveAttributes>().dimension !=
                                                       b.attributes<ShardingCollectiveAttributes>().dimension) {
      return false;
    }
    const InstructionAnnotations& of_a = a.annotations();
    const InstructionAnnotations& of_b = b.annotations();
    return of_a.sharding == of_b.sharding && of_a.frontend_attributes == of_b.frontend_attributes &&
           of_a.backend_config == of_b.backend_config;
  }

  // What must be allowed to combine sums by `op` before the devices meet; nullopt: it gives something else.
  // `is_one_sum`: all that is added are the sums.
  absl::optional<unsigned> FastMathToRegroup(HloOpcode op, HloOpcode reduction, PrimitiveType type,
                                             bool is_one_sum) const {
    if (op == HloOpcode::kSubtract && reduction == HloOpcode::kAdd) {
      if (type == PRED) return absl::nullopt;
      return IsInt(type) ? kExact : kReassociate | kNoSignedZeros;
    }
    if (op != reduction) return absl::nullopt;
    const Regrouping regrouping = RegroupingOf(op, type);
    const bool is_reordered_only = regrouping == Regrouping::kOrderOfSum && is_one_sum;
    const bool keeps = regrouping == Regrouping::kExact || (is_reordered_only && !keeps_order_);
    return keeps ? kExact : kReassociate;
  }

  bool IsAllowed(const absl::optional<unsigned>& fast_math) const {
    return fast_math.has_value() && context_.FastMathAllows(*fast_math);
  }

  absl::StatusOr<bool> JoinOperands(HloInstruction* root) {
    if (root->HasControlEdges() || root->operand(0) == root->operand(1)) return false;
    const absl::optional<CombinedTerm> a = FindTerm(root->operand(0));
    const absl::optional<CombinedTerm> b = FindTerm(root->operand(1));
    if (a.has_value() && b.has_value()) return JoinTwo(root, *a, *b);
    if (a.has_value()) return JoinFurther(root, *a, root->operand(1));
    return b.has_value() ? JoinFurther(root, *b, root->operand(0)) : false;
  }

  // op(sum(x), sum(y))
  absl::StatusOr<bool> JoinTwo(HloInstruction* root, const CombinedTerm& a, const CombinedTerm& b) {
    const PrimitiveType type = root->shape().element_type();
    if (!IsAllowed(FastMathToRegroup(root->opcode(), a.reduction, type, /*is_one_sum=*/true))) return false;
    InstructionBuilder build(root->parent(), root);
    HloInstruction* const joined = Join(root->opcode(), a, b, build);
    if (joined == nullptr) return false;
    context_.CountRewrite("sum-of-sums");
    ReplaceInstruction(root, joined);
    Remove(root);
    RemoveTerm(a);
    RemoveTerm(b);
    RETURN_IF_ERROR(build.status());
    return true;
  }

  // op(op(u, sum(x)), sum(y)), in any order of operands
  absl::StatusOr<bool> JoinFurther(HloInstruction* root, const CombinedTerm& last, HloInstruction* inner) {
    const HloOpcode op = root->opcode();
    if (inner->opcode() != op || !HasSoleUse(*inner) || op != last.reduction) return false;
    const PrimitiveType type = root->shape().element_type();
    if (!IsAllowed(FastMathToRegroup(op, last.reduction, type, /*is_one_sum=*/false))) return false;
    for (const int i : {1, 0}) {
      const absl::optional<CombinedTerm> first = FindTerm(inner->operand(i));
      if (!first.has_value()) continue;
      InstructionBuilder build(root->parent(), root);
      HloInstruction* const joined = Join(op, *first, last, build);
      if (joined == nullptr) continue;
      HloInstruction* const all = build.Binary(op, inner->operand(1 - i), joined);
      PlacesIn(root->parent()).Set(*all, PlacesIn(root->parent()).Of(*root));
      context_.CountRewrite("further-sum");
      ReplaceInstruction(root, all);
      Remove(root);
      Remove(inner);
      RemoveTerm(*first);
      RemoveTerm(last);
      RETURN_IF_ERROR(build.status());
      return true;
    }
    return false;
  }

  // The collective of both; nullptr if they cannot be joined.
  HloInstruction* Join(HloOpcode op, const CombinedTerm& a, const CombinedTerm& b, InstructionBuilder& build) {
    if (a.reduction != b.reduction || !AreAlike(*a.collective, *b.collective) ||
        !context_.FastMathAllows(a.fast_math | b.fast_math)) {
      return nullptr;
    }
    InstructionPlaces& places = PlacesIn(build.computation());
    const bool a_is_later = places.Of(*a.collective) > places.Of(*b.collective);
    const HloInstruction* const later = a_is_later ? a.collective : b.collective;
    const int64_t place = places.Of(*later);
    for (const CombinedTerm* term : {&a, &b}) {
      for (const Scale& scale : term->scales) {
        if (scale.factor() != nullptr && places.NeedsOrderedFrom(place, *scale.factor())) return nullptr;
      }
    }
    HloInstruction* const x = ScaledBefore(a, build, places, place);
    HloInstruction* const y = ScaledBefore(b, build, places, place);
    HloInstruction* const both = build.Binary(op, x, y);
    HloInstruction* const joined = Like(*later, both, build);
    places.Set(*both, place);
    places.Set(*joined, place);
    return joined;
  }

  static HloInstruction* Like(const HloInstruction& collective, HloInstruction* operand, InstructionBuilder& build) {
    HloInstruction* const made =
        build.MakeOfShape(collective.opcode(), collective.shape(), {operand}, collective.raw_attributes()->Clone(),
                          collective.called_computations());
    if (collective.has_annotations()) made->CopyAnnotations(collective);
    return made;
  }

  // ---- Loops

  // Element i of the state is read by nothing but op(element, sum(x)), the next element.
  struct Accumulation {
    int index;
    HloInstruction* next;
    HloInstruction* element;
    CombinedTerm term;
  };

  absl::optional<Accumulation> FindAccumulation(const LoopParts& parts, int i) const {
    HloInstruction* const next = parts.next->operand(i);
    if (next->operand_count() != 2 || !next->shape().IsArray() || !HasSoleUse(*next)) return absl::nullopt;
    for (const int side : {0, 1}) {
      HloInstruction* const element = next->operand(side);
      if (element->opcode() != HloOpcode::kGetTupleElement || element->operand(0) != parts.body_parameter ||
          element->attributes<GetTupleElementAttributes>().index != i || !HasSoleUse(*element)) {
        continue;
      }
      absl::optional<CombinedTerm> term = FindTerm(next->operand(1 - side));
      if (!term.has_value() || term->reduction != next->opcode() ||
          term->collective->opcode() != HloOpcode::kAllReduce || ElementsOf(*parts.body_parameter, i).size() != 1 ||
          !ElementsOf(*parts.condition_parameter, i).empty()) {
        return absl::nullopt;
      }
      return Accumulation{i, next, element, *std::move(term)};
    }
    return absl::nullopt;
  }

  absl::StatusOr<bool> SinkFromLoop(HloInstruction* loop) {
    if (!uniform_.AllMeetAlike() || loop == loop->parent()->root() || !HasOnlyElementUsers(*loop)) return false;
    const absl::optional<LoopParts> parts = FindLoopParts(loop);
    if (!parts.has_value() || loop->operand(0)->opcode() != HloOpcode::kTuple || IsShared(*parts->condition) ||
        IsShared(*parts->body) || !changeable_.MayChange(*parts->body)) {
      return false;
    }
    bool changed = false;
    for (int i = 0; i < parts->size(); ++i) {
      const absl::optional<Accumulation> accumulation = FindAccumulation(*parts, i);
      if (!accumulation.has_value()) continue;
      ASSIGN_OR_RETURN(const bool sunk, Sink(*accumulation, *parts));
      changed = changed || sunk;
    }
    return changed;
  }

  absl::StatusOr<bool> Sink(const Accumulation& accumulation, const LoopParts& parts) {
    const CombinedTerm& term = accumulation.term;
    HloInstruction* const loop = parts.loop;
    HloInstruction* const initial = parts.Initial(accumulation.index);
    const HloOpcode op = accumulation.next->opcode();
    const PrimitiveType type = accumulation.next->shape().element_type();
    const std::vector<HloInstruction*> results = ElementsOf(*loop, accumulation.index);
    const bool any_control = std::any_of(results.begin(), results.end(),
                                         [](const HloInstruction* result) { return result->HasControlEdges(); });
    const bool from_zero = IsSplatOf(*initial, 0) || IsSplatOfNegativeZero(*initial);
    const absl::optional<unsigned> fast_math = FastMathToRegroup(op, term.reduction, type, from_zero);
    absl::StatusOr<Literal> identity = IdentityElement(op, type);
    if (results.empty() || any_control || !identity.ok() || !IsAllowed(fast_math) ||
        !context_.FastMathAllows(term.fast_math)) {
      return false;
    }
    RETURN_IF_ERROR(AddInBody(accumulation, parts));

    // The loop begins with what changes nothing.
    InstructionPlaces& places = PlacesIn(loop->parent());
    InstructionBuilder build(loop->parent(), loop);
    HloInstruction* const first = loop->operand(0);
    const Shape& shape = first->shape().tuple_shape(accumulation.index);
    HloInstruction* const nothing = build.Splat(shape, *std::move(identity));
    std::vector<HloInstruction*> state(first->operands().begin(), first->operands().end());
    state[accumulation.index] = nothing;
    HloInstruction* const new_first = build.MakeOfShape(HloOpcode::kTuple, first->shape(), state);
    nothing->mutable_shape() = shape;
    for (HloInstruction* made : {nothing, new_first}) places.Set(*made, places.Of(*first));
    loop->ReplaceOperand(0, new_first);
    if (first->users().empty() && !first->HasControlEdges()) Remove(first);

    // What it began with is added after the devices have met.
    HloInstruction* const own = build.GetTupleElement(loop, accumulation.index);
    own->mutable_shape() = loop->shape().tuple_shape(accumulation.index);
    HloInstruction* const all = Like(*term.collective, own, build);
    const bool element_first = accumulation.next->operand(0) == accumulation.element;
    HloInstruction* const result = element_first ? build.Binary(op, initial, all) : build.Binary(op, all, initial);
    for (HloInstruction* made : {own, all, result}) places.Set(*made, places.Of(*loop) + 1);
    for (HloInstruction* old : results) {
      ReplaceInstruction(old, result);
      Remove(old);
    }
    Remove(accumulation.next);
    RemoveTerm(term);
    context_.CountRewrite("sum-after-loop");
    RETURN_IF_ERROR(build.status());
    return true;
  }

  // Each device adds what is its own. What stood there is removed later.
  absl::Status AddInBody(const Accumulation& accumulation, const LoopParts& parts) {
    InstructionPlaces& places = PlacesIn(parts.body);
    InstructionBuilder build(parts.body, accumulation.next);
    const int64_t place = places.Of(*accumulation.next);
    HloInstruction* const own = ScaledBefore(accumulation.term, build, places, place);
    const int side = accumulation.next->operand(0) == accumulation.element ? 0 : 1;
    HloInstruction* const operands[2] = {side == 0 ? accumulation.element : own,
                                         side == 0 ? own : accumulation.element};
    HloInstruction* const sum = build.MakeLike(*accumulation.next, operands);
    sum->mutable_shape() = accumulation.next->shape();
    places.Set(*sum, place);
    parts.next->ReplaceOperand(accumulation.index, sum);
    return build.status();
  }

  HloModule& module_;
  PassContext& context_;
  const bool keeps_order_;
  const UniformValues& uniform_;
  const ChangeableCollectives changeable_;
  absl::flat_hash_map<const HloComputation*, std::unique_ptr<InstructionPlaces>> places_;  // that may have changed
  bool changed_ = false;
};

// Something that combines values of devices.
bool HasSum(const HloModule& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (kSums.Has(instruction->opcode())) return true;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<bool> SinkCollectives(HloModule& module, PassContext& context) {
  if (!HasSum(module)) return false;
  ASSIGN_OR_RETURN(const UniformValues uniform, UniformValues::Create(module, context.resources));
  return Sinker(module, uniform, context).Run();
}

}  // namespace xla
