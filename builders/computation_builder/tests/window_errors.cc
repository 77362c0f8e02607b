// Wrong calls of operations with windows, and of batch normalisation.
#include "builders/computation_builder/tests/misuse.h"

namespace xla {
namespace {

constexpr char kScalars[] = "f32[], f32[]";

XlaComputation Sum(Misuse& m) { return m.Function(kScalars, "f32[]"); }
XlaComputation Choose(Misuse& m) { return m.Function(kScalars, "pred[]"); }

const ErrorCase kWindowCases[] = {
    {"ReduceWindow of too few window dimensions",
     [](Misuse& m) {
       m.b().ReduceWindow(m("f32[4,6]"), m("f32[]"), Sum(m), {2}, {1, 1}, Padding::kValid);
     },
     "ReduceWindow(f32[4,6], f32[]): window_dimensions must have one entry for each dimension of the operand: expected "
     "2, got 1"},
    {"ReduceWindow of too few strides",
     [](Misuse& m) {
       m.b().ReduceWindow(m("f32[4,6]"), m("f32[]"), Sum(m), {2, 2}, {1}, Padding::kValid);
     },
     "ReduceWindow(f32[4,6], f32[]): window_strides must have one entry for each dimension of the operand: expected 2, "
     "got 1"},
    {"ReduceWindow of size 0",
     [](Misuse& m) { m.b().ReduceWindow(m("f32[4]"), m("f32[]"), Sum(m), {0}, {1}, Padding::kValid); },
     "ReduceWindow(f32[4], f32[]): dimension 0: the window's size must be at least 1, got 0"},
    {"ReduceWindow of size 0, same padding",
     [](Misuse& m) { m.b().ReduceWindow(m("f32[4]"), m("f32[]"), Sum(m), {0}, {1}, Padding::kSame); },
     "ReduceWindow(f32[4], f32[]): dimension 0: the window's size must be at least 1, got 0"},
    {"ReduceWindow of stride 0",
     [](Misuse& m) { m.b().ReduceWindow(m("f32[4]"), m("f32[]"), Sum(m), {2}, {0}, Padding::kValid); },
     "ReduceWindow(f32[4], f32[]): window dimension 0: the stride must be at least 1, got 0"},
    {"ReduceWindow of stride 0, same padding",
     [](Misuse& m) { m.b().ReduceWindow(m("f32[4]"), m("f32[]"), Sum(m), {2}, {0}, Padding::kSame); },
     "ReduceWindow(f32[4], f32[]): window dimension 0: the stride must be at least 1, got 0"},
    {"ReduceWindow of a negative stride",
     [](Misuse& m) { m.b().ReduceWindow(m("f32[4]"), m("f32[]"), Sum(m), {2}, {-1}, Padding::kSame); },
     "ReduceWindow(f32[4], f32[]): window dimension 0: the stride must be at least 1, got -1"},
    {"ReduceWindow of a huge window, same padding",
     [](Misuse& m) { m.b().ReduceWindow(m("f32[4]"), m("f32[]"), Sum(m), {INT64_MAX}, {1}, Padding::kSame); },
     "ReduceWindow(f32[4], f32[]): dimension 0: a window of size=9223372036854775807 "
     "pad=4611686018427387903_4611686018427387903 over 4 elements spans more positions than 63 bits can count"},
    {"ReduceWindow with an initial value of another type",
     [](Misuse& m) { m.b().ReduceWindow(m("f32[4]"), m("s32[]"), Sum(m), {2}, {1}, Padding::kValid); },
     "ReduceWindow(f32[4], s32[]): the initial value (operand 1) of operand 0 must be f32[], got s32[]"},
    {"ReduceWindow with a function of another type",
     [](Misuse& m) {
       m.b().ReduceWindow(m("f32[4]"), m("f32[]"), m.Function("s32[], s32[]", "s32[]"), {2}, {1}, Padding::kValid);
     },
     "ReduceWindow(f32[4], f32[]): to_apply function must be (f32[], f32[]) -> f32[], got (s32[], s32[]) -> s32[]"},
    {"ReduceWindow in the order of the document's example",
     [](Misuse& m) { m.b().ReduceWindow(m("f32[]"), m("f32[4]"), Sum(m), {2}, {1}, Padding::kValid); },
     "ReduceWindow(f32[], f32[4]): window_dimensions must have one entry for each dimension of the operand: expected "
     "0, got 1"},
    {"ReduceWindow of a tuple",
     [](Misuse& m) { m.b().ReduceWindow(m("(f32[4])"), m("f32[]"), Sum(m), {2}, {1}, Padding::kValid); },
     "ReduceWindow((f32[4]), f32[]): the operand must be an array, got (f32[4])"},
    {"ReduceWindow without a function",
     [](Misuse& m) { m.b().ReduceWindow(m("f32[4]"), m("f32[]"), Computation(), {2}, {1}, Padding::kValid); },
     "ReduceWindow(f32[4], f32[]): the XlaComputation is empty; give it the result of a Build() that succeeded"},
    {"ReduceWindow of no operands",
     [](Misuse& m) {
       m.b().ReduceWindow(ArraySlice<XlaOp>(), ArraySlice<XlaOp>(), m.Function("", "()"), {2}, {1}, Padding::kValid);
     },
     "ReduceWindow(): expected at least one operand"},
    {"ReduceWindow of operands of different dimensions",
     [](Misuse& m) {
       m.b().ReduceWindow({m("f32[4]"), m("f32[5]")}, {m("f32[]"), m("f32[]")},
                          m.Function("f32[], f32[], f32[], f32[]", "(f32[], f32[])"), {2}, {1}, Padding::kValid);
     },
     "ReduceWindow(f32[4], f32[5], f32[], f32[]): operands must have equal dimensions: operand 0 is f32[4], operand 1 "
     "is f32[5]"},
    {"ReduceWindow of too few initial values",
     [](Misuse& m) {
       m.b().ReduceWindow({m("f32[4]"), m("f32[4]")}, {m("f32[]")},
                          m.Function("f32[], f32[], f32[], f32[]", "(f32[], f32[])"), {2}, {1}, Padding::kValid);
     },
     "ReduceWindow(f32[4], f32[4], f32[]): init_values must have one entry for each operand: expected 2, got 1"},
    {"ReduceWindowWithGeneralPadding of too few paddings",
     [](Misuse& m) {
       m.b().ReduceWindowWithGeneralPadding(m("f32[4,6]"), m("f32[]"), Sum(m), {2, 2}, {1, 1}, {}, {}, {{0, 0}});
     },
     "ReduceWindowWithGeneralPadding(f32[4,6], f32[]): padding must have one entry for each dimension of the window: "
     "expected 2, got 1"},
    {"ReduceWindowWithGeneralPadding of too few base dilations",
     [](Misuse& m) {
       m.b().ReduceWindowWithGeneralPadding(m("f32[4,6]"), m("f32[]"), Sum(m), {2, 2}, {1, 1}, {2}, {},
                                            {{0, 0}, {0, 0}});
     },
     "ReduceWindowWithGeneralPadding(f32[4,6], f32[]): the dilation of the base must have one entry for each dimension "
     "of the window: expected 2, got 1"},
    {"ReduceWindowWithGeneralPadding of base dilation 0",
     [](Misuse& m) {
       m.b().ReduceWindowWithGeneralPadding(m("f32[4]"), m("f32[]"), Sum(m), {2}, {1}, {0}, {}, {{0, 0}});
     },
     "ReduceWindowWithGeneralPadding(f32[4], f32[]): dimension 0: the window's base dilation (lhs_dilate) must be at "
     "least 1, got 0"},
    {"ReduceWindowWithGeneralPadding of negative window dilation",
     [](Misuse& m) {
       m.b().ReduceWindowWithGeneralPadding(m("f32[4]"), m("f32[]"), Sum(m), {2}, {1}, {}, {-1}, {{0, 0}});
     },
     "ReduceWindowWithGeneralPadding(f32[4], f32[]): dimension 0: the window's window dilation (rhs_dilate) must be at "
     "least 1, got -1"},
    {"ReduceWindowWithGeneralPadding of huge padding",
     [](Misuse& m) {
       m.b().ReduceWindowWithGeneralPadding(m("f32[4]"), m("f32[]"), Sum(m), {2}, {1}, {}, {},
                                            {{INT64_MAX, INT64_MAX}});
     },
     "ReduceWindowWithGeneralPadding(f32[4], f32[]): dimension 0: a window of size=2 "
     "pad=9223372036854775807_9223372036854775807 over 4 elements spans more positions than 63 bits can count"},
    {"ReduceWindowWithGeneralPadding of huge dilation",
     [](Misuse& m) {
       m.b().ReduceWindowWithGeneralPadding(m("f32[4]"), m("f32[]"), Sum(m), {2}, {1}, {INT64_MAX}, {INT64_MAX},
                                            {{0, 0}});
     },
     "ReduceWindowWithGeneralPadding(f32[4], f32[]): dimension 0: a window of size=2 lhs_dilate=9223372036854775807 "
     "rhs_dilate=9223372036854775807 over 4 elements spans more positions than 63 bits can count"},

    {"SelectAndScatter with a source of other dimensions",
     [](Misuse& m) {
       m.b().SelectAndScatter(m("f32[4,6]"), Choose(m), {2, 3}, {2, 3}, Padding::kValid, m("f32[2,3]"), m("f32[]"),
                              Sum(m));
     },
     "SelectAndScatter(f32[4,6], f32[2,3], f32[]): source must have one element for each window over f32[4,6], so "
     "f32[2,2], got f32[2,3]"},
    {"SelectAndScatter with a source of another type",
     [](Misuse& m) {
       m.b().SelectAndScatter(m("f32[4]"), Choose(m), {2}, {2}, Padding::kValid, m("s32[2]"), m("f32[]"), Sum(m));
     },
     "SelectAndScatter(f32[4], s32[2], f32[]): source must have one element for each window over f32[4], so f32[2], "
     "got s32[2]"},
    {"SelectAndScatter with a selection that returns no pred",
     [](Misuse& m) {
       m.b().SelectAndScatter(m("f32[4]"), Sum(m), {2}, {2}, Padding::kValid, m("f32[2]"), m("f32[]"), Sum(m));
     },
     "SelectAndScatter(f32[4], f32[2], f32[]): select function must be (f32[], f32[]) -> pred[], got (f32[], f32[]) -> "
     "f32[]"},
    {"SelectAndScatter with a scatter function that returns pred",
     [](Misuse& m) {
       m.b().SelectAndScatter(m("f32[4]"), Choose(m), {2}, {2}, Padding::kValid, m("f32[2]"), m("f32[]"), Choose(m));
     },
     "SelectAndScatter(f32[4], f32[2], f32[]): scatter function must be (f32[], f32[]) -> f32[], got (f32[], f32[]) -> "
     "pred[]"},
    {"SelectAndScatter of too few window dimensions",
     [](Misuse& m) {
       m.b().SelectAndScatter(m("f32[4,6]"), Choose(m), {2}, {2}, Padding::kSame, m("f32[2,6]"), m("f32[]"), Sum(m));
     },
     "SelectAndScatter(f32[4,6], f32[2,6], f32[]): window_dimensions must have one entry for each dimension of the "
     "operand: expected 2, got 1"},
    {"SelectAndScatter with an initial vector",
     [](Misuse& m) {
       m.b().SelectAndScatter(m("f32[4]"), Choose(m), {2}, {2}, Padding::kValid, m("f32[2]"), m("f32[2]"), Sum(m));
     },
     "SelectAndScatter(f32[4], f32[2], f32[2]): the initial value must be f32[], got f32[2]"},
    {"SelectAndScatter without a selection",
     [](Misuse& m) {
       m.b().SelectAndScatter(m("f32[4]"), Computation(), {2}, {2}, Padding::kValid, m("f32[2]"), m("f32[]"), Sum(m));
     },
     "SelectAndScatter(f32[4], f32[2], f32[]): the XlaComputation is empty; give it the result of a Build() that "
     "succeeded"},
    {"SelectAndScatterWithGeneralPadding of too many paddings",
     [](Misuse& m) {
       m.b().SelectAndScatterWithGeneralPadding(m("f32[4]"), Choose(m), {2}, {2}, {{0, 0}, {0, 0}}, m("f32[2]"),
                                                m("f32[]"), Sum(m));
     },
     "SelectAndScatterWithGeneralPadding(f32[4], f32[2], f32[]): padding must have one entry for each dimension of the "
     "window: expected 1, got 2"},
    {"SelectAndScatterWithGeneralPadding with a source of other dimensions",
     [](Misuse& m) {
       m.b().SelectAndScatterWithGeneralPadding(m("f32[4]"), Choose(m), {2}, {2}, {{2, 0}}, m("f32[2]"), m("f32[]"),
                                                Sum(m));
     },
     "SelectAndScatterWithGeneralPadding(f32[4], f32[2], f32[]): source must have one element for each window over "
     "f32[4], so f32[3], got f32[2]"},

    {"BatchNormTraining with too few features",
     [](Misuse& m) { m.b().BatchNormTraining(m("f32[2,3]"), m("f32[2]"), m("f32[3]"), 0.1f, 1); },
     "BatchNormTraining(f32[2,3], f32[2], f32[3]): scale (operand 1) must be f32[3], as operand 0 is f32[2,3] with "
     "feature_index 1; got f32[2]"},
    {"BatchNormTraining with a feature dimension out of range",
     [](Misuse& m) { m.b().BatchNormTraining(m("f32[2,3]"), m("f32[3]"), m("f32[3]"), 0.1f, 2); },
     "BatchNormTraining(f32[2,3], f32[3], f32[3]): feature_index is out of range: 2 of f32[2,3], which has dimensions "
     "0 to 1"},
    {"BatchNormTraining of integers",
     [](Misuse& m) { m.b().BatchNormTraining(m("s32[2,3]"), m("s32[3]"), m("s32[3]"), 0.1f, 1); },
     "BatchNormTraining(s32[2,3], s32[3], s32[3]): operand 0 must be of a float type, got s32[2,3]"},
    {"BatchNormTraining with a matrix of scales",
     [](Misuse& m) { m.b().BatchNormTraining(m("f32[2,3]"), m("f32[3,1]"), m("f32[3]"), 0.1f, 1); },
     "BatchNormTraining(f32[2,3], f32[3,1], f32[3]): scale (operand 1) must be f32[3], as operand 0 is f32[2,3] with "
     "feature_index 1; got f32[3,1]"},
    {"BatchNormInference with a mean of another size",
     [](Misuse& m) {
       m.b().BatchNormInference(m("f32[2,3]"), m("f32[3]"), m("f32[3]"), m("f32[2]"), m("f32[3]"), 0.1f, 1);
     },
     "BatchNormInference(f32[2,3], f32[3], f32[3], f32[2], f32[3]): mean (operand 3) must be f32[3], as operand 0 is "
     "f32[2,3] with feature_index 1; got f32[2]"},
    {"BatchNormInference with a variance of another type",
     [](Misuse& m) {
       m.b().BatchNormInference(m("f32[2,3]"), m("f32[3]"), m("f32[3]"), m("f32[3]"), m("f64[3]"), 0.1f, 1);
     },
     "BatchNormInference(f32[2,3], f32[3], f32[3], f32[3], f64[3]): variance (operand 4) must be f32[3], as operand 0 "
     "is f32[2,3] with feature_index 1; got f64[3]"},
    {"BatchNormInference with a negative feature dimension",
     [](Misuse& m) {
       m.b().BatchNormInference(m("f32[2,3]"), m("f32[3]"), m("f32[3]"), m("f32[3]"), m("f32[3]"), 0.1f, -1);
     },
     "BatchNormInference(f32[2,3], f32[3], f32[3], f32[3], f32[3]): feature_index is out of range: -1 of f32[2,3], "
     "which has dimensions 0 to 1"},
    {"BatchNormGrad with a gradient of other dimensions",
     [](Misuse& m) {
       m.b().BatchNormGrad(m("f32[2,3]"), m("f32[3]"), m("f32[3]"), m("f32[3]"), m("f32[3,2]"), 0.1f, 1);
     },
     "BatchNormGrad(f32[2,3], f32[3], f32[3], f32[3], f32[3,2]): grad_output (operand 4) must be f32[2,3], as operand "
     "0 is f32[2,3] with feature_index 1; got f32[3,2]"},
    {"BatchNormGrad of a tuple",
     [](Misuse& m) {
       m.b().BatchNormGrad(m("(f32[2,3])"), m("f32[3]"), m("f32[3]"), m("f32[3]"), m("f32[2,3]"), 0.1f, 1);
     },
     "BatchNormGrad((f32[2,3]), f32[3], f32[3], f32[3], f32[2,3]): operand 0 must be an array, got (f32[2,3])"},
};

}  // namespace

absl::Span<const ErrorCase> WindowErrors() { return kWindowCases; }

}  // namespace xla
