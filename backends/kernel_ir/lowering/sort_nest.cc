#include "backends/kernel_ir/lowering/sort_nest.h"

#include <algorithm>
#include <limits>

namespace xla {
namespace {

// Elements that are merged one after the other: finding where they begin is little beside that, and there are still
// blocks for many invocations.
constexpr int64_t kLongestBlock = 32;

const Shape& KeysOf(const HloInstruction& sort) { return sort.operand(0)->shape(); }

class SortWriter {
 public:
  SortWriter(const SortPlan& plan, const ArrayNode& sort, const std::vector<int>& buffers, const LoweringTarget& target,
             ElementEmitter& emitter)
      : plan_(plan),
        sort_(sort),
        instruction_(*sort.instruction),
        buffers_(buffers),
        target_(target),
        emitter_(emitter),
        b_(emitter.builder()) {}

  void Write() {
    ForEach(plan_.total, [&](KernelValue e) {
      const Shape& keys = KeysOf(instruction_);
      // Dimensions of size one have no value.
      const ElementIndex number = plan_.total == 1 ? ElementIndex() : ElementIndex{{plan_.total, e}};
      const ElementIndex index = emitter_.indices().Reshape(number, keys.dimensions());
      std::vector<KernelValue> values;
      for (int k = 0; k < instruction_.operand_count(); ++k) {
        values.push_back(emitter_.Emit({instruction_.operand(k), {}, sort_.context}, index));
      }
      for (int k = 0; k < instruction_.operand_count(); ++k) b_.Store(Side(0)[k], e, values[k]);
    });
    for (int pass = 0; pass < plan_.passes; ++pass) Merge(pass);
  }

 private:
  // What a pass reads; it writes what the next one does. After the last one all is in the results.
  const std::vector<int>& Side(int pass) const { return (plan_.passes - pass) % 2 == 0 ? buffers_ : plan_.workspaces; }

  // A phase over so many elements or blocks.
  void ForEach(int64_t count, absl::FunctionRef<void(KernelValue)> body) {
    const int64_t grains = (count + target_.tile_grain - 1) / target_.tile_grain;
    const int64_t block = target_.tile_grain * ((grains + target_.max_tiles - 1) / target_.max_tiles);
    b_.Phase((count + block - 1) / block, [&](KernelValue tile) {
      emitter_.BeginPhase();
      b_.For(BlockExtent(b_, count, block, tile), LoopSchedule::kVector, true, [&](KernelValue i) {
        body(b_.Affine({{block, tile}, {1, i}}));
      });
    });
  }

  // ---- Merging. Places are along the dimension that is sorted.

  // Of a block of the result: its line, its number within that and its two runs, which follow each other.
  struct Block {
    KernelValue outer;
    KernelValue column;
    KernelValue number;
    KernelValue begin;  // of the left run
    int64_t run;
  };
  // What is to be merged, by numbers of elements in the left run and in the right one.
  struct Parts {
    KernelValue left;
    KernelValue left_end;
    KernelValue right;
    KernelValue right_end;
  };

  KernelValue Minimum(KernelValue x, KernelValue y) { return b_.Binary(HloOpcode::kMinimum, x, y); }
  KernelValue Maximum(KernelValue x, KernelValue y) { return b_.Binary(HloOpcode::kMaximum, x, y); }
  KernelValue IsLess(KernelValue x, KernelValue y) { return b_.Compare(ComparisonDirection::kLt, x, y); }
  KernelValue Not(KernelValue x) { return b_.Unary(HloOpcode::kNot, x); }

  KernelValue ElementAt(const Block& block, KernelValue place) {
    return b_.Affine({{plan_.size * plan_.inner, block.outer}, {plan_.inner, place}, {1, block.column}});
  }
  // Of a run's element, or of some other where the run has none.
  KernelValue ElementOf(const Block& block, KernelValue number, bool is_right) {
    const KernelValue place = b_.Affine({{1, block.begin}, {1, number}}, is_right ? block.run : 0);
    return ElementAt(block, b_.AsIndex(Minimum(place, b_.Index(plan_.size - 1)), 0, plan_.size - 1));
  }
  // Whether that element of the right run comes before that one of the left run.
  KernelValue RightIsBefore(int pass, KernelValue left, KernelValue right) {
    std::vector<KernelValue> of_left;
    std::vector<KernelValue> of_right;
    for (const int buffer : Side(pass)) {
      of_left.push_back(b_.Load(buffer, left));
      of_right.push_back(b_.Load(buffer, right));
    }
    return plan_.order->IsBefore(of_right, of_left, emitter_);
  }

