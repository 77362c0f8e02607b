// Rules for reduce.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "passes/algebra/movement.h"
#include "passes/algebra/reducer.h"
#include "passes/algebra/reduction_rules.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

// The most parts into which one reduction is taken apart.
constexpr int kMostParts = 4;

// One that gives a tuple of one array is like those of several.
bool IsOfOneArray(const HloInstruction& reduce) { return reduce.operand_count() == 2 && !reduce.shape().IsTuple(); }

HloComputation* FunctionOf(const HloInstruction& reduce) { return reduce.called_computation(0); }

// A reduction of one array by a known function.
absl::optional<Reducer> KnownReducer(const HloInstruction& reduce) {
  if (reduce.opcode() != HloOpcode::kReduce || !IsOfOneArray(reduce)) return absl::nullopt;
  return ReducerOf(*FunctionOf(reduce));
}

int64_t ReducedCount(const HloInstruction& reduce) {
  return Product(Permuted(reduce.operand(0)->shape().dimensions(), DimensionsOf(reduce)));
}

HloInstruction* ReduceOfNothing(HloInstruction* root, const RuleContext& context) {
  if (root->operand(0)->shape().ElementCount() != 0) return nullptr;
  const int n = root->operand_count() / 2;
  std::vector<HloInstruction*> results;
  for (int i = 0; i < n; ++i) {
    const Shape& shape = n == 1 ? root->shape() : root->shape().tuple_shape(i);
    results.push_back(context.build.BroadcastScalar(root->operand(n + i), shape));
  }
  return n == 1 ? results[0] : context.build.Tuple(results);
}

// One element for each result: f(init, x). Of all the known functions, what the evaluator does to one element and the
// initial value is what the operation itself does.
HloInstruction* ReduceOfOne(HloInstruction* root, const RuleContext& context) {
  const absl::optional<Reducer> reducer = KnownReducer(*root);
  if (!reducer.has_value() || ReducedCount(*root) != 1) return nullptr;
  HloInstruction* const x = context.build.Reshape(root->operand(0), root->shape().dimensions());
  HloInstruction* const init = root->operand(1);
  if (reducer->IsIdentity(*init)) return x;
  return context.build.Binary(reducer->op, x, context.build.BroadcastScalar(init, root->shape()));
}

// The order of the elements does not change, so that this holds for any function.
HloInstruction* ReduceOfReshape(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const reshape = root->operand(0);
  if (!IsOfOneArray(*root) || reshape->opcode() != HloOpcode::kReshape || reshape->shape().ElementCount() == 0) {
    return nullptr;
  }
  HloInstruction* const x = reshape->operand(0);
  const auto from = x->shape().dimensions();
  const auto to = reshape->shape().dimensions();
  DimensionVector reduced;
  for (const DimensionGroup& group : CommonGroups(from, to)) {
    bool some_reduced = false, some_kept = false;
    for (int d = group.to_begin; d < group.to_end; ++d) {
      if (to[d] == 1 && !group.IsOneToOne()) continue;
      (HasDimension(DimensionsOf(*root), d) ? some_reduced : some_kept) = true;
    }
    if (some_reduced && some_kept) return nullptr;
    // A dimension of size 1 that the reshape took away is reduced away instead.
    for (int d = group.from_begin; !some_kept && d < group.from_end; ++d) reduced.push_back(d);
  }
  HloInstruction* const result = context.build.Reduce(x, root->operand(1), reduced, FunctionOf(*root));
  return context.build.Reshape(result, root->shape().dimensions());
}

// Reduces the dimensions where they lie before the transpose. A result whose dimensions then come in another order is
// transposed, which moves less. The order in which elements are combined may change only for functions that allow it.
HloInstruction* ReduceOfTranspose(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const transpose = root->operand(0);
  if (!IsOfOneArray(*root) || transpose->opcode() != HloOpcode::kTranspose) return nullptr;
  const DimensionVector& permutation = DimensionsOf(*transpose);
  const int64_t rank = transpose->shape().rank();
  DimensionVector in_order = DimensionsOf(*root);
  std::sort(in_order.begin(), in_order.end());
  DimensionVector reduced = Permuted(permutation, in_order);
  const DimensionVector kept = Permuted(permutation, OtherDimensions(rank, in_order));
  if (!IsAscending(reduced)) {
    const absl::optional<Reducer> reducer = KnownReducer(*root);
    if (!reducer.has_value() || !reducer->MayReorder()) return nullptr;
    std::sort(reduced.begin(), reduced.end());
  }
  if (!IsAscending(kept) && !HasOneUse(*transpose)) return nullptr;
  HloInstruction* const result =
      context.build.Reduce(transpose->operand(0), root->operand(1), reduced, FunctionOf(*root));
  if (IsAscending(kept)) return result;
  // Dimension k of the wanted result is the one of x that has kept[k]'s rank among the kept ones.
  DimensionVector sorted = kept, order;
  std::sort(sorted.begin(), sorted.end());
  for (const int64_t d : kept) {
    order.push_back(std::find(sorted.begin(), sorted.end(), d) - sorted.begin());
  }
  return context.build.Transpose(result, order);
}

