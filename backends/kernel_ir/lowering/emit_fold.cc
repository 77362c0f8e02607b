#include "backends/kernel_ir/lowering/emit_fold.h"

#include <algorithm>

namespace xla {
namespace {

// Loops of fewer elements stay one loop, whose index is taken apart.
constexpr int64_t kShortFold = 8;
// Rows of fewer elements are not worth lanes.
constexpr int64_t kMinLaneElements = 16;
// Elements that a lane adds up before the sum joins those of other blocks.
constexpr int64_t kSumBlock = 512;
// Long reductions go over so many runs of blocks at once: memory is faster where it is read from several places.
constexpr int64_t kRuns = 4;
// Elements that are folded without a loop.
constexpr int64_t kMostUnrolled = 32;

int64_t LanesFor(PrimitiveType type, int64_t row) {
  if (row < kMinLaneElements) return 1;
  int64_t lanes = ByteWidth(type) <= 2 ? 64 : 32;
  while (lanes > row) lanes /= 2;
  return lanes;
}

// The largest divisor of n within [low, high], or 1.
int64_t DivisorWithin(int64_t n, int64_t low, int64_t high) {
  for (int64_t d = std::min(n, high); d >= low; --d) {
    if (n % d == 0) return d;
  }
  return 1;
}

}  // namespace

class ElementEmitter::Folder {
 public:
  Folder(ElementEmitter& emitter, const HloInstruction& instruction, const FoldLoops& loops)
      : emitter_(emitter),
        b_(emitter.b_),
        instruction_(instruction),
        loops_(loops),
        reducer_(*loops.reducer),
        known_(reducer_.op.has_value()),
        flagged_(!known_ && loops.may_skip) {
    if (known_) neutral_ = b_.Constant(reducer_.neutral);
  }

  // Short folds are unrolled. Others become loops: dimensions are taken apart, lanes are chosen, and long sums go by
  // blocks where that keeps rounding errors small. A fold that may skip elements carries a flag that says whether it
  // has one yet.
  Values Run() {
    Values initial = loops_.initial;
    if (flagged_) initial.push_back(b_.Constant(Literal::Scalar<bool>(true)));
    Values values;
    if ((loops_.may_unroll || emitter_.unrolls_folds_) && IsShort()) {
      values = FoldUnrolled(initial);
    } else {
      TakeLoopsApart();
      ChooseLanes();
      const size_t outer = ChooseBlocks();
      values = outer > 0 ? FoldBlocks(outer, initial) : FoldAll(initial);
    }
    if (flagged_) values.pop_back();
    return values;
  }

 private:
  bool IsShort() const {
    int64_t count = 1;
    for (const int64_t extent : loops_.extents) {
      if (extent > kMostUnrolled) return false;
      count *= extent;
      if (count > kMostUnrolled) return false;
    }
    return true;
  }

  // Loops that earlier drafts found to be two.
  void TakeLoopsApart() {
    for (size_t k = 0; k < loops_.extents.size(); ++k) {
      std::vector<int64_t> sizes;
      int64_t whole = loops_.extents[k];
      const auto found = emitter_.splits_.find({&instruction_, static_cast<int>(k)});
      if (found != emitter_.splits_.end()) {
        for (auto inner = found->second.rbegin(); inner != found->second.rend(); ++inner) {
          if (*inner < kShortFold || *inner >= whole || whole % *inner != 0) continue;
          sizes.push_back(whole / *inner);
          whole = *inner;
        }
      }
      sizes.push_back(whole);
      extents_.insert(extents_.end(), sizes.begin(), sizes.end());
      parts_.push_back(std::move(sizes));
    }
  }

  void ChooseLanes() {
    if (!known_ || !reducer_.reorders || !loops_.contiguous || extents_.empty()) return;
    lanes_ = LanesFor(reducer_.accumulator_type, extents_.back());
    if (lanes_ > 1) emitter_.lane_reductions_.insert(b_.Depth());
  }

  // How many loops go from block to block, of sums that round; the others are within one. The last loop may become two.
  size_t ChooseBlocks() {
    const PrimitiveType type = reducer_.accumulator_type;
    const bool rounds = known_ && reducer_.reorders && reducer_.op == HloOpcode::kAdd && !IsInt(type) && type != PRED;
    if (extents_.empty() || (!rounds && lanes_ == 1)) return 0;
    int64_t inner = extents_.back();
    if (inner / lanes_ > 2 * kSumBlock) {
      const int64_t divisor = DivisorWithin(inner, lanes_ * kSumBlock / 4, lanes_ * kSumBlock);
      if (divisor > 1) {
        extents_.back() /= divisor;
        extents_.push_back(divisor);
        last_is_cut_ = true;
        inner = divisor;
      }
    }
    if (!rounds) return last_is_cut_ ? extents_.size() - 1 : 0;
    size_t outer = extents_.size() - 1;
    while (outer > 0 && inner / lanes_ * extents_[outer - 1] <= kSumBlock) inner *= extents_[--outer];
    return outer;
  }

  Values Neutrals() const { return lanes_ > 1 ? Values{neutral_} : Values(); }

  Values FoldAll(const Values& initial) {
    return b_.Reduce(
        extents_, lanes_, initial, Neutrals(),
        [&](absl::Span<const KernelValue> indices) { return Element(WholeIndices(indices)); },
        [&](absl::Span<const KernelValue> left, absl::Span<const KernelValue> right) { return Combine(left, right); });
  }

