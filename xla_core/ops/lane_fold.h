// Folds many result elements ("lanes") at a time: every lane keeps its accumulators, and each step combines them with
// one more element per lane. Reduce and reduce-window are loops over steps (LaneFold); what a step does depends on the
// reducer: any function of scalars over any number of arrays (FunctionFold), or one of known_reducer.h over one array,
// which can also take whole rows of neighbouring elements (RowFold, made by MakeKnownFold).
#ifndef XLA_CORE_OPS_LANE_FOLD_H_
#define XLA_CORE_OPS_LANE_FOLD_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla_core/ir/opcode.h"
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

// Offsets and places count elements, `n` lanes; at most kMaxLanes.
class LaneFold {
 public:
  virtual ~LaneFold() = default;
  // All accumulators of lanes 0 .. n-1 become init.
  virtual void Start(int64_t n) = 0;
  // Lane l takes the element at offsets[l] + delta.
  virtual absl::Status Step(const int64_t* offsets, int64_t n, int64_t delta) = 0;
  // The same, but only for `lanes`.
  virtual absl::Status StepSome(const int64_t* offsets, int64_t delta, absl::Span<const int> lanes) = 0;
  // Writes the accumulators of lane l to result element places[l] + delta.
  virtual void Store(const int64_t* places, int64_t n, int64_t delta) = 0;
};

// The steps that only a fold by one binary operation has. Its own steps cannot fail: there is no call in them.
class RowFold : public LaneFold {
 public:
  // Lane l takes the element at offset + l.
  virtual void StepRow(int64_t offset, int64_t n) = 0;
  // Lane 0 takes n neighbouring elements: a few in order, more of them, if the reducer may reorder, by eight
  // accumulators that take every eighth element and then meet pairwise.
  virtual void FoldRow(int64_t offset, int64_t n) = 0;
  // Lane 0 becomes the reducer's identity; then takes the accumulator of lane 0 of another fold of the same kind.
  virtual void StartEmpty() = 0;
  virtual void Merge(const RowFold& other) = 0;
};

// True if there is a RowFold for arrays of `type`, and if it may take elements in another order than that of their
// indices.
bool HasKnownFold(HloOpcode op, PrimitiveType type);
bool MayReorder(HloOpcode op, PrimitiveType type);
// The fold by the binary operation `op`, for which HasKnownFold holds.
std::unique_ptr<RowFold> MakeKnownFold(HloOpcode op, const FoldedArray& array);

// Steps by any function of scalars, over any number of arrays.
class FunctionFold : public LaneFold {
 public:
  // All arguments outlive the fold.
  FunctionFold(const ScalarFunction& reducer, absl::Span<const FoldedArray> arrays, EvalContext& context);

  void Start(int64_t n) override;
  absl::Status Step(const int64_t* offsets, int64_t n, int64_t delta) override;
  absl::Status StepSome(const int64_t* offsets, int64_t delta, absl::Span<const int> lanes) override;
  void Store(const int64_t* places, int64_t n, int64_t delta) override;

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
