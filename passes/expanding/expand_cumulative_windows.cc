// A cumulative window (passes/analyses/cumulative_window.h) takes element c(o) of the prefixes of a scan. If the
// windows reach the end instead, both arrays are reversed, as are the arguments of the function.
//
// Scan by blocks, for a reducer that may be regrouped: within blocks of b elements, steps of 1, 2, 4, ... combine each
// element with the one so far before it; the last elements of the blocks are scanned in the same way; what precedes a
// block is combined with all its elements. The first element is combined with init beforehand. No identity is needed.
//
// Loop, for any other reducer that can be applied to arrays: one slice per iteration.
#include "passes/expanding/expand_cumulative_windows.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "passes/analyses/cumulative_window.h"
#include "passes/base/counted_loop.h"
#include "passes/base/inline_scalar_function.h"
#include "passes/base/rewrite_rule.h"
#include "passes/expanding/sum_type.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/scalar_function.h"

namespace xla {
namespace {

// A reducer of one array that is a known operation may be regrouped if it is exact, or the sum that is made in f64.
struct Reducer {
  const HloComputation* function;
  // Set if the function is this operation on (accumulator, element) and may be regrouped.
  absl::optional<HloOpcode> operation;
};

// The operation of a reducer that may be regrouped, if there is one. Products of floats are not among them.
Reducer Classify(const HloComputation& function, PrimitiveType type) {
  Reducer reducer{&function, absl::nullopt};
  // What the interpreter sums in f64 must be known here too.
  const auto compiled = ScalarFunction::Compile(function);
  if (!compiled.ok() || (*compiled)->known().kind != ScalarFunction::Known::Kind::kBinary) return reducer;
  const HloOpcode op = (*compiled)->known().op;
  const bool is_rounded = op == HloOpcode::kMultiply && (IsFloat(type) || IsComplex(type));
  if (HasTrait(op, opcode_trait::kAssociative) && !is_rounded) reducer.operation = op;
  return reducer;
}

// ---- Scan by blocks

class BlockScan {
 public:
  BlockScan(HloOpcode operation, int64_t block, InstructionBuilder& build)
      : operation_(operation), block_(block), build_(build) {}

  // The array as rows of length n: rows x n x inner, scanned along n. Never empty.
  HloInstruction* Run(HloInstruction* x) {
    const int64_t n = x->shape().dimension(1);
    if (n <= block_) return ScanBySteps(x, 1);
    const int64_t rows = x->shape().dimension(0);
    const int64_t inner = x->shape().dimension(2);
    const int64_t blocks = (n + block_ - 1) / block_;
    HloInstruction* padded = x;
    if (blocks * block_ != n) {  // with anything: what is added comes last and is cut off again
      PaddingConfig padding(3);
      padding[1].high = blocks * block_ - n;
      padded = build_.Pad(x, build_.Zero(x->shape().element_type()), padding);
    }
    HloInstruction* const within = ScanBySteps(build_.Reshape(padded, {rows, blocks, block_, inner}), 2);
    HloInstruction* const totals =
        build_.Reshape(build_.SliceInDim(within, 2, block_ - 1, block_), {rows, blocks, inner});
    HloInstruction* const before = build_.SliceInDim(Run(totals), 1, 0, blocks - 1);
    HloInstruction* const spread = build_.Broadcast(before, {rows, blocks - 1, block_, inner}, {0, 1, 3});
    HloInstruction* const rest = build_.Binary(operation_, spread, build_.SliceInDim(within, 1, 1, blocks));
    HloInstruction* const all = build_.Concatenate({build_.SliceInDim(within, 1, 0, 1), rest}, 1);
    HloInstruction* const flat = build_.Reshape(all, {rows, blocks * block_, inner});
    return blocks * block_ == n ? flat : build_.SliceInDim(flat, 1, 0, n);
  }

