// Sorts every line along one dimension by a comparator "a goes before b":
//   sort(x0 T0[d..], .., xn-1 Tn-1[d..]), dimensions={d}, to_apply=f  ->  x0 .. xn-1, all permuted alike
//   f: (a0 T0[], b0 T0[], a1 T1[], b1 T1[], ..) -> pred[]
// The result for one operand may be written as a tuple of it.
// Always stable, whatever is_stable says. Elements past a dynamic size stay where they are. A comparator that is not a
// strict weak order (`<` with NaN among the elements) gives some permutation.
// Errors: InvalidArgument if the operands' dimensions differ, if the dimension is out of range (so a scalar cannot be
// sorted), or if f has another signature.
// Source: StableHLO spec, section `sort`.
//
// How: a comparator that compares keys (comparator_keys.h) is not called at all: the keys are mapped to unsigned
// numbers (order_key.h) and sorted with their positions. Any other is called by a merge sort of positions, which needs
// n log n comparisons and ends with a permutation whatever they say.
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "xla_core/ops/callee_signature.h"
#include "xla_core/ops/comparator_keys.h"
#include "xla_core/ops/float_convert.h"
#include "xla_core/ops/gather_elements.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/ops/order_key.h"
#include "xla_core/ops/parallel_status.h"
#include "xla_core/ops/scalar_function.h"
#include "xla_core/ops/scratch_reservation.h"
#include "xla_core/ops/sort_lines.h"
#include "xla_core/ops/variadic_result.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<Shape> InferShapeOfSort(const HloInstruction& sort) {
  RETURN_IF_ERROR(CheckEqualDimensions(sort, sort.operand_count()));
  std::vector<Shape> results;
  for (const HloInstruction* operand : sort.operands()) results.push_back(operand->shape().WithoutLayout());
  return ArrayOrTuple(std::move(results), IsWrittenAsTuple(sort, sort.operand_count()));
}

void VerifySort(const HloInstruction& sort, Violations& violations) {
  WarnOfTupleOfOne(sort, sort.operand_count(), violations);
  if (!CheckArrayOperands(sort, 0, sort.operand_count()).ok()) return;
  violations.Add(
      CheckDimension("dimension to sort", sort.attributes<SortAttributes>().dimension, sort.operand(0)->shape()));
  if (sort.called_computations().empty()) return;
  std::vector<PrimitiveType> parameters;
  for (const HloInstruction* operand : sort.operands()) {
    parameters.insert(parameters.end(), 2, operand->shape().element_type());
  }
  CheckScalarCallee("to_apply", *sort.called_computation(0), parameters, {PRED}, violations);
}

// The lines of an array along one dimension.
struct Lines {
  Lines(const Literal& array, int dimension) : length(array.dynamic_size(dimension)) {
    for (int i = dimension + 1; i < array.shape().rank(); ++i) stride *= array.shape().dimension(i);
    bound = array.shape().dimension(dimension);
    count = bound == 0 ? 0 : array.element_count() / bound;
  }
  // Offset of the first element of line `number`.
  int64_t Start(int64_t number) const { return number / stride * stride * bound + number % stride; }

  int64_t length;  // elements to sort
  int64_t bound;   // and in memory
  int64_t stride = 1;
  int64_t count;
};

using Permutation = std::vector<int64_t>;

// A key with its values for all elements.
struct KeyValues {
  Literal values;
  OrderKeys order;
  bool descending;
};

// Applies the key's expression to all elements at once. Narrow floats compared by value become f32, for which
// OrderKeys has numeric keys.
absl::StatusOr<KeyValues> ComputeKey(const SortKey& key, const Literal& operand, EvalContext& context) {
  Literal values = operand;
  if (key.function != nullptr) {
    Shape shape = operand.shape();
    shape.set_element_type(key.type);
    ASSIGN_OR_RETURN(values, context.Allocate(shape));
    const int64_t from = ByteWidth(operand.shape().element_type());
    const int64_t to = ByteWidth(key.type);
    char* const data = values.mutable_data<char>();
    constexpr int64_t kGrain = 1 << 14;
    RETURN_IF_ERROR(ParallelForStatus(context, operand.element_count(), kGrain, [&](int64_t begin, int64_t end) {
      const LaneInput inputs[] = {{operand.data<char>() + begin * from, from}};
      void* const results[] = {data + begin * to};
      return key.function->Apply(end - begin, inputs, results, context);
    }));
  }
  PrimitiveType type = key.type;
  if (IsNarrowFloatType(type) && key.order == KeyOrder::kNumeric) {
    type = F32;
    ASSIGN_OR_RETURN(values, ConvertFloats(values, type, context));
  }
  return KeyValues{std::move(values), OrderKeys(type, key.order), key.descending};
}

