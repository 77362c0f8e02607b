#include "passes/partitioning/partition_scan.h"

#include <numeric>
#include <vector>

#include "passes/analyses/cumulative_window.h"
#include "passes/base/identity_element.h"
#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

bool IsExact(HloOpcode opcode, PrimitiveType type) {
  const bool is_extreme = opcode == HloOpcode::kMaximum || opcode == HloOpcode::kMinimum;
  if (!IdentityElement(opcode, type).ok()) return false;
  return is_extreme || IsInt(type) || type == PrimitiveType::PRED;
}

}  // namespace

absl::optional<CumulativeOperation> FindExactCumulativeOperation(const HloInstruction& reduce_window) {
  if (reduce_window.operand_count() != 2 || reduce_window.shape().IsTuple()) return absl::nullopt;
  const absl::optional<HloOpcode> opcode = ReducingOpcode(*reduce_window.called_computation(0));
  if (!opcode.has_value() || !IsExact(*opcode, reduce_window.shape().element_type())) return absl::nullopt;
  const absl::optional<CumulativeWindow> window = FindCumulativeWindow(reduce_window);
  if (!window.has_value() || window->outputs != window->length || window->first != 1) return absl::nullopt;
  return CumulativeOperation{window->dimension, window->from_the_end, *opcode};
}

HloInstruction* ScanShards(const HloInstruction& instruction, const CumulativeOperation& operation, int64_t size,
                           const ArrayTiling& tiling, const Literal& neutral, ShardEmitter& emitter) {
  const int k = operation.dimension;
  HloComputation* const function = instruction.called_computation(0);
  InstructionBuilder& build = emitter.At(&instruction);
  HloInstruction* x = instruction.operand(0);
  // Padding after the last element would be combined first.
  if (operation.from_the_end) x = emitter.MaskPadding(x, k, size, tiling[k], neutral);
  const int64_t rows = x->shape().dimension(k);
  Window window = instruction.attributes<WindowAttributes>().window;
  window.dimensions[k] = WindowDimension();
  window.dimensions[k].size = rows;
  (operation.from_the_end ? window.dimensions[k].padding_high : window.dimensions[k].padding_low) = rows - 1;
  HloInstruction* const own = build.ReduceWindow({x}, {build.Constant(neutral)}, window, function);
  const int64_t last = operation.from_the_end ? 0 : rows - 1;
  HloInstruction* const totals = emitter.Stack(build.SliceInDim(own, k, last, last + 1), tiling, {k});

  std::vector<int64_t> numbers(tiling[k].tiles);
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  HloInstruction* const tile = emitter.OfTile(tiling[k], numbers);
  const Shape places = Shape::Array(tile->shape().element_type(), totals->shape().dimensions());
  const auto direction = operation.from_the_end ? ComparisonDirection::kGt : ComparisonDirection::kLt;
  HloInstruction* const is_before =
      build.Compare(direction, build.Iota(places, 0), build.BroadcastScalar(tile, places));
  HloInstruction* const before = build.Select(is_before, totals, build.Splat(totals->shape().WithoutLayout(), neutral));
  HloInstruction* const sum = build.Reduce(before, instruction.operand(1), {0}, function);

  std::vector<int64_t> others;
  std::vector<int64_t> sizes;
  for (int d = 0; d < own->shape().rank(); ++d) {
    if (d == k) continue;
    others.push_back(d);
    sizes.push_back(own->shape().dimension(d));
  }
  HloInstruction* const spread = build.Broadcast(build.Reshape(sum, sizes), own->shape().dimensions(), others);
  const bool is_predicate = own->shape().element_type() == PrimitiveType::PRED;
  return build.Binary(is_predicate ? OnPredicates(operation.opcode) : operation.opcode, spread, own);
}

}  // namespace xla
