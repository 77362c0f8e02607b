// Wrong calls of operations that move elements.
#include "builders/computation_builder/tests/misuse.h"

namespace xla {
namespace {

const ErrorCase kDataMovementCases[] = {
    {"Broadcast of a negative size",
     [](Misuse& m) {
       m.b().Broadcast(m("f32[2]"), {3, -1});
     },
     "Broadcast(f32[2]): broadcast_sizes must not be negative, got -1"},
    {"Broadcast to too many bytes", [](Misuse& m) { m.b().Broadcast(m("f32[2]"), {INT64_MAX}); },
     "Broadcast(f32[2]): array f32[9223372036854775807,2] is too large: its size in bytes does not fit in 63 bits"},
    {"Broadcast to too many elements",
     [](Misuse& m) {
       m.b().Broadcast(m("f32[]"), {1LL << 32, 1LL << 32});
     },
     "Broadcast(f32[]): array f32[4294967296,4294967296] is too large: its size in bytes does not fit in 63 bits"},
    {"Broadcast of a tuple", [](Misuse& m) { m.b().Broadcast(m("(f32[2])"), {2}); },
     "Broadcast((f32[2])): the operand must be an array, got (f32[2])"},
    {"Broadcast to too many dimensions", [](Misuse& m) { m.b().Broadcast(m("f32[]"), std::vector<int64_t>(1001, 1)); },
     "Broadcast(f32[]): array has 1001 dimensions, expected at most 1000"},
    {"BroadcastInDim to a negative size",
     [](Misuse& m) {
       m.b().BroadcastInDim(m("f32[2]"), {2, -3}, {0});
     },
     "BroadcastInDim(f32[2]): output_dimensions must not be negative, got -3"},
    {"BroadcastInDim with too few dimensions",
     [](Misuse& m) {
       m.b().BroadcastInDim(m("f32[2]"), {2, 3}, {});
     },
     "BroadcastInDim(f32[2]): broadcast_dimensions {} must have one entry for each dimension of the operand of rank 1, "
     "got 0"},
    {"BroadcastInDim to another size",
     [](Misuse& m) {
       m.b().BroadcastInDim(m("f32[2]"), {2, 3}, {1});
     },
     "BroadcastInDim(f32[2]): dimension 0 of f32[2] becomes output dimension 1, so it must have the size 3 or 1, got "
     "2"},
    {"BroadcastInDim out of range",
     [](Misuse& m) {
       m.b().BroadcastInDim(m("f32[2]"), {2, 3}, {2});
     },
     "BroadcastInDim(f32[2]): broadcast_dimensions {2}: entry 0 must be at least 0 and less than 2, the rank of the "
     "result, got 2"},
    {"BroadcastInDim that descends",
     [](Misuse& m) {
       m.b().BroadcastInDim(m("f32[2,3]"), {3, 2}, {1, 0});
     },
     "BroadcastInDim(f32[2,3]): broadcast_dimensions {1,0} must be in ascending order; transpose the operand instead"},
    {"BroadcastInDim to too many bytes",
     [](Misuse& m) {
       m.b().BroadcastInDim(m("f32[2]"), {2, INT64_MAX}, {0});
     },
     "BroadcastInDim(f32[2]): array f32[2,9223372036854775807] is too large: its size in bytes does not fit in 63 "
     "bits"},
    {"BroadcastInDim of a token", [](Misuse& m) { m.b().BroadcastInDim(m.fine().CreateToken(), {2}, {}); },
     "BroadcastInDim(token[]): the operand must be an array, got token[]"},
    {"Reshape to another number of elements", [](Misuse& m) { m.b().Reshape(m("f32[2,3]"), {4}); },
     "Reshape(f32[2,3]): reshape keeps the number of elements: operand f32[2,3] has 6, result f32[4] has 4"},
    {"Reshape to a negative size",
     [](Misuse& m) {
       m.b().Reshape(m("f32[2,3]"), {-2, -3});
     },
     "Reshape(f32[2,3]): new sizes must not be negative, got {-2,-3}"},
    {"Reshape to too many elements",
     [](Misuse& m) {
       m.b().Reshape(m("f32[0]"), {1LL << 62, 4});
     },
     "Reshape(f32[0]): f32[4611686018427387904,4] has more elements than fit in 63 bits; make it smaller"},
    {"Reshape of a tuple", [](Misuse& m) { m.b().Reshape(m("(f32[2])"), {2}); },
     "Reshape((f32[2])): the operand must be an array, got (f32[2])"},
    {"Reshape of no permutation",
     [](Misuse& m) {
       m.b().Reshape(m("f32[2,3]"), {0, 0}, {6});
     },
     "Reshape(f32[2,3]): dimensions={0,0} names dimension 0 twice; each may occur once"},
    {"Reshape of too few dimensions", [](Misuse& m) { m.b().Reshape(m("f32[2,3]"), {0}, {6}); },
     "Reshape(f32[2,3]): dimensions={0} must name each of the 2 dimensions of the operand f32[2,3] once"},
    {"Reshape of dimensions out of range",
     [](Misuse& m) {
       m.b().Reshape(m("f32[2,3]"), {0, 2}, {6});
     },
     "Reshape(f32[2,3]): dimensions={0,2} names dimension 2, but the operand f32[2,3] has rank 2; use 0 to 1"},
    {"Reshape in an order to another number",
     [](Misuse& m) {
       m.b().Reshape(m("f32[2,3]"), {1, 0}, {5});
     },
     "Reshape(f32[2,3]): reshape keeps the number of elements: operand f32[3,2] has 6, result f32[5] has 5"},
    {"Reshape to a shape of another type", [](Misuse& m) { m.b().Reshape(m.ShapeOf("s32[6]"), m("f32[2,3]")); },
     "Reshape(f32[2,3]): reshape keeps the element type: operand f32[2,3], result s32[6]; use convert or "
     "bitcast-convert to change it"},
    {"Reshape to a tuple", [](Misuse& m) { m.b().Reshape(m.ShapeOf("(f32[6])"), m("f32[2,3]")); },
     "Reshape(f32[2,3]): the result must be an array, got (f32[6])"},
    {"Reshape to no shape", [](Misuse& m) { m.b().Reshape(Shape(), m("f32[2,3]")); },
     "Reshape(f32[2,3]): the result shape of reshape must be written"},
    {"Collapse of dimensions with a gap",
     [](Misuse& m) {
       m.b().Collapse(m("f32[4,2,3]"), {0, 2});
     },
     "Collapse(f32[4,2,3]): dimensions to collapse must be consecutive and ascending, got {0,2}; transpose the operand "
     "first"},
    {"Collapse of dimensions that descend",
     [](Misuse& m) {
       m.b().Collapse(m("f32[4,2,3]"), {1, 0});
     },
     "Collapse(f32[4,2,3]): dimensions to collapse must be consecutive and ascending, got {1,0}; transpose the operand "
     "first"},
    {"Collapse of a dimension twice",
     [](Misuse& m) {
       m.b().Collapse(m("f32[4,2,3]"), {1, 1});
     },
     "Collapse(f32[4,2,3]): dimensions to collapse must be consecutive and ascending, got {1,1}; transpose the operand "
     "first"},
    {"Collapse of a dimension out of range",
     [](Misuse& m) {
       m.b().Collapse(m("f32[4,2,3]"), {2, 3});
     },
     "Collapse(f32[4,2,3]): each dimension to collapse must be a dimension of f32[4,2,3], that is at least 0 and less "
     "than 3, got 3"},
    {"Collapse of a negative dimension",
     [](Misuse& m) {
       m.b().Collapse(m("f32[4,2,3]"), {-1, 0});
     },
     "Collapse(f32[4,2,3]): each dimension to collapse must be a dimension of f32[4,2,3], that is at least 0 and less "
     "than 3, got -1"},
    {"Collapse of a scalar's dimension", [](Misuse& m) { m.b().Collapse(m("f32[]"), {0}); },
     "Collapse(f32[]): each dimension to collapse must be a dimension of f32[], that is at least 0 and less than 0, "
     "got 0"},
    {"Collapse of a tuple",
     [](Misuse& m) {
       m.b().Collapse(m("(f32[4,2])"), {0, 1});
     },
     "Collapse((f32[4,2])): the operand must be an array, got (f32[4,2])"},
    {"Transpose of too few dimensions",
     [](Misuse& m) {
       m.b().Transpose(m("f32[4,2,3]"), {1, 0});
     },
     "Transpose(f32[4,2,3]): dimensions={1,0} must name each of the 3 dimensions of the operand f32[4,2,3] once"},
    {"Transpose of a dimension twice",
     [](Misuse& m) {
       m.b().Transpose(m("f32[4,2,3]"), {1, 1, 0});
     },
     "Transpose(f32[4,2,3]): dimensions={1,1,0} names dimension 1 twice; each may occur once"},
    {"Transpose out of range",
     [](Misuse& m) {
       m.b().Transpose(m("f32[4,2,3]"), {1, 2, 3});
     },
     "Transpose(f32[4,2,3]): dimensions={1,2,3} names dimension 3, but the operand f32[4,2,3] has rank 3; use 0 to 2"},
    {"Transpose of a tuple",
     [](Misuse& m) {
       m.b().Transpose(m("(f32[4,2])"), {1, 0});
     },
     "Transpose((f32[4,2])): operand 0 must be an array, got (f32[4,2])"},
    {"Rev out of range", [](Misuse& m) { m.b().Rev(m("f32[4,2]"), {2}); },
     "Rev(f32[4,2]): dimensions={2} names dimension 2, but the operand f32[4,2] has rank 2; use 0 to 1"},
    {"Rev of a negative dimension", [](Misuse& m) { m.b().Rev(m("f32[4,2]"), {-1}); },
     "Rev(f32[4,2]): dimensions={-1} names dimension -1, but the operand f32[4,2] has rank 2; use 0 to 1"},
    {"Rev of a dimension twice",
     [](Misuse& m) {
       m.b().Rev(m("f32[4,2]"), {0, 0});
     },
     "Rev(f32[4,2]): dimensions={0,0} names dimension 0 twice; each may occur once"},
    {"Rev of a tuple", [](Misuse& m) { m.b().Rev(m("(f32[4,2])"), {0}); },
     "Rev((f32[4,2])): operand 0 must be an array, got (f32[4,2])"},
    {"Concatenate of nothing", [](Misuse& m) { m.b().Concatenate({}, 0); },
     "Concatenate(): expected at least 1 operand, got 0"},
    {"Concatenate of scalars",
     [](Misuse& m) {
       m.b().Concatenate({m("f32[]"), m("f32[]")}, 0);
     },
     "Concatenate(f32[], f32[]): dimension to concatenate along is out of range: 0 of f32[], which has no dimensions"},
    {"Concatenate of different ranks",
     [](Misuse& m) {
       m.b().Concatenate({m("f32[2]"), m("f32[2,2]")}, 0);
     },
     "Concatenate(f32[2], f32[2,2]): operands must agree in element type, rank and all dimensions but 0: operand 0 is "
     "f32[2], operand 1 is f32[2,2]"},
    {"Concatenate of different types",
     [](Misuse& m) {
       m.b().Concatenate({m("f32[2]"), m("s32[2]")}, 0);
     },
     "Concatenate(f32[2], s32[2]): operands must agree in element type, rank and all dimensions but 0: operand 0 is "
     "f32[2], operand 1 is s32[2]"},
    {"Concatenate of other dimensions that differ",
     [](Misuse& m) {
       m.b().Concatenate({m("f32[2,3]"), m("f32[2,4]")}, 0);
     },
     "Concatenate(f32[2,3], f32[2,4]): operands must agree in element type, rank and all dimensions but 0: operand 0 "
     "is f32[2,3], operand 1 is f32[2,4]"},
    {"Concatenate out of range",
     [](Misuse& m) {
       m.b().Concatenate({m("f32[2]"), m("f32[2]")}, 1);
     },
     "Concatenate(f32[2], f32[2]): dimension to concatenate along is out of range: 1 of f32[2], which has only "
     "dimension 0"},
    {"Concatenate of a tuple",
     [](Misuse& m) {
       m.b().Concatenate({m("f32[2]"), m("(f32[2])")}, 0);
     },
     "Concatenate(f32[2], (f32[2])): operand 1 must be an array, got (f32[2])"},
    {"Concatenate to too many elements",
     [](Misuse& m) {
       m.b().Concatenate({m("s8[4611686018427387904]"), m("s8[4611686018427387904]")}, 0);
     },
     "Concatenate(s8[4611686018427387904], s8[4611686018427387904]): the sizes of dimension 0 add up to more than fits "
     "in 63 bits"},
    {"ConcatInDim of a negative dimension", [](Misuse& m) { m.b().ConcatInDim({m("f32[2]")}, -1); },
     "ConcatInDim(f32[2]): dimension to concatenate along is out of range: -1 of f32[2], which has only dimension 0"},
    {"ConcatInDim of nothing", [](Misuse& m) { m.b().ConcatInDim({}, 0); },
     "ConcatInDim(): expected at least 1 operand, got 0"},
    {"Pad with a value of another type",
     [](Misuse& m) {
       m.b().Pad(m("f32[2]"), m("s32[]"), {{1, 1, 0}});
     },
     "Pad(f32[2], s32[]): the padding value must be a scalar of the operand's type: operand f32[2], padding value "
     "s32[]"},
    {"Pad with a vector",
     [](Misuse& m) {
       m.b().Pad(m("f32[2]"), m("f32[1]"), {{1, 1, 0}});
     },
     "Pad(f32[2], f32[1]): the padding value must be a scalar of the operand's type: operand f32[2], padding value "
     "f32[1]"},
    {"Pad of too few dimensions",
     [](Misuse& m) {
       m.b().Pad(m("f32[2,2]"), m("f32[]"), {{1, 1, 0}});
     },
     "Pad(f32[2,2], f32[]): padding must have an entry for each of 2 dimensions of the operand f32[2,2], got 1"},
    {"Pad with negative interior padding",
     [](Misuse& m) {
       m.b().Pad(m("f32[2]"), m("f32[]"), {{1, 1, -1}});
     },
     "Pad(f32[2], f32[]): padding 1_1_-1 of dimension 0 of the operand f32[2]: interior padding must not be negative"},
    {"Pad to a negative size",
     [](Misuse& m) {
       m.b().Pad(m("f32[2]"), m("f32[]"), {{-3, 0, 0}});
     },
     "Pad(f32[2], f32[]): padding -3_0_0 of dimension 0 of the operand f32[2]: the padded size is below zero; cut "
     "fewer elements"},
    {"Pad to too large a size",
     [](Misuse& m) {
       m.b().Pad(m("f32[2]"), m("f32[]"), {{INT64_MAX, 1, 0}});
     },
     "Pad(f32[2], f32[]): padding 9223372036854775807_1_0 of dimension 0 of the operand f32[2]: the padded size does "
     "not fit in 63 bits"},
    {"Pad with huge interior padding",
     [](Misuse& m) {
       m.b().Pad(m("f32[9]"), m("f32[]"), {{0, 0, INT64_MAX}});
     },
     "Pad(f32[9], f32[]): padding 0_0_9223372036854775807 of dimension 0 of the operand f32[9]: the padded size does "
     "not fit in 63 bits"},
    {"Pad of a tuple",
     [](Misuse& m) {
       m.b().Pad(m("(f32[2])"), m("f32[]"), {{1, 1, 0}});
     },
     "Pad((f32[2]), f32[]): operand 0 must be an array, got (f32[2])"},
    {"PadInDim out of range", [](Misuse& m) { m.b().PadInDim(m("f32[2]"), m("f32[]"), 1, 0, 0); },
     "PadInDim(f32[2], f32[]): the dimension to pad must be a dimension of f32[2], that is at least 0 and less than 1, "
     "got 1"},
    {"PadInDim to a negative size", [](Misuse& m) { m.b().PadInDim(m("f32[2]"), m("f32[]"), 0, -1, -2); },
     "PadInDim(f32[2], f32[]): padding -1_-2_0 of dimension 0 of the operand f32[2]: the padded size is below zero; "
     "cut fewer elements"},
    {"Slice of too few dimensions", [](Misuse& m) { m.b().Slice(m("f32[4,3]"), {0}, {1}); },
     "Slice(f32[4,3]): start_indices must have one entry for each dimension of the operand: expected 2, got 1"},
    {"Slice with fewer limits than starts",
     [](Misuse& m) {
       m.b().Slice(m("f32[4,3]"), {0, 0}, {1});
     },
     "Slice(f32[4,3]): limit_indices must have one entry for each dimension of the operand: expected 2, got 1"},
    {"Slice with fewer strides",
     [](Misuse& m) {
       m.b().Slice(m("f32[4,3]"), {0, 0}, {1, 1}, {1});
     },
     "Slice(f32[4,3]): strides must have one entry for each dimension of the operand: expected 2, got 1"},
    {"Slice of a negative start", [](Misuse& m) { m.b().Slice(m("f32[4]"), {-1}, {2}); },
     "Slice(f32[4]): slice [-1:2:1] of dimension 0 of the operand f32[4]: start must not be negative"},
    {"Slice beyond the end", [](Misuse& m) { m.b().Slice(m("f32[4]"), {1}, {5}); },
     "Slice(f32[4]): slice [1:5:1] of dimension 0 of the operand f32[4]: limit must not exceed the size"},
    {"Slice that ends before it starts", [](Misuse& m) { m.b().Slice(m("f32[4]"), {3}, {2}); },
     "Slice(f32[4]): slice [3:2:1] of dimension 0 of the operand f32[4]: start must not exceed limit"},
    {"Slice of stride 0", [](Misuse& m) { m.b().Slice(m("f32[4]"), {0}, {4}, {0}); },
     "Slice(f32[4]): slice [0:4:0] of dimension 0 of the operand f32[4]: stride must be positive"},
    {"Slice of a tuple", [](Misuse& m) { m.b().Slice(m("(f32[4])"), {0}, {4}); },
     "Slice((f32[4])): the operand must be an array, got (f32[4])"},
    {"SliceInDim out of range", [](Misuse& m) { m.b().SliceInDim(m("f32[4]"), 0, 1, 1, 1); },
     "SliceInDim(f32[4]): the dimension to slice must be a dimension of f32[4], that is at least 0 and less than 1, "
     "got 1"},
    {"SliceInDim of a negative stride", [](Misuse& m) { m.b().SliceInDim(m("f32[4]"), 0, 1, -1, 0); },
     "SliceInDim(f32[4]): slice [0:1:-1] of dimension 0 of the operand f32[4]: stride must be positive"},
    {"DynamicSlice with too few indices",
     [](Misuse& m) {
       m.b().DynamicSlice(m("f32[4,3]"), m("s32[1]"), {1, 1});
     },
     "DynamicSlice(f32[4,3], s32[1]): start_indices must be a vector of integers with one entry for each of the 2 "
     "dimensions of f32[4,3], got s32[1]"},
    {"DynamicSlice with a matrix of indices",
     [](Misuse& m) {
       m.b().DynamicSlice(m("f32[4,3]"), m("s32[2,1]"), {1, 1});
     },
     "DynamicSlice(f32[4,3], s32[2,1]): start_indices must be a vector of integers with one entry for each of the 2 "
     "dimensions of f32[4,3], got s32[2,1]"},
    {"DynamicSlice with float indices", [](Misuse& m) { m.b().DynamicSlice(m("f32[4]"), m("f32[1]"), {1}); },
     "DynamicSlice(f32[4], f32[1]): start_indices must be a vector of integers with one entry for each of the 1 "
     "dimensions of f32[4], got f32[1]"},
    {"DynamicSlice with too few sizes", [](Misuse& m) { m.b().DynamicSlice(m("f32[4,3]"), m("s32[2]"), {1}); },
     "DynamicSlice(f32[4,3], s32[2]): dynamic_slice_sizes={1} must give a size for each of 2 dimensions of the operand "
     "f32[4,3]"},
    {"DynamicSlice of a negative size", [](Misuse& m) { m.b().DynamicSlice(m("f32[4]"), m("s32[1]"), {-1}); },
     "DynamicSlice(f32[4], s32[1]): dynamic_slice_sizes={-1}: size -1 for dimension 0 of the operand f32[4] must be "
     "between 0 and 4"},
    {"DynamicSlice larger than the operand", [](Misuse& m) { m.b().DynamicSlice(m("f32[4]"), m("s32[1]"), {5}); },
     "DynamicSlice(f32[4], s32[1]): dynamic_slice_sizes={5}: size 5 for dimension 0 of the operand f32[4] must be "
     "between 0 and 4"},
    {"DynamicSlice with indices of different types",
     [](Misuse& m) {
       m.b().DynamicSlice(m("f32[4,3]"), {m("s32[]"), m("s64[]")}, {1, 1});
     },
     "DynamicSlice(f32[4,3], s32[], s64[]): start indices must all have one type, got s32[] and s64[]; convert them to "
     "a common one"},
    {"DynamicSlice with vectors for scalars",
     [](Misuse& m) {
       m.b().DynamicSlice(m("f32[4,3]"), {m("s32[]"), m("s32[1]")}, {1, 1});
     },
     "DynamicSlice(f32[4,3], s32[], s32[1]): start index (operand 2) must be a scalar, got s32[1]"},
    {"DynamicSlice of a tuple", [](Misuse& m) { m.b().DynamicSlice(m("(f32[4])"), m("s32[1]"), {1}); },
     "DynamicSlice((f32[4]), s32[1]): the operand must be an array, got (f32[4])"},
    {"DynamicUpdateSlice larger than the operand",
     [](Misuse& m) { m.b().DynamicUpdateSlice(m("f32[4]"), m("f32[5]"), m("s32[1]")); },
     "DynamicUpdateSlice(f32[4], f32[5], s32[1]): update f32[5] does not fit into operand f32[4]: dimension 0 is 5, "
     "expected at most 4"},
    {"DynamicUpdateSlice of another type",
     [](Misuse& m) { m.b().DynamicUpdateSlice(m("f32[4]"), m("s32[2]"), m("s32[1]")); },
     "DynamicUpdateSlice(f32[4], s32[2], s32[1]): operand f32[4] and update s32[2] must have one element type and one "
     "rank"},
    {"DynamicUpdateSlice of another rank",
     [](Misuse& m) { m.b().DynamicUpdateSlice(m("f32[4]"), m("f32[2,1]"), m("s32[1]")); },
     "DynamicUpdateSlice(f32[4], f32[2,1], s32[1]): operand f32[4] and update f32[2,1] must have one element type and "
     "one rank"},
    {"DynamicUpdateSlice with too many indices",
     [](Misuse& m) { m.b().DynamicUpdateSlice(m("f32[4]"), m("f32[2]"), m("s32[2]")); },
     "DynamicUpdateSlice(f32[4], f32[2], s32[2]): start_indices must be a vector of integers with one entry for each "
     "of the 1 dimensions of f32[4], got s32[2]"},
    {"DynamicUpdateSlice with too few scalars",
     [](Misuse& m) { m.b().DynamicUpdateSlice(m("f32[4,3]"), m("f32[2,1]"), {m("s32[]")}); },
     "DynamicUpdateSlice(f32[4,3], f32[2,1], s32[]): start_indices must be a vector of integers with one entry for "
     "each of the 2 dimensions of f32[4,3], got s32[]"},
    {"DynamicUpdateSlice with float indices",
     [](Misuse& m) { m.b().DynamicUpdateSlice(m("f32[4]"), m("f32[2]"), {m("f32[]")}); },
     "DynamicUpdateSlice(f32[4], f32[2], f32[]): start index (operand 2) must be of an integer type, got f32[]"},
    {"DynamicUpdateSlice with a tuple",
     [](Misuse& m) { m.b().DynamicUpdateSlice(m("f32[4]"), m("(f32[2])"), m("s32[1]")); },
     "DynamicUpdateSlice(f32[4], (f32[2]), s32[1]): operand 1 must be an array, got (f32[2])"},
};

}  // namespace

absl::Span<const ErrorCase> DataMovementErrors() { return kDataMovementCases; }

}  // namespace xla