// So many elements are worth a look at the limits.
constexpr int64_t kElementsBetweenLooks = int64_t{1} << 20;

// Calls body(i) for all i below `count`. Short lines are not looked at within.
template <typename Body>
absl::Status ForElements(int64_t count, EvalContext& context, const Body& body) {
  for (int64_t begin = 0; begin < count; begin += kElementsBetweenLooks) {
    if (begin > 0) RETURN_IF_ERROR(context.CheckDeadline());
    const int64_t end = std::min(begin + kElementsBetweenLooks, count);
    for (int64_t i = begin; i < end; ++i) body(i);
  }
  return absl::OkStatus();
}

// Sorts lines by their keys.
class KeySorter {
 public:
  KeySorter(const std::vector<KeyValues>& keys, int64_t length, EvalContext& context)
      : keys_(keys), context_(context), raw_(length) {}

  // What sorting lines of `length` elements by `keys` takes, without the permutation.
  static int64_t BufferBytes(const std::vector<KeyValues>& keys, int64_t length) {
    if (keys.empty()) return 0;
    int64_t word = 0;  // of a key with its position
    for (const KeyValues& key : keys) word = std::max(word, int64_t{IsPacked(key, length) ? 8 : 16});
    // raw_, before_, and the words, twice where runs are merged.
    return length * (16 + (length > kElementsBetweenLooks ? 2 * word : word));
  }

  // `permutation`, 0 .. length-1 at first, becomes the positions in sorted order. Sorting by the least important key
  // first and keeping ties in order leaves the line sorted by all of them.
  absl::Status Sort(int64_t start, int64_t stride, Permutation& permutation) {
    const int64_t n = static_cast<int64_t>(permutation.size());
    for (size_t k = keys_.size(); k-- > 0;) {
      const KeyValues& key = keys_[k];
      const int64_t width = ByteWidth(key.values.shape().element_type());
      key.order.Make(key.values.data<char>() + start * width, n, stride, raw_.data());
      if (key.descending) {
        for (uint64_t& number : raw_) number = ~number;
      }
      before_ = permutation;
      if (IsPacked(key, n)) {
        RETURN_IF_ERROR(SortPacked(permutation));
      } else {
        RETURN_IF_ERROR(SortPairs(permutation));
      }
    }
    return absl::OkStatus();
  }

 private:
  static bool IsPacked(const KeyValues& key, int64_t n) {
    return ByteWidth(key.values.shape().element_type()) <= 4 && n <= std::numeric_limits<uint32_t>::max();
  }

  // Positions make every two elements different, so that sorting is stable. Here key and position share a word.
  absl::Status SortPacked(Permutation& permutation) {
    packed_.resize(raw_.size());
    const auto n = static_cast<int64_t>(raw_.size());
    RETURN_IF_ERROR(
        ForElements(n, context_, [&](int64_t i) { packed_[i] = raw_[before_[i]] << 32 | static_cast<uint64_t>(i); }));
    RETURN_IF_ERROR(SortInRuns(packed_, packed_runs_));
    return ForElements(n, context_, [&](int64_t i) { permutation[i] = before_[packed_[i] & 0xFFFFFFFF]; });
  }

  absl::Status SortPairs(Permutation& permutation) {
    pairs_.resize(raw_.size());
    const auto n = static_cast<int64_t>(raw_.size());
    RETURN_IF_ERROR(ForElements(n, context_, [&](int64_t i) {
      pairs_[i] = {raw_[before_[i]], static_cast<size_t>(i)};
    }));
    RETURN_IF_ERROR(SortInRuns(pairs_, pair_runs_));
    return ForElements(n, context_, [&](int64_t i) { permutation[i] = before_[pairs_[i].second]; });
  }

