#include "backends/kernel_ir/lowering/chunked_reduce.h"

#include <algorithm>
#include <numeric>

namespace xla {
namespace {

// Columns that are added to in turn: what they are added up in stays in the nearest cache.
constexpr int64_t kColumnBlock = 1024;
constexpr int64_t kMinChunkColumns = 8;
// Rows that are read together before their sum is added.
constexpr int64_t kRowsAtOnce = 16;
constexpr int64_t kMinRowsOfColumns = 32;
constexpr int64_t kMinRowsOfChunk = 64;
// Few rows, near each other, of many columns are added up in registers: no chunks.
constexpr int64_t kFewRows = 128;
constexpr int64_t kFewColumns = 16;
constexpr int64_t kColumnsOfTile = 64;
// What columns fill vectors best as multiples of.
constexpr int64_t kColumnGrains[] = {64, 32, 16};
// Chunks of one long row are multiples of this many elements.
constexpr int64_t kRowGrain = 1024;

void SetChunks(int64_t extent, int64_t wanted, int64_t grain, int64_t least, ChunkedReduce& nest) {
  int64_t chunk = std::max(extent / std::max<int64_t>(wanted, 1), std::min(least, extent));
  if (chunk >= grain) chunk = chunk / grain * grain;
  nest.chunk = std::max<int64_t>(chunk, 1);
  nest.chunks = extent / nest.chunk;
  nest.tail = extent % nest.chunk;
}

// The index of an element of the result that is number `column` of its neighbours.
ElementIndex IndexOf(ElementEmitter& emitter, const ChunkedReduce& nest, KernelValue outer, KernelValue column) {
  ElementIndex index;
  if (nest.elements != nest.inner) index.push_back({nest.elements / nest.inner, outer});
  if (nest.inner != 1) index.push_back({nest.inner, column});
  return emitter.indices().Reshape(index, nest.reduces[0].shape().dimensions());
}

// ---- Columns

// Where a tile works: some columns of all groups, of one of the `outer` arrays of neighbours, in one chunk.
struct ColumnTile {
  KernelValue outer;
  KernelValue chunk;
  KernelValue begin;
  KernelValue count;
};

class ColumnWriter {
 public:
  ColumnWriter(const ChunkedReduce& nest, ElementEmitter& emitter)
      : nest_(nest),
        emitter_(emitter),
        b_(emitter.builder()),
        outer_(nest.elements / nest.inner),
        blocks_((nest.width() + nest.column_block - 1) / nest.column_block) {}

  void Write() {
    b_.Phase(outer_ * nest_.chunks * blocks_, [&](KernelValue number) {
      emitter_.BeginPhase();
      const KernelValue rest = b_.Quotient(number, blocks_);
      const KernelValue block = b_.Remainder(number, blocks_);
      WriteChunk({b_.Quotient(rest, nest_.chunks), b_.Remainder(rest, nest_.chunks),
                  b_.Affine({{nest_.column_block, block}}), BlockExtent(b_, nest_.width(), nest_.column_block, block)});
    });
    if (nest_.tail > 0) WriteTail();
  }

 private:
  // For each column of a tile and each reduce: its element, its group and the place of its partial result.
  using Body = absl::FunctionRef<void(size_t reduce, const ElementIndex& index, KernelValue group, KernelValue place)>;
  void ForColumns(const ColumnTile& tile, Body body) {
    b_.For(tile.count, LoopSchedule::kVector, true, [&](KernelValue i) {
      const KernelValue column = b_.Affine({{1, tile.begin}, {1, i}});
      const bool one_group = nest_.groups == 1;
      const KernelValue group = one_group ? b_.Index(0) : b_.Quotient(column, nest_.inner);
      const KernelValue element = one_group ? column : b_.Remainder(column, nest_.inner);
      const ElementIndex index = IndexOf(emitter_, nest_, tile.outer, element);
      const KernelValue place =
          b_.Affine({{nest_.groups * nest_.elements, tile.chunk}, {nest_.width(), tile.outer}, {1, column}});
      for (size_t r = 0; r < nest_.reduces.size(); ++r) body(r, index, group, place);
    });
  }

