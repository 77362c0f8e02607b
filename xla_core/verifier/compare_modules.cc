// How two modules are compared.
//
// Two computations are walked together from their roots. Each step pairs an instruction of one with one of the other,
// checks that the two look alike, and goes on with their operands, which are ordered and so pair without a choice. An
// instruction that meets two partners is a difference: x + x is not x + y. What operands do not reach follows in two
// rounds in which there is a choice: instructions with side effects, and control predecessors. There, unpaired
// instructions with equal hashes are paired in their order; the hash covers all that the walk down from an instruction
// sees.
//
// Called computations that meet are assumed equal and put on a list to be compared once (the way that equivalence of
// automata is decided): a union-find over computations keeps the assumptions, so that no more comparisons are made than
// there are computations, however they are shared.
#include "xla_core/verifier/compare_modules.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ir/structure_hash.h"
#include "xla_core/ops/side_effects.h"

namespace xla {
namespace {

// Of an asynchronous operation those of its start: its later steps may name them again, or not.
absl::Span<HloComputation* const> CalleesOf(const HloInstruction& instruction) {
  const bool is_later_step =
      HasTrait(instruction.opcode(), opcode_trait::kAsyncCall) && instruction.opcode() != HloOpcode::kAsyncStart;
  return is_later_step ? absl::Span<HloComputation* const>() : instruction.called_computations();
}

// The order by which `comparison` compares: that of floats stands for the operands' own where there are none.
ComparisonType OrderOf(const HloInstruction& comparison) {
  const ComparisonType type = comparison.attributes<CompareAttributes>().type;
  if (type != ComparisonType::kFloat) return type;
  return DefaultComparisonType(comparison.operand(0)->shape().element_type());
}

// Constants and comparisons hash by their shape alone: the values of a constant can be many, the type of a comparison
// may be spelled in two ways. Comparing tells them apart.
uint64_t HashOfInstruction(const HloInstruction& instruction,
                           const absl::flat_hash_map<const HloInstruction*, uint64_t>& hashes) {
  uint64_t state = HashOfShape(instruction.shape(), static_cast<uint64_t>(instruction.opcode()) + 1);
  if (instruction.raw_attributes() != nullptr && instruction.opcode() != HloOpcode::kConstant &&
      instruction.opcode() != HloOpcode::kCompare) {
    state = MixHash(state, HashAttributes(*instruction.raw_attributes()));
  }
  for (const HloInstruction* operand : instruction.operands()) state = MixHash(state, hashes.at(operand));
  return MixHash(state, CalleesOf(instruction).size());
}

Shape WithAllLayouts(Shape shape) {
  shape.SetMissingLayoutsToDefault();
  return shape;
}

bool SameShape(const Shape& a, const Shape& b, bool layouts) {
  if (!layouts) return a.Equal(b, Shape::kIgnoreLayout);
  return a == b || WithAllLayouts(a) == WithAllLayouts(b);
}

bool SameShapes(const std::vector<Shape>& a, const std::vector<Shape>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Shape& x, const Shape& y) { return SameShape(x, y, /*layouts=*/true); });
}

// In shapes that attributes name, a missing layout is the row-major one, too. What may be unset means false then.
bool SameField(const AttributeField& field, const Attributes& a, const Attributes& b) {
  if (FieldEqual(field, a, b)) return true;
  if (field.kind == FieldKind::kShape) return SameShape(field.Get<Shape>(a), field.Get<Shape>(b), /*layouts=*/true);
  if (field.kind == FieldKind::kShapeList) {
    return SameShapes(field.Get<std::vector<Shape>>(a), field.Get<std::vector<Shape>>(b));
  }
  if (field.kind == FieldKind::kTriState) return (field.Get<int32_t>(a) == 1) == (field.Get<int32_t>(b) == 1);
  if (field.kind != FieldKind::kOptionalShapeList) return false;
  const auto& list_a = field.Get<absl::optional<std::vector<Shape>>>(a);
  const auto& list_b = field.Get<absl::optional<std::vector<Shape>>>(b);
  return list_a.has_value() && list_b.has_value() && SameShapes(*list_a, *list_b);
}