 private:
  // After the step of 2^k every element has been combined with the 2^(k+1) - 1 before it.
  HloInstruction* ScanBySteps(HloInstruction* x, int64_t d) {
    const int64_t n = x->shape().dimension(static_cast<int>(d));
    for (int64_t step = 1; step < n; step *= 2) {
      HloInstruction* const combined =
          build_.Binary(operation_, build_.SliceInDim(x, d, 0, n - step), build_.SliceInDim(x, d, step, n));
      x = build_.Concatenate({build_.SliceInDim(x, d, 0, step), combined}, d);
    }
    return x;
  }

  HloOpcode operation_;
  int64_t block_;
  InstructionBuilder& build_;
};

// prefix[1..n] of rows x n x inner, where init is a scalar.
HloInstruction* PrefixesByBlocks(HloOpcode operation, HloInstruction* x, HloInstruction* init, int64_t block,
                                 InstructionBuilder& build) {
  const int64_t n = x->shape().dimension(1);
  HloInstruction* first = build.SliceInDim(x, 1, 0, 1);
  first = build.Binary(operation, build.BroadcastScalar(init, first->shape()), first);
  HloInstruction* const started = n == 1 ? first : build.Concatenate({first, build.SliceInDim(x, 1, 1, n)}, 1);
  return BlockScan(operation, block, build).Run(started);
}

// ---- Loop

// The same for n arrays at once and a function of (accumulators, elements).
std::vector<HloInstruction*> PrefixesByLoop(const HloComputation& function, absl::Span<HloInstruction* const> xs,
                                            absl::Span<HloInstruction* const> inits, InstructionBuilder& build) {
  const Shape& first = xs[0]->shape();
  const int64_t length = first.dimension(1);
  const std::vector<int64_t> slice = {first.dimension(0), 1, first.dimension(2)};
  const size_t count = xs.size();
  const PrimitiveType counter = CounterTypeFor(length);
  // The accumulators, the elements, the results.
  std::vector<HloInstruction*> state;
  for (size_t k = 0; k < count; ++k) state.push_back(build.Broadcast(inits[k], slice, {}));
  state.insert(state.end(), xs.begin(), xs.end());
  for (HloInstruction* x : xs) state.push_back(build.Splat(x->shape(), 0));
  const std::vector<HloInstruction*> last =
      CountedLoop(build, "cumulative", counter, length, state,
                  [&](InstructionBuilder& inside, HloInstruction* turn, absl::Span<HloInstruction* const> before) {
                    HloInstruction* const zero = inside.Zero(counter);
                    std::vector<HloInstruction*> arguments(before.begin(), before.begin() + count);
                    for (size_t k = 0; k < count; ++k) {
                      arguments.push_back(inside.DynamicSlice(before[count + k], {zero, turn, zero}, slice));
                    }
                    std::vector<HloInstruction*> after =
                        InlineScalarFunction(function, arguments, Shape::Array(PRED, slice), inside);
                    for (size_t k = 0; k < count; ++k) after.push_back(before[count + k]);
                    for (size_t k = 0; k < count; ++k) {
                      after.push_back(inside.DynamicUpdateSlice(before[2 * count + k], after[k], {zero, turn, zero}));
                    }
                    return after;
                  });
  return {last.begin() + 2 * count, last.end()};
}

// ---- From prefixes to windows

// outputs[o] = prefix[clamp(first + o, 0, n)], given prefix[1..n] and init = prefix[0].
HloInstruction* TakeOutputs(HloInstruction* prefixes, HloInstruction* init, const CumulativeWindow& window,
                            InstructionBuilder& build) {
  const int64_t n = window.length;
  const int64_t begin = window.first;
  const int64_t end = window.first + window.outputs;  // counts begin .. end - 1
  const auto clamp = [&](int64_t count) { return std::min(std::max<int64_t>(count, 1), n + 1); };
  std::vector<HloInstruction*> parts;
  const int64_t rows = prefixes->shape().dimension(0);
  const int64_t inner = prefixes->shape().dimension(2);
  const int64_t nothing = window.empty_outputs();
  if (nothing > 0) parts.push_back(build.Broadcast(init, {rows, nothing, inner}, {}));
  if (clamp(begin) < clamp(end)) parts.push_back(build.SliceInDim(prefixes, 1, clamp(begin) - 1, clamp(end) - 1));
  const int64_t everything = window.full_outputs();
  if (everything > 0) {
    HloInstruction* const total = build.Reshape(build.SliceInDim(prefixes, 1, n - 1, n), {rows, inner});
    parts.push_back(build.Broadcast(total, {rows, everything, inner}, {0, 2}));
  }
  return parts.size() == 1 ? parts[0] : build.Concatenate(parts, 1);
}

// Writes the prefixes of rows x n x inner, by blocks if the function may be regrouped and else by a loop, and takes
// for each output the prefix that its window ends with. Windows that lie at the end are those of the reversed array.
HloInstruction* Scan(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const absl::optional<CumulativeWindow> window = FindCumulativeWindow(*root);
  if (!window.has_value() || window->length < std::max<int64_t>(1, context.pass.IntOption("min-length"))) {
    return nullptr;
  }
  const int count = root->operand_count() / 2;
  const std::vector<Shape> results = root->shape().IsTuple() ? std::vector<Shape>(root->shape().tuple_shapes().begin(),
                                                                                  root->shape().tuple_shapes().end())
                                                             : std::vector<Shape>{root->shape()};
  for (int k = 0; k < count; ++k) {
    if (results[k].element_type() != root->operand(k)->shape().element_type() || results[k].ElementCount() == 0 ||
        root->operand(k)->shape().ElementCount() > kMostElements) {
      return nullptr;
    }
  }
  const HloComputation& function = *root->called_computation(0);
  const Reducer reducer =
      count == 1 ? Classify(function, results[0].element_type()) : Reducer{&function, absl::nullopt};
  // Backwards, windows are still folded from their first elements on, so that no prefix helps without regrouping.
  const bool may_loop = CanInlineScalarFunction(function) && !window->from_the_end;
  if (!reducer.operation.has_value() && !may_loop) return nullptr;

  // rows x n x inner
  const Shape& shape = root->operand(0)->shape();
  int64_t rows = 1;
  int64_t inner = 1;
  for (int d = 0; d < shape.rank(); ++d) {
    if (d != window->dimension) (d < window->dimension ? rows : inner) *= shape.dimension(d);
  }
  std::vector<HloInstruction*> xs;
  std::vector<HloInstruction*> inits;
  const bool is_sum = reducer.operation == HloOpcode::kAdd;
  for (int k = 0; k < count; ++k) {
    HloInstruction* x = build.Reshape(root->operand(k), {rows, window->length, inner});
    if (window->from_the_end) x = build.Reverse(x, {1});
    HloInstruction* init = root->operand(count + k);
    const PrimitiveType type = is_sum ? SumType(x->shape().element_type()) : x->shape().element_type();
    xs.push_back(build.Convert(x, type));
    inits.push_back(build.Convert(init, type));
  }
  std::vector<HloInstruction*> prefixes;
  if (reducer.operation.has_value()) {
    const int64_t block = std::max<int64_t>(2, context.pass.IntOption("block"));
    prefixes = {PrefixesByBlocks(*reducer.operation, xs[0], inits[0], block, build)};
  } else {
    prefixes = PrefixesByLoop(function, xs, inits, build);
  }
  std::vector<HloInstruction*> outputs;
  for (int k = 0; k < count; ++k) {
    HloInstruction* output = TakeOutputs(prefixes[k], inits[k], *window, build);
    if (window->from_the_end) output = build.Reverse(output, {1});
    output = build.Convert(output, results[k].element_type());
    outputs.push_back(build.Reshape(output, results[k].dimensions()));
  }
  return root->shape().IsTuple() ? build.Tuple(outputs) : outputs[0];
}

}  // namespace

absl::StatusOr<bool> ExpandCumulativeWindows(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"scan-window",
                                    "reduce-window(x, init), window={size=n pad=n-1_0} => scan of x",
                                    {HloOpcode::kReduceWindow},
                                    &Scan};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