  // Sorts `values`, all of them different, with a look at the limits after each part of the work. Merged runs go back
  // and forth between it and `other`.
  template <typename Value>
  absl::Status SortInRuns(std::vector<Value>& values, std::vector<Value>& other) {
    const int64_t n = static_cast<int64_t>(values.size());
    constexpr int64_t kRun = kElementsBetweenLooks;
    for (int64_t begin = 0; begin < n; begin += kRun) {
      if (begin > 0) RETURN_IF_ERROR(context_.CheckDeadline());
      std::sort(values.begin() + begin, values.begin() + std::min(begin + kRun, n));
    }
    for (int64_t run = kRun; run < n; run *= 2) {
      other.resize(n);
      for (int64_t begin = 0; begin < n; begin += 2 * run) {
        int64_t left = begin, right = std::min(begin + run, n);
        const int64_t middle = right, end = std::min(begin + 2 * run, n);
        for (int64_t i = begin; i < end; ++i) {
          if ((i + 1) % kRun == 0) RETURN_IF_ERROR(context_.CheckDeadline());
          const bool take_left = right == end || (left < middle && values[left] < values[right]);
          other[i] = values[take_left ? left++ : right++];
        }
      }
      std::swap(values, other);
    }
    return absl::OkStatus();
  }

  const std::vector<KeyValues>& keys_;
  EvalContext& context_;
  std::vector<uint64_t> raw_;
  std::vector<uint64_t> packed_, packed_runs_;
  std::vector<std::pair<uint64_t, size_t>> pairs_, pair_runs_;
  Permutation before_;
};

// Sorts lines by calling the comparator.
class MergeSorter {
 public:
  MergeSorter(const ScalarFunction& comparator, const OperandValues& operands, EvalContext& context)
      : comparator_(comparator), operands_(operands), context_(context), inputs_(2 * operands.size()) {}

  // As KeySorter::Sort, but bottom-up: merges neighbouring runs of 1, 2, 4, ... elements.
  absl::Status Sort(int64_t start, int64_t stride, Permutation& permutation) {
    start_ = start;
    stride_ = stride;
    const int64_t n = static_cast<int64_t>(permutation.size());
    merged_.resize(n);
    for (int64_t run = 1; run < n; run *= 2) {
      for (int64_t begin = 0; begin < n; begin += 2 * run) {
        RETURN_IF_ERROR(Merge(permutation, begin, std::min(begin + run, n), std::min(begin + 2 * run, n)));
      }
      std::swap(permutation, merged_);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Merge(const Permutation& from, int64_t begin, int64_t middle, int64_t end) {
    int64_t left = begin, right = middle;
    for (int64_t i = begin; i < end; ++i) {
      bool take_right = left == middle;
      if (left < middle && right < end) {
        ASSIGN_OR_RETURN(take_right, IsBefore(from[right], from[left]));
      }
      merged_[i] = take_right ? from[right++] : from[left++];
    }
    return absl::OkStatus();
  }

  absl::StatusOr<bool> IsBefore(int64_t a, int64_t b) {
    if (++comparisons_ % 1024 == 0) RETURN_IF_ERROR(context_.CheckDeadline());
    for (int i = 0; i < operands_.size(); ++i) {
      const int64_t width = ByteWidth(operands_[i].shape().element_type());
      const char* data = operands_[i].data<char>();
      inputs_[2 * i] = {data + (start_ + a * stride_) * width, 0};
      inputs_[2 * i + 1] = {data + (start_ + b * stride_) * width, 0};
    }
    bool before;
    void* const results[] = {&before};
    RETURN_IF_ERROR(comparator_.Apply(1, inputs_, results, context_));
    return before;
  }

  const ScalarFunction& comparator_;
  const OperandValues& operands_;
  EvalContext& context_;
  std::vector<LaneInput> inputs_;
  Permutation merged_;
  int64_t start_ = 0;
  int64_t stride_ = 1;
  int64_t comparisons_ = 0;
};

// Writes the elements of a line in the order of `permutation`; those beyond it stay where they are.
absl::Status Permute(const Literal& operand, const Lines& lines, int64_t start, const Permutation& permutation,
                     EvalContext& context, void* result) {
  const PrimitiveType type = operand.shape().element_type();
  absl::Status status;
  DispatchByWidth(type, [&](auto tag) {
    using T = TagType<decltype(tag)>;
    const T* from = static_cast<const T*>(operand.untyped_data()) + start;
    T* to = static_cast<T*>(result) + start;
    status = ForElements(lines.length, context,
                         [&](int64_t i) { to[i * lines.stride] = from[permutation[i] * lines.stride]; });
    for (int64_t i = lines.length; i < lines.bound; ++i) to[i * lines.stride] = from[i * lines.stride];
  });
  return status;
}

absl::StatusOr<Literal> EvaluateSort(const HloInstruction& sort, OperandValues& operands, EvalContext& context) {
  ASSIGN_OR_RETURN(std::vector<Literal> results,
                   SortLines(*sort.called_computation(0), static_cast<int>(sort.attributes<SortAttributes>().dimension),
                             operands, context));
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].ResetShape(sort.shape().IsTuple() ? sort.shape().tuple_shape(static_cast<int>(i)) : sort.shape());
  }
  return ArrayOrTuple(std::move(results), IsWrittenAsTuple(sort, sort.operand_count()));
}

}  // namespace