// The part of the header that belongs to what the program does.
std::string HeaderDifference(const HloModuleConfig& a, const HloModuleConfig& b, bool layouts) {
  if (a.replica_count != b.replica_count) {
    return absl::StrCat("replica_count is ", a.replica_count, " and ", b.replica_count);
  }
  if (a.num_partitions != b.num_partitions) {
    return absl::StrCat("num_partitions is ", a.num_partitions, " and ", b.num_partitions);
  }
  const auto same_elements = [](const auto& x, const auto& y) {
    return x.size() == y.size() && std::is_permutation(x.begin(), x.end(), y.begin());
  };
  if (!same_elements(a.input_output_alias, b.input_output_alias)) return "input_output_alias differs";
  if (!same_elements(a.buffer_donors, b.buffer_donors)) return "buffer_donor differs";
  if (!layouts || !a.entry_computation_layout.has_value() || !b.entry_computation_layout.has_value()) return "";
  const ProgramShape& shape_a = *a.entry_computation_layout;
  const ProgramShape& shape_b = *b.entry_computation_layout;
  const auto same = [](const Shape& x, const Shape& y) { return SameShape(x, y, /*layouts=*/true); };
  const bool equal =
      same(shape_a.result, shape_b.result) && std::equal(shape_a.parameters.begin(), shape_a.parameters.end(),
                                                         shape_b.parameters.begin(), shape_b.parameters.end(), same);
  return equal ? "" : "entry_computation_layout differs";
}

const char* AnnotationDifference(const InstructionAnnotations& a, const InstructionAnnotations& b) {
  if (!(a.sharding == b.sharding)) return "sharding";
  if (a.frontend_attributes != b.frontend_attributes) return "frontend_attributes";
  if (a.backend_config != b.backend_config) return "backend_config";
  if (!(a.result_accuracy == b.result_accuracy)) return "result_accuracy";
  return nullptr;
}

using InstructionPair = std::pair<const HloInstruction*, const HloInstruction*>;
using ComputationPair = std::pair<const HloComputation*, const HloComputation*>;
using InstructionList = std::vector<const HloInstruction*>;

// Which computations have, or call what has, a side effect.
class SideEffects {
 public:
  explicit SideEffects(const HloModule& module) {
    for (const auto& computation : module.computations()) {
      for (const auto& instruction : computation->instructions()) {
        if (!Has(*instruction)) continue;
        effectful_.insert(computation.get());
        break;
      }
    }
  }

  bool Has(const HloInstruction& instruction) const {
    if (HasOwnSideEffect(instruction)) return true;
    const auto calls = instruction.called_computations();
    return std::any_of(calls.begin(), calls.end(), [&](const HloComputation* c) { return effectful_.contains(c); });
  }

 private:
  absl::flat_hash_set<const HloComputation*> effectful_;
};

// Which computations are assumed to be equal.
class EqualComputations {
 public:
  // False if that was known already.
  bool Assume(const HloComputation* a, const HloComputation* b) {
    const HloComputation* const root_a = Root(a);
    const HloComputation* const root_b = Root(b);
    if (root_a == root_b) return false;
    parent_[root_a] = root_b;
    return true;
  }

 private:
  const HloComputation* Root(const HloComputation* computation) {
    for (;;) {
      const auto it = parent_.find(computation);
      if (it == parent_.end()) return computation;
      const auto above = parent_.find(it->second);
      if (above != parent_.end()) it->second = above->second;
      computation = it->second;
    }
  }

  absl::flat_hash_map<const HloComputation*, const HloComputation*> parent_;
};

// The walk over one pair of computations. Methods return false at a difference, which is then in difference().
class ComputationComparison {
 public:
  ComputationComparison(ComputationPair computations, const SideEffects& effects_a, const SideEffects& effects_b,
                        bool layouts)
      : a_(*computations.first),
        b_(*computations.second),
        effects_a_(effects_a),
        effects_b_(effects_b),
        layouts_(layouts) {}

  bool Equal() {
    if (a_.execution_thread() != b_.execution_thread()) {
      return Differ(
          absl::StrCat("execution_thread is '", a_.execution_thread(), "' and '", b_.execution_thread(), "'"));
    }
    return PairParameters() && Pair(a_.root(), b_.root()) && Walk() && PairSideEffects() && PairControlPredecessors();
  }

  const std::string& difference() const { return difference_; }
  // Computations that must be equal for these two to be.
  const std::vector<ComputationPair>& callees() const { return callees_; }

 private:
  bool Differ(absl::string_view what) {
    difference_ = absl::StrCat("in ", a_.name(), ": ", what);
    if (a_.name() != b_.name()) difference_ = absl::StrCat("in ", a_.name(), " and ", b_.name(), ": ", what);
    return false;
  }
  bool Differ(const HloInstruction* a, const HloInstruction* b, absl::string_view what) {
    return Differ(absl::StrCat(what, ": ", a->ToShortString(), " and ", b->ToShortString()));
  }

  bool PairParameters() {
    const std::vector<HloInstruction*> parameters_a = a_.parameters(), parameters_b = b_.parameters();
    if (parameters_a.size() != parameters_b.size()) {
      return Differ(absl::StrCat("there are ", parameters_a.size(), " and ", parameters_b.size(), " parameters"));
    }
    for (size_t i = 0; i < parameters_a.size(); ++i) {
      if (!Pair(parameters_a[i], parameters_b[i])) return false;
    }
    return true;
  }

