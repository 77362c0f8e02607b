// Folds many result elements ("lanes") at a time: every lane keeps its accumulators, and each step combines them with
// one more element per lane. Reduce and reduce-window are loops over steps; what a step does is one of two classes with
// the same members:
//   Start(n)                                        all accumulators of n <= kMaxLanes lanes become init
//   Step(offsets, n, delta)                         lane l takes the element at offsets[l] + delta, for all l
//   StepSome(offsets, delta, lanes)                 the same for the lanes listed
//   Store(places, n, delta)                         writes the accumulators of lane l to result element places[l] +
//   delta
// Offsets and places count elements.
#ifndef XLA_CORE_OPS_LANE_FOLD_H_
#define XLA_CORE_OPS_LANE_FOLD_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla_core/ops/known_reducer.h"
#include "xla_core/ops/scalar_function.h"
#include "xla_core/types/literal.h"

namespace xla {

// Enough to make the costs of a call small, few enough to keep accumulators and elements in the nearest cache.
inline constexpr int kMaxLanes = 128;

// One of the arrays that are reduced together: all three of one element type.
struct FoldedArray {
  PrimitiveType type;
  const void* elements;
  const void* init;
  void* result;
};

// Steps by a reducer of known_reducer.h, over one array whose elements are stored as Reducer::Element (a narrow float
// is decoded beforehand) and whose result is stored as `array.type`.
template <typename Reducer>
class KnownFold {
 public:
  using Accumulator = typename Reducer::Accumulator;
  using Element = typename Reducer::Element;

  explicit KnownFold(const FoldedArray& array)
      : type_(array.type),
        elements_(static_cast<const Element*>(array.elements)),
        init_(LoadAccumulator<Reducer>(array.type, array.init, 0)),
        result_(static_cast<char*>(array.result)) {}

  void Start(int64_t n) { std::fill_n(accumulators_.begin(), n, init_); }
  absl::Status Step(const int64_t* offsets, int64_t n, int64_t delta) {
    const Element* elements = elements_ + delta;
    for (int64_t l = 0; l < n; ++l) Add(l, elements[offsets[l]]);
    return absl::OkStatus();
  }
  absl::Status StepSome(const int64_t* offsets, int64_t delta, absl::Span<const int> lanes) {
    const Element* elements = elements_ + delta;
    for (int l : lanes) Add(l, elements[offsets[l]]);
    return absl::OkStatus();
  }
  void Store(const int64_t* places, int64_t n, int64_t delta) {
    const int64_t width = ByteWidth(type_);
    char* result = result_ + delta * width;
    for (int64_t l = 0; l < n; ++l) StoreAccumulator(accumulators_[l], type_, result + places[l] * width);
  }

 private:
  void Add(int64_t lane, Element element) {
    accumulators_[lane] = Reducer::Step(accumulators_[lane], Accumulator(element));
  }

  PrimitiveType type_;
  const Element* elements_;
  Accumulator init_;
  char* result_;
  std::array<Accumulator, kMaxLanes> accumulators_;
};

// Steps by any function of scalars, over any number of arrays.
class FunctionFold {
 public:
  // All arguments outlive the fold.
  FunctionFold(const ScalarFunction& reducer, absl::Span<const FoldedArray> arrays, EvalContext& context);

  void Start(int64_t n);
  absl::Status Step(const int64_t* offsets, int64_t n, int64_t delta);
  absl::Status StepSome(const int64_t* offsets, int64_t delta, absl::Span<const int> lanes);
  void Store(const int64_t* places, int64_t n, int64_t delta);

 private:
  using Buffer = std::vector<char>;

  const ScalarFunction& reducer_;
  absl::Span<const FoldedArray> arrays_;
  EvalContext& context_;
  std::vector<Buffer> accumulators_;       // one per array
  std::vector<Buffer> some_accumulators_;  // of the lanes of StepSome, side by side
  std::vector<Buffer> gathered_;           // elements that are not evenly spaced
  std::vector<LaneInput> inputs_;          // accumulators, then elements
  std::vector<void*> results_;             // accumulators
};

}  // namespace xla

#endif  // XLA_CORE_OPS_LANE_FOLD_H_
