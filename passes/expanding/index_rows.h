// The indices of gather and scatter as a matrix of start positions.
#ifndef PASSES_EXPANDING_INDEX_ROWS_H_
#define PASSES_EXPANDING_INDEX_ROWS_H_

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "passes/base/instruction_builder.h"

namespace xla {

// Where the list of dimensions names `dimension`; -1 if it does not.
inline int64_t PositionIn(const DimensionVector& list, int64_t dimension) {
  const auto at = std::find(list.begin(), list.end(), dimension);
  return at == list.end() ? -1 : at - list.begin();
}

// S32 if that holds all positions in arrays of these dimensions and one beyond, else S64.
PrimitiveType PositionType(absl::Span<const Shape* const> shapes);

// Index vectors as rows: windows x coordinates, in row-major order of the dimensions of `indices` other than
// index_vector_dim. In `position_type`, to which values are clamped that it cannot hold: as positions they stay out of
// range on the same side.
HloInstruction* IndexRows(HloInstruction* indices, int64_t index_vector_dim, PrimitiveType position_type,
                          InstructionBuilder& build);

// Sizes of the dimensions of `indices` other than index_vector_dim.
DimensionVector WindowCounts(const Shape& indices, int64_t index_vector_dim);

// Column c of a matrix of positions, as an array of rank 1.
HloInstruction* PositionColumn(HloInstruction* rows, int64_t c, InstructionBuilder& build);
// Joins arrays of rank 1 as columns. There must be one.
HloInstruction* JoinColumns(absl::Span<HloInstruction* const> columns, InstructionBuilder& build);
// Element c of row `row`, a scalar that is known at run time.
HloInstruction* PositionAt(HloInstruction* rows, HloInstruction* row, int64_t c, InstructionBuilder& build);

}  // namespace xla

#endif  // PASSES_EXPANDING_INDEX_ROWS_H_
