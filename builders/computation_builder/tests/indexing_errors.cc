// Wrong calls of gather and scatter, and of dynamic dimensions.
#include "builders/computation_builder/tests/misuse.h"

namespace xla {
namespace {

// Rows of a matrix by a vector of indices.
GatherDimensionNumbers RowsByIndex() {
  GatherDimensionNumbers numbers;
  numbers.offset_dims = {1};
  numbers.collapsed_slice_dims = {0};
  numbers.start_index_map = {0};
  numbers.index_vector_dim = 1;
  return numbers;
}
ScatterDimensionNumbers RowsToIndex() {
  ScatterDimensionNumbers numbers;
  numbers.update_window_dims = {1};
  numbers.inserted_window_dims = {0};
  numbers.scatter_dims_to_operand_dims = {0};
  numbers.index_vector_dim = 1;
  return numbers;
}

const ErrorCase kIndexingCases[] = {
    {"Gather with float indices",
     [](Misuse& m) {
       m.b().Gather(m("f32[3,4]"), m("f32[2]"), RowsByIndex(), {1, 4});
     },
     "Gather(f32[3,4], f32[2]): the indices must be of an integer type, got f32[2]; convert them"},
    {"Gather with too few slice sizes", [](Misuse& m) { m.b().Gather(m("f32[3,4]"), m("s32[2]"), RowsByIndex(), {1}); },
     "Gather(f32[3,4], s32[2]): slice_sizes={1} must give a size for each of 2 dimensions of the operand f32[3,4]"},
    {"Gather of slices larger than the operand",
     [](Misuse& m) {
       m.b().Gather(m("f32[3,4]"), m("s32[2]"), RowsByIndex(), {1, 5});
     },
     "Gather(f32[3,4], s32[2]): slice_sizes={1,5}: size 5 for dimension 1 of the operand f32[3,4] must be between 0 "
     "and 4"},
    {"Gather of a collapsed dimension of size 2",
     [](Misuse& m) {
       m.b().Gather(m("f32[3,4]"), m("s32[2]"), RowsByIndex(), {2, 4});
     },
     "Gather(f32[3,4], s32[2]): slice_sizes={2,4}: size 2 for dimension 0 of the operand f32[3,4] must be between 0 "
     "and 1, because the dimension is collapsed or batching"},
    {"Gather of negative slice sizes",
     [](Misuse& m) {
       m.b().Gather(m("f32[3,4]"), m("s32[2]"), RowsByIndex(), {1, -4});
     },
     "Gather(f32[3,4], s32[2]): slice_sizes={1,-4}: size -4 for dimension 1 of the operand f32[3,4] must be between 0 "
     "and 4"},
    {"Gather with an index vector of another length",
     [](Misuse& m) {
       m.b().Gather(m("f32[3,4]"), m("s32[2,2]"), RowsByIndex(), {1, 4});
     },
     "Gather(f32[3,4], s32[2,2]): start_index_map={0} must have an entry for each of 2 coordinates of an index vector "
     "of s32[2,2] along index_vector_dim=1"},
    {"Gather with index_vector_dim out of range",
     [](Misuse& m) {
       GatherDimensionNumbers numbers = RowsByIndex();
       numbers.index_vector_dim = 3;
       m.b().Gather(m("f32[3,4]"), m("s32[2]"), numbers, {1, 4});
     },
     "Gather(f32[3,4], s32[2]): index_vector_dim=3 must be between 0 and the rank of the indices s32[2], which is 1"},
    {"Gather with offset_dims out of range",
     [](Misuse& m) {
       GatherDimensionNumbers numbers = RowsByIndex();
       numbers.offset_dims = {7};
       m.b().Gather(m("f32[3,4]"), m("s32[2]"), numbers, {1, 4});
     },
     "Gather(f32[3,4], s32[2]): offset_dims={7} names dimension 7, but the result has rank 2; use 0 to 1"},
    {"Gather with start_index_map out of range",
     [](Misuse& m) {
       GatherDimensionNumbers numbers = RowsByIndex();
       numbers.start_index_map = {2};
       m.b().Gather(m("f32[3,4]"), m("s32[2]"), numbers, {1, 4});
     },
     "Gather(f32[3,4], s32[2]): start_index_map={2} names dimension 2, but the operand f32[3,4] has rank 2; use 0 to "
     "1"},
    {"Gather of collapsed dimensions twice",
     [](Misuse& m) {
       GatherDimensionNumbers numbers = RowsByIndex();
       numbers.collapsed_slice_dims = {0, 0};
       m.b().Gather(m("f32[3,4]"), m("s32[2]"), numbers, {1, 4});
     },
     "Gather(f32[3,4], s32[2]): collapsed_slice_dims={0,0} names dimension 0 twice; each may occur once"},
    {"Gather of a tuple",
     [](Misuse& m) {
       m.b().Gather(m("(f32[3,4])"), m("s32[2]"), RowsByIndex(), {1, 4});
     },
     "Gather((f32[3,4]), s32[2]): operand 0 must be an array, got (f32[3,4])"},

    {"Scatter with float indices",
     [](Misuse& m) {
       m.b().Scatter(m("f32[3,4]"), m("f32[2]"), m("f32[2,4]"), m.Function("f32[], f32[]", "f32[]"), RowsToIndex());
     },
     "Scatter(f32[3,4], f32[2], f32[2,4]): the indices must be of an integer type, got f32[2]; convert them"},
    {"Scatter of updates larger than the operand",
     [](Misuse& m) {
       m.b().Scatter(m("f32[3,4]"), m("s32[2]"), m("f32[2,5]"), m.Function("f32[], f32[]", "f32[]"), RowsToIndex());
     },
     "Scatter(f32[3,4], s32[2], f32[2,5]): windows do not fit into the array: dimension 1 of the updates f32[2,5] is "
     "5, expected at most dimension 1 of f32[3,4], which is 4"},
    {"Scatter of more updates than indices",
     [](Misuse& m) {
       m.b().Scatter(m("f32[3,4]"), m("s32[2]"), m("f32[3,4]"), m.Function("f32[], f32[]", "f32[]"), RowsToIndex());
     },
     "Scatter(f32[3,4], s32[2], f32[3,4]): updates and indices must count the same windows: dimension 0 of the updates "
     "f32[3,4] is 3, dimension 0 of the indices s32[2] is 2"},
    {"Scatter of updates of another type",
     [](Misuse& m) {
       m.b().Scatter(m("f32[3,4]"), m("s32[2]"), m("s32[2,4]"), m.Function("f32[], f32[]", "f32[]"), RowsToIndex());
     },
     "Scatter(f32[3,4], s32[2], s32[2,4]): update 0 must have the element type of its array f32[3,4], got s32[2,4]"},
    {"Scatter with a function of another type",
     [](Misuse& m) {
       m.b().Scatter(m("f32[3,4]"), m("s32[2]"), m("f32[2,4]"), m.Function("s32[], s32[]", "s32[]"), RowsToIndex());
     },
     "Scatter(f32[3,4], s32[2], f32[2,4]): to_apply function must be (f32[], f32[]) -> f32[], got (s32[], s32[]) -> "
     "s32[]"},
    {"Scatter with a function of one parameter",
     [](Misuse& m) {
       m.b().Scatter(m("f32[3,4]"), m("s32[2]"), m("f32[2,4]"), m.Function("f32[]", "f32[]"), RowsToIndex());
     },
     "Scatter(f32[3,4], s32[2], f32[2,4]): to_apply function must be (f32[], f32[]) -> f32[], got (f32[]) -> f32[]"},
    {"Scatter without a function",
     [](Misuse& m) { m.b().Scatter(m("f32[3,4]"), m("s32[2]"), m("f32[2,4]"), Computation(), RowsToIndex()); },
     "Scatter(f32[3,4], s32[2], f32[2,4]): the XlaComputation is empty; give it the result of a Build() that "
     "succeeded"},
    {"Scatter of two operands and one update",
     [](Misuse& m) {
       m.b().Scatter({m("f32[3,4]"), m("f32[3,4]")}, m("s32[2]"), {m("f32[2,4]")},
                     m.Function("f32[], f32[], f32[], f32[]", "(f32[], f32[])"), RowsToIndex());
     },
     "Scatter(f32[3,4], f32[3,4], s32[2], f32[2,4]): updates must have one entry for each operand: expected 2, got 1"},
    {"Scatter with window dimensions that do not fit",
     [](Misuse& m) {
       ScatterDimensionNumbers numbers = RowsToIndex();
       numbers.inserted_window_dims = {};
       m.b().Scatter(m("f32[3,4]"), m("s32[2]"), m("f32[2,4]"), m.Function("f32[], f32[]", "f32[]"), numbers);
     },
     "Scatter(f32[3,4], s32[2], f32[2,4]): update_window_dims={1} must name an update dimension for each dimension of "
     "the array f32[3,4] that is neither inserted nor batching, which are 2"},

    // ---- Dynamic dimensions
    {"a parameter of unbounded size", [](Misuse& m) { m.b().Parameter(0, m.ShapeOf("f32[?]"), "x"); },
     "Parameter(): the shape f32[?] has a dimension without a bound; give it one"},
    {"GetDimensionSize out of range", [](Misuse& m) { m.b().GetDimensionSize(m("f32[2]"), 1); },
     "GetDimensionSize(f32[2]): dimension to ask or set the size of is out of range: 1 of f32[2], which has only "
     "dimension 0"},
    {"GetDimensionSize of a negative dimension", [](Misuse& m) { m.b().GetDimensionSize(m("f32[2]"), -1); },
     "GetDimensionSize(f32[2]): dimension to ask or set the size of is out of range: -1 of f32[2], which has only "
     "dimension 0"},
    {"GetDimensionSize of a tuple", [](Misuse& m) { m.b().GetDimensionSize(m("(f32[2])"), 0); },
     "GetDimensionSize((f32[2])): operand 0 must be an array, got (f32[2])"},
    {"GetDimensionSize of a size beyond s32", [](Misuse& m) { m.b().GetDimensionSize(m("s8[4294967296]"), 0); },
     "GetDimensionSize(s8[4294967296]): the size of dimension 0 of the operand s8[4294967296] must fit in the s32[] "
     "result"},
    {"SetDimensionSize out of range", [](Misuse& m) { m.b().SetDimensionSize(m("f32[2]"), m("s32[]"), 2); },
     "SetDimensionSize(f32[2], s32[]): dimension to ask or set the size of is out of range: 2 of f32[2], which has "
     "only dimension 0"},
    {"SetDimensionSize to a float", [](Misuse& m) { m.b().SetDimensionSize(m("f32[2]"), m("f32[]"), 0); },
     "SetDimensionSize(f32[2], f32[]): the size (operand 1) must be s32[], got f32[]; convert or reshape it"},
    {"SetDimensionSize to a vector", [](Misuse& m) { m.b().SetDimensionSize(m("f32[2]"), m("s32[1]"), 0); },
     "SetDimensionSize(f32[2], s32[1]): the size (operand 1) must be s32[], got s32[1]; convert or reshape it"},
    {"DynamicReshape with too few sizes",
     [](Misuse& m) {
       m.b().DynamicReshape(m("f32[2,3]"), {m("s32[]")}, {3, 2}, {true, false});
     },
     "DynamicReshape(f32[2,3], s32[]): dim_sizes must have one entry for each new dimension: expected 2, got 1"},
    {"DynamicReshape with too few flags",
     [](Misuse& m) {
       m.b().DynamicReshape(m("f32[2,3]"), {m("s32[]"), m("s32[]")}, {3, 2}, {true});
     },
     "DynamicReshape(f32[2,3], s32[], s32[]): dims_are_dynamic must have one entry for each new dimension: expected 2, "
     "got 1"},
    {"DynamicReshape to another number of elements",
     [](Misuse& m) { m.b().DynamicReshape(m("f32[2,3]"), {m("s32[]")}, {7}, {true}); },
     "DynamicReshape(f32[2,3], s32[]): operand f32[2,3] and result f32[<=7] must have one element type and the same "
     "number of elements in their bounds, got 6 and 7"},
    {"DynamicReshape with float sizes",
     [](Misuse& m) { m.b().DynamicReshape(m("f32[2,3]"), {m("f32[]")}, {6}, {true}); },
     "DynamicReshape(f32[2,3], f32[]): size operand 1 must be s32[], got f32[]; convert or reshape it"},
    {"DynamicReshape to a negative bound",
     [](Misuse& m) { m.b().DynamicReshape(m("f32[2,3]"), {m("s32[]")}, {-6}, {true}); },
     "DynamicReshape(f32[2,3], s32[]): operand f32[2,3] and result f32[<=-6] must have one element type and the same "
     "number of elements in their bounds, got 6 and -6"},
};

}  // namespace

absl::Span<const ErrorCase> IndexingErrors() { return kIndexingCases; }

}  // namespace xla
