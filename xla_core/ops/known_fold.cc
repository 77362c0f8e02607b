// The folds by reducers of known_reducer.h: everything that is instantiated for each of them stands here.
#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "xla_core/ops/gather_elements.h"
#include "xla_core/ops/known_reducer.h"
#include "xla_core/ops/lane_fold.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

// The folds are templates so that the compiler sees the reducer's step in the loop and makes vectors of it. A narrow
// float is decoded into a row of f32 first, kMaxDecoded elements at a time.
template <typename T>
bool IsFloatNan(T value) {
  if constexpr (std::is_floating_point_v<T>) return value != value;
  return false;
}

template <typename Reducer>
class KnownFold : public RowFold {
 public:
  using Accumulator = typename Reducer::Accumulator;
  using Element = typename Reducer::Element;

  explicit KnownFold(const FoldedArray& array)
      : type_(array.type),
        is_narrow_(IsNarrowFloatType(array.type)),
        elements_(array.elements),
        init_(LoadAccumulator<Reducer>(array.type, array.init, 0)),
        result_(static_cast<char*>(array.result)) {
    if (is_narrow_) decoded_.resize(kMaxDecoded);
  }

  void Start(int64_t n) override { std::fill_n(accumulators_.begin(), n, init_); }

  absl::Status Step(const int64_t* offsets, int64_t n, int64_t delta) override {
    if (is_narrow_) {
      std::array<uint16_t, kMaxLanes> bits;
      GatherElements(type_, At(delta), offsets, n, bits.data());
      DecodeNarrow(NarrowFormatOf(type_), bits.data(), decoded_.data(), n);
      AddRow(Decoded(), n);
    } else {
      const Element* elements = static_cast<const Element*>(At(delta));
      for (int64_t l = 0; l < n; ++l) Add(l, elements[offsets[l]]);
    }
    return absl::OkStatus();
  }

  absl::Status StepSome(const int64_t* offsets, int64_t delta, absl::Span<const int> lanes) override {
    for (int l : lanes) {
      const int64_t offset = offsets[l] + delta;
      Add(l, is_narrow_ ? *Read(offset, 1) : static_cast<const Element*>(elements_)[offset]);
    }
    return absl::OkStatus();
  }

  void Store(const int64_t* places, int64_t n, int64_t delta) override {
    const int64_t width = ByteWidth(type_);
    char* result = result_ + delta * width;
    for (int64_t l = 0; l < n; ++l) StoreAccumulator(accumulators_[l], type_, result + places[l] * width);
  }

  void StepRow(int64_t offset, int64_t n) override { AddRow(Read(offset, n), n); }

  void FoldRow(int64_t offset, int64_t n) override {
    const int64_t step = is_narrow_ ? kMaxDecoded : n;
    for (int64_t done = 0; done < n; done += step) {
      const int64_t count = std::min(step, n - done);
      accumulators_[0] = Fold(accumulators_[0], Read(offset + done, count), count);
    }
  }

  void StartEmpty() override { accumulators_[0] = Reducer::Identity(); }
  void Merge(const RowFold& other) override {
    accumulators_[0] = Reducer::Step(accumulators_[0], static_cast<const KnownFold&>(other).accumulators_[0]);
  }

 private:
  static constexpr int64_t kMaxDecoded = 1024;

  const void* At(int64_t offset) const { return static_cast<const char*>(elements_) + offset * ByteWidth(type_); }
  const Element* Decoded() const { return reinterpret_cast<const Element*>(decoded_.data()); }

  // `n` neighbouring elements (at most kMaxDecoded narrow floats), valid until the next call.
  const Element* Read(int64_t offset, int64_t n) {
    if (!is_narrow_) return static_cast<const Element*>(elements_) + offset;
    DecodeNarrow(NarrowFormatOf(type_), At(offset), decoded_.data(), n);
    return Decoded();
  }

  void Add(int64_t lane, Element element) {
    accumulators_[lane] = Reducer::Step(accumulators_[lane], Accumulator(element));
  }
  void AddRow(const Element* elements, int64_t n) {
    Accumulator* const accumulators = accumulators_.data();
    for (int64_t l = 0; l < n; ++l) accumulators[l] = Reducer::Step(accumulators[l], Accumulator(elements[l]));
  }

  // Eight accumulators take every eighth element: the compiler makes vectors of them, and additions need not wait for
  // each other. They meet pairwise, which does not depend on vector length or threads, so the bits are the same
  // everywhere.
  static Accumulator Fold(Accumulator accumulator, const Element* elements, int64_t n) {
    constexpr int kWays = 8;
    if (!Reducer::kReorders || n < 2 * kWays) {
      for (int64_t i = 0; i < n; ++i) accumulator = Reducer::Step(accumulator, Accumulator(elements[i]));
      return accumulator;
    }
    Accumulator ways[kWays];
    std::fill_n(ways, kWays, Reducer::Identity());
    int64_t i = 0;
    for (; i + kWays <= n; i += kWays) {
      for (int way = 0; way < kWays; ++way) {
        ways[way] = Reducer::Step(ways[way], Accumulator(elements[i + way]));
      }
    }
    for (; i < n; ++i) ways[i % kWays] = Reducer::Step(ways[i % kWays], Accumulator(elements[i]));
    for (int half = kWays / 2; half > 0; half /= 2) {
      for (int way = 0; way < half; ++way) ways[way] = Reducer::Step(ways[way], ways[way + half]);
    }
    const Accumulator result = Reducer::Step(accumulator, ways[0]);
    // A maximum of several NaN is the first of them. (A sum says nothing of the bits of its NaN, which may come from
    // infinities of both signs.)
    if constexpr (std::is_same_v<Accumulator, Element>) {
      if (IsFloatNan(result) && !IsFloatNan(accumulator)) {
        const Element* const nan = std::find_if(elements, elements + n, [](Element x) { return IsFloatNan(x); });
        if (nan != elements + n) return *nan;
      }
    }
    return result;
  }

  const PrimitiveType type_;
  const bool is_narrow_;  // elements are decoded to f32, which Element then is
  const void* const elements_;
  const Accumulator init_;
  char* const result_;
  std::vector<float> decoded_;
  std::array<Accumulator, kMaxLanes> accumulators_;
};

}  // namespace

bool HasKnownFold(HloOpcode op, PrimitiveType type) {
  return DispatchKnownReducer(op, type, [](auto) {});
}

bool MayReorder(HloOpcode op, PrimitiveType type) {
  bool may = false;
  DispatchKnownReducer(op, type, [&](auto reducer) { may = decltype(reducer)::kReorders; });
  return may;
}

std::unique_ptr<RowFold> MakeKnownFold(HloOpcode op, const FoldedArray& array) {
  std::unique_ptr<RowFold> fold;
  DispatchKnownReducer(op, array.type,
                       [&](auto reducer) { fold = std::make_unique<KnownFold<decltype(reducer)>>(array); });
  return fold;
}

}  // namespace xla
