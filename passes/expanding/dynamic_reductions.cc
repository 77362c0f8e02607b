// Rules of expand-dynamic-dimensions for operations that combine elements, which must not see what is not valid.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "passes/base/identity_element.h"
#include "passes/expanding/dynamic_rules.h"
#include "passes/expanding/dynamic_windows.h"
#include "passes/expanding/expand_select_and_scatter.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/ops/scalar_function.h"

namespace xla {
namespace {

using Padded = std::vector<PaddedArray>;
using Operands = absl::Span<const PaddedArray>;

// The elements of a result, whether there is one or a tuple of them.
std::vector<HloInstruction*> Elements(HloInstruction* value, size_t count, InstructionBuilder& build) {
  if (!value->shape().IsTuple()) return {value};
  std::vector<HloInstruction*> elements;
  for (size_t k = 0; k < count; ++k) elements.push_back(build.GetTupleElement(value, static_cast<int64_t>(k)));
  return elements;
}

// ---- Reductions: what is not valid becomes what changes nothing, or is marked, so that the reducer passes over it.

// The element that changes nothing when the operation folds it in; nullopt if the reducer has none that is known.
absl::optional<Literal> Identity(const HloInstruction& reduce, PrimitiveType type) {
  const auto function = ScalarFunction::Compile(*reduce.called_computation(0));
  if (reduce.operand_count() != 2 || !function.ok() ||
      (*function)->known().kind != ScalarFunction::Known::Kind::kBinary) {
    return absl::nullopt;
  }
  const HloOpcode op = (*function)->known().op;
  if (!HasTrait(op, opcode_trait::kAssociative)) return absl::nullopt;
  absl::StatusOr<Literal> identity = IdentityElement(op, type);
  if (!identity.ok()) return absl::nullopt;
  return *std::move(identity);
}

// Why a reduction cannot be expanded; "" if it can.
std::string RefuseReduction(const HloInstruction& reduction) {
  const int n = reduction.operand_count() / 2;
  for (int k = 1; k < n; ++k) {
    if (!SameBoundsAndDynamicDimensions(reduction.operand(k)->shape(), reduction.operand(0)->shape())) {
      return "its arrays differ in which dimensions are dynamic";
    }
  }
  const PrimitiveType type = reduction.operand(0)->shape().element_type();
  if (n == 1 && IsNarrowFloatType(type) && !Identity(reduction, type).has_value()) {
    return "its reducer has no neutral element that is known, and narrow floats cannot be marked as missing without "
           "rounding at other places";
  }
  return "";
}

// (a.., whether there is an a, b.., whether there is a b) -> reducer(a.., b..), or the one that there is.
HloComputation* PassingOver(const HloComputation& reducer, const std::vector<PrimitiveType>& types,
                            InstructionBuilder& build) {
  HloComputation* const marked = NewComputation(build.module(), "reduce_valid");
  InstructionBuilder inside(marked, build.origin());
  const size_t n = types.size();
  std::vector<HloInstruction*> a, b, both;
  for (size_t k = 0; k < n; ++k) a.push_back(inside.Parameter(static_cast<int64_t>(k), Shape::Scalar(types[k])));
  HloInstruction* const has_a = inside.Parameter(static_cast<int64_t>(n), Shape::Scalar(PRED));
  for (size_t k = 0; k < n; ++k)
    b.push_back(inside.Parameter(static_cast<int64_t>(n + 1 + k), Shape::Scalar(types[k])));
  HloInstruction* const has_b = inside.Parameter(static_cast<int64_t>(2 * n + 1), Shape::Scalar(PRED));
  both = a;
  both.insert(both.end(), b.begin(), b.end());
  const std::vector<HloInstruction*> reduced = Elements(InlineBody(reducer, both, marked), n, inside);
  HloInstruction* const has_both = inside.And(has_a, has_b);
  std::vector<HloInstruction*> results;
  for (size_t k = 0; k < n; ++k) {
    results.push_back(inside.Select(has_both, reduced[k], inside.Select(has_a, a[k], b[k])));
  }
  results.push_back(inside.Or(has_a, has_b));
  marked->set_root(inside.Tuple(results));
  build.UpdateStatus(inside.status());
  return marked;
}

// A reduce or reduce-window over bounds that passes over what lies past the sizes of `dimensions`. `make` adds it.
template <typename Make>
std::vector<HloInstruction*> ReduceValid(const HloInstruction& reduction, Operands operands,
                                         absl::Span<const int64_t> dimensions, InstructionBuilder& build,
                                         const Make& make) {
  const size_t n = operands.size() / 2;
  const PaddedArray& x = operands[0];
  HloInstruction* const valid = WithinSizes(x.shape().dimensions(), x.sizes, dimensions, build);
  std::vector<HloInstruction*> arrays = ArraysOf(operands.first(n)), inits = ArraysOf(operands.subspan(n));
  HloComputation* reducer = reduction.called_computation(0);
  if (valid != nullptr) {
    if (const absl::optional<Literal> identity = Identity(reduction, x.shape().element_type()); identity.has_value()) {
      arrays[0] = build.Select(valid, arrays[0], build.BroadcastScalar(build.Constant(*identity), x.shape()));
    } else {
      std::vector<PrimitiveType> types;
      for (const HloInstruction* array : arrays) types.push_back(array->shape().element_type());
      reducer = PassingOver(*reducer, types, build);
      arrays.push_back(valid);
      inits.push_back(build.One(PRED));
    }
  }
  std::vector<HloInstruction*> results = Elements(make(arrays, inits, reducer), arrays.size(), build);
  results.resize(n);
  return results;
}

// Reduces valid elements only; sizes of the dimensions that remain stay.
Padded ExpandReduce(const HloInstruction& reduce, Operands operands, InstructionBuilder& build) {
  const DimensionVector& dims = reduce.attributes<DimensionsAttributes>().dimensions;
  const std::vector<HloInstruction*> arrays =
      ReduceValid(reduce, operands, dims, build,
                  [&](absl::Span<HloInstruction* const> inputs, absl::Span<HloInstruction* const> inits,
                      HloComputation* reducer) { return build.ReduceAll(inputs, inits, dims, reducer); });
  std::vector<HloInstruction*> sizes;
  for (int d = 0; d < operands[0].shape().rank(); ++d) {
    if (!IsAmong(dims, d)) sizes.push_back(operands[0].sizes[d]);
  }
  Padded results;
  for (HloInstruction* array : arrays) results.push_back({array, sizes});
  return results;
}

// ---- Windows

std::string RefuseWindow(const Window& window, const Shape& x) {
  for (int d = 0; d < x.rank(); ++d) {
    if (x.is_dynamic_dimension(d) && !HasSmallNumbers(window.dimensions[d], x.dimension(d))) {
      return "the window over a dynamic dimension has too large numbers";
    }
  }
  return "";
}

std::string RefuseReduceWindow(const HloInstruction& reduction) {
  const std::string refused = RefuseReduction(reduction);
  return refused.empty() ? RefuseWindow(reduction.attributes<WindowAttributes>().window, reduction.operand(0)->shape())
                         : refused;
}

// As ExpandReduce; the number of windows along a dimension follows from its valid size.
Padded ExpandReduceWindow(const HloInstruction& reduction, Operands operands, InstructionBuilder& build) {
  const Window& window = reduction.attributes<WindowAttributes>().window;
  const PaddedArray& x = operands[0];
  const std::vector<HloInstruction*> arrays =
      ReduceValid(reduction, operands, AllDimensions(x.shape().rank()), build,
                  [&](absl::Span<HloInstruction* const> inputs, absl::Span<HloInstruction* const> inits,
                      HloComputation* reducer) { return build.ReduceWindow(inputs, inits, window, reducer); });
  std::vector<HloInstruction*> sizes;
  for (size_t d = 0; d < x.sizes.size(); ++d) {
    sizes.push_back(x.sizes[d] == nullptr ? nullptr : WindowPositions(window.dimensions[d], x.sizes[d], build));
  }
  Padded results;
  for (HloInstruction* array : arrays) results.push_back({array, sizes});
  return results;
}

std::string RefuseSelectAndScatter(const HloInstruction& root) {
  return RefuseWindow(root.attributes<WindowAttributes>().window, root.operand(0)->shape());
}

// Windows lie over valid elements only, and only sources whose window does so count.
Padded ExpandSelectAndScatter(const HloInstruction& root, Operands operands, InstructionBuilder& build) {
  const Window& window = root.attributes<WindowAttributes>().window;
  PaddedArray result = operands[0];
  const PaddedArray& source = operands[1];
  const std::vector<int64_t> dimensions = AllDimensions(result.shape().rank());
  // A source element counts if its window is one over the valid elements.
  std::vector<HloInstruction*> sizes = source.sizes;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (result.sizes[d] == nullptr) continue;
    sizes[d] = SmallerSize(sizes[d], WindowPositions(window.dimensions[d], result.sizes[d], build), build);
  }
  HloInstruction* const valid = WithinSizes(result.shape().dimensions(), result.sizes, dimensions, build);
  HloInstruction* const valid_source = WithinSizes(source.shape().dimensions(), sizes, dimensions, build);
  result.array =
      SelectAndScatterValid(root, {result.array, source.array, operands[2].array, valid, valid_source}, build);
  return {result};
}

// ---- Sort: a key in front of the others puts what is not valid last.

std::string RefuseSort(const HloInstruction& sort) {
  for (const HloInstruction* operand : sort.operands()) {
    if (!SameBoundsAndDynamicDimensions(operand->shape(), sort.operand(0)->shape())) {
      return "its arrays differ in which dimensions are dynamic";
    }
  }
  return "";
}

// The comparator for arrays with one more operand that says what is valid: valid elements come first, in the order of
// the given comparator.
HloComputation* ValidFirst(const HloInstruction& sort, InstructionBuilder& build) {
  HloComputation* const comparator = NewComputation(build.module(), "valid_first");
  InstructionBuilder inside(comparator, build.origin());
  std::vector<HloInstruction*> parameters;
  const int64_t n = sort.operand_count();
  for (const HloInstruction* old : sort.called_computation(0)->parameters()) {
    parameters.push_back(inside.Parameter(old->attributes<ParameterAttributes>().number, old->shape()));
  }
  HloInstruction* const a = inside.Parameter(2 * n, Shape::Scalar(PRED));
  HloInstruction* const b = inside.Parameter(2 * n + 1, Shape::Scalar(PRED));
  HloInstruction* const is_before = InlineBody(*sort.called_computation(0), parameters, comparator);
  comparator->set_root(inside.Select(inside.Compare(ComparisonDirection::kEq, a, b), is_before,
                                     inside.Compare(ComparisonDirection::kGt, a, b)));
  build.UpdateStatus(inside.status());
  return comparator;
}

// Sorts with the marks of valid elements as a last operand if the sorted dimension is dynamic.
Padded ExpandSort(const HloInstruction& sort, Operands operands, InstructionBuilder& build) {
  const SortAttributes& attributes = sort.attributes<SortAttributes>();
  const PaddedArray& x = operands[0];
  std::vector<HloInstruction*> arrays = ArraysOf(operands);
  HloComputation* comparator = sort.called_computation(0);
  if (HloInstruction* const valid = WithinSizes(x.shape().dimensions(), x.sizes, {attributes.dimension}, build);
      valid != nullptr) {
    arrays.push_back(valid);
    comparator = ValidFirst(sort, build);
  }
  HloInstruction* const sorted = build.Sort(arrays, attributes.dimension, attributes.is_stable, comparator);
  Padded results(operands.begin(), operands.end());
  const std::vector<HloInstruction*> elements = Elements(sorted, operands.size(), build);
  for (size_t k = 0; k < results.size(); ++k) results[k].array = elements[k];
  return results;
}

// ---- Operations on the last dimensions, for each index of the others

std::string RefuseLastDimensions(const HloInstruction& instruction, int count) {
  for (const HloInstruction* operand : instruction.operands()) {
    const Shape& shape = operand->shape();
    for (int d = std::max(0, shape.rank() - count); d < shape.rank(); ++d) {
      if (shape.is_dynamic_dimension(d)) return "a dimension that is not one of the batch is dynamic";
    }
  }
  return "";
}

std::string RefuseMatrix(const HloInstruction& instruction) { return RefuseLastDimensions(instruction, 2); }
std::string RefuseFft(const HloInstruction& fft) {
  return RefuseLastDimensions(fft, static_cast<int>(fft.attributes<FftAttributes>().fft_length.size()));
}

Padded ExpandBatched(const HloInstruction& instruction, Operands operands, InstructionBuilder& build) {
  return {{OnBounds(instruction, ArraysOf(operands), build), operands.back().sizes}};
}

}  // namespace

absl::Span<const DynamicRule> DynamicReductionRules() {
  static constexpr DynamicRule kRules[] = {
      {HloOpcode::kReduce, &RefuseReduction, &ExpandReduce},
      {HloOpcode::kReduceWindow, &RefuseReduceWindow, &ExpandReduceWindow},
      {HloOpcode::kSelectAndScatter, &RefuseSelectAndScatter, &ExpandSelectAndScatter},
      {HloOpcode::kSort, &RefuseSort, &ExpandSort},
      {HloOpcode::kCholesky, &RefuseMatrix, &ExpandBatched},
      {HloOpcode::kTriangularSolve, &RefuseMatrix, &ExpandBatched},
      {HloOpcode::kFft, &RefuseFft, &ExpandBatched},
  };
  return kRules;
}

}  // namespace xla