// x combined with itself `count` times, at least once; nullptr if that has no short form.
HloInstruction* Repeated(HloInstruction* x, int64_t count, const Reducer& reducer, InstructionBuilder& build) {
  if (reducer.IsIdempotent() || count == 1) return x;
  if (reducer.op == HloOpcode::kXor) return count % 2 == 1 ? x : build.Splat(x->shape(), 0);
  if (reducer.op != HloOpcode::kAdd) return nullptr;
  if (IsInt(reducer.type)) {
    // Modulo 2^width, as the sum is; by way of u64, which has a literal for every count.
    absl::StatusOr<Literal> number = LiteralUtil::Convert(Literal::Scalar<int64_t>(count), reducer.type);
    return number.ok() ? build.Mul(x, build.Splat(x->shape(), *std::move(number))) : nullptr;
  }
  // Of floats where the count is exact, so that only the product rounds.
  const int64_t largest = reducer.type == F32 ? int64_t{1} << 24 : int64_t{1} << 53;
  if ((reducer.type != F32 && reducer.type != F64) || count > largest) return nullptr;
  return build.Mul(x, build.Splat(x->shape(), count));
}

// What is the same for all of the new dimensions that are reduced is combined with itself.
HloInstruction* ReduceOfBroadcast(HloInstruction* root, const RuleContext& context) {
  const absl::optional<Reducer> reducer = KnownReducer(*root);
  HloInstruction* const broadcast = root->operand(0);
  if (!reducer.has_value() || broadcast->opcode() != HloOpcode::kBroadcast || ReducedCount(*root) == 0) return nullptr;
  const DimensionVector& places = DimensionsOf(*broadcast);
  HloInstruction* const x = broadcast->operand(0);
  HloInstruction* const init = root->operand(1);
  int64_t count = 1;
  DimensionVector reduced_in_x, kept_of_x;
  for (const int64_t d : DimensionsOf(*root)) {
    if (!HasDimension(places, d)) count *= broadcast->shape().dimension(static_cast<int>(d));
  }
  for (size_t i = 0; i < places.size(); ++i) {
    if (HasDimension(DimensionsOf(*root), places[i])) {
      reduced_in_x.push_back(static_cast<int64_t>(i));
    } else {
      // Its place among those of the result.
      int64_t place = places[i];
      for (const int64_t d : DimensionsOf(*root)) place -= d < places[i] ? 1 : 0;
      kept_of_x.push_back(place);
    }
  }
  if (count == 1 && reduced_in_x.size() == DimensionsOf(*root).size()) {
    // No new dimension is reduced, so the broadcast may come last.
    HloInstruction* const result = context.build.Reduce(x, init, reduced_in_x, FunctionOf(*root));
    return context.build.Broadcast(result, root->shape().dimensions(), kept_of_x);
  }
  // init joins once, at the end; a sum of floats that is inexact is multiplied only if it began with zero.
  const bool is_float_sum = reducer->op == HloOpcode::kAdd && !IsInt(reducer->type) && reducer->type != PRED;
  if (is_float_sum && !IsSplatOf(*init, 0) && !IsSplatOfNegativeZero(*init)) return nullptr;
  if (!reduced_in_x.empty() && !reducer->MayRegroup()) return nullptr;
  HloInstruction* once = x;
  if (!reduced_in_x.empty()) {
    HloInstruction* const identity = reducer->MakeIdentity(context.build);
    if (identity == nullptr) return nullptr;
    once = context.build.Reduce(x, identity, reduced_in_x, FunctionOf(*root));
  }
  HloInstruction* const all = Repeated(once, count, *reducer, context.build);
  if (all == nullptr) return nullptr;
  HloInstruction* const result =
      reducer->IsIdentity(*init)
          ? all
          : context.build.Binary(reducer->op, all, context.build.BroadcastScalar(init, all->shape()));
  return context.build.Broadcast(result, root->shape().dimensions(), kept_of_x);
}