  bool Pair(const HloInstruction* a, const HloInstruction* b) {
    const auto [at_a, new_a] = partner_of_a_.try_emplace(a, b);
    const auto [at_b, new_b] = partner_of_b_.try_emplace(b, a);
    if (at_a->second != b) return Differ(a, b, "the first was met before as " + at_a->second->name());
    if (at_b->second != a) return Differ(a, b, "the second was met before as " + at_b->second->name());
    if (new_a) pairs_.emplace_back(a, b);
    return true;
  }

  // Compares the pairs that are not yet, and what hangs on them.
  bool Walk() {
    for (; walked_ < pairs_.size(); ++walked_) {
      const auto [a, b] = pairs_[walked_];
      if (!LookAlike(a, b)) return false;
      for (int i = 0; i < a->operand_count(); ++i) {
        if (!Pair(a->operand(i), b->operand(i))) return false;
      }
      for (size_t i = 0; i < CalleesOf(*a).size(); ++i) callees_.emplace_back(CalleesOf(*a)[i], CalleesOf(*b)[i]);
    }
    return true;
  }

  bool LookAlike(const HloInstruction* a, const HloInstruction* b) {
    if (a->opcode() != b->opcode()) return Differ(a, b, "opcodes differ");
    if (!SameShape(a->shape(), b->shape(), layouts_)) return DifferInShape(*a, *b);
    if (a->operand_count() != b->operand_count()) return Differ(a, b, "numbers of operands differ");
    if (CalleesOf(*a).size() != CalleesOf(*b).size()) {
      return Differ(a, b, "numbers of called computations differ");
    }
    if (a->opcode() == HloOpcode::kBitcast && !layouts_ &&
        (!SameShape(a->shape(), b->shape(), true) ||
         !SameShape(a->operand(0)->shape(), b->operand(0)->shape(), true))) {
      return Differ(a, b, "layouts around a bitcast differ");
    }
    return SameAttributes(a, b);
  }

  bool DifferInShape(const HloInstruction& a, const HloInstruction& b) {
    const auto with_layout = Shape::LayoutPrinting::kWith;
    return Differ(
        &a, &b,
        absl::StrCat("shapes ", a.shape().ToString(with_layout), " and ", b.shape().ToString(with_layout), " differ"));
  }

  bool SameAttributes(const HloInstruction* a, const HloInstruction* b) {
    const Attributes* const attributes_a = a->raw_attributes();
    const Attributes* const attributes_b = b->raw_attributes();
    if ((attributes_a == nullptr) != (attributes_b == nullptr)) return Differ(a, b, "one has attributes");
    if (attributes_a != nullptr) {
      if (&attributes_a->schema() != &attributes_b->schema()) return Differ(a, b, "kinds of attributes differ");
      for (const AttributeField& field : attributes_a->schema().fields) {
        if (a->opcode() == HloOpcode::kCompare && absl::string_view(field.name) == "type") continue;
        if (!SameField(field, *attributes_a, *attributes_b)) return Differ(a, b, absl::StrCat(field.name, " differs"));
      }
    }
    if (a->opcode() == HloOpcode::kCompare && OrderOf(*a) != OrderOf(*b)) return Differ(a, b, "type differs");
    if (!a->has_annotations() && !b->has_annotations()) return true;
    const char* const annotation = AnnotationDifference(a->annotations(), b->annotations());
    return annotation == nullptr || Differ(a, b, absl::StrCat(annotation, " differs"));
  }

  static InstructionList Unpaired(const HloComputation& computation, const SideEffects& effects,
                                  const absl::flat_hash_map<const HloInstruction*, const HloInstruction*>& paired) {
    InstructionList found;
    for (const auto& instruction : computation.instructions()) {
      if (effects.Has(*instruction) && !paired.contains(instruction.get())) found.push_back(instruction.get());
    }
    return found;
  }

  // What has side effects and is not an operand of anything paired so far.
  bool PairSideEffects() {
    InstructionList rest_a = Unpaired(a_, effects_a_, partner_of_a_);
    InstructionList rest_b = Unpaired(b_, effects_b_, partner_of_b_);
    // The last ones lead to those before them, which then need no choice.
    std::reverse(rest_a.begin(), rest_a.end());
    std::reverse(rest_b.begin(), rest_b.end());
    return PairByHash(rest_a, rest_b, "a side effect");
  }