// Finds for each line the permutation that sorts it, by keys or by calls of the comparator, and applies it to every
// operand. Always stable, which is_stable allows.
absl::StatusOr<std::vector<Literal>> SortLines(const HloComputation& comparator, int dimension, OperandValues& operands,
                                               EvalContext& context) {
  const Lines lines(operands[0], dimension);
  std::vector<Literal> results;
  std::vector<void*> result_data;
  for (int i = 0; i < operands.size(); ++i) {
    ASSIGN_OR_RETURN(Literal result, context.Allocate(operands[i].shape()));
    result.CopyDynamicSizesFrom(operands[i]);
    results.push_back(std::move(result));
  }
  for (Literal& result : results) result_data.push_back(result.untyped_mutable_data());
  std::vector<KeyValues> keys;
  for (const SortKey& key : KeysOfComparator(comparator)) {
    ASSIGN_OR_RETURN(KeyValues values, ComputeKey(key, operands[key.operand], context));
    keys.push_back(std::move(values));
  }
  ASSIGN_OR_RETURN(const ScalarFunction* function, context.GetScalarFunction(comparator));

  // Of a task: its permutation, and what finds it.
  const int64_t word = sizeof(Permutation::value_type);
  const int64_t task_bytes =
      lines.length * word + (keys.empty() ? lines.length * word : KeySorter::BufferBytes(keys, lines.length));
  MemoryBudget* const budget = context.memory_budget();
  const auto sort_lines = [&](int64_t begin, int64_t end) -> absl::Status {
    ASSIGN_OR_RETURN(const auto reservation, ScratchReservation::Make(task_bytes, budget));
    KeySorter by_keys(keys, lines.length, context);
    MergeSorter by_calls(*function, operands, context);
    Permutation permutation(lines.length);
    for (int64_t l = begin; l < end; ++l) {
      const int64_t start = lines.Start(l);
      std::iota(permutation.begin(), permutation.end(), 0);
      if (keys.empty()) {
        RETURN_IF_ERROR(by_calls.Sort(start, lines.stride, permutation));
      } else {
        RETURN_IF_ERROR(by_keys.Sort(start, lines.stride, permutation));
      }
      for (int i = 0; i < operands.size(); ++i) {
        RETURN_IF_ERROR(Permute(operands[i], lines, start, permutation, context, result_data[i]));
      }
      RETURN_IF_ERROR(context.CheckDeadline());
    }
    return absl::OkStatus();
  };
  constexpr int64_t kElementsPerBlock = 1 << 12;
  const int64_t grain = std::max<int64_t>(1, kElementsPerBlock / std::max<int64_t>(1, lines.length));
  const bool parallel = !keys.empty() || function->is_compiled();
  RETURN_IF_ERROR(parallel ? ParallelForStatus(context, lines.count, grain, sort_lines)
                           : SerialForStatus(context, lines.count, grain, sort_lines));
  return results;
}

OpDefinition Define_kSort() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<SortAttributes>;
  op.called_computations = {"to_apply"};
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShapeOfSort;
  op.verify = &VerifySort;
  op.evaluate = &EvaluateSort;
  return op;
}

}  // namespace xla
