// Rules for sort, and for making topk of it.
//
// Frontends sort more than they need: operands that nothing reads, keys that canonicalise NaN and -0 where neither
// can occur, whole lines of which only the first k elements are read. A comparator may be shared, so rules change a
// copy.
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "passes/algebra/movement.h"
#include "passes/algebra/reduction_rules.h"
#include "passes/algebra/splat_number.h"
#include "passes/algebra/value_facts.h"
#include "xla_core/ir/clone_module.h"

namespace xla {
namespace {

int64_t SortedDimension(const HloInstruction& sort) { return sort.attributes<SortAttributes>().dimension; }

// Lines of at most one element are in order.
HloInstruction* SortOfOne(HloInstruction* root, const RuleContext& context) {
  if (root->operand(0)->shape().dimension(static_cast<int>(SortedDimension(*root))) > 1) return nullptr;
  return root->operand_count() == 1 ? root->operand(0) : context.build.Tuple(root->operands());
}

// A line of equal elements is the same in any order.
HloInstruction* SortOfBroadcast(HloInstruction* root, const RuleContext& context) {
  for (const HloInstruction* operand : root->operands()) {
    if (operand->opcode() != HloOpcode::kBroadcast) return nullptr;
    if (HasDimension(DimensionsOf(*operand), SortedDimension(*root))) return nullptr;
  }
  return root->operand_count() == 1 ? root->operand(0) : context.build.Tuple(root->operands());
}

HloInstruction* ParameterOf(const HloComputation& computation, int64_t number) {
  return computation.parameters()[number];
}

// Of each result, whether a user may read it.
std::vector<bool> ResultsRead(const HloInstruction& sort) {
  std::vector<bool> read(sort.operand_count(), sort.parent()->root() == &sort);
  for (const HloInstruction* user : sort.users()) {
    if (user->opcode() == HloOpcode::kGetTupleElement) {
      read[user->attributes<GetTupleElementAttributes>().index] = true;
    } else {
      read.assign(read.size(), true);
    }
  }
  return read;
}

// The comparator without the parameters of the operands that go.
HloComputation* WithoutOperands(HloComputation* comparator, const std::vector<bool>& keeps, HloModule* module) {
  HloComputation* const copy = AddCloneOfComputation(*comparator, module);
  const std::vector<HloInstruction*> parameters = copy->parameters();
  int64_t next = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (keeps[i / 2]) {
      parameters[i]->mutable_attributes<ParameterAttributes>().number = next++;
    } else {
      copy->RemoveInstruction(parameters[i]);
    }
  }
  // Other rules look at it in this run already.
  copy->Tidy();
  return copy;
}

// The result stays a tuple of as many elements; in place of those that nothing reads stand the arrays that were to be
// sorted.
HloInstruction* DropUnusedOperands(HloInstruction* root, const RuleContext& context) {
  const int n = root->operand_count();
  HloComputation* const comparator = root->called_computation(0);
  if (n == 1) return nullptr;
  const std::vector<HloInstruction*> parameters = comparator->parameters();
  const auto is_used = [&](int number) {
    return !parameters[number]->users().empty() || parameters[number] == comparator->root();
  };
  std::vector<bool> keeps = ResultsRead(*root);
  std::vector<HloInstruction*> kept;
  for (int k = 0; k < n; ++k) {
    keeps[k] = keeps[k] || is_used(2 * k) || is_used(2 * k + 1);
    if (keeps[k]) kept.push_back(root->operand(k));
  }
  if (kept.empty() || static_cast<int>(kept.size()) == n) return nullptr;
  HloInstruction* const sorted =
      context.build.Sort(kept, SortedDimension(*root), root->attributes<SortAttributes>().is_stable,
                         WithoutOperands(comparator, keeps, context.build.module()));
  std::vector<HloInstruction*> results;
  int64_t next = 0;
  for (int k = 0; k < n; ++k) {
    if (!keeps[k]) {
      results.push_back(root->operand(k));
    } else {
      results.push_back(kept.size() == 1 ? sorted : context.build.GetTupleElement(sorted, next++));
    }
  }
  return context.build.Tuple(results);
}

// ---- Keys of numpy's order

// What a comparator computes from an element before it compares it.
struct ComparedKey {
  const HloInstruction* element = nullptr;  // a parameter
  bool has_one_nan = false;                 // every NaN became the same one
  bool has_one_zero = false;                // -0 became +0
};

// Which elements a selection looks for: those that differ from themselves, or those that equal zero.
enum class LooksFor { kOther, kNan, kZero };

LooksFor LooksForOf(const HloInstruction& predicate, const HloInstruction& element) {
  if (predicate.opcode() != HloOpcode::kCompare || predicate.operand(0) != &element) return LooksFor::kOther;
  const CompareAttributes& a = predicate.attributes<CompareAttributes>();
  if (a.type == ComparisonType::kTotalOrder) return LooksFor::kOther;
  const HloInstruction& other = *predicate.operand(1);
  if (a.direction == ComparisonDirection::kNe && &other == &element) return LooksFor::kNan;
  const bool is_zero = IsAnyZero(other);
  return a.direction == ComparisonDirection::kEq && is_zero ? LooksFor::kZero : LooksFor::kOther;
}

// select(x != x, NaN, select(x == 0, 0, x)), either of the two or both, in either order; nullopt for others.
absl::optional<ComparedKey> ComparedKeyOf(const HloInstruction& key) {
  ComparedKey result;
  const HloInstruction* source = &key;
  std::vector<const HloInstruction*> predicates;
  while (source->opcode() == HloOpcode::kSelect) {
    // Only one way leads to the element.
    if (source->operand(1)->opcode() != HloOpcode::kConstant) return absl::nullopt;
    predicates.push_back(source);
    source = source->operand(2);
  }
  if (source->opcode() != HloOpcode::kParameter || !IsFloat(source->shape().element_type())) return absl::nullopt;
  result.element = source;
  for (const HloInstruction* selection : predicates) {
    const absl::optional<double> constant = SplatFloat(*selection->operand(1));
    if (!constant.has_value()) return absl::nullopt;
    switch (LooksForOf(*selection->operand(0), *source)) {
      case LooksFor::kNan:
        if (!std::isnan(*constant) || std::signbit(*constant)) return absl::nullopt;
        result.has_one_nan = true;
        break;
      case LooksFor::kZero:
        if (*constant != 0 || std::signbit(*constant)) return absl::nullopt;
        result.has_one_zero = true;
        break;
      case LooksFor::kOther:
        return absl::nullopt;
    }
  }
  return result;
}

int64_t ParameterNumber(const HloInstruction& parameter) { return parameter.attributes<ParameterAttributes>().number; }

// A comparison of the elements themselves that says the same as one of their keys.
struct SimplerComparison {
  HloInstruction* comparison = nullptr;
  HloInstruction* elements[2] = {nullptr, nullptr};
  ComparisonType type = ComparisonType::kFloat;
};

// Comparing keys is comparing the elements themselves if the comparison is IEEE's, for which NaN are unordered and
// zeros equal anyway. In a total order it is so if no element is NaN; where the key maps -0 to +0 and an element may
// be -0, the comparison of the elements has to be IEEE's.
absl::optional<SimplerComparison> Simpler(HloInstruction* comparison, const HloInstruction& sort) {
  const absl::optional<ComparedKey> left = ComparedKeyOf(*comparison->operand(0));
  const absl::optional<ComparedKey> right = ComparedKeyOf(*comparison->operand(1));
  if (!left.has_value() || !right.has_value() || left->has_one_nan != right->has_one_nan ||
      left->has_one_zero != right->has_one_zero || !(left->has_one_nan || left->has_one_zero) ||
      ParameterNumber(*left->element) / 2 != ParameterNumber(*right->element) / 2) {
    return absl::nullopt;
  }
  HloComputation* const comparator = comparison->parent();
  SimplerComparison simpler;
  simpler.comparison = comparison;
  simpler.elements[0] = ParameterOf(*comparator, ParameterNumber(*left->element));
  simpler.elements[1] = ParameterOf(*comparator, ParameterNumber(*right->element));
  // -0 equals +0 anyway, and NaN is unordered whichever it is.
  if (comparison->attributes<CompareAttributes>().type != ComparisonType::kTotalOrder) return simpler;
  const HloInstruction& sorted = *sort.operand(static_cast<int>(ParameterNumber(*left->element) / 2));
  if (!NeverNan(sorted)) return absl::nullopt;
  if (!left->has_one_zero || NeverNegativeZero(sorted)) simpler.type = ComparisonType::kTotalOrder;
  return simpler;
}

std::vector<SimplerComparison> SimplerComparisons(const HloComputation& comparator, const HloInstruction& sort) {
  std::vector<SimplerComparison> result;
  for (HloInstruction* instruction : comparator.LiveInstructions()) {
    if (instruction->opcode() != HloOpcode::kCompare) continue;
    const absl::optional<SimplerComparison> simpler = Simpler(instruction, sort);
    if (simpler.has_value()) result.push_back(*simpler);
  }
  return result;
}

void RemoveUnused(HloComputation* computation) {
  const std::vector<HloInstruction*> instructions = computation->LiveInstructions();
  for (size_t i = instructions.size(); i-- > 0;) {
    HloInstruction* const instruction = instructions[i];
    if (instruction->users().empty() && instruction != computation->root() &&
        instruction->opcode() != HloOpcode::kParameter) {
      computation->RemoveInstruction(instruction);
    }
  }
}

// The comparators of jnp.sort order by total order what they compute from the elements: one NaN, after all numbers,
// and one zero. Where no element is NaN, the elements themselves have that order.
HloInstruction* SortByElements(HloInstruction* root, const RuleContext& context) {
  const HloComputation& comparator = *root->called_computation(0);
  if (SimplerComparisons(comparator, *root).empty()) return nullptr;
  HloComputation* const copy = AddCloneOfComputation(comparator, context.build.module());
  for (const SimplerComparison& simpler : SimplerComparisons(*copy, *root)) {
    InstructionBuilder build(copy, simpler.comparison);
    simpler.comparison->ReplaceAllUsesWith(
        build.CompareAs(simpler.comparison->attributes<CompareAttributes>().direction, simpler.type,
                        simpler.elements[0], simpler.elements[1]));
    context.build.UpdateStatus(build.status());
  }
  RemoveUnused(copy);
  // Other rules look at it in this run already.
  copy->Tidy();
  return context.build.Sort(root->operands(), SortedDimension(*root), root->attributes<SortAttributes>().is_stable,
                            copy);
}

// ---- topk

// How a comparator of a[0] with b[0] orders integers, or floats by total order, as topk does. Floats compared otherwise
// have NaN and zeros in other places.
enum class Order { kOther, kAscending, kDescending };

// How a comparator of two scalars orders them. Floats must be in total order, for otherwise NaN makes it no order at
// all.
Order OrderOf(const HloComputation& comparator) {
  const HloInstruction& root = *comparator.root();
  if (root.opcode() != HloOpcode::kCompare) return Order::kOther;
  const CompareAttributes& a = root.attributes<CompareAttributes>();
  const PrimitiveType type = root.operand(0)->shape().element_type();
  if (IsComplex(type) || (IsFloat(type) && a.type != ComparisonType::kTotalOrder)) return Order::kOther;
  bool less = a.direction == ComparisonDirection::kLt;
  if (!less && a.direction != ComparisonDirection::kGt) return Order::kOther;
  const HloInstruction* const first = ParameterOf(comparator, 0);
  const HloInstruction* const second = ParameterOf(comparator, 1);
  if (root.operand(0) == second && root.operand(1) == first) {
    less = !less;
  } else if (root.operand(0) != first || root.operand(1) != second) {
    return Order::kOther;
  }
  return less ? Order::kAscending : Order::kDescending;
}

// How many of the first elements along the last dimension a slice takes of all lines; -1 if it takes others.
int64_t FirstOfLines(const HloInstruction& slice) {
  if (slice.opcode() != HloOpcode::kSlice) return -1;
  const auto& ranges = slice.attributes<SliceAttributes>().ranges;
  for (size_t d = 0; d < ranges.size(); ++d) {
    const bool is_last = d + 1 == ranges.size();
    const int64_t size = slice.operand(0)->shape().dimension(static_cast<int>(d));
    if (ranges[d].start != 0 || ranges[d].stride != 1 || (!is_last && ranges[d].limit != size)) return -1;
  }
  return ranges.back().limit;
}

// Whether all that is read of the sort, or of the elements of its tuple, are the first k of lines.
bool IsReadUpTo(const HloInstruction& sort, int64_t k) {
  if (sort.parent()->root() == &sort) return false;
  for (const HloInstruction* user : sort.users()) {
    if (sort.shape().IsTuple()) {
      if (user->opcode() != HloOpcode::kGetTupleElement || !IsReadUpTo(*user, k)) return false;
    } else if (FirstOfLines(*user) != k) {
      return false;
    }
  }
  return true;
}

// The sort is of an array, or of an array and the positions of its elements.
HloInstruction* SortToTopK(HloInstruction* root, const RuleContext& context) {
  const bool is_element = root->operand(0)->opcode() == HloOpcode::kGetTupleElement;
  HloInstruction* const sort = is_element ? root->operand(0)->operand(0) : root->operand(0);
  if (sort->opcode() != HloOpcode::kSort || sort->operand_count() > 2 || sort->HasControlEdges()) return nullptr;
  HloInstruction* const x = sort->operand(0);
  const int last = x->shape().rank() - 1;
  const int64_t k = FirstOfLines(*root);
  const Order order = OrderOf(*sort->called_computation(0));
  if (k < 0 || SortedDimension(*sort) != last || order == Order::kOther || !IsReadUpTo(*sort, k) ||
      x->shape().dimension(last) > std::numeric_limits<int32_t>::max()) {
    return nullptr;
  }
  if (sort->operand_count() == 2) {
    const HloInstruction& positions = *sort->operand(1);
    if (positions.opcode() != HloOpcode::kIota || positions.shape().element_type() != S32 ||
        positions.attributes<IotaAttributes>().iota_dimension != last) {
      return nullptr;
    }
  }
  auto attributes = std::make_unique<TopKAttributes>();
  attributes->k = k;
  attributes->largest = order == Order::kDescending;
  HloInstruction* const best = context.build.Make(HloOpcode::kTopK, {x}, std::move(attributes));
  const int64_t element = is_element ? root->operand(0)->attributes<GetTupleElementAttributes>().index : 0;
  return context.build.GetTupleElement(best, element);
}

}  // namespace

const RuleList& TopKRules() {
  static const auto* const rules = new RuleList{
      {"sort-to-topk",
       "slice(sort(x, iota))[0:k] => topk(x), k=k  (of integers, or floats by total order)",
       {HloOpcode::kSlice},
       &SortToTopK},
  };
  return *rules;
}

const RuleList& SortRules() {
  static const std::vector<HloOpcode> sort = {HloOpcode::kSort};
  static const auto* const rules = new RuleList{
      {"sort-of-one", "sort(x) along a dimension of size 1 => x", sort, &SortOfOne},
      {"sort-of-broadcast", "sort(broadcast(x)) along a new dimension => broadcast(x)", sort, &SortOfBroadcast},
      {"sort-by-elements",
       "sort(x) by keys select(x != x, NaN, select(x == 0, 0, x)) => sort(x) by elements  (x is never NaN)", sort,
       &SortByElements},
      {"drop-unused-operands", "sort(x, y) of whose y nothing is used => sort(x)", sort, &DropUnusedOperands},
  };
  return *rules;
}

}  // namespace xla
