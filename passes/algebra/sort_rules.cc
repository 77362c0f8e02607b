// Rules for sort, and for making topk of it.
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "passes/algebra/movement.h"
#include "passes/algebra/reduction_rules.h"
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

// Whether somebody may read result k.
bool ReadsResult(const HloInstruction& sort, int64_t k) {
  for (const HloInstruction* user : sort.users()) {
    if (user->opcode() != HloOpcode::kGetTupleElement || user->attributes<GetTupleElementAttributes>().index == k) {
      return true;
    }
  }
  return sort.parent()->root() == &sort;
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

// The result stays a tuple of as many elements; in place of those that nobody reads stand the arrays that were to be
// sorted.
HloInstruction* DropUnusedOperands(HloInstruction* root, const RuleContext& context) {
  const int n = root->operand_count();
  HloComputation* const comparator = root->called_computation(0);
  if (n == 1) return nullptr;
  std::vector<bool> keeps(n, true);
  std::vector<HloInstruction*> kept;
  for (int k = 0; k < n; ++k) {
    const bool is_compared = !ParameterOf(*comparator, 2 * k)->users().empty() ||
                             !ParameterOf(*comparator, 2 * k + 1)->users().empty() ||
                             comparator->root() == ParameterOf(*comparator, 2 * k) ||
                             comparator->root() == ParameterOf(*comparator, 2 * k + 1);
    keeps[k] = is_compared || ReadsResult(*root, k);
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

// ---- topk

// How a comparator of a[0] with b[0] orders integers, or floats by total order, as topk does. Floats compared otherwise
// have NaN and zeros in other places.
enum class Order { kOther, kAscending, kDescending };

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
      {"drop-unused-operands", "sort(x, y) of whose y nobody makes use => sort(x)", sort, &DropUnusedOperands},
  };
  return *rules;
}

}  // namespace xla
