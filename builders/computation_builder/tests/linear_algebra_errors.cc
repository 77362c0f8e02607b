// Wrong calls of dots, convolutions, transforms, solvers and random numbers.
#include "builders/computation_builder/tests/misuse.h"

namespace xla {
namespace {

DotDimensionNumbers Contracting(int64_t lhs, int64_t rhs) {
  DotDimensionNumbers numbers;
  numbers.lhs_contracting_dims = {lhs};
  numbers.rhs_contracting_dims = {rhs};
  return numbers;
}

RaggedDotDimensionNumbers RaggedRows() {
  RaggedDotDimensionNumbers numbers;
  numbers.dot = Contracting(1, 1);
  numbers.lhs_ragged_dims = {0};
  numbers.rhs_group_dims = {0};
  return numbers;
}

ConvolutionOptions Groups(int64_t features, int64_t batches) {
  ConvolutionOptions options;
  options.feature_group_count = features;
  options.batch_group_count = batches;
  return options;
}

const ErrorCase kLinearAlgebraCases[] = {
    // ---- Dots
    {"Dot of sizes that differ", [](Misuse& m) { m.b().Dot(m("f32[8,16]"), m("f32[32,4]")); },
     "Dot(f32[8,16], f32[32,4]): contracting dimensions must have equal size: lhs f32[8,16] dim 1 is 16, expected the "
     "same of rhs f32[32,4] dim 0, got 32; transpose an operand or change rhs_contracting_dims"},
    {"Dot of vectors of different sizes", [](Misuse& m) { m.b().Dot(m("f32[3]"), m("f32[4]")); },
     "Dot(f32[3], f32[4]): contracting dimensions must have equal size: lhs f32[3] dim 0 is 3, expected the same of "
     "rhs f32[4] dim 0, got 4; transpose an operand or change rhs_contracting_dims"},
    {"Dot of a scalar", [](Misuse& m) { m.b().Dot(m("f32[]"), m("f32[4]")); },
     "Dot(f32[], f32[4]): a scalar has no dimension to contract; use Mul"},
    {"Dot by a scalar", [](Misuse& m) { m.b().Dot(m("f32[4]"), m("f32[]")); },
     "Dot(f32[4], f32[]): a scalar has no dimension to contract; use Mul"},
    {"Dot of different types", [](Misuse& m) { m.b().Dot(m("f32[4]"), m("s32[4]")); },
     "Dot(f32[4], s32[4]): lhs and rhs must have the same element type, got f32[4] and s32[4]; convert one of them, or "
     "set preferred_element_type"},
    {"Dot of a tuple", [](Misuse& m) { m.b().Dot(m("(f32[4])"), m("f32[4]")); },
     "Dot((f32[4]), f32[4]): lhs must be an array, got (f32[4])"},
    {"Dot with one precision",
     [](Misuse& m) {
       DotOptions options;
       options.precision = {Precision::kHighest};
       m.b().Dot(m("f32[4]"), m("f32[4]"), options);
     },
     "Dot(f32[4], f32[4]): operand_precision must have one entry for each of the 2 operands, got 1"},
    {"Dot to a tuple",
     [](Misuse& m) {
       DotOptions options;
       options.preferred_element_type = TUPLE;
       m.b().Dot(m("f32[4]"), m("f32[4]"), options);
     },
     "Dot(f32[4], f32[4]): preferred_element_type must be a type of array elements, got tuple"},
    {"Dot to too many elements",
     [](Misuse& m) { m.b().Dot(m("s8[4611686018427387904,1]"), m("s8[1,4611686018427387904]")); },
     "Dot(s8[4611686018427387904,1], s8[1,4611686018427387904]): array s8[4611686018427387904,4611686018427387904] is "
     "too large: its size in bytes does not fit in 63 bits"},
    {"DotGeneral of sizes that differ",
     [](Misuse& m) { m.b().DotGeneral(m("f32[8,16]"), m("f32[8,16]"), Contracting(0, 1)); },
     "DotGeneral(f32[8,16], f32[8,16]): contracting dimensions must have equal size: lhs f32[8,16] dim 0 is 8, "
     "expected the same of rhs f32[8,16] dim 1, got 16; transpose an operand or change rhs_contracting_dims"},
    {"DotGeneral out of range", [](Misuse& m) { m.b().DotGeneral(m("f32[8,16]"), m("f32[8,16]"), Contracting(2, 1)); },
     "DotGeneral(f32[8,16], f32[8,16]): a dimension of lhs_contracting_dims={2} is out of range: 2 of f32[8,16], which "
     "has dimensions 0 to 1"},
    {"DotGeneral of a negative dimension",
     [](Misuse& m) { m.b().DotGeneral(m("f32[8,16]"), m("f32[8,16]"), Contracting(0, -1)); },
     "DotGeneral(f32[8,16], f32[8,16]): a dimension of rhs_contracting_dims={-1} is out of range: -1 of f32[8,16], "
     "which has dimensions 0 to 1"},
    {"DotGeneral of lists of different lengths",
     [](Misuse& m) {
       DotDimensionNumbers numbers = Contracting(0, 0);
       numbers.lhs_batch_dims = {1};
       m.b().DotGeneral(m("f32[8,16]"), m("f32[8,16]"), numbers);
     },
     "DotGeneral(f32[8,16], f32[8,16]): lhs and rhs must have equally many batch dimensions, got {1} and {}"},
    {"DotGeneral of a dimension twice",
     [](Misuse& m) {
       DotDimensionNumbers numbers = Contracting(0, 0);
       numbers.lhs_batch_dims = {0};
       numbers.rhs_batch_dims = {1};
       m.b().DotGeneral(m("f32[8,8]"), m("f32[8,8]"), numbers);
     },
     "DotGeneral(f32[8,8], f32[8,8]): dimension 0 of lhs f32[8,8] is named twice, in lhs_batch_dims and in "
     "lhs_contracting_dims; each dimension may be a batch or a contracting dimension once"},
    {"DotGeneral of batches that differ",
     [](Misuse& m) {
       DotDimensionNumbers numbers = Contracting(1, 1);
       numbers.lhs_batch_dims = {0};
       numbers.rhs_batch_dims = {0};
       m.b().DotGeneral(m("f32[2,8]"), m("f32[3,8]"), numbers);
     },
     "DotGeneral(f32[2,8], f32[3,8]): batch dimensions must have equal size: lhs f32[2,8] dim 0 is 2, expected the "
     "same of rhs f32[3,8] dim 0, got 3; transpose an operand or change rhs_batch_dims"},
    {"RaggedDot of group sizes that do not fit",
     [](Misuse& m) { m.b().RaggedDot(m("f32[6,4]"), m("f32[2,4,3]"), m("s32[5]"), RaggedRows()); },
     "RaggedDot(f32[6,4], f32[2,4,3], s32[5]): the group dimension 0 of rhs f32[2,4,3] must have one element for each "
     "of the 5 group sizes"},
    {"RaggedDot of float group sizes",
     [](Misuse& m) { m.b().RaggedDot(m("f32[6,4]"), m("f32[2,4,3]"), m("f32[2]"), RaggedRows()); },
     "RaggedDot(f32[6,4], f32[2,4,3], f32[2]): group_sizes must be an array of integers with at least one dimension, "
     "got f32[2]"},
    {"RaggedDot of sizes that differ",
     [](Misuse& m) { m.b().RaggedDot(m("f32[6,4]"), m("f32[2,5,3]"), m("s32[2]"), RaggedRows()); },
     "RaggedDot(f32[6,4], f32[2,5,3], s32[2]): contracting dimensions must have equal size: lhs f32[6,4] dim 1 is 4, "
     "expected the same of rhs f32[2,5,3] dim 1, got 5; transpose an operand or change rhs_contracting_dims"},
    {"RaggedDot without a ragged dimension",
     [](Misuse& m) {
       RaggedDotDimensionNumbers numbers = RaggedRows();
       numbers.lhs_ragged_dims = {};
       m.b().RaggedDot(m("f32[6,4]"), m("f32[2,4,3]"), m("s32[2]"), numbers);
     },
     "RaggedDot(f32[6,4], f32[2,4,3], s32[2]): lhs_ragged_dims must name exactly one dimension, got {}"},
    {"ScaledDot of sizes that differ",
     [](Misuse& m) { m.b().ScaledDot(m("f32[2,8]"), m("f32[3,4]"), m("f32[2,2]"), m("f32[3,2]"), Contracting(1, 1)); },
     "ScaledDot(f32[2,8], f32[3,4], f32[2,2], f32[3,2]): contracting dimensions must have equal size: lhs f32[2,8] dim "
     "1 is 8, expected the same of rhs f32[3,4] dim 1, got 4; transpose an operand or change rhs_contracting_dims"},
    {"ScaledDot of scales that do not divide",
     [](Misuse& m) { m.b().ScaledDot(m("f32[2,8]"), m("f32[3,8]"), m("f32[2,3]"), m("f32[3,2]"), Contracting(1, 1)); },
     "ScaledDot(f32[2,8], f32[3,8], f32[2,3], f32[3,2]): dimension 1 of lhs f32[2,8] must be a multiple of that of its "
     "scale f32[2,3]"},
    {"ScaledDot of scales of another rank",
     [](Misuse& m) { m.b().ScaledDot(m("f32[2,8]"), m("f32[3,8]"), m("f32[2]"), m("f32[3,2]"), Contracting(1, 1)); },
     "ScaledDot(f32[2,8], f32[3,8], f32[2], f32[3,2]): the scale of lhs must be a scalar or have the 2 dimensions of "
     "f32[2,8], got f32[2]"},

    // ---- Convolutions
    {"Conv of different ranks",
     [](Misuse& m) {
       m.b().Conv(m("f32[1,1,4,4]"), m("f32[1,1,2]"), {1, 1}, Padding::kSame);
     },
     "Conv(f32[1,1,4,4], f32[1,1,2]): lhs and rhs must have the same rank of at least 2 (batch, features, spatial "
     "dimensions), got 4 and 3"},
    {"Conv of vectors", [](Misuse& m) { m.b().Conv(m("f32[4]"), m("f32[2]"), {}, Padding::kSame); },
     "Conv(f32[4], f32[2]): lhs and rhs must have the same rank of at least 2 (batch, features, spatial dimensions), "
     "got 1 and 1"},
    {"Conv of too few strides",
     [](Misuse& m) { m.b().Conv(m("f32[1,1,4,4]"), m("f32[1,1,2,2]"), {1}, Padding::kValid); },
     "Conv(f32[1,1,4,4], f32[1,1,2,2]): window_strides must have one entry for each spatial dimension: expected 2, got "
     "1"},
    {"Conv of stride 0", [](Misuse& m) { m.b().Conv(m("f32[1,1,4]"), m("f32[1,1,2]"), {0}, Padding::kValid); },
     "Conv(f32[1,1,4], f32[1,1,2]): window dimension 0: the stride must be at least 1, got 0"},
    {"Conv of stride 0, same padding",
     [](Misuse& m) { m.b().Conv(m("f32[1,1,4]"), m("f32[1,1,2]"), {0}, Padding::kSame); },
     "Conv(f32[1,1,4], f32[1,1,2]): window dimension 0: the stride must be at least 1, got 0"},
    {"Conv of features that differ",
     [](Misuse& m) { m.b().Conv(m("f32[1,3,4]"), m("f32[1,2,2]"), {1}, Padding::kValid); },
     "Conv(f32[1,3,4], f32[1,2,2]): lhs f32[1,3,4] must have feature_group_count=1 times the input features of rhs "
     "f32[1,2,2] (dim 1, 2), got 3 in dim 1"},
    {"Conv of different types", [](Misuse& m) { m.b().Conv(m("f32[1,1,4]"), m("s32[1,1,2]"), {1}, Padding::kValid); },
     "Conv(f32[1,1,4], s32[1,1,2]): lhs and rhs must have the same element type, got f32[1,1,4] and s32[1,1,2]; "
     "convert one of them, or set preferred_element_type"},
    {"Conv of a tuple", [](Misuse& m) { m.b().Conv(m("(f32[1,1,4])"), m("f32[1,1,2]"), {1}, Padding::kValid); },
     "Conv((f32[1,1,4]), f32[1,1,2]): lhs must be an array, got (f32[1,1,4])"},
    {"Conv of groups that do not divide the features",
     [](Misuse& m) { m.b().Conv(m("f32[1,3,4]"), m("f32[2,1,2]"), {1}, Padding::kValid, Groups(2, 1)); },
     "Conv(f32[1,3,4], f32[2,1,2]): lhs f32[1,3,4] must have feature_group_count=2 times the input features of rhs "
     "f32[2,1,2] (dim 1, 1), got 3 in dim 1"},
    {"Conv of no groups",
     [](Misuse& m) { m.b().Conv(m("f32[1,3,4]"), m("f32[2,3,2]"), {1}, Padding::kValid, Groups(0, 1)); },
     "Conv(f32[1,3,4], f32[2,3,2]): feature_group_count and batch_group_count must be at least 1, got 0 and 1"},
    {"Conv of both kinds of groups",
     [](Misuse& m) { m.b().Conv(m("f32[2,2,4]"), m("f32[2,1,2]"), {1}, Padding::kValid, Groups(2, 2)); },
     "Conv(f32[2,2,4], f32[2,1,2]): feature_group_count=2 and batch_group_count=2 cannot both be greater than 1"},
    {"Conv of groups that do not divide the batch",
     [](Misuse& m) { m.b().Conv(m("f32[3,2,4]"), m("f32[2,2,2]"), {1}, Padding::kValid, Groups(1, 2)); },
     "Conv(f32[3,2,4], f32[2,2,2]): the batch of lhs must be divisible by batch_group_count=2, got 3"},
    {"Conv of too many reversals",
     [](Misuse& m) {
       ConvolutionOptions options;
       options.window_reversal = {true, true};
       m.b().Conv(m("f32[1,1,4]"), m("f32[1,1,2]"), {1}, Padding::kValid, options);
     },
     "Conv(f32[1,1,4], f32[1,1,2]): window_reversal must have one entry for each spatial dimension: expected 1, got 2"},
    {"ConvWithGeneralPadding of too few paddings",
     [](Misuse& m) {
       m.b().ConvWithGeneralPadding(m("f32[1,1,4,4]"), m("f32[1,1,2,2]"), {1, 1}, {{0, 0}});
     },
     "ConvWithGeneralPadding(f32[1,1,4,4], f32[1,1,2,2]): padding must have one entry for each dimension of the "
     "window: expected 2, got 1"},
    {"ConvWithGeneralPadding of too many dilations",
     [](Misuse& m) {
       m.b().ConvWithGeneralPadding(m("f32[1,1,4]"), m("f32[1,1,2]"), {1}, {{0, 0}}, {1, 1});
     },
     "ConvWithGeneralPadding(f32[1,1,4], f32[1,1,2]): the dilation of the base must have one entry for each dimension "
     "of the window: expected 1, got 2"},
    {"ConvWithGeneralPadding of input dilation 0",
     [](Misuse& m) {
       m.b().ConvWithGeneralPadding(m("f32[1,1,4]"), m("f32[1,1,2]"), {1}, {{0, 0}}, {0});
     },
     "ConvWithGeneralPadding(f32[1,1,4], f32[1,1,2]): spatial dimension 0: the window's base dilation (lhs_dilate) "
     "must be at least 1, got 0"},
    {"ConvWithGeneralPadding of kernel dilation 0",
     [](Misuse& m) {
       m.b().ConvWithGeneralPadding(m("f32[1,1,4]"), m("f32[1,1,2]"), {1}, {{0, 0}}, {1}, {0});
     },
     "ConvWithGeneralPadding(f32[1,1,4], f32[1,1,2]): spatial dimension 0: the window's window dilation (rhs_dilate) "
     "must be at least 1, got 0"},
    {"ConvWithGeneralPadding of huge padding",
     [](Misuse& m) {
       m.b().ConvWithGeneralPadding(m("f32[1,1,4]"), m("f32[1,1,2]"), {1}, {{INT64_MAX, INT64_MAX}});
     },
     "ConvWithGeneralPadding(f32[1,1,4], f32[1,1,2]): spatial dimension 0: a window of size=2 "
     "pad=9223372036854775807_9223372036854775807 over 4 elements spans more positions than 63 bits can count"},
    {"ConvWithGeneralDimensions of a dimension twice",
     [](Misuse& m) {
       ConvolutionDimensionNumbers numbers = ComputationBuilder::DefaultConvDimensionNumbers(1);
       numbers.input_batch = 1;
       m.b().ConvWithGeneralDimensions(m("f32[1,1,4]"), m("f32[1,1,2]"), {1}, Padding::kSame, numbers);
     },
     "ConvWithGeneralDimensions(f32[1,1,4], f32[1,1,2]): dim_labels must name each of the 3 dimensions of lhs once; "
     "dimension 1 is repeated or out of range"},
    {"ConvWithGeneralDimensions out of range",
     [](Misuse& m) {
       ConvolutionDimensionNumbers numbers = ComputationBuilder::DefaultConvDimensionNumbers(1);
       numbers.kernel_spatial = {3};
       m.b().ConvWithGeneralDimensions(m("f32[1,1,4]"), m("f32[1,1,2]"), {1}, Padding::kSame, numbers);
     },
     "ConvWithGeneralDimensions(f32[1,1,4], f32[1,1,2]): each spatial dimension of the kernel must be a dimension of "
     "f32[1,1,2], that is at least 0 and less than 3, got 3"},
    {"ConvWithGeneralDimensions of other spatial dimensions",
     [](Misuse& m) {
       m.b().ConvWithGeneralDimensions(m("f32[1,1,4]"), m("f32[1,1,2]"), {1, 1}, Padding::kSame,
                                       ComputationBuilder::DefaultConvDimensionNumbers(2));
     },
     "ConvWithGeneralDimensions(f32[1,1,4], f32[1,1,2]): each spatial dimension of the kernel must be a dimension of "
     "f32[1,1,2], that is at least 0 and less than 3, got 3"},
    {"ConvGeneralDilated of too few strides",
     [](Misuse& m) {
       m.b().ConvGeneralDilated(m("f32[1,1,4]"), m("f32[1,1,2]"), {}, {{0, 0}}, {}, {},
                                ComputationBuilder::DefaultConvDimensionNumbers(1));
     },
     "ConvGeneralDilated(f32[1,1,4], f32[1,1,2]): window_strides must have one entry for each spatial dimension: "
     "expected 1, got 0"},
    {"ConvGeneralDilated of features that differ",
     [](Misuse& m) {
       m.b().ConvGeneralDilated(m("f32[1,3,4]"), m("f32[1,2,2]"), {1}, {{0, 0}}, {}, {},
                                ComputationBuilder::DefaultConvDimensionNumbers(1));
     },
     "ConvGeneralDilated(f32[1,3,4], f32[1,2,2]): lhs f32[1,3,4] must have feature_group_count=1 times the input "
     "features of rhs f32[1,2,2] (dim 1, 2), got 3 in dim 1"},
    {"ConvGeneralDilated of a huge dilation",
     [](Misuse& m) {
       m.b().ConvGeneralDilated(m("f32[1,1,4]"), m("f32[1,1,2]"), {1}, {{0, 0}}, {INT64_MAX}, {},
                                ComputationBuilder::DefaultConvDimensionNumbers(1));
     },
     "ConvGeneralDilated(f32[1,1,4], f32[1,1,2]): spatial dimension 0: a window of size=2 "
     "lhs_dilate=9223372036854775807 over 4 elements spans more positions than 63 bits can count"},

    // ---- Transforms and solvers
    {"Fft of no lengths", [](Misuse& m) { m.b().Fft(m("c64[8]"), FftType::kFft, {}); },
     "Fft(c64[8]): fft_length must have 1 to 3 dimensions, got {}"},
    {"Fft of four lengths",
     [](Misuse& m) {
       m.b().Fft(m("c64[2,2,2,2]"), FftType::kFft, {2, 2, 2, 2});
     },
     "Fft(c64[2,2,2,2]): fft_length must have 1 to 3 dimensions, got {2,2,2,2}"},
    {"Fft of more lengths than dimensions",
     [](Misuse& m) {
       m.b().Fft(m("c64[8]"), FftType::kFft, {8, 8});
     },
     "Fft(c64[8]): fft_length={8,8} has more dimensions than c64[8]"},
    {"Fft of another length", [](Misuse& m) { m.b().Fft(m("c64[8]"), FftType::kFft, {4}); },
     "Fft(c64[8]): FFT with fft_length={4} needs 4 elements in dimension 0, got c64[8]"},
    {"Fft of a negative length", [](Misuse& m) { m.b().Fft(m("c64[8]"), FftType::kFft, {-8}); },
     "Fft(c64[8]): fft_length must not be negative, got {-8}"},
    {"Fft of reals", [](Misuse& m) { m.b().Fft(m("f32[8]"), FftType::kFft, {8}); },
     "Fft(f32[8]): FFT takes c64 or c128, got f32[8]"},
    {"Fft of reals as complex", [](Misuse& m) { m.b().Fft(m("c64[8]"), FftType::kRfft, {8}); },
     "Fft(c64[8]): RFFT takes f32 or f64, got c64[8]"},
    {"Fft back to reals of another length", [](Misuse& m) { m.b().Fft(m("c64[5]"), FftType::kIrfft, {20}); },
     "Fft(c64[5]): IRFFT with fft_length={20} needs 11 elements in dimension 0, got c64[5]"},
    {"Cholesky of no square", [](Misuse& m) { m.b().Cholesky(m("f32[2,3]"), true); },
     "Cholesky(f32[2,3]): the last two dimensions must make a square matrix, got f32[2,3]"},
    {"Cholesky of a vector", [](Misuse& m) { m.b().Cholesky(m("f32[2]"), true); },
     "Cholesky(f32[2]): the last two dimensions must make a square matrix, got f32[2]"},
    {"Cholesky of integers", [](Misuse& m) { m.b().Cholesky(m("s32[2,2]"), true); },
     "Cholesky(s32[2,2]): the matrix must be an array of floats or complex numbers, got s32[2,2]"},
    {"TriangularSolve of no square",
     [](Misuse& m) {
       m.b().TriangularSolve(m("f32[2,3]"), m("f32[2,1]"), true, true, false, TransposeA::kNoTranspose);
     },
     "TriangularSolve(f32[2,3], f32[2,1]): the last two dimensions must make a square matrix, got f32[2,3]"},
    {"TriangularSolve of another number of rows",
     [](Misuse& m) {
       m.b().TriangularSolve(m("f32[2,2]"), m("f32[3,1]"), true, true, false, TransposeA::kNoTranspose);
     },
     "TriangularSolve(f32[2,2], f32[3,1]): with left_side=true dimension 0 of b must have the size of a's matrices, "
     "got a f32[2,2] and b f32[3,1]"},
    {"TriangularSolve of another number of columns",
     [](Misuse& m) {
       m.b().TriangularSolve(m("f32[2,2]"), m("f32[2,1]"), false, true, false, TransposeA::kNoTranspose);
     },
     "TriangularSolve(f32[2,2], f32[2,1]): with left_side=false dimension 1 of b must have the size of a's matrices, "
     "got a f32[2,2] and b f32[2,1]"},
    {"TriangularSolve of different types",
     [](Misuse& m) {
       m.b().TriangularSolve(m("f32[2,2]"), m("f64[2,1]"), true, true, false, TransposeA::kNoTranspose);
     },
     "TriangularSolve(f32[2,2], f64[2,1]): a and b must have the same element type, got a f32[2,2] and b f64[2,1]"},
    {"TriangularSolve without saying how",
     [](Misuse& m) { m.b().TriangularSolve(m("f32[2,2]"), m("f32[2,1]"), true, true, false, TransposeA::kInvalid); },
     "TriangularSolve(f32[2,2], f32[2,1]): transpose_a must be NO_TRANSPOSE, TRANSPOSE or ADJOINT"},

    // ---- Random numbers
    {"RngUniform of vectors", [](Misuse& m) { m.b().RngUniform(m("f32[2]"), m("f32[]"), m.ShapeOf("f32[3]")); },
     "RngUniform(f32[2], f32[]): operand 0 must be a scalar of the result's element type, f32[], got f32[2]"},
    {"RngUniform of another type", [](Misuse& m) { m.b().RngUniform(m("f32[]"), m("f32[]"), m.ShapeOf("s32[3]")); },
     "RngUniform(f32[], f32[]): operand 0 must be a scalar of the result's element type, s32[], got f32[]; operand 1 "
     "must be a scalar of the result's element type, s32[], got f32[]"},
    {"RngUniform of limits of different types",
     [](Misuse& m) { m.b().RngUniform(m("f32[]"), m("s32[]"), m.ShapeOf("f32[3]")); },
     "RngUniform(f32[], s32[]): operand 1 must be a scalar of the result's element type, f32[], got s32[]"},
    {"RngUniform of complex", [](Misuse& m) { m.b().RngUniform(m("c64[]"), m("c64[]"), m.ShapeOf("c64[3]")); },
     "RngUniform(c64[], c64[]): rng_uniform needs floats, integers or pred, got c64[3]"},
    {"RngUniform of a tuple", [](Misuse& m) { m.b().RngUniform(m("f32[]"), m("f32[]"), m.ShapeOf("(f32[3])")); },
     "RngUniform(f32[], f32[]): the result must be an array, got (f32[3])"},
    {"RngUniform of no shape", [](Misuse& m) { m.b().RngUniform(m("f32[]"), m("f32[]"), Shape()); },
     "RngUniform(f32[], f32[]): shape without an element type"},
    {"RngNormal of integers", [](Misuse& m) { m.b().RngNormal(m("s32[]"), m("s32[]"), m.ShapeOf("s32[3]")); },
     "RngNormal(s32[], s32[]): rng_normal needs floats, got s32[3]"},
    {"RngNormal of another type", [](Misuse& m) { m.b().RngNormal(m("f32[]"), m("f32[]"), m.ShapeOf("f64[3]")); },
     "RngNormal(f32[], f32[]): operand 0 must be a scalar of the result's element type, f64[], got f32[]; operand 1 "
     "must be a scalar of the result's element type, f64[], got f32[]"},
    {"RngNormal of a negative size",
     [](Misuse& m) { m.b().RngNormal(m("f32[]"), m("f32[]"), Shape::Array(F32, {-3})); },
     "RngNormal(f32[], f32[]): dimension 0 of an array has the negative size -3"},
    {"RngBernoulli of another type", [](Misuse& m) { m.b().RngBernoulli(m("f32[]"), m.ShapeOf("s32[3]")); },
     "RngBernoulli(f32[]): the shape must have the element type u32, got s32[3]"},
    {"RngBernoulli with a double", [](Misuse& m) { m.b().RngBernoulli(m("f64[]"), m.ShapeOf("u32[3]")); },
     "RngBernoulli(f64[]): the mean must be f32[]"},
    {"RngBernoulli with a vector", [](Misuse& m) { m.b().RngBernoulli(m("f32[3]"), m.ShapeOf("u32[3]")); },
     "RngBernoulli(f32[3]): the mean must be f32[]"},
    {"RngBernoulli of too many bytes",
     [](Misuse& m) { m.b().RngBernoulli(m("f32[]"), Shape::Array(U32, {INT64_MAX})); },
     "RngBernoulli(f32[]): array f32[9223372036854775807] is too large: its size in bytes does not fit in 63 bits"},
    {"RngBitGenerator of floats",
     [](Misuse& m) { m.b().RngBitGenerator(RandomAlgorithm::kPhilox, m("u64[2]"), m.ShapeOf("f32[3]")); },
     "RngBitGenerator(u64[2]): random bits must be an array of integers, got f32[3]"},
    {"RngBitGenerator with a state of another size",
     [](Misuse& m) { m.b().RngBitGenerator(RandomAlgorithm::kPhilox, m("u64[4]"), m.ShapeOf("u32[3]")); },
     "RngBitGenerator(u64[4]): the state must be u64[2] or u64[3], got u64[4]"},
    {"RngBitGenerator with a state of another type",
     [](Misuse& m) { m.b().RngBitGenerator(RandomAlgorithm::kThreeFry, m("u32[2]"), m.ShapeOf("u32[3]")); },
     "RngBitGenerator(u32[2]): the state of rng_three_fry must be u64[2], got u32[2]"},
    {"RngGetAndUpdateState of a negative delta", [](Misuse& m) { m.b().RngGetAndUpdateState(-1); },
     "RngGetAndUpdateState(): delta must not be negative, got -1"},
};

}  // namespace

absl::Span<const ErrorCase> LinearAlgebraErrors() { return kLinearAlgebraCases; }

}  // namespace xla
