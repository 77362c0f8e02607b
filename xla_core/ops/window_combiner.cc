#include "xla_core/ops/window_combiner.h"

#include <type_traits>

#include "xla_core/support/status_macros.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

template <typename T>
T Sum(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));  // wraps
  } else {
    return a + b;
  }
}

}  // namespace

WindowCombiner::AddKernel WindowCombiner::AddKernelFor(PrimitiveType type) {
  if (IsNarrowFloatType(type) || IsSubByte(type)) return nullptr;  // sums need rounding or narrowing
  return DispatchNative(type, [](auto tag) -> AddKernel {
    using T = TagType<decltype(tag)>;
    return [](const void* updates, int64_t update_stride, void* array, int64_t array_stride, int64_t n) {
      const T* update = static_cast<const T*>(updates);
      T* current = static_cast<T*>(array);
      for (int64_t i = 0; i < n; ++i) {
        current[i * array_stride] = Sum(current[i * array_stride], update[i * update_stride]);
      }
    };
  });
}

// The innermost window dimension is a line, which one call combines; the others are walked.
WindowCombiner::WindowCombiner(const HloComputation& computation, const ScalarFunction& function,
                               const CopyDimensions& window)
    : function_(function), window_(window) {
  // The operation may also be that of a computation that this one calls; then the function knows better.
  const ScalarFunction::Known& known = function.known();
  if (known.kind == ScalarFunction::Known::Kind::kBinary && known.op == computation.root()->opcode()) {
    kernel_ = ElementwiseKernel::For(*computation.root());
  }
  if (window.empty()) return;
  line_ = window.back();
  for (size_t d = 0; d + 1 < window.size(); ++d) {
    lines_.push_back({window[d].size, {window[d].from_stride, window[d].to_stride}});
    line_count_ *= window[d].size;
  }
}

void WindowCombiner::AddArray(PrimitiveType type, const void* updates, void* array) {
  using Known = ScalarFunction::Known;
  const Known& known = function_.known();
  const bool alone = function_.result_count() == 1;
  if (alone && known.kind == Known::Kind::kSecond) overwrite_.emplace(type, window_);
  if (alone && known.kind == Known::Kind::kBinary && known.op == HloOpcode::kAdd) add_ = AddKernelFor(type);
  arrays_.push_back({type, updates, array});
}

absl::Status WindowCombiner::Combine(int64_t update_offset, int64_t array_offset, EvalContext& context) const {
  if (overwrite_.has_value()) {
    const Array& a = arrays_[0];
    overwrite_->Run(ElementAt(a.updates, update_offset, a.type), ElementAt(a.array, array_offset, a.type));
    return absl::OkStatus();
  }
  if (line_count_ == 1) return CombineLine(update_offset, array_offset, context);
  if (line_count_ == 0) return absl::OkStatus();
  GridWalk<2> line(lines_);
  for (int64_t i = 0; i < line_count_; ++i, line.Next()) {
    RETURN_IF_ERROR(CombineLine(update_offset + line.offset(0), array_offset + line.offset(1), context));
  }
  return absl::OkStatus();
}

// A loop for sums; one call of the function for a dense line; else element by element, because results are dense.
absl::Status WindowCombiner::CombineLine(int64_t update_offset, int64_t array_offset, EvalContext& context) const {
  if (add_ != nullptr) {
    const Array& a = arrays_[0];
    add_(ElementAt(a.updates, update_offset, a.type), line_.from_stride, ElementAt(a.array, array_offset, a.type),
         line_.to_stride, line_.size);
    return absl::OkStatus();
  }
  // ScalarFunction writes its results one after the other.
  if (line_.to_stride == 1) return ApplyFunction(line_.size, update_offset, array_offset, context);
  for (int64_t i = 0; i < line_.size; ++i) {
    RETURN_IF_ERROR(
        ApplyFunction(1, update_offset + i * line_.from_stride, array_offset + i * line_.to_stride, context));
  }
  return absl::OkStatus();
}

// current = f(current, update) for n elements; both kinds of functions may write over their first input.
absl::Status WindowCombiner::ApplyFunction(int64_t n, int64_t update_offset, int64_t array_offset,
                                           EvalContext& context) const {
  if (kernel_.has_value()) {
    const Array& a = arrays_[0];
    const int64_t width = ByteWidth(a.type);
    void* current = ElementAt(a.array, array_offset, a.type);
    const LaneInput lanes[] = {{current, width},
                               {ElementAt(a.updates, update_offset, a.type), line_.from_stride * width}};
    kernel_->Run(n, lanes, current);
    return absl::OkStatus();
  }
  absl::InlinedVector<LaneInput, 4> inputs;
  absl::InlinedVector<void*, 2> results;
  for (const Array& a : arrays_) {
    void* current = ElementAt(a.array, array_offset, a.type);
    inputs.push_back({current, ByteWidth(a.type)});
    results.push_back(current);
  }
  for (const Array& a : arrays_) {
    inputs.push_back({ElementAt(a.updates, update_offset, a.type), line_.from_stride * ByteWidth(a.type)});
  }
  return function_.Apply(n, inputs, results, context);
}

}  // namespace xla