  void WriteNeutral(const ColumnTile& tile) {
    ForColumns(tile, [&](size_t r, const ElementIndex&, KernelValue, KernelValue place) {
      b_.Store(nest_.buffers[r], place, b_.Constant(emitter_.ReducerOf(*nest_.reduces[r].instruction).neutral));
    });
  }

  void WriteChunk(const ColumnTile& tile) {
    WriteNeutral(tile);
    b_.For(b_.Index(nest_.chunk / nest_.rows_at_once), LoopSchedule::kPlain, false, [&](KernelValue rows) {
      ForColumns(tile, [&](size_t r, const ElementIndex& index, KernelValue group, KernelValue place) {
        const KernelValue begin = b_.Affine(
            {{nest_.groups * nest_.chunk, tile.chunk}, {nest_.groups * nest_.rows_at_once, rows}, {1, group}});
        AddTo(r, place, emitter_.PartialReduce(nest_.reduces[r], index, begin, nest_.rows_at_once, nest_.groups));
      });
    });
  }

  // Rows in groups as far as there are so many; the others join the first group.
  void WriteTail() {
    const int64_t blocks = nest_.groups > 1 ? 1 : blocks_;
    const int64_t begin = nest_.chunks * nest_.chunk * nest_.groups;
    const int64_t in_groups = nest_.tail / nest_.groups;
    const int64_t others = nest_.tail % nest_.groups;
    b_.Phase(outer_ * blocks, [&](KernelValue number) {
      emitter_.BeginPhase();
      const KernelValue block = b_.Remainder(number, blocks);
      ColumnTile tile = {b_.Quotient(number, blocks), b_.Index(nest_.chunks), b_.Affine({{nest_.column_block, block}}),
                         BlockExtent(b_, nest_.width(), nest_.column_block, block)};
      if (in_groups == 0) {
        WriteNeutral(tile);
      } else {
        ForColumns(tile, [&](size_t r, const ElementIndex& index, KernelValue group, KernelValue place) {
          const KernelValue first = b_.Affine({{1, group}}, begin);
          b_.Store(nest_.buffers[r], place,
                   emitter_.PartialReduce(nest_.reduces[r], index, first, in_groups, nest_.groups));
        });
      }
      if (others == 0) return;
      tile.count = b_.Index(nest_.inner);
      ForColumns(tile, [&](size_t r, const ElementIndex& index, KernelValue, KernelValue place) {
        const KernelValue first = b_.Index(begin + in_groups * nest_.groups);
        AddTo(r, place, emitter_.PartialReduce(nest_.reduces[r], index, first, others));
      });
    });
  }

  void AddTo(size_t reduce, KernelValue place, KernelValue value) {
    const HloOpcode op = *emitter_.ReducerOf(*nest_.reduces[reduce].instruction).op;
    const int buffer = nest_.buffers[reduce];
    b_.Store(buffer, place, b_.Binary(op, b_.Load(buffer, place), value));
  }

