#include "backends/kernel_ir/lowering/chunked_reduce.h"

#include <algorithm>

namespace xla {
namespace {

// Columns that are added to in turn: what they are added up in stays in the nearest cache.
constexpr int64_t kColumnBlock = 1024;
constexpr int64_t kMinColumns = 8;
// Rows that are read together before their sum is added.
constexpr int64_t kRowsAtOnce = 16;
constexpr int64_t kMinRowsOfColumns = 32;
constexpr int64_t kMinRowsOfChunk = 64;
// Chunks of one long row are multiples of so many elements.
constexpr int64_t kRowGrain = 1024;

void SetChunks(int64_t extent, int64_t wanted, int64_t grain, int64_t least, ChunkedReduce& nest) {
  int64_t chunk = std::max(extent / std::max<int64_t>(wanted, 1), std::min(least, extent));
  if (chunk >= grain) chunk = chunk / grain * grain;
  nest.chunk = std::max<int64_t>(chunk, 1);
  nest.chunks = extent / nest.chunk;
  nest.tail = extent % nest.chunk;
}

ElementIndex IndexOf(ElementEmitter& emitter, const ChunkedReduce& nest, KernelValue element) {
  if (nest.elements == 1) return {};
  return emitter.indices().Reshape({{nest.elements, element}}, nest.reduces[0].shape().dimensions());
}

// The columns of a tile: the first and how many.
struct Columns {
  KernelValue begin;
  KernelValue count;
};

Columns ColumnsOf(KernelBuilder& b, const ChunkedReduce& nest, KernelValue block) {
  return {b.Affine({{nest.column_block, block}}), BlockExtent(b, nest.elements, nest.column_block, block)};
}

void WriteColumns(const ChunkedReduce& nest, ElementEmitter& emitter) {
  KernelBuilder& b = emitter.builder();
  const int64_t blocks = (nest.elements + nest.column_block - 1) / nest.column_block;
  const auto for_columns = [&](const Columns& columns, KernelValue chunk,
                               absl::FunctionRef<void(size_t, const ElementIndex&, KernelValue)> body) {
    b.For(columns.count, LoopSchedule::kVector, true, [&](KernelValue i) {
      const KernelValue column = b.Affine({{1, columns.begin}, {1, i}});
      const ElementIndex index = IndexOf(emitter, nest, column);
      const KernelValue place = b.Affine({{nest.elements, chunk}, {1, column}});
      for (size_t r = 0; r < nest.reduces.size(); ++r) body(r, index, place);
    });
  };
  b.Phase(nest.chunks * blocks, [&](KernelValue tile) {
    emitter.BeginPhase();
    const KernelValue chunk = b.Quotient(tile, blocks);
    const Columns columns = ColumnsOf(b, nest, b.Remainder(tile, blocks));
    for_columns(columns, chunk, [&](size_t r, const ElementIndex&, KernelValue place) {
      b.Store(nest.buffers[r], place, b.Constant(emitter.ReducerOf(*nest.reduces[r].instruction).neutral));
    });
    b.For(b.Index(nest.chunk / nest.rows_at_once), LoopSchedule::kPlain, false, [&](KernelValue rows) {
      const KernelValue begin = b.Affine({{nest.chunk, chunk}, {nest.rows_at_once, rows}});
      for_columns(columns, chunk, [&](size_t r, const ElementIndex& index, KernelValue place) {
        const KernelValue sum = emitter.PartialReduce(nest.reduces[r], index, begin, nest.rows_at_once);
        const HloOpcode op = *emitter.ReducerOf(*nest.reduces[r].instruction).op;
        b.Store(nest.buffers[r], place, b.Binary(op, b.Load(nest.buffers[r], place), sum));
      });
    });
  });
  if (nest.tail == 0) return;
  b.Phase(blocks, [&](KernelValue block) {
    emitter.BeginPhase();
    for_columns(ColumnsOf(b, nest, block), b.Index(nest.chunks),
                [&](size_t r, const ElementIndex& index, KernelValue place) {
                  const KernelValue begin = b.Index(nest.chunks * nest.chunk);
                  b.Store(nest.buffers[r], place, emitter.PartialReduce(nest.reduces[r], index, begin, nest.tail));
                });
  });
}

void WriteRows(const ChunkedReduce& nest, ElementEmitter& emitter) {
  KernelBuilder& b = emitter.builder();
  const auto write = [&](KernelValue element, KernelValue chunk, int64_t count) {
    emitter.BeginPhase();
    const KernelValue place = b.Affine({{nest.elements, chunk}, {1, element}});
    const KernelValue begin = b.Affine({{nest.chunk, chunk}});
    for (size_t r = 0; r < nest.reduces.size(); ++r) {
      b.Store(nest.buffers[r], place,
              emitter.PartialReduce(nest.reduces[r], IndexOf(emitter, nest, element), begin, count));
    }
  };
  b.Phase(nest.chunks * nest.elements, [&](KernelValue tile) {
    write(b.Remainder(tile, nest.elements), b.Quotient(tile, nest.elements), nest.chunk);
  });
  if (nest.tail == 0) return;
  b.Phase(nest.elements, [&](KernelValue element) { write(element, b.Index(nest.chunks), nest.tail); });
}

}  // namespace

absl::optional<ChunkedReduce> ChunksFor(const ArrayNode& reduce, ElementEmitter& emitter,
                                        const LoweringTarget& target) {
  const HloInstruction& instruction = *reduce.instruction;
  if (instruction.opcode() != HloOpcode::kReduce || instruction.shape().IsTuple()) return absl::nullopt;
  const KernelReducer& reducer = emitter.ReducerOf(instruction);
  if (!reducer.op.has_value() || !reducer.reorders) return absl::nullopt;
  const ReduceShape shape = emitter.ShapeOf(instruction);
  if (shape.extents.empty() || instruction.operand(0)->shape().ElementCount() == 0) return absl::nullopt;
  const int64_t work = instruction.operand(0)->shape().ElementCount();
  if (work < 2 * target.tile_cost) return absl::nullopt;
  const int64_t wanted = std::min(work / target.tile_cost, target.max_tiles);

  ChunkedReduce nest;
  nest.reduces = {reduce};
  nest.elements = instruction.shape().ElementCount();
  const int64_t extent = shape.extents[0];
  if (!shape.contiguous) {
    if (nest.elements < kMinColumns || work / nest.elements < kMinRowsOfColumns) return absl::nullopt;
    nest.columns = true;
    nest.column_block = std::min(nest.elements, kColumnBlock);
    const int64_t blocks = (nest.elements + nest.column_block - 1) / nest.column_block;
    SetChunks(extent, wanted / blocks, kRowsAtOnce, kMinRowsOfChunk, nest);
    nest.rows_at_once = nest.chunk % kRowsAtOnce == 0 ? kRowsAtOnce : 1;
  } else {
    if (nest.elements * 4 >= wanted) return absl::nullopt;
    const bool one_row = shape.extents.size() == 1;
    SetChunks(extent, wanted / nest.elements, one_row ? kRowGrain : 1, one_row ? kRowGrain : 1, nest);
    if (nest.chunks == 1) return absl::nullopt;
  }
  return nest;
}

void WriteChunkedReduce(const ChunkedReduce& nest, ElementEmitter& emitter) {
  nest.columns ? WriteColumns(nest, emitter) : WriteRows(nest, emitter);
}

}  // namespace xla