  // Run r of the last outer loop has the iterations from r times its extent on.
  Values FoldBlocks(size_t outer_loops, const Values& initial) {
    std::vector<int64_t> outer_extents(extents_.begin(), extents_.begin() + outer_loops);
    const std::vector<int64_t> inner_extents(extents_.begin() + outer_loops, extents_.end());
    const int64_t runs = last_is_cut_ && lanes_ > 1 && outer_extents.back() % kRuns == 0 ? kRuns : 1;
    outer_extents.back() /= runs;
    const auto combine = [&](absl::Span<const KernelValue> left, absl::Span<const KernelValue> right) {
      Values combined;
      for (size_t i = 0; i < left.size(); ++i) combined.push_back(Combine({left[i]}, {right[i]})[0]);
      return combined;
    };
    const auto blocks = [&](absl::Span<const KernelValue> outer) {
      return b_.Reduce(
          inner_extents, lanes_, Values(runs, neutral_), Values(lanes_ > 1 ? runs : 0, neutral_),
          [&](absl::Span<const KernelValue> within) {
            Values elements;
            for (int64_t r = 0; r < runs; ++r) {
              std::vector<KernelValue> indices(outer.begin(), outer.end());
              if (runs > 1) indices.back() = b_.Affine({{1, indices.back()}}, r * outer_extents.back());
              indices.insert(indices.end(), within.begin(), within.end());
              elements.push_back(Element(WholeIndices(indices))[0]);
            }
            return elements;
          },
          combine);
    };
    Values begin(runs, neutral_);
    begin[0] = initial[0];
    Values sums = b_.Reduce(outer_extents, 1, begin, {}, blocks, combine);
    for (size_t count = runs; count > 1; count /= 2) {
      for (size_t i = 0; i < count / 2; ++i) sums[i] = Combine({sums[i]}, {sums[i + count / 2]})[0];
    }
    sums.resize(1);
    return sums;
  }

  Values FoldUnrolled(Values state) {
    std::vector<int64_t> at(loops_.extents.size(), 0);
    while (true) {
      std::vector<KernelValue> indices;
      for (const int64_t i : at) indices.push_back(b_.Index(i));
      state = Combine(state, ElementAt(indices));
      size_t k = at.size();
      while (k > 0 && at[k - 1] + 1 == loops_.extents[k - 1]) at[--k] = 0;
      if (k == 0) return state;
      ++at[k - 1];
    }
  }

  // The indices of `loops_`, from those of the loops that they became.
  std::vector<KernelValue> WholeIndices(absl::Span<const KernelValue> loops) {
    std::vector<KernelValue> indices(loops.begin(), loops.end());
    if (last_is_cut_) {
      const KernelValue low = indices.back();
      indices.pop_back();
      indices.back() = b_.Affine({{extents_.back(), indices.back()}, {1, low}});
    }
    std::vector<KernelValue> whole;
    for (size_t k = 0, i = 0; k < parts_.size(); ++k) {
      absl::InlinedVector<std::pair<int64_t, KernelValue>, 3> terms;
      int64_t stride = loops_.extents[k];
      for (const int64_t size : parts_[k]) {
        stride /= size;
        terms.push_back({stride, indices[i++]});
      }
      whole.push_back(b_.Affine(terms));
    }
    return whole;
  }

  Values Element(const std::vector<KernelValue>& indices) {
    const size_t splits_before = emitter_.indices_.splits().size();
    Values values = ElementAt(indices);
    NoteSplits(splits_before, indices);
    return values;
  }

  Values ElementAt(const std::vector<KernelValue>& indices) {
    auto [values, inside] = loops_.element(indices);
    if (known_ && inside != kNoValue) values[0] = b_.Select(inside, values[0], neutral_);
    if (flagged_) values.push_back(inside == kNoValue ? b_.Constant(Literal::Scalar<bool>(true)) : inside);
    return std::move(values);
  }

  void NoteSplits(size_t from, const std::vector<KernelValue>& indices) {
    const auto& splits = emitter_.indices_.splits();
    for (size_t s = from; s < splits.size(); ++s) {
      const auto place = std::find(indices.begin(), indices.end(), splits[s].value);
      if (place == indices.end()) continue;
      emitter_.splits_[{&instruction_, static_cast<int>(place - indices.begin())}].insert(splits[s].inner);
    }
  }

  Values Combine(absl::Span<const KernelValue> left, absl::Span<const KernelValue> right) {
    if (known_) return {b_.Binary(*reducer_.op, left[0], right[0])};
    const size_t count = loops_.initial.size();
    std::vector<KernelValue> arguments(left.begin(), left.begin() + count);
    arguments.insert(arguments.end(), right.begin(), right.begin() + count);
    Values values = emitter_.Apply(*loops_.computation, arguments);
    if (!flagged_) return values;
    for (size_t i = 0; i < count; ++i) values[i] = b_.Select(right.back(), values[i], left[i]);
    values.push_back(left.back());
    return values;
  }

  ElementEmitter& emitter_;
  KernelBuilder& b_;
  const HloInstruction& instruction_;
  const FoldLoops& loops_;
  const KernelReducer& reducer_;
  const bool known_;
  const bool flagged_;  // the last value says whether the element counts
  KernelValue neutral_ = kNoValue;
  std::vector<int64_t> extents_;
  std::vector<std::vector<int64_t>> parts_;  // of each extent of `loops_`, sizes of the loops that it became
  bool last_is_cut_ = false;                 // the last of them is two loops, the inner one a block
  int64_t lanes_ = 1;
};

ElementEmitter::Values ElementEmitter::Fold(const Request& request, const FoldLoops& loops) {
  return Folder(*this, *request.node.instruction, loops).Run();
}

}  // namespace xla