  // Each instruction of one list with the one of the other that has the same hash, in order; what is below follows at
  // once, and may pair what stands later in the lists.
  bool PairByHash(const InstructionList& list_a, const InstructionList& list_b, absl::string_view what) {
    if (list_a.empty() && list_b.empty()) return true;
    std::map<uint64_t, std::deque<const HloInstruction*>> waiting;
    for (const HloInstruction* b : list_b) waiting[HashOf(b)].push_back(b);
    for (const HloInstruction* a : list_a) {
      if (partner_of_a_.contains(a)) continue;
      std::deque<const HloInstruction*>& candidates = waiting[HashOf(a)];
      while (!candidates.empty() && partner_of_b_.contains(candidates.front())) candidates.pop_front();
      if (candidates.empty()) return Differ(absl::StrCat("only the first has ", what, ": ", a->ToShortString()));
      if (!Pair(a, candidates.front()) || !Walk()) return false;
    }
    for (const HloInstruction* b : list_b) {
      if (partner_of_b_.contains(b)) continue;
      return Differ(absl::StrCat("only the second has ", what, ": ", b->ToShortString()));
    }
    return true;
  }

  uint64_t HashOf(const HloInstruction* instruction) {
    if (hashes_.empty()) {
      for (const HloComputation* computation : {&a_, &b_}) {
        for (const auto& each : computation->instructions()) {
          hashes_[each.get()] = HashOfInstruction(*each, hashes_);
        }
      }
    }
    return hashes_.at(instruction);
  }

  // pairs_ grows meanwhile: predecessors have predecessors.
  bool PairControlPredecessors() {
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const auto [a, b] = pairs_[i];
      if (a->control_predecessors().empty() && b->control_predecessors().empty()) continue;
      if (!PairControlPredecessorsOf(a, b)) return false;
    }
    return true;
  }

  bool PairControlPredecessorsOf(const HloInstruction* a, const HloInstruction* b) {
    const absl::flat_hash_set<const HloInstruction*> all_a(a->control_predecessors().begin(),
                                                           a->control_predecessors().end());
    const absl::flat_hash_set<const HloInstruction*> all_b(b->control_predecessors().begin(),
                                                           b->control_predecessors().end());
    InstructionList rest_a, rest_b;
    absl::flat_hash_set<const HloInstruction*> seen;
    for (const HloInstruction* predecessor : a->control_predecessors()) {
      if (!seen.insert(predecessor).second) continue;
      const auto partner = partner_of_a_.find(predecessor);
      if (partner == partner_of_a_.end()) {
        rest_a.push_back(predecessor);
      } else if (!all_b.contains(partner->second)) {
        return Differ(a, b, absl::StrCat("only the first waits for ", predecessor->name()));
      }
    }
    for (const HloInstruction* predecessor : b->control_predecessors()) {
      if (!seen.insert(predecessor).second) continue;
      const auto partner = partner_of_b_.find(predecessor);
      if (partner == partner_of_b_.end()) {
        rest_b.push_back(predecessor);
      } else if (!all_a.contains(partner->second)) {
        return Differ(a, b, absl::StrCat("only the second waits for ", predecessor->name()));
      }
    }
    return PairByHash(rest_a, rest_b, absl::StrCat("a control edge to ", a->name()));
  }

  const HloComputation& a_;
  const HloComputation& b_;
  const SideEffects& effects_a_;
  const SideEffects& effects_b_;
  const bool layouts_;
  absl::flat_hash_map<const HloInstruction*, const HloInstruction*> partner_of_a_, partner_of_b_;
  std::vector<InstructionPair> pairs_;  // in the order in which they met
  size_t walked_ = 0;                   // so many of them have been compared
  absl::flat_hash_map<const HloInstruction*, uint64_t> hashes_;
  std::vector<ComputationPair> callees_;
  std::string difference_;
};

// Compares modules by pairs of computations, from the entries on; pairs that are already being compared count as
// equal, so that nothing is compared twice. "" if there is no difference.
std::string FirstDifference(const HloModule& a, const HloModule& b, const CompareOptions& options) {
  std::string header = HeaderDifference(a.config(), b.config(), options.layouts);
  if (!header.empty()) return "in the header: " + header;
  const SideEffects effects_a(a), effects_b(b);
  EqualComputations equal;
  equal.Assume(a.entry(), b.entry());
  std::deque<ComputationPair> waiting = {{a.entry(), b.entry()}};
  for (; !waiting.empty(); waiting.pop_front()) {
    ComputationComparison comparison(waiting.front(), effects_a, effects_b, options.layouts);
    if (!comparison.Equal()) return comparison.difference();
    for (const ComputationPair& callees : comparison.callees()) {
      if (equal.Assume(callees.first, callees.second)) waiting.push_back(callees);
    }
  }
  return "";
}

}  // namespace

bool ModulesStructurallyEqual(const HloModule& a, const HloModule& b, std::string* first_difference,
                              const CompareOptions& options) {
  std::string difference = FirstDifference(a, b, options);
  const bool equal = difference.empty();
  if (first_difference != nullptr) *first_difference = std::move(difference);
  return equal;
}

}  // namespace xla