  void Merge(int pass) {
    const int64_t run = int64_t{1} << pass;
    const int64_t length = std::min(2 * run, kLongestBlock);
    const int64_t blocks = (plan_.size + length - 1) / length;  // of a line
    ForEach(plan_.total / plan_.size * blocks, [&](KernelValue e) {
      const KernelValue number = b_.Quotient(e, plan_.inner);
      Block block;
      block.outer = b_.Quotient(number, blocks);
      block.column = b_.Remainder(e, plan_.inner);
      block.number = b_.Remainder(number, blocks);
      block.begin = b_.Affine({{2 * run, b_.Quotient(block.number, 2 * run / length)}});
      block.run = run;
      const Parts parts = PartsOf(pass, block, length);
      MergeBlock(pass, block, length, parts);
    });
  }

  // Halves the result of both runs until the block is left.
  Parts PartsOf(int pass, const Block& block, int64_t length) {
    const int64_t run = block.run;
    const KernelValue left_over = Maximum(b_.Affine({{-1, block.begin}}, plan_.size), b_.Index(0));
    const KernelValue of_both = b_.AsIndex(Minimum(left_over, b_.Index(2 * run)), 0, 2 * run);
    const KernelValue of_left = b_.AsIndex(Minimum(of_both, b_.Index(run)), 0, run);
    int64_t levels = 0;
    while (length << levels < 2 * run) ++levels;
    const KernelValue before = b_.Affine({{length, b_.Remainder(block.number, 2 * run / length)}});
    const KernelBuilder::Values all = {b_.Index(0), of_left,      b_.Index(0), b_.Affine({{1, of_both}, {-1, of_left}}),
                                       before,      b_.Index(run)};
    const auto halve = [&](KernelValue level, absl::Span<const KernelValue> state) {
      const Parts parts = {b_.AsIndex(state[0], 0, run), b_.AsIndex(state[1], 0, run), b_.AsIndex(state[2], 0, run),
                           b_.AsIndex(state[3], 0, run)};
      const KernelValue rest = b_.AsIndex(state[4], 0, 2 * run - length);
      const KernelValue half = b_.AsIndex(state[5], 1, run);
      // Of both runs, in front of the middle. The last parts of a line may be shorter than a half.
      const KernelValue middle = Minimum(b_.Affine({{1, parts.left}, {1, parts.right}, {1, half}}),
                                         b_.Affine({{1, parts.left_end}, {1, parts.right_end}}));
      const KernelValue left = Bisect(pass, block, parts, middle, b_.Affine({{-1, level}}, pass + 1));
      const KernelValue right = b_.Affine({{1, middle}, {-1, left}});
      const KernelValue is_second = Not(IsLess(rest, half));
      return KernelBuilder::Values{b_.Select(is_second, left, parts.left),
                                   b_.Select(is_second, parts.left_end, left),
                                   b_.Select(is_second, right, parts.right),
                                   b_.Select(is_second, parts.right_end, right),
                                   b_.Select(is_second, b_.Affine({{1, rest}, {-1, half}}), rest),
                                   b_.Quotient(half, 2)};
    };
    const KernelBuilder::Values found = b_.ForWithState(b_.Index(levels), all, halve);
    return {b_.AsIndex(found[0], 0, run), b_.AsIndex(found[1], 0, run), b_.AsIndex(found[2], 0, run),
            b_.AsIndex(found[3], 0, run)};
  }