  const ChunkedReduce& nest_;
  ElementEmitter& emitter_;
  KernelBuilder& b_;
  const int64_t outer_;
  const int64_t blocks_;
};

// Rows side by side, so that vectors are full.
int64_t GroupsFor(int64_t inner, int64_t rows) {
  for (const int64_t grain : kColumnGrains) {
    const int64_t width = std::lcm(inner, grain);
    if (width <= kColumnBlock && rows >= kRowsAtOnce * (width / inner)) return width / inner;
  }
  return 1;
}

// Plans a reduction of rows to columns that lie side by side: tiles take blocks of columns, and chunks of rows where
// the columns alone make too few tiles. False if the plain way is as good.
bool PlanColumns(const ReduceShape& shape, int64_t work, int64_t wanted, int64_t row_bytes, const SumOrder& order,
                 ChunkedReduce& nest) {
  const int64_t rows = work / nest.elements;
  nest.columns = true;
  nest.inner = shape.inner;
  if (rows < kMinRowsOfColumns) return false;
  const bool fits = rows * row_bytes <= order.near_bytes;
  if (fits && rows <= kFewRows && nest.inner >= kFewColumns && nest.elements >= kColumnsOfTile * wanted) return false;
  if (shape.extents.size() == 1) nest.groups = GroupsFor(nest.inner, rows);
  if (nest.width() < kMinChunkColumns) return false;
  nest.column_block = std::min(nest.width(), kColumnBlock);
  const int64_t blocks = (nest.width() + nest.column_block - 1) / nest.column_block;
  const int64_t extent = shape.extents[0] / nest.groups;
  SetChunks(extent, wanted / (blocks * (nest.elements / nest.inner)), kRowsAtOnce, kMinRowsOfChunk, nest);
  nest.tail = shape.extents[0] - nest.chunks * nest.chunk * nest.groups;
  nest.rows_at_once = nest.chunk % kRowsAtOnce == 0 ? kRowsAtOnce : nest.chunk < kRowsAtOnce ? nest.chunk : 1;
  return true;
}

// ---- Rows

// Writes partial results of rows: a tile for each chunk of each row, and what is left at the rows' ends in a phase of
// its own.
void WriteRows(const ChunkedReduce& nest, ElementEmitter& emitter) {
  KernelBuilder& b = emitter.builder();
  const auto write = [&](KernelValue element, KernelValue chunk, int64_t count) {
    emitter.BeginPhase();
    const KernelValue place = b.Affine({{nest.elements, chunk}, {1, element}});
    const KernelValue begin = b.Affine({{nest.chunk, chunk}});
    for (size_t r = 0; r < nest.reduces.size(); ++r) {
      b.Store(nest.buffers[r], place,
              emitter.PartialReduce(nest.reduces[r], IndexOf(emitter, nest, element, b.Index(0)), begin, count));
    }
  };
  b.Phase(nest.chunks * nest.elements, [&](KernelValue tile) {
    write(b.Remainder(tile, nest.elements), b.Quotient(tile, nest.elements), nest.chunk);
  });
  if (nest.tail == 0) return;
  b.Phase(nest.elements, [&](KernelValue element) { write(element, b.Index(nest.chunks), nest.tail); });
}

}  // namespace

// Plans a reduction with more work than there are results to share it: partial results of chunks, combined later. Only
// for functions whose order may change.
absl::optional<ChunkedReduce> ChunksFor(const ArrayNode& reduce, ElementEmitter& emitter, const SumOrder& order) {
  const HloInstruction& instruction = *reduce.instruction;
  if (instruction.opcode() != HloOpcode::kReduce || instruction.shape().IsTuple()) return absl::nullopt;
  const KernelReducer& reducer = emitter.ReducerOf(instruction);
  if (!reducer.op.has_value() || !reducer.reorders) return absl::nullopt;
  const ReduceShape shape = emitter.ShapeOf(instruction);
  if (shape.extents.empty() || instruction.operand(0)->shape().ElementCount() == 0) return absl::nullopt;
  const int64_t work = instruction.operand(0)->shape().ElementCount();
  if (work < 2 * order.part_work) return absl::nullopt;
  const int64_t wanted = std::min(work / order.part_work, order.max_parts);

  ChunkedReduce nest;
  nest.reduces = {reduce};
  nest.elements = instruction.shape().ElementCount();
  const int64_t extent = shape.extents[0];
  if (!shape.contiguous) {
    const int64_t row_bytes = shape.inner * ByteWidth(instruction.operand(0)->shape().element_type());
    if (!PlanColumns(shape, work, wanted, row_bytes, order, nest)) return absl::nullopt;
  } else {
    if (nest.elements * 4 >= wanted) return absl::nullopt;
    const bool one_row = shape.extents.size() == 1;
    SetChunks(extent, wanted / nest.elements, one_row ? kRowGrain : 1, one_row ? kRowGrain : 1, nest);
    if (nest.chunks == 1) return absl::nullopt;
  }
  return nest;
}

void WriteChunkedReduce(const ChunkedReduce& nest, ElementEmitter& emitter) {
  nest.columns ? ColumnWriter(nest, emitter).Write() : WriteRows(nest, emitter);
}

}  // namespace xla
