// Elements at indices that are known at run time only. Indices out of range are limited to the nearest one inside, as
// HLO's gather does, and drop the element where something is stored.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_TAKE_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_TAKE_H_

#include <cstdint>
#include <functional>

#include "builders/computation_builder/computation_builder.h"

namespace xla {

// The slices of x at `indices` along an axis; the dimensions of the indices stand where the axis was. The first
// `batch_dims` dimensions are those of x and of the indices, and each element of them has indices of its own.
//   Shapes: x T[b.., p.., n, q..], int[b.., i..] -> T[b.., p.., i.., q..]
//   Errors: indices that are not integers; an axis out of range or among the batch dimensions; batch dimensions that
//     differ or are more than there are.
//   Example: Take({{1, 2}, {3, 4}, {5, 6}}, {2, 0}, 0) = {{5, 6}, {1, 2}}
//   HLO: gather. TorchIndexSelect is the same under XLA's name.
XlaOp Take(XlaOp x, XlaOp indices, int64_t axis, int64_t batch_dims = 0,
           SourceLocation loc = SourceLocation::Current());
XlaOp TorchIndexSelect(XlaOp input, XlaOp index, int64_t dim, int64_t batch_dims = 0,
                       SourceLocation loc = SourceLocation::Current());

// result[.., i, ..] = x[.., indices[.., i, ..], ..]: an index for each element of the result. In other dimensions than
// the axis, sizes are equal or one of them is 1 and stretched.
//   Shapes: T[.. n ..], int[.. m ..] -> T[.. m ..]
//   Errors: indices that are not integers or of another rank; an axis out of range; sizes that do not fit.
//   Example: TakeAlongAxis({{1, 2}, {3, 4}}, {{1}, {0}}, 1) = {{2}, {3}}, which undoes an ArgSort
//   HLO: gather
XlaOp TakeAlongAxis(XlaOp x, XlaOp indices, int64_t axis, SourceLocation loc = SourceLocation::Current());
// The same where in other dimensions the index may be smaller, and then reaches the first elements of the input only.
//   Errors: as above; an index larger than the input in another dimension.
//   HLO: slice, gather
XlaOp TorchGather(XlaOp input, XlaOp index, int64_t dim, SourceLocation loc = SourceLocation::Current());

// result[.., index[.., i, ..], ..] = combiner(input there, src[.., i, ..]): the mirror image. Of several updates for
// one element, the order is that of src.
//   Shapes: T[.. n ..], int[.. m ..], T[.. m ..] -> T[.. n ..]; combiner (T[], T[]) -> T[]
//   Errors: an index that is not an integer or without the dimensions of src; dimensions other than `dim` that differ
//     from those of input; a `dim` out of range; another type of src.
//   Example: TorchScatterDense({0, 0, 0}, {1, 1}, {5, 6}, 0, [](XlaOp a, XlaOp b) { return a + b; }) = {0, 11, 0}
//   HLO: scatter
XlaOp TorchScatterDense(XlaOp input, XlaOp index, XlaOp src, int64_t dim,
                        const std::function<XlaOp(XlaOp, XlaOp)>& combiner,
                        SourceLocation loc = SourceLocation::Current());

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_TAKE_H_