  // How many of the first `middle` elements of the merged parts, counted from the beginning of both runs, the left run
  // has. `steps` halve all possible numbers away.
  KernelValue Bisect(int pass, const Block& block, const Parts& parts, KernelValue middle, KernelValue steps) {
    const int64_t run = block.run;
    const KernelValue least = Maximum(parts.left, b_.Affine({{1, middle}, {-1, parts.right_end}}));
    const KernelValue most = Minimum(parts.left_end, b_.Affine({{1, middle}, {-1, parts.right}}));
    const auto step = [&](KernelValue, absl::Span<const KernelValue> state) {
      const KernelValue low = b_.AsIndex(state[0], 0, run);
      const KernelValue high = b_.AsIndex(state[1], 0, run);
      const KernelValue guess = b_.Quotient(b_.Affine({{1, low}, {1, high}}), 2);
      // The guess and what would be the last element of the right run; there is none once low is high.
      const KernelValue last = Maximum(b_.Affine({{1, middle}, {-1, guess}}, -1), b_.Index(0));
      const KernelValue is_less = RightIsBefore(pass, ElementOf(block, guess, /*is_right=*/false),
                                                ElementOf(block, b_.AsIndex(last, 0, 2 * run), /*is_right=*/true));
      const KernelValue is_open = IsLess(low, high);
      return KernelBuilder::Values{b_.Select(b_.And(is_open, Not(is_less)), b_.Affine({{1, guess}}, 1), low),
                                   b_.Select(b_.And(is_open, is_less), guess, high)};
    };
    return b_.AsIndex(b_.ForWithState(steps, {least, most}, step)[0], 0, run);
  }

  void MergeBlock(int pass, const Block& block, int64_t length, const Parts& parts) {
    const int64_t run = block.run;
    const auto take = [&](KernelValue i, absl::Span<const KernelValue> state) {
      const KernelValue left = b_.AsIndex(state[0], 0, run);
      const KernelValue right = b_.AsIndex(state[1], 0, run);
      const KernelValue from_left = ElementOf(block, left, /*is_right=*/false);
      const KernelValue from_right = ElementOf(block, right, /*is_right=*/true);
      const KernelValue is_less = RightIsBefore(pass, from_left, from_right);
      const KernelValue is_wanted = b_.Binary(HloOpcode::kOr, is_less, Not(IsLess(left, parts.left_end)));
      const KernelValue is_right = b_.And(IsLess(right, parts.right_end), is_wanted);
      const KernelValue from = b_.AsIndex(b_.Select(is_right, from_right, from_left), 0, plan_.total - 1);
      const KernelValue to = ElementAt(block, b_.Affine({{length, block.number}, {1, i}}));
      for (size_t k = 0; k < Side(pass).size(); ++k) b_.Store(Side(pass + 1)[k], to, b_.Load(Side(pass)[k], from));
      return KernelBuilder::Values{b_.Select(is_right, left, b_.Affine({{1, left}}, 1)),
                                   b_.Select(is_right, b_.Affine({{1, right}}, 1), right)};
    };
    b_.ForWithState(BlockExtent(b_, plan_.size, length, block.number), {parts.left, parts.right}, take);
  }

  const SortPlan& plan_;
  const ArrayNode& sort_;
  const HloInstruction& instruction_;
  const std::vector<int>& buffers_;
  const LoweringTarget& target_;
  ElementEmitter& emitter_;
  KernelBuilder& b_;
};

}  // namespace

bool CanMergeSort(const HloInstruction& sort) {
  for (int k = 0; k < sort.operand_count(); ++k) {
    const Shape& result = sort.shape().IsTuple() ? sort.shape().tuple_shape(k) : sort.shape();
    if (!result.IsRowMajor() || result.IsDynamic()) return false;
  }
  return KeysOf(sort).ElementCount() <= std::numeric_limits<int32_t>::max();
}

SortPlan PlanSort(const HloInstruction& sort) {
  const Shape& keys = KeysOf(sort);
  const auto dimension = static_cast<int>(sort.attributes<SortAttributes>().dimension);
  SortPlan plan;
  plan.total = keys.ElementCount();
  plan.size = keys.dimension(dimension);
  for (int d = dimension + 1; d < keys.rank(); ++d) plan.inner *= keys.dimension(d);
  while (int64_t{1} << plan.passes < plan.size) ++plan.passes;
  plan.order = std::make_shared<SortOrder>(*sort.called_computation(0));
  return plan;
}

void WriteSort(const SortPlan& plan, const ArrayNode& sort, const std::vector<int>& buffers,
               const LoweringTarget& target, ElementEmitter& emitter) {
  SortWriter(plan, sort, buffers, target, emitter).Write();
}

}  // namespace xla
