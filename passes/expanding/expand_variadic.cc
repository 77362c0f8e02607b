#include "passes/expanding/expand_variadic.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "passes/base/counted_loop.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ops/comparator_keys.h"

namespace xla {
namespace {

// What `value` depends on, itself included.
absl::flat_hash_set<const HloInstruction*> Dependencies(const HloInstruction* value) {
  absl::flat_hash_set<const HloInstruction*> seen;
  std::vector<const HloInstruction*> open = {value};
  while (!open.empty()) {
    const HloInstruction* const next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    open.insert(open.end(), next->operands().begin(), next->operands().end());
  }
  return seen;
}

// Whether the instructions that a result is made of include no parameters but those of one array: then that array can
// be reduced by itself.
bool DependsOnlyOn(const HloComputation& reducer, const absl::flat_hash_set<const HloInstruction*>& values,
                   int64_t array, int64_t count) {
  for (const auto& instruction : reducer.instructions()) {
    if (!values.contains(instruction.get()) || instruction->HasControlEdges()) {
      if (instruction->HasControlEdges()) return false;
      continue;
    }
    if (instruction->opcode() != HloOpcode::kParameter) continue;
    const int64_t number = instruction->attributes<ParameterAttributes>().number;
    if (number != array && number != count + array) return false;
  }
  return true;
}

// The reducer of one array: (accumulator, element) -> result `array` of `reducer`.
HloComputation* ReducerOf(const HloComputation& reducer, int64_t array, InstructionBuilder& build) {
  const HloInstruction* const result = reducer.root()->operand(static_cast<int>(array));
  const auto needed = Dependencies(result);
  HloComputation* const single = NewComputation(build.module(), absl::StrCat(reducer.name(), "_", array));
  InstructionBuilder inside(single, build.origin());
  const Shape scalar = Shape::Scalar(result->shape().element_type());
  HloInstruction* const parameters[] = {inside.Parameter(0, scalar), inside.Parameter(1, scalar)};
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> copies;
  for (const auto& instruction : reducer.instructions()) {
    if (!needed.contains(instruction.get())) continue;
    HloInstruction* copy;
    if (instruction->opcode() == HloOpcode::kParameter) {
      copy = parameters[instruction->attributes<ParameterAttributes>().number == array ? 0 : 1];
    } else {
      std::vector<HloInstruction*> operands;
      for (const HloInstruction* operand : instruction->operands()) operands.push_back(copies.at(operand));
      copy = AddClone(*instruction, operands, single);
    }
    copies[instruction.get()] = copy;
  }
  single->set_root(copies.at(result));
  build.UpdateStatus(inside.status());
  return single;
}

// Reduces each array by itself if no result of the reducer depends on another one.
HloInstruction* Separate(HloInstruction* root, const RuleContext& context) {
  const int count = root->operand_count() / 2;
  const HloComputation& reducer = *root->called_computation(0);
  if (count < 2 || reducer.root()->opcode() != HloOpcode::kTuple) return nullptr;
  for (int k = 0; k < count; ++k) {
    const HloInstruction* const result = reducer.root()->operand(k);
    const PrimitiveType type = result->shape().element_type();
    if (IsNarrowFloatType(type) || root->operand(k)->shape().element_type() != type ||
        !DependsOnlyOn(reducer, Dependencies(result), k, count)) {
      return nullptr;
    }
  }
  InstructionBuilder& build = context.build;
  std::vector<HloInstruction*> results;
  for (int k = 0; k < count; ++k) {
    results.push_back(build.Make(root->opcode(), {root->operand(k), root->operand(count + k)},
                                 root->raw_attributes()->Clone(), {ReducerOf(reducer, k, build)}));
  }
  return build.Tuple(results);
}

// ---- sort: what is sorted is a key beside positions; everything else is taken from there.

// The one operand whose elements the comparator looks at, the first if it looks at none; -1 if it looks at several.
int OnlyOperandRead(const HloInstruction& sort) {
  const HloComputation& comparator = *sort.called_computation(0);
  int only = -1;
  for (const HloInstruction* value : Dependencies(comparator.root())) {
    if (value->HasControlEdges()) return -1;
    if (value->opcode() != HloOpcode::kParameter) continue;
    const int operand = static_cast<int>(value->attributes<ParameterAttributes>().number / 2);
    if (only >= 0 && only != operand) return -1;
    only = operand;
  }
  return only < 0 ? 0 : only;
}

bool IsIotaAlong(const HloInstruction& x, int64_t dimension, PrimitiveType type) {
  return x.opcode() == HloOpcode::kIota && x.shape().element_type() == type &&
         x.attributes<IotaAttributes>().iota_dimension == dimension;
}

// Result [.., i, ..] is x[.., positions[.., i, ..], ..] along `dimension`; the other coordinates stay.
HloInstruction* TakeAlong(HloInstruction* x, HloInstruction* positions, int64_t dimension, InstructionBuilder& build) {
  GatherAttributes attributes;
  for (int d = 0; d < x->shape().rank(); ++d) {
    attributes.slice_sizes.push_back(1);
    if (d != dimension) attributes.operand_batching_dims.push_back(d);
  }
  attributes.start_indices_batching_dims = attributes.operand_batching_dims;
  attributes.collapsed_slice_dims = {dimension};
  attributes.start_index_map = {dimension};
  attributes.index_vector_dim = x->shape().rank();
  return build.Gather(x, positions, attributes);
}

// What the result of a comparator does not read. Whether the rules still come to a new computation depends on where
// its caller is.
void RemoveUnread(HloComputation& comparator) {
  const auto read = Dependencies(comparator.root());
  std::vector<HloInstruction*> unread;
  for (const auto& instruction : comparator.instructions()) {
    if (!read.contains(instruction.get()) && IsRemovable(*instruction)) unread.push_back(instruction.get());
  }
  // Users come after their operands.
  for (auto it = unread.rbegin(); it != unread.rend(); ++it) {
    if ((*it)->users().empty()) comparator.RemoveInstruction(*it);
  }
}

// A comparator of (key, position) pairs; `write` adds what compares the two keys, which are its parameters.
template <typename Write>
HloComputation* ComparatorOfKeys(PrimitiveType type, PrimitiveType position_type, InstructionBuilder& build,
                                 const Write& write) {
  HloComputation* const comparator = NewComputation(build.module(), "by_key");
  InstructionBuilder inside(comparator, build.origin());
  HloInstruction* const a = inside.Parameter(0, Shape::Scalar(type));
  HloInstruction* const b = inside.Parameter(1, Shape::Scalar(type));
  inside.Parameter(2, Shape::Scalar(position_type));
  inside.Parameter(3, Shape::Scalar(position_type));
  comparator->set_root(write(inside, a, b));
  if (inside.status().ok()) RemoveUnread(*comparator);
  build.UpdateStatus(inside.status());
  return comparator;
}

// sort(x, iota), of which the second result says where the elements came from.
HloInstruction* SortWithPositions(HloInstruction* x, const SortAttributes& attributes, bool is_stable,
                                  PrimitiveType position_type, HloComputation* comparator, InstructionBuilder& build) {
  HloInstruction* const positions =
      build.Iota(Shape::Array(position_type, x->shape().dimensions()), attributes.dimension);
  return build.Sort({x, positions}, attributes.dimension, is_stable, comparator);
}

// The comparator looks at operand `key` alone.
HloInstruction* SortByOperand(const HloInstruction& sort, int key, PrimitiveType position_type,
                              InstructionBuilder& build) {
  const SortAttributes& attributes = sort.attributes<SortAttributes>();
  const HloComputation& old = *sort.called_computation(0);
  HloInstruction* const x = sort.operand(key);
  HloComputation* const comparator =
      ComparatorOfKeys(x->shape().element_type(), position_type, build,
                       [&](InstructionBuilder& inside, HloInstruction* a, HloInstruction* b) {
                         std::vector<HloInstruction*> arguments;
                         for (const HloInstruction* parameter : old.parameters()) {
                           const int64_t number = parameter->attributes<ParameterAttributes>().number;
                           const PrimitiveType type = parameter->shape().element_type();
                           arguments.push_back(number / 2 != key ? inside.Zero(type) : number % 2 == 0 ? a : b);
                         }
                         return InlineBody(old, arguments, inside.computation());
                       });
  HloInstruction* const sorted =
      SortWithPositions(x, attributes, attributes.is_stable, position_type, comparator, build);
  HloInstruction* const order = build.GetTupleElement(sorted, 1);
  std::vector<HloInstruction*> results;
  for (int k = 0; k < sort.operand_count(); ++k) {
    HloInstruction* const payload = sort.operand(k);
    if (k == key) {
      results.push_back(build.GetTupleElement(sorted, 0));
    } else if (IsIotaAlong(*payload, attributes.dimension, position_type)) {
      results.push_back(order);
    } else {
      results.push_back(TakeAlong(payload, order, attributes.dimension, build));
    }
  }
  return build.Tuple(results);
}

// The comparator compares several keys: a stable sort by each of them, the least important one first.
HloInstruction* SortByKeys(const HloInstruction& sort, const std::vector<SortKey>& keys, PrimitiveType position_type,
                           InstructionBuilder& build) {
  const SortAttributes& attributes = sort.attributes<SortAttributes>();
  HloInstruction* order = nullptr;
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    HloInstruction* x = sort.operand(key->operand);
    if (order != nullptr) x = TakeAlong(x, order, attributes.dimension, build);
    const ComparisonDirection direction = key->descending ? ComparisonDirection::kGt : ComparisonDirection::kLt;
    const ComparisonType type =
        key->order == KeyOrder::kTotalOrder ? ComparisonType::kTotalOrder : DefaultComparisonType(key->type);
    HloComputation* const comparator =
        ComparatorOfKeys(x->shape().element_type(), position_type, build,
                         [&](InstructionBuilder& inside, HloInstruction* a, HloInstruction* b) {
                           if (key->expression != nullptr) {
                             a = InlineBody(*key->expression, {a}, inside.computation());
                             b = InlineBody(*key->expression, {b}, inside.computation());
                           }
                           return inside.CompareAs(direction, type, a, b);
                         });
    HloInstruction* const sorted =
        SortWithPositions(x, attributes, /*is_stable=*/true, position_type, comparator, build);
    HloInstruction* const moved = build.GetTupleElement(sorted, 1);
    order = order == nullptr ? moved : TakeAlong(order, moved, attributes.dimension, build);
  }
  std::vector<HloInstruction*> results;
  for (HloInstruction* payload : sort.operands()) {
    results.push_back(TakeAlong(payload, order, attributes.dimension, build));
  }
  return build.Tuple(results);
}

// Sorts positions along with the key and takes all operands by them, so that only two arrays are sorted. Several keys
// are sorted by one after the other, the last first, which needs stable sorts.
HloInstruction* SortPositions(HloInstruction* sort, const RuleContext& context) {
  const int count = sort->operand_count();
  if (count < 2) return nullptr;
  if (sort->operand(0)->shape().ElementCount() == 0) return context.build.Tuple(sort->operands());
  const int64_t d = sort->attributes<SortAttributes>().dimension;
  const PrimitiveType position_type = CounterTypeFor(sort->operand(0)->shape().dimension(static_cast<int>(d)));
  const int key = OnlyOperandRead(*sort);
  if (key >= 0) {
    if (count == 2 && key == 0 && IsIotaAlong(*sort->operand(1), d, position_type)) return nullptr;
    return SortByOperand(*sort, key, position_type, context.build);
  }
  const std::vector<SortKey> keys = KeysOfComparator(*sort->called_computation(0));
  if (!keys.empty()) return SortByKeys(*sort, keys, position_type, context.build);
  if (context.pass.WantsExplanation("match")) {
    context.pass.Explain(*sort, "stays: its comparator looks at several operands, and not as keys one after the other");
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<bool> ExpandVariadic(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"reduce-each-array",
                                    "reduce((x, y), (a, b)), to_apply=(f, g) => (reduce(x, a), reduce(y, b))",
                                    {HloOpcode::kReduce, HloOpcode::kReduceWindow},
                                    &Separate};
  static const RewriteRule kSort = {"sort-positions",
                                    "sort(x, y), by=x => p = sort(x, iota); (p.0, gather(y, p.1))  (several keys: a "
                                    "stable sort by each, the last first)",
                                    {HloOpcode::kSort},
                                    &SortPositions};
  return ApplyRules({&kRule, &kSort}, module, context);
}

}  // namespace xla
