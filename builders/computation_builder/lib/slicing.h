// Slices and updates that name only the dimensions they are about.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_SLICING_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_SLICING_H_

#include <cstdint>
#include <vector>

#include "builders/computation_builder/computation_builder.h"

namespace xla {

// ==== The last dimensions, as many as indices are given; all of those in front

// The elements from `start` up to, without, `end`.
//   Shapes: T[.., d..] -> T[.., end - start..]
//   Errors: more indices than dimensions; start and end of different lengths; not 0 <= start <= end <= d.
//   Example: SliceInMinorDims({{1, 2, 3}, {4, 5, 6}}, {1}, {3}) = {{2, 3}, {5, 6}}
//   HLO: slice
XlaOp SliceInMinorDims(XlaOp x, ArraySlice<int64_t> start, ArraySlice<int64_t> end,
                       SourceLocation loc = SourceLocation::Current());
// The block of the given sizes from `starts` on, which are known at run time only and limited as in DynamicSlice.
//   Shapes: T[.., d..], one int[] for each -> T[.., sizes..]
//   Errors: more starts than dimensions; not one size for each; as DynamicSlice.
//   HLO: dynamic-slice
XlaOp DynamicSliceInMinorDims(XlaOp x, ArraySlice<XlaOp> starts, ArraySlice<int64_t> sizes,
                              SourceLocation loc = SourceLocation::Current());
// x with `update` in the place from `start` on.
//   Shapes: T[.., d..], T[.., u..] -> T[.., d..]
//   Errors: another rank or type of update; more indices than dimensions; an update that reaches beyond x.
//   Example: UpdateSliceInMinorDims({{1, 2, 3}}, {{7}}, {1}) = {{1, 7, 3}}
//   HLO: dynamic-update-slice
XlaOp UpdateSliceInMinorDims(XlaOp x, XlaOp update, ArraySlice<int64_t> start,
                             SourceLocation loc = SourceLocation::Current());
//   Shapes: T[.., d..], T[.., u..], one int[] for each -> T[.., d..]
//   Errors: more starts than dimensions; as DynamicUpdateSlice.
//   HLO: dynamic-update-slice
XlaOp DynamicUpdateSliceInMinorDims(XlaOp x, XlaOp update, ArraySlice<XlaOp> starts,
                                    SourceLocation loc = SourceLocation::Current());

// ==== All dimensions

// x with `update` in the place from `start` on, one index for each dimension.
//   Shapes: T[d..], T[u..] -> T[d..]
//   Errors: not one index for each dimension; as UpdateSliceInMinorDims.
//   HLO: dynamic-update-slice
XlaOp UpdateSlice(XlaOp x, XlaOp update, ArraySlice<int64_t> start, SourceLocation loc = SourceLocation::Current());

// ==== Taking apart and putting together

// Equal parts along a dimension, in order; or parts of the given sizes.
//   Shapes: T[.. n ..] -> parts times T[.. n / parts ..]; T[.. size_i ..]
//   Errors: an axis out of range; parts < 1 or not dividing n; more than 2^20 parts; sizes that do not add up to n. The
//     list is empty then.
//   Example: Split({1, 2, 3, 4}, 2, 0) gives {1, 2} and {3, 4}
//   HLO: slice
std::vector<XlaOp> Split(XlaOp x, int64_t parts, int64_t axis, SourceLocation loc = SourceLocation::Current());
std::vector<XlaOp> SplitBySizes(XlaOp x, ArraySlice<int64_t> sizes, int64_t axis,
                                SourceLocation loc = SourceLocation::Current());
// Arrays of equal shape as the elements of a new dimension, and back.
//   Shapes: n times T[d..] -> T[d.. n ..]; T[d.. n ..] -> n times T[d..]
//   Errors: shapes that differ; an axis out of range; more than 2^20 elements. Unstack gives an empty list then. No
//     operands have no builder that an error could be reported to: the result is invalid.
//   Example: Stack({{1, 2}, {3, 4}}, 1) = {{1, 3}, {2, 4}}
//   HLO: reshape, concatenate; slice, reshape
XlaOp Stack(ArraySlice<XlaOp> operands, int64_t axis, SourceLocation loc = SourceLocation::Current());
std::vector<XlaOp> Unstack(XlaOp x, int64_t axis, SourceLocation loc = SourceLocation::Current());

// The whole array this many times along each dimension.
//   Shapes: T[d..] -> T[d * repetitions..]
//   Errors: not one repetition for each dimension; a negative one.
//   Example: Tile({1, 2}, {2}) = {1, 2, 1, 2}
//   HLO: broadcast, reshape
XlaOp Tile(XlaOp x, ArraySlice<int64_t> repetitions, SourceLocation loc = SourceLocation::Current());
// Each element this many times, along one dimension.
//   Shapes: T[.. n ..] -> T[.. n * repetitions ..]
//   Errors: an axis out of range; negative repetitions.
//   Example: Repeat({1, 2}, 2, 0) = {1, 1, 2, 2}
//   HLO: broadcast, reshape
XlaOp Repeat(XlaOp x, int64_t repetitions, int64_t axis, SourceLocation loc = SourceLocation::Current());

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_SLICING_H_
