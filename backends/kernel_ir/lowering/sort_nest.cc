#include "backends/kernel_ir/lowering/sort_nest.h"

#include <algorithm>
#include <limits>

namespace xla {
namespace {

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
    ForEachElement([&](KernelValue e) {
      const Shape& keys = KeysOf(instruction_);
      const ElementIndex index = emitter_.indices().Reshape({{plan_.total, e}}, keys.dimensions());
      std::vector<KernelValue> values;
      for (int k = 0; k < instruction_.operand_count(); ++k) {
        values.push_back(emitter_.Emit({instruction_.operand(k), {}, sort_.context}, index));
      }
      for (int k = 0; k < instruction_.operand_count(); ++k) b_.Store(Side(0)[k], e, values[k]);
    });
    for (int pass = 0; pass < plan_.passes; ++pass) {
      ForEachElement([&](KernelValue e) { Merge(pass, e); });
    }
  }

 private:
  // What a pass reads; it writes what the next one does. After the last one all is in the results.
  const std::vector<int>& Side(int pass) const { return (plan_.passes - pass) % 2 == 0 ? buffers_ : plan_.workspaces; }

  // A phase over all elements.
  void ForEachElement(absl::FunctionRef<void(KernelValue)> body) {
    const int64_t grains = (plan_.total + target_.tile_grain - 1) / target_.tile_grain;
    const int64_t block = target_.tile_grain * ((grains + target_.max_tiles - 1) / target_.max_tiles);
    b_.Phase((plan_.total + block - 1) / block, [&](KernelValue tile) {
      emitter_.BeginPhase();
      b_.For(BlockExtent(b_, plan_.total, block, tile), LoopSchedule::kVector, true, [&](KernelValue i) {
        body(b_.Affine({{block, tile}, {1, i}}));
      });
    });
  }

  KernelValue Clamped(KernelValue place) {
    const KernelValue last = b_.Index(plan_.size - 1);
    return b_.AsIndex(b_.Binary(HloOpcode::kMinimum, place, last), 0, plan_.size - 1);
  }

  void Merge(int pass, KernelValue e) {
    const int64_t run = int64_t{1} << pass;
    const int64_t row = plan_.size * plan_.inner;
    const KernelValue outer = b_.Quotient(e, row);
    const KernelValue in_row = b_.Remainder(e, row);
    const KernelValue i = b_.Quotient(in_row, plan_.inner);
    const KernelValue column = b_.Remainder(in_row, plan_.inner);
    const auto element_at = [&](KernelValue place) {
      return b_.Affine({{row, outer}, {plan_.inner, place}, {1, column}});
    };
    std::vector<KernelValue> own;
    for (const int buffer : Side(pass)) own.push_back(b_.Load(buffer, e));

    const KernelValue both = b_.Quotient(i, 2 * run);  // number of the two runs
    const KernelValue within = b_.Remainder(i, 2 * run);
    const KernelValue side = b_.Quotient(within, run);  // 0: the left one
    const KernelValue in_run = b_.Remainder(within, run);
    const KernelValue is_right = b_.Compare(ComparisonDirection::kGt, side, b_.Index(0));
    const KernelValue other = b_.Affine({{2 * run, both}, {-run, side}}, run);
    const KernelValue left_over = b_.Binary(HloOpcode::kMaximum, b_.Affine({{-1, other}}, plan_.size), b_.Index(0));
    const KernelValue count = b_.Binary(HloOpcode::kMinimum, left_over, b_.Index(run));

    const auto step = [&](KernelValue, absl::Span<const KernelValue> state) {
      const KernelValue low = b_.AsIndex(state[0], 0, run);
      const KernelValue high = b_.AsIndex(state[1], 0, run);
      const KernelValue middle = b_.Quotient(b_.Affine({{1, low}, {1, high}}), 2);
      const KernelValue from = element_at(Clamped(b_.Affine({{1, other}, {1, middle}})));
      const KernelValue goes_before = ComesBefore(pass, from, own, is_right);
      const KernelValue is_open = b_.Compare(ComparisonDirection::kLt, low, high);
      const KernelValue above = b_.And(is_open, goes_before);
      const KernelValue below = b_.And(is_open, b_.Unary(HloOpcode::kNot, goes_before));
      return KernelBuilder::Values{b_.Select(above, b_.Affine({{1, middle}}, 1), low), b_.Select(below, middle, high)};
    };
    // Of a run of 2^pass elements there are one more places to come in.
    const KernelValue found = b_.ForWithState(b_.Index(pass + 1), {b_.Index(0), count}, step)[0];
    const KernelValue before = b_.AsIndex(found, 0, run);
    const KernelValue to = element_at(Clamped(b_.Affine({{2 * run, both}, {1, in_run}, {1, before}})));
    for (size_t k = 0; k < own.size(); ++k) b_.Store(Side(pass + 1)[k], to, own[k]);
  }

  // Whether that element of the other run comes before the own one: of the right run, if it is less; of the left one,
  // unless it is greater.
  KernelValue ComesBefore(int pass, KernelValue from, const std::vector<KernelValue>& own, KernelValue is_right) {
    KernelBuilder::Values arguments;
    for (size_t k = 0; k < own.size(); ++k) {
      const KernelValue other = b_.Load(Side(pass)[k], from);
      arguments.push_back(b_.Select(is_right, own[k], other));
      arguments.push_back(b_.Select(is_right, other, own[k]));
    }
    const KernelValue is_less = emitter_.Apply(*instruction_.called_computation(0), arguments)[0];
    return b_.Binary(HloOpcode::kXor, is_less, is_right);
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
  return plan;
}

void WriteSort(const SortPlan& plan, const ArrayNode& sort, const std::vector<int>& buffers,
               const LoweringTarget& target, ElementEmitter& emitter) {
  SortWriter(plan, sort, buffers, target, emitter).Write();
}

}  // namespace xla