// The initial value with which one reduction does the work of two; nullptr if there is none.
HloInstruction* MergedInit(const Reducer& reducer, HloInstruction* inner, HloInstruction* outer) {
  if (reducer.IsIdentityBeside(*inner, *outer)) return outer;
  if (reducer.IsIdempotent() && IsSameScalar(*inner, *outer)) return outer;
  // -0 with sums that began with +0.
  return reducer.IsIdentity(*outer) && IsSplatOf(*inner, 0) ? inner : nullptr;
}

// Reduces over the dimensions of both at once, with their initial values merged. Only for functions that may be
// regrouped.
HloInstruction* ReduceOfReduce(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const inner = root->operand(0);
  const absl::optional<Reducer> reducer = KnownReducer(*root);
  const absl::optional<Reducer> inner_reducer = KnownReducer(*inner);
  if (!reducer.has_value() || !inner_reducer.has_value() || reducer->op != inner_reducer->op ||
      !reducer->MayRegroup() || !HasOneUse(*inner) || ReducedCount(*root) == 0) {
    return nullptr;
  }
  HloInstruction* const init = MergedInit(*reducer, inner->operand(1), root->operand(1));
  if (init == nullptr) return nullptr;
  HloInstruction* const x = inner->operand(0);
  const DimensionVector kept = OtherDimensions(x->shape().rank(), DimensionsOf(*inner));
  DimensionVector reduced = DimensionsOf(*inner);
  for (const int64_t d : DimensionsOf(*root)) reduced.push_back(kept[d]);
  std::sort(reduced.begin(), reduced.end());
  return context.build.Reduce(x, init, reduced, FunctionOf(*root));
}

// Along a dimension that is kept the results are concatenated, whatever the function; along one that is reduced they
// are combined.
HloInstruction* ReduceOfConcatenate(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const concatenate = root->operand(0);
  if (!IsOfOneArray(*root) || concatenate->opcode() != HloOpcode::kConcatenate || !HasOneUse(*concatenate) ||
      concatenate->operand_count() > kMostParts) {
    return nullptr;
  }
  const int64_t d = concatenate->attributes<DimensionAttributes>().dimension;
  const DimensionVector& reduced = DimensionsOf(*root);
  std::vector<HloInstruction*> parts;
  if (!HasDimension(reduced, d)) {
    int64_t place = d;
    for (const int64_t other : reduced) place -= other < d ? 1 : 0;
    for (HloInstruction* part : concatenate->operands()) {
      parts.push_back(context.build.Reduce(part, root->operand(1), reduced, FunctionOf(*root)));
    }
    return context.build.Concatenate(parts, place);
  }
  const absl::optional<Reducer> reducer = KnownReducer(*root);
  if (!reducer.has_value() || !reducer->MayRegroup()) return nullptr;
  HloInstruction* const identity = reducer->MakeIdentity(context.build);
  if (identity == nullptr) return nullptr;
  HloInstruction* result = nullptr;
  for (HloInstruction* part : concatenate->operands()) {
    HloInstruction* const init = result == nullptr ? root->operand(1) : identity;
    HloInstruction* const reduced_part = context.build.Reduce(part, init, reduced, FunctionOf(*root));
    result = result == nullptr ? reduced_part : context.build.Binary(reducer->op, result, reduced_part);
  }
  return result;
}

// Leaves out padding with the function's identity, or with the initial value where repeating it changes nothing.
HloInstruction* ReduceOfPad(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const pad = root->operand(0);
  const absl::optional<Reducer> reducer = KnownReducer(*root);
  if (pad->opcode() != HloOpcode::kPad || !reducer.has_value()) return nullptr;
  const PaddingConfig& padding = pad->attributes<PadAttributes>().padding;
  for (size_t d = 0; d < padding.size(); ++d) {
    if (padding[d] == PaddingDimension()) continue;
    const bool is_reduced = HasDimension(DimensionsOf(*root), static_cast<int64_t>(d));
    if (!is_reduced || padding[d].low < 0 || padding[d].high < 0) return nullptr;
  }
  const HloInstruction& value = *pad->operand(1);
  const HloInstruction& init = *root->operand(1);
  if (!reducer->IsIdentityBeside(value, init) && !(reducer->IsIdempotent() && IsSameScalar(value, init))) {
    return nullptr;
  }
  return context.build.Reduce(pad->operand(0), root->operand(1), DimensionsOf(*root), FunctionOf(*root));
}

