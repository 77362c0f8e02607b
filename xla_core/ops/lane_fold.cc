#include "xla_core/ops/lane_fold.h"

#include <array>
#include <cstring>

#include "xla_core/ops/gather_elements.h"

namespace xla {
namespace {

// True if offsets[i] = offsets[0] + i * *spacing.
bool AreEvenlySpaced(const int64_t* offsets, int64_t n, int64_t* spacing) {
  *spacing = n > 1 ? offsets[1] - offsets[0] : 0;
  for (int64_t i = 2; i < n; ++i) {
    if (offsets[i] - offsets[i - 1] != *spacing) return false;
  }
  return *spacing >= 0;
}

}  // namespace

FunctionFold::FunctionFold(const ScalarFunction& reducer, absl::Span<const FoldedArray> arrays, EvalContext& context)
    : reducer_(reducer), arrays_(arrays), context_(context), inputs_(2 * arrays.size()), results_(arrays.size()) {
  for (const FoldedArray& array : arrays) {
    accumulators_.emplace_back(kMaxLanes * ByteWidth(array.type));
    some_accumulators_.emplace_back(kMaxLanes * ByteWidth(array.type));
    gathered_.emplace_back(kMaxLanes * ByteWidth(array.type));
  }
}

void FunctionFold::Start(int64_t n) {
  for (size_t i = 0; i < arrays_.size(); ++i) {
    const int64_t width = ByteWidth(arrays_[i].type);
    for (int64_t l = 0; l < n; ++l) std::memcpy(accumulators_[i].data() + l * width, arrays_[i].init, width);
  }
}

// Elements that are evenly spaced are read where they lie, others are gathered.
absl::Status FunctionFold::Step(const int64_t* offsets, int64_t n, int64_t delta) {
  int64_t spacing;
  const bool even = AreEvenlySpaced(offsets, n, &spacing);
  for (size_t i = 0; i < arrays_.size(); ++i) {
    const int64_t width = ByteWidth(arrays_[i].type);
    const char* elements = static_cast<const char*>(arrays_[i].elements) + delta * width;
    if (even) {
      inputs_[arrays_.size() + i] = {elements + offsets[0] * width, spacing * width};
    } else {
      GatherElements(arrays_[i].type, elements, offsets, n, gathered_[i].data());
      inputs_[arrays_.size() + i] = {gathered_[i].data(), width};
    }
    inputs_[i] = {accumulators_[i].data(), width};
    results_[i] = accumulators_[i].data();
  }
  return reducer_.Apply(n, inputs_, results_, context_);
}

// Accumulators of the chosen lanes are gathered, combined side by side, and scattered back.
absl::Status FunctionFold::StepSome(const int64_t* offsets, int64_t delta, absl::Span<const int> lanes) {
  const int64_t n = static_cast<int64_t>(lanes.size());
  std::array<int64_t, kMaxLanes> places;
  std::array<int64_t, kMaxLanes> sources;
  for (int64_t i = 0; i < n; ++i) {
    places[i] = lanes[i];
    sources[i] = offsets[lanes[i]] + delta;
  }
  for (size_t i = 0; i < arrays_.size(); ++i) {
    const PrimitiveType type = arrays_[i].type;
    GatherElements(type, arrays_[i].elements, sources.data(), n, gathered_[i].data());
    GatherElements(type, accumulators_[i].data(), places.data(), n, some_accumulators_[i].data());
    inputs_[arrays_.size() + i] = {gathered_[i].data(), ByteWidth(type)};
    inputs_[i] = {some_accumulators_[i].data(), ByteWidth(type)};
    results_[i] = some_accumulators_[i].data();
  }
  absl::Status status = reducer_.Apply(n, inputs_, results_, context_);
  for (size_t i = 0; i < arrays_.size(); ++i) {
    ScatterElements(arrays_[i].type, some_accumulators_[i].data(), places.data(), n, accumulators_[i].data());
  }
  return status;
}

void FunctionFold::Store(const int64_t* places, int64_t n, int64_t delta) {
  for (size_t i = 0; i < arrays_.size(); ++i) {
    char* result = static_cast<char*>(arrays_[i].result) + delta * ByteWidth(arrays_[i].type);
    ScatterElements(arrays_[i].type, accumulators_[i].data(), places, n, result);
  }
}

}  // namespace xla
