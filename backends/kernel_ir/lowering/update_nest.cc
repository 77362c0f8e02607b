#include "backends/kernel_ir/lowering/update_nest.h"

#include <algorithm>

namespace xla {
KernelValue PlaceOf(KernelBuilder& b, const Shape& shape, absl::Span<const KernelValue> index) {
  std::vector<std::pair<int64_t, KernelValue>> terms;
  int64_t stride = 1;
  const std::vector<int> order = PhysicalOrder(shape);
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    if (shape.dimension(*d) != 1) terms.push_back({stride, index[*d]});
    stride *= shape.dimension(*d);
  }
  return b.Affine(terms);
}

// Writes the update into an array that already holds the operand: only the updated part is touched, in its physical
// order, at starts that are clamped as HLO says.
void WriteUpdate(const ArrayNode& update, const Shape& shape, int buffer, const LoweringTarget& target,
                 ElementEmitter& emitter) {
  const HloInstruction& instruction = *update.instruction;
  const Shape& part = instruction.operand(1)->shape();
  const int rank = part.rank();
  if (part.ElementCount() == 0) return;
  KernelBuilder& b = emitter.builder();
  // The last dimension in memory is the inner loop, all others are one.
  const std::vector<int> order = PhysicalOrder(shape);
  const int64_t inner = rank == 0 ? 1 : part.dimension(order.back());
  const int64_t outer = part.ElementCount() / inner;
  const int64_t rows =
      std::max<int64_t>({1, target.tile_cost / inner, (outer + target.max_tiles - 1) / target.max_tiles});
  const int64_t outer_blocks = (outer + rows - 1) / rows;
  const int64_t wanted = std::max<int64_t>(1, std::min(inner / target.tile_cost, target.max_tiles / outer_blocks));
  const int64_t columns =
      std::min(inner, ((inner + wanted - 1) / wanted + target.tile_grain - 1) / target.tile_grain * target.tile_grain);
  const int64_t inner_blocks = (inner + columns - 1) / columns;
  b.Phase(outer_blocks * inner_blocks, [&](KernelValue tile) {
    emitter.BeginPhase();
    std::vector<KernelValue> starts(rank);
    const bool vector_form = rank > 0 && instruction.operand(2)->shape().rank() == 1;
    for (int d = 0; d < rank; ++d) {
      starts[d] = b.Index(0);
      const int64_t last = shape.dimension(d) - part.dimension(d);
      if (last == 0) continue;
      ElementIndex place;
      if (vector_form && rank > 1) place.push_back({rank, b.Index(d)});
      starts[d] = emitter.ClampedStart(
          emitter.Emit({instruction.operand(vector_form ? 2 : 2 + d), {}, update.context}, place), last);
    }
    const KernelValue row_block = b.Quotient(tile, inner_blocks);
    const KernelValue column_block = b.Remainder(tile, inner_blocks);
    b.For(BlockExtent(b, outer, rows, row_block), LoopSchedule::kPlain, true, [&](KernelValue i) {
      KernelValue row = b.Affine({{rows, row_block}, {1, i}});
      std::vector<KernelValue> index(rank, b.Index(0));
      for (int k = rank - 2; k >= 0; --k) {
        index[order[k]] = b.Remainder(row, part.dimension(order[k]));
        row = b.Quotient(row, part.dimension(order[k]));
      }
      b.For(BlockExtent(b, inner, columns, column_block), LoopSchedule::kVector, true, [&](KernelValue j) {
        if (rank > 0) index[order.back()] = b.Affine({{columns, column_block}, {1, j}});
        const KernelValue value =
            emitter.Emit({instruction.operand(1), {}, update.context}, IndexArithmetic::Of(part.dimensions(), index));
        std::vector<KernelValue> to(rank);
        for (int d = 0; d < rank; ++d) to[d] = b.Affine({{1, starts[d]}, {1, index[d]}});
        b.Store(buffer, PlaceOf(b, shape, to), value);
      });
    });
  });
}

}  // namespace xla