// The computation of element k of a reducer's result, if it takes nothing but accumulator k and element k; else
// nullptr.
HloComputation* ElementOfReducer(const HloComputation& reducer, int64_t k, int64_t count, HloModule* module) {
  const HloInstruction* const root = reducer.root();
  if (root->opcode() != HloOpcode::kTuple) return nullptr;
  std::vector<const HloInstruction*> pending = {root->operand(static_cast<int>(k))};
  absl::flat_hash_set<const HloInstruction*> needed(pending.begin(), pending.end());
  while (!pending.empty()) {
    const HloInstruction* const instruction = pending.back();
    pending.pop_back();
    if (instruction->opcode() == HloOpcode::kParameter &&
        instruction->attributes<ParameterAttributes>().number % count != k) {
      return nullptr;
    }
    for (const HloInstruction* operand : instruction->operands()) {
      if (needed.insert(operand).second) pending.push_back(operand);
    }
  }
  HloComputation* const copy = AddCloneOfComputation(reducer, module);
  const std::vector<HloInstruction*> parameters = copy->parameters();
  HloInstruction* const tuple = copy->root();
  copy->set_root(tuple->operand(static_cast<int>(k)));
  copy->RemoveInstruction(tuple);
  const std::vector<HloInstruction*> instructions = copy->LiveInstructions();
  for (size_t i = instructions.size(); i-- > 0;) {
    HloInstruction* const instruction = instructions[i];
    if (instruction->users().empty() && instruction != copy->root() && instruction != parameters[k] &&
        instruction != parameters[count + k]) {
      copy->RemoveInstruction(instruction);
    }
  }
  parameters[k]->mutable_attributes<ParameterAttributes>().number = 0;
  parameters[count + k]->mutable_attributes<ParameterAttributes>().number = 1;
  // Other rules look at it in this run already.
  copy->Tidy();
  return copy;
}

// Of a reduction of several arrays of which one result only is wanted.
HloInstruction* ElementOfReduce(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const reduce = root->operand(0);
  if (reduce->opcode() != HloOpcode::kReduce || IsOfOneArray(*reduce) || !HasOneUse(*reduce)) return nullptr;
  const int count = reduce->operand_count() / 2;
  const int k = static_cast<int>(root->attributes<GetTupleElementAttributes>().index);
  HloComputation* const function = ElementOfReducer(*FunctionOf(*reduce), k, count, context.build.module());
  if (function == nullptr) return nullptr;
  return context.build.Reduce(reduce->operand(k), reduce->operand(count + k), DimensionsOf(*reduce), function);
}

// Marks as needed the arrays whose accumulators or elements the wanted results are made of, directly or through others.
void MarkNeeded(const HloInstruction& results, std::vector<bool>* needed) {
  std::vector<const HloInstruction*> pending;
  for (size_t k = 0; k < needed->size(); ++k) {
    if ((*needed)[k]) pending.push_back(results.operand(static_cast<int>(k)));
  }
  absl::flat_hash_set<const HloInstruction*> seen(pending.begin(), pending.end());
  while (!pending.empty()) {
    const HloInstruction* const instruction = pending.back();
    pending.pop_back();
    std::vector<const HloInstruction*> next(instruction->operands().begin(), instruction->operands().end());
    if (instruction->opcode() == HloOpcode::kParameter) {
      const int64_t number = instruction->attributes<ParameterAttributes>().number;
      const size_t k = static_cast<size_t>(number) % needed->size();
      (*needed)[k] = true;
      next.push_back(results.operand(static_cast<int>(k)));
    }
    for (const HloInstruction* other : next) {
      if (seen.insert(other).second) pending.push_back(other);
    }
  }
}

// The reducer of the needed arrays, at least two of them.
HloComputation* ReducerOfNeeded(const HloComputation& reducer, const std::vector<bool>& needed, HloModule* module) {
  HloComputation* const copy = AddCloneOfComputation(reducer, module);
  const std::vector<HloInstruction*> parameters = copy->parameters();
  HloInstruction* const all = copy->root();
  InstructionBuilder build(copy, all);
  std::vector<HloInstruction*> results;
  for (size_t k = 0; k < needed.size(); ++k) {
    if (needed[k]) results.push_back(all->operand(static_cast<int>(k)));
  }
  HloInstruction* const root = build.Tuple(results);
  copy->set_root(root);
  const std::vector<HloInstruction*> instructions = copy->LiveInstructions();
  for (size_t i = instructions.size(); i-- > 0;) {
    HloInstruction* const instruction = instructions[i];
    if (instruction->users().empty() && instruction != root && instruction->opcode() != HloOpcode::kParameter) {
      copy->RemoveInstruction(instruction);
    }
  }
  int64_t next = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (needed[i % needed.size()]) {
      parameters[i]->mutable_attributes<ParameterAttributes>().number = next++;
    } else {
      copy->RemoveInstruction(parameters[i]);
    }
  }
  // Other rules look at it in this run already.
  copy->Tidy();
  return copy;
}

// The result stays a tuple of as many elements; in place of those that nothing reads stand initial values.
HloInstruction* DropUnreadResults(HloInstruction* root, const RuleContext& context) {
  const HloInstruction* const results = FunctionOf(*root)->root();
  if (IsOfOneArray(*root) || root->parent()->root() == root || results->opcode() != HloOpcode::kTuple) return nullptr;
  const int count = root->operand_count() / 2;
  std::vector<bool> needed(count, false);
  for (const HloInstruction* user : root->users()) {
    if (user->opcode() != HloOpcode::kGetTupleElement) return nullptr;
    needed[user->attributes<GetTupleElementAttributes>().index] = true;
  }
  MarkNeeded(*results, &needed);
  const auto kept = std::count(needed.begin(), needed.end(), true);
  if (kept < 2 || kept == count) return nullptr;
  std::vector<HloInstruction*> arrays, inits, elements;
  for (int k = 0; k < count; ++k) {
    if (!needed[k] &&
        root->operand(count + k)->shape().element_type() != root->shape().tuple_shapes()[k].element_type())
      return nullptr;
    if (!needed[k]) continue;
    arrays.push_back(root->operand(k));
    inits.push_back(root->operand(count + k));
  }
  HloComputation* const function = ReducerOfNeeded(*FunctionOf(*root), needed, context.build.module());
  HloInstruction* const reduced = context.build.ReduceAll(arrays, inits, DimensionsOf(*root), function);
  int64_t next = 0;
  for (int k = 0; k < count; ++k) {
    elements.push_back(needed[k]
                           ? context.build.GetTupleElement(reduced, next++)
                           : context.build.BroadcastScalar(root->operand(count + k), root->shape().tuple_shapes()[k]));
  }
  return context.build.Tuple(elements);
}

}  // namespace

const RuleList& ReduceRules() {
  static const std::vector<HloOpcode> reduce = {HloOpcode::kReduce};
  static const auto* const rules = new RuleList{
      {"reduce-of-nothing", "reduce(empty, init) => broadcast(init)", reduce, &ReduceOfNothing},
      {"reduce-of-one", "reduce(x, init) of one element each => op(reshape(x), broadcast(init))  (or reshape(x))",
       reduce, &ReduceOfOne},
      {"reduce-of-reshape", "reduce(reshape(x)) => reshape(reduce(x))  (if no dimension is reduced in part)", reduce,
       &ReduceOfReshape},
      {"reduce-of-transpose", "reduce(transpose(x)) => reduce(x)  (a function that is not known keeps its order)",
       reduce, &ReduceOfTranspose},
      {"reduce-of-broadcast",
       "reduce(broadcast(x)) => x, x * count, or broadcast(reduce(x))  (sums of floats that begin with zero)", reduce,
       &ReduceOfBroadcast},
      {"reduce-of-reduce", "reduce(reduce(x)) => reduce(x)  (one function, the inner one from its identity)", reduce,
       &ReduceOfReduce},
      {"reduce-of-concatenate",
       "reduce(concatenate(x, y)) => op(reduce(x), reduce(y)), or concatenate(reduce(x), reduce(y))", reduce,
       &ReduceOfConcatenate},
      {"element-of-reduce",
       "get-tuple-element(reduce(x, y)) => reduce(x)  (if nothing else is read and needs nothing of y)",
       {HloOpcode::kGetTupleElement},
       &ElementOfReduce},
      {"drop-unread-results",
       "reduce(x, y, z) of whose z nothing is used => reduce(x, y)  (if they need nothing of z)", reduce,
       &DropUnreadResults},
      {"reduce-of-pad", "reduce(pad(x, identity)) => reduce(x)", reduce, &ReduceOfPad},
  };
  return *rules;
}

}  // namespace xla
