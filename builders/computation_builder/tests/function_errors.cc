// Wrong calls of operations that apply computations: signatures, counts, control flow, calls of functions outside.
#include "builders/computation_builder/tests/misuse.h"

namespace xla {
namespace {

const ErrorCase kFunctionCases[] = {
    // ---- Reduce
    {"Reduce out of range",
     [](Misuse& m) { m.b().Reduce(m("f32[2,3]"), m("f32[]"), m.Function("f32[], f32[]", "f32[]"), {2}); },
     "Reduce(f32[2,3], f32[]): dimension to reduce is out of range: 2 of f32[2,3], which has dimensions 0 to 1"},
    {"Reduce of a negative dimension",
     [](Misuse& m) { m.b().Reduce(m("f32[2,3]"), m("f32[]"), m.Function("f32[], f32[]", "f32[]"), {-1}); },
     "Reduce(f32[2,3], f32[]): dimension to reduce is out of range: -1 of f32[2,3], which has dimensions 0 to 1"},
    {"Reduce of a dimension twice",
     [](Misuse& m) {
       m.b().Reduce(m("f32[2,3]"), m("f32[]"), m.Function("f32[], f32[]", "f32[]"), {1, 1});
     },
     "Reduce(f32[2,3], f32[]): dimension 1 to reduce is given twice"},
    {"Reduce with an initial value of another type",
     [](Misuse& m) { m.b().Reduce(m("f32[2,3]"), m("s32[]"), m.Function("f32[], f32[]", "f32[]"), {0}); },
     "Reduce(f32[2,3], s32[]): the initial value (operand 1) of operand 0 must be f32[], got s32[]"},
    {"Reduce with an initial vector",
     [](Misuse& m) { m.b().Reduce(m("f32[2,3]"), m("f32[3]"), m.Function("f32[], f32[]", "f32[]"), {0}); },
     "Reduce(f32[2,3], f32[3]): the initial value (operand 1) of operand 0 must be f32[], got f32[3]"},
    {"Reduce with a function of one parameter",
     [](Misuse& m) { m.b().Reduce(m("f32[2,3]"), m("f32[]"), m.Function("f32[]", "f32[]"), {0}); },
     "Reduce(f32[2,3], f32[]): to_apply function must be (f32[], f32[]) -> f32[], got (f32[]) -> f32[]"},
    {"Reduce with a function of three parameters",
     [](Misuse& m) { m.b().Reduce(m("f32[2]"), m("f32[]"), m.Function("f32[], f32[], f32[]", "f32[]"), {0}); },
     "Reduce(f32[2], f32[]): to_apply function must be (f32[], f32[]) -> f32[], got (f32[], f32[], f32[]) -> f32[]"},
    {"Reduce with a function of vectors",
     [](Misuse& m) { m.b().Reduce(m("f32[2]"), m("f32[]"), m.Function("f32[2], f32[2]", "f32[2]"), {0}); },
     "Reduce(f32[2], f32[]): to_apply function must be (f32[], f32[]) -> f32[], got (f32[2], f32[2]) -> f32[2]"},
    {"Reduce with a function of another result",
     [](Misuse& m) { m.b().Reduce(m("f32[2]"), m("f32[]"), m.Function("f32[], f32[]", "pred[]"), {0}); },
     "Reduce(f32[2], f32[]): to_apply function must be (f32[], f32[]) -> f32[], got (f32[], f32[]) -> pred[]"},
    {"Reduce without a function", [](Misuse& m) { m.b().Reduce(m("f32[2]"), m("f32[]"), Computation(), {0}); },
     "Reduce(f32[2], f32[]): the XlaComputation is empty; give it the result of a Build() that succeeded"},
    {"Reduce with a function that failed",
     [](Misuse& m) {
       const auto failed = Computation::FromError(absl::InvalidArgumentError("there is no such function"));
       m.b().Reduce(m("f32[2]"), m("f32[]"), failed, {0});
     },
     "Reduce(f32[2], f32[]): there is no such function"},
    {"Reduce of a tuple",
     [](Misuse& m) { m.b().Reduce(m("(f32[2])"), m("f32[]"), m.Function("f32[], f32[]", "f32[]"), {0}); },
     "Reduce((f32[2]), f32[]): operand 0 must be an array, got (f32[2])"},
    {"Reduce of no operands",
     [](Misuse& m) { m.b().Reduce(ArraySlice<XlaOp>(), ArraySlice<XlaOp>(), m.Function("", "()"), {0}); },
     "Reduce(): expected at least 2 operands, got 0"},
    {"Reduce with too few initial values",
     [](Misuse& m) {
       m.b().Reduce({m("f32[2]"), m("s32[2]")}, {m("f32[]")},
                    m.Function("f32[], s32[], f32[], s32[]", "(f32[], s32[])"), {0});
     },
     "Reduce(f32[2], s32[2], f32[]): init_values must have one entry for each operand: expected 2, got 1"},
    {"Reduce of operands of different dimensions",
     [](Misuse& m) {
       m.b().Reduce({m("f32[2]"), m("s32[3]")}, {m("f32[]"), m("s32[]")},
                    m.Function("f32[], s32[], f32[], s32[]", "(f32[], s32[])"), {0});
     },
     "Reduce(f32[2], s32[3], f32[], s32[]): operands must have equal dimensions: operand 0 is f32[2], operand 1 is "
     "s32[3]"},
    {"Reduce of two operands with a function of one",
     [](Misuse& m) {
       m.b().Reduce({m("f32[2]"), m("f32[2]")}, {m("f32[]"), m("f32[]")}, m.Function("f32[], f32[]", "f32[]"), {0});
     },
     "Reduce(f32[2], f32[2], f32[], f32[]): to_apply function must be (f32[], f32[], f32[], f32[]) -> (f32[], f32[]), "
     "got (f32[], f32[]) -> f32[]"},
    {"ReduceAll of another type",
     [](Misuse& m) { m.b().ReduceAll(m("s32[2]"), m("s32[]"), m.Function("f32[], f32[]", "f32[]")); },
     "ReduceAll(s32[2], s32[]): to_apply function must be (s32[], s32[]) -> s32[], got (f32[], f32[]) -> f32[]"},
    {"ReduceAll of a token",
     [](Misuse& m) { m.b().ReduceAll(m.fine().CreateToken(), m("f32[]"), m.Function("f32[], f32[]", "f32[]")); },
     "ReduceAll(token[], f32[]): the operand must be an array, got token[]"},

    // ---- Scan, Map, Sort, TopK
    {"Scan out of range",
     [](Misuse& m) { m.b().Scan({m("f32[4]")}, {m("f32[]")}, m.Function("f32[], f32[]", "(f32[], f32[])"), 1); },
     "Scan(f32[4], f32[]): dimension to scan is out of range: 1 of f32[4], which has only dimension 0"},
    {"Scan with a function of other carries",
     [](Misuse& m) { m.b().Scan({m("f32[4]")}, {m("f32[]")}, m.Function("f32[], s32[]", "(f32[], s32[])"), 0); },
     "Scan(f32[4], f32[]): to_apply function must be (f32[], f32[]) -> (f32[], f32[]), got (f32[], s32[]) -> (f32[], "
     "s32[])"},
    {"Scan of inputs of different sizes",
     [](Misuse& m) {
       m.b().Scan({m("f32[4]"), m("f32[5]")}, {m("f32[]")}, m.Function("f32[], f32[], f32[]", "(f32[], f32[])"), 0);
     },
     "Scan(f32[4], f32[5], f32[]): scanned operands must have equal sizes in dimension 0: operand 0 is f32[4], operand "
     "1 is f32[5]"},
    {"Scan of nothing", [](Misuse& m) { m.b().Scan({}, {m("f32[]")}, m.Function("f32[]", "(f32[])"), 0); },
     "Scan(f32[]): num_carries must leave at least one of the 1 operands to scan, got 1"},
    {"Map of nothing", [](Misuse& m) { m.b().Map({}, m.Function("", "f32[]")); },
     "Map(): expected at least one operand to map over"},
    {"Map of different dimensions",
     [](Misuse& m) {
       m.b().Map({m("f32[2]"), m("f32[3]")}, m.Function("f32[], f32[]", "f32[]"));
     },
     "Map(f32[2], f32[3]): operands must have equal dimensions: operand 0 is f32[2], operand 1 is f32[3]"},
    {"Map with a function of another type", [](Misuse& m) { m.b().Map({m("f32[2]")}, m.Function("s32[]", "s32[]")); },
     "Map(f32[2]): to_apply function must be (f32[]) -> s32[], got (s32[]) -> s32[]"},
    {"Map with a function of more parameters",
     [](Misuse& m) { m.b().Map({m("f32[2]")}, m.Function("f32[], f32[]", "f32[]")); },
     "Map(f32[2]): to_apply function must be (f32[]) -> f32[], got (f32[], f32[]) -> f32[]"},
    {"Map with a function of vectors", [](Misuse& m) { m.b().Map({m("f32[2]")}, m.Function("f32[2]", "f32[2]")); },
     "Map(f32[2]): to_apply function must return a scalar, got f32[2]"},
    {"Map with a function that returns a vector",
     [](Misuse& m) { m.b().Map({m("f32[2]")}, m.Function("f32[]", "f32[2]")); },
     "Map(f32[2]): to_apply function must return a scalar, got f32[2]"},
    {"Map without a function", [](Misuse& m) { m.b().Map({m("f32[2]")}, Computation()); },
     "Map(f32[2]): the XlaComputation is empty; give it the result of a Build() that succeeded"},
    {"Map with a static operand too many",
     [](Misuse& m) { m.b().Map({m("f32[2]")}, m.Function("f32[]", "f32[]"), {m("s32[]")}); },
     "Map(f32[2], s32[]): to_apply function must be (f32[], s32[]) -> f32[], got (f32[]) -> f32[]"},
    {"Map with a static operand of another shape",
     [](Misuse& m) { m.b().Map({m("f32[2]")}, m.Function("f32[], s32[3]", "f32[]"), {m("s32[4]")}); },
     "Map(f32[2], s32[4]): the computation function must take (f32[], s32[4]) and return a scalar, got (f32[], s32[3]) "
     "-> f32[]"},
    {"Map with a static scalar of another type",
     [](Misuse& m) { m.b().Map({m("f32[2]")}, m.Function("f32[], s32[]", "f32[]"), {m("f32[]")}); },
     "Map(f32[2], f32[]): to_apply function must be (f32[], f32[]) -> f32[], got (f32[], s32[]) -> f32[]"},
    {"Map of a tuple", [](Misuse& m) { m.b().Map({m("(f32[2])")}, m.Function("f32[]", "f32[]")); },
     "Map((f32[2])): each operand must be an array, got (f32[2])"},
    {"Sort of a scalar", [](Misuse& m) { m.b().Sort(m("f32[]")); },
     "Sort(f32[]): a scalar has no dimension to sort along"},
    {"Sort of complex numbers", [](Misuse& m) { m.b().Sort(m("c64[2]")); },
     "Sort(c64[2]): complex numbers have no order to sort by"},
    {"Sort of a tuple", [](Misuse& m) { m.b().Sort(m("(f32[2])")); },
     "Sort((f32[2])): the operand must be an array, got (f32[2])"},
    {"Sort of nothing", [](Misuse& m) { m.b().Sort({}, m.Function("", "pred[]")); },
     "Sort(): expected at least 1 operand, got 0"},
    {"Sort of different dimensions",
     [](Misuse& m) {
       m.b().Sort({m("f32[2]"), m("s32[3]")}, m.Function("f32[], f32[], s32[], s32[]", "pred[]"));
     },
     "Sort(f32[2], s32[3]): operands must have equal dimensions: operand 0 is f32[2], operand 1 is s32[3]"},
    {"Sort with a function of another type",
     [](Misuse& m) { m.b().Sort({m("f32[2]")}, m.Function("s32[], s32[]", "pred[]")); },
     "Sort(f32[2]): to_apply function must be (f32[], f32[]) -> pred[], got (s32[], s32[]) -> pred[]"},
    {"Sort with a function that returns no pred",
     [](Misuse& m) { m.b().Sort({m("f32[2]")}, m.Function("f32[], f32[]", "f32[]")); },
     "Sort(f32[2]): to_apply function must be (f32[], f32[]) -> pred[], got (f32[], f32[]) -> f32[]"},
    {"Sort with a function of too few parameters",
     [](Misuse& m) {
       m.b().Sort({m("f32[2]"), m("f32[2]")}, m.Function("f32[], f32[]", "pred[]"));
     },
     "Sort(f32[2], f32[2]): to_apply function must be (f32[], f32[], f32[], f32[]) -> pred[], got (f32[], f32[]) -> "
     "pred[]"},
    {"Sort out of range", [](Misuse& m) { m.b().Sort({m("f32[2,3]")}, m.Function("f32[], f32[]", "pred[]"), 2); },
     "Sort(f32[2,3]): dimension to sort is out of range: 2 of f32[2,3], which has dimensions 0 to 1"},
    {"Sort of a dimension below -1",
     [](Misuse& m) { m.b().Sort({m("f32[2,3]")}, m.Function("f32[], f32[]", "pred[]"), -2); },
     "Sort(f32[2,3]): dimension to sort is out of range: -2 of f32[2,3], which has dimensions 0 to 1"},
    {"TopK of more than there are", [](Misuse& m) { m.b().TopK(m("f32[2,3]"), 4); },
     "TopK(f32[2,3]): k must be at least 0 and at most the last dimension of f32[2,3], got 4"},
    {"TopK of a negative number", [](Misuse& m) { m.b().TopK(m("f32[2,3]"), -1); },
     "TopK(f32[2,3]): k must be at least 0 and at most the last dimension of f32[2,3], got -1"},
    {"TopK of a scalar", [](Misuse& m) { m.b().TopK(m("f32[]"), 1); },
     "TopK(f32[]): the operand must have at least one dimension, got f32[]"},
    {"TopK of complex numbers", [](Misuse& m) { m.b().TopK(m("c64[3]"), 1); },
     "TopK(c64[3]): complex numbers have no order, so the operand cannot be c64[3]"},

    // ---- Call, While, Conditional
    {"Call with too few arguments", [](Misuse& m) { m.b().Call(m.Function("f32[], s32[]", "f32[]"), {m("f32[]")}); },
     "Call(f32[]): to_apply function has 2 parameters, expected 1, one for each value it is given"},
    {"Call with too many arguments", [](Misuse& m) { m.b().Call(m.Function("", "f32[]"), {m("f32[]")}); },
     "Call(f32[]): to_apply function has 0 parameters, expected 1, one for each value it is given"},
    {"Call with an argument of another shape",
     [](Misuse& m) {
       m.b().Call(m.Function("f32[], s32[2]", "f32[]"), {m("f32[]"), m("s32[3]")});
     },
     "Call(f32[], s32[3]): parameter 1 of to_apply function has shape s32[2], expected s32[3] as of the value it is "
     "given"},
    {"Call with an argument of another type", [](Misuse& m) { m.b().Call(m.Function("f32[]", "f32[]"), {m("s32[]")}); },
     "Call(s32[]): parameter 0 of to_apply function has shape f32[], expected s32[] as of the value it is given"},
    {"Call of nothing", [](Misuse& m) { m.b().Call(Computation()); },
     "Call(): the XlaComputation is empty; give it the result of a Build() that succeeded"},
    {"Call with an invalid argument", [](Misuse& m) { m.b().Call(m.Function("f32[]", "f32[]"), {XlaOp()}); },
     "Call(an invalid XlaOp): operand 0 is an invalid XlaOp, default-constructed or from a builder that failed; "
     "expected a value of the builder misuse"},
    {"CompositeCall without a name",
     [](Misuse& m) { m.b().CompositeCall(m.Function("f32[]", "f32[]"), {m("f32[]")}, {}); },
     "CompositeCall(f32[]): the frontend attribute composite.name of a composite call must not be empty"},
    {"CompositeCall of a negative version",
     [](Misuse& m) {
       CompositeOptions options;
       options.name = "chlo.top_k";
       options.version = -1;
       m.b().CompositeCall(m.Function("f32[]", "f32[]"), {m("f32[]")}, options);
     },
     "CompositeCall(f32[]): the frontend attribute composite.version of a composite call must be an integer of at "
     "least 0, got -1"},
    {"CompositeCall with an argument of another type",
     [](Misuse& m) {
       CompositeOptions options;
       options.name = "chlo.top_k";
       m.b().CompositeCall(m.Function("f32[]", "f32[]"), {m("s32[]")}, options);
     },
     "CompositeCall(s32[]): parameter 0 of to_apply function has shape f32[], expected s32[] as of the value it is "
     "given"},
    {"While with a condition that returns no pred",
     [](Misuse& m) { m.b().While(m.Function("f32[]", "f32[]"), m.Function("f32[]", "f32[]"), m("f32[]")); },
     "While(f32[]): condition function returns f32[], expected pred[]"},
    {"While with a condition that returns a vector",
     [](Misuse& m) { m.b().While(m.Function("f32[]", "pred[1]"), m.Function("f32[]", "f32[]"), m("f32[]")); },
     "While(f32[]): condition function returns pred[1], expected pred[]"},
    {"While with a condition of another state",
     [](Misuse& m) { m.b().While(m.Function("s32[]", "pred[]"), m.Function("f32[]", "f32[]"), m("f32[]")); },
     "While(f32[]): parameter 0 of condition function has shape s32[], expected f32[] as of the value it is given"},
    {"While with a condition of two parameters",
     [](Misuse& m) { m.b().While(m.Function("f32[], f32[]", "pred[]"), m.Function("f32[]", "f32[]"), m("f32[]")); },
     "While(f32[]): condition function has 2 parameters, expected 1, one for each value it is given"},
    {"While with a body that returns another state",
     [](Misuse& m) { m.b().While(m.Function("f32[]", "pred[]"), m.Function("f32[]", "f32[1]"), m("f32[]")); },
     "While(f32[]): body function returns f32[1], expected f32[]"},
    {"While with a body of another state",
     [](Misuse& m) { m.b().While(m.Function("f32[]", "pred[]"), m.Function("f64[]", "f32[]"), m("f32[]")); },
     "While(f32[]): parameter 0 of body function has shape f64[], expected f32[] as of the value it is given"},
    {"While with an initial value of another shape",
     [](Misuse& m) {
       m.b().While(m.Function("(s32[])", "pred[]"), m.Function("(s32[])", "(s32[])"), m("(s32[], f32[])"));
     },
     "While((s32[], f32[])): parameter 0 of condition function has shape (s32[]), expected (s32[], f32[]) as of the "
     "value it is given"},
    {"While without a body", [](Misuse& m) { m.b().While(m.Function("f32[]", "pred[]"), Computation(), m("f32[]")); },
     "While(f32[]): the XlaComputation is empty; give it the result of a Build() that succeeded"},
    {"Conditional by an integer with two operands",
     [](Misuse& m) {
       m.b().Conditional(m("s32[]"), m("f32[]"), m.Function("f32[]", "f32[]"), m("f32[]"),
                         m.Function("f32[]", "f32[]"));
     },
     "Conditional(s32[], f32[], f32[]): the predicate must be pred[]; with an index, give lists of computations and "
     "operands"},
    {"Conditional by a vector",
     [](Misuse& m) {
       m.b().Conditional(m("pred[2]"), m("f32[]"), m.Function("f32[]", "f32[]"), m("f32[]"),
                         m.Function("f32[]", "f32[]"));
     },
     "Conditional(pred[2], f32[], f32[]): the predicate must be pred[]; with an index, give lists of computations and "
     "operands"},
    {"Conditional with results that differ",
     [](Misuse& m) {
       m.b().Conditional(m("pred[]"), m("f32[]"), m.Function("f32[]", "f32[]"), m("f32[]"),
                         m.Function("f32[]", "s32[]"));
     },
     "Conditional(pred[], f32[], f32[]): branch 1 function returns s32[], expected f32[]"},
    {"Conditional with an operand of another shape",
     [](Misuse& m) {
       m.b().Conditional(m("pred[]"), m("f32[]"), m.Function("f32[2]", "f32[]"), m("f32[]"),
                         m.Function("f32[]", "f32[]"));
     },
     "Conditional(pred[], f32[], f32[]): parameter 0 of branch 0 function has shape f32[2], expected f32[] as of the "
     "value it is given"},
    {"Conditional without branches", [](Misuse& m) { m.b().Conditional(m("s32[]"), {}, {}); },
     "Conditional(s32[]): expected at least one branch"},
    {"Conditional with too few operands",
     [](Misuse& m) {
       const auto branch = m.Function("f32[]", "f32[]");
       m.b().Conditional(m("s32[]"), {branch, branch}, {m("f32[]")});
     },
     "Conditional(s32[], f32[]): branch_operands must have one entry for each branch: expected 2, got 1"},
    {"Conditional by a float",
     [](Misuse& m) { m.b().Conditional(m("f32[]"), {m.Function("f32[]", "f32[]")}, {m("f32[]")}); },
     "Conditional(f32[], f32[]): the selector must be pred[] or s32[], but p1 is f32[]"},
    {"Conditional by a pred with three branches",
     [](Misuse& m) {
       const auto branch = m.Function("f32[]", "f32[]");
       const auto x = m("f32[]");
       m.b().Conditional(m("pred[]"), {branch, branch, branch}, {x, x, x});
     },
     "Conditional(pred[], f32[], f32[], f32[]): a pred selector needs 2 branches, found 3"},
    {"Conditional with a branch of two parameters",
     [](Misuse& m) { m.b().Conditional(m("s32[]"), {m.Function("f32[], f32[]", "f32[]")}, {m("f32[]")}); },
     "Conditional(s32[], f32[]): branch 0 function has 2 parameters, expected 1, one for each value it is given"},
    {"Conditional with a missing branch",
     [](Misuse& m) { m.b().Conditional(m("s32[]"), {Computation()}, {m("f32[]")}); },
     "Conditional(s32[], f32[]): the XlaComputation is empty; give it the result of a Build() that succeeded"},

    // ---- Functions outside, fusions, asynchronous operations
    {"CustomCall without a target", [](Misuse& m) { m.b().CustomCall("", {m("f32[]")}, m.ShapeOf("f32[]")); },
     "CustomCall(f32[]): the target of a custom call needs a name"},
    {"CustomCall without a shape", [](Misuse& m) { m.b().CustomCall("myfunc", {m("f32[]")}, Shape()); },
     "CustomCall(f32[]): shape without an element type"},
    {"CustomCall of a negative size",
     [](Misuse& m) { m.b().CustomCall("myfunc", {m("f32[]")}, Shape::Array(F32, {-1})); },
     "CustomCall(f32[]): dimension 0 of an array has the negative size -1"},
    {"CustomCall with operand layouts for other operands",
     [](Misuse& m) {
       CustomCallOptions options;
       options.operand_layouts = {m.ShapeOf("f32[2]{0}")};
       m.b().CustomCall("myfunc", {m("f32[2]"), m("f32[2]")}, m.ShapeOf("f32[]"), options);
     },
     "CustomCall(f32[2], f32[2]): operand_layout_constraints must have one shape for each of the 2 operands, got 1"},
    {"CustomCall with an alias of another shape",
     [](Misuse& m) {
       CustomCallOptions options;
       options.output_operand_aliasing = {{{}, 0, {}}};
       m.b().CustomCall("myfunc", {m("f32[2]")}, m.ShapeOf("f32[3]"), options);
     },
     "CustomCall(f32[2]): output_to_operand_aliasing {}: (0, {}) pairs different shapes: f32[3] and f32[2]"},
    {"CustomCall with an alias of an operand that does not exist",
     [](Misuse& m) {
       CustomCallOptions options;
       options.output_operand_aliasing = {{{}, 1, {}}};
       m.b().CustomCall("myfunc", {m("f32[2]")}, m.ShapeOf("f32[2]"), options);
     },
     "CustomCall(f32[2]): output_to_operand_aliasing {}: (1, {}) names an output or an operand that does not exist"},
    {"CustomCall with a computation that is missing",
     [](Misuse& m) {
       CustomCallOptions options;
       options.called_computations = {Computation()};
       m.b().CustomCall("myfunc", {m("f32[2]")}, m.ShapeOf("f32[2]"), options);
     },
     "CustomCall(f32[2]): the XlaComputation is empty; give it the result of a Build() that succeeded"},
    {"OptimizationBarrier of an invalid value", [](Misuse& m) { m.b().OptimizationBarrier(XlaOp()); },
     "OptimizationBarrier(an invalid XlaOp): operand 0 is an invalid XlaOp, default-constructed or from a builder that "
     "failed; expected a value of the builder misuse"},
    {"Fusion with too few arguments",
     [](Misuse& m) { m.b().Fusion(FusionKind::kLoop, m.Function("f32[], f32[]", "f32[]"), {m("f32[]")}); },
     "Fusion(f32[]): fused computation function has 2 parameters, expected 1, one for each value it is given"},
    {"Fusion with an argument of another type",
     [](Misuse& m) { m.b().Fusion(FusionKind::kLoop, m.Function("f32[]", "f32[]"), {m("s32[]")}); },
     "Fusion(s32[]): parameter 0 of fused computation function has shape f32[], expected s32[] as of the value it is "
     "given"},
    {"Fusion without a computation", [](Misuse& m) { m.b().Fusion(FusionKind::kLoop, Computation(), {}); },
     "Fusion(): the XlaComputation is empty; give it the result of a Build() that succeeded"},
    {"AsyncStart with an argument of another shape",
     [](Misuse& m) { m.b().AsyncStart(m.Function("f32[2]", "f32[]"), {m("f32[3]")}); },
     "AsyncStart(f32[3]): operand 0 has shape f32[3], which is not that of parameter 0 of the wrapped computation "
     "function"},
    {"AsyncStart with too many arguments",
     [](Misuse& m) {
       m.b().AsyncStart(m.Function("f32[2]", "f32[]"), {m("f32[2]"), m("f32[2]")});
     },
     "AsyncStart(f32[2], f32[2]): the wrapped computation function has 1 parameters, but the start binds 2 operands"},
    {"AsyncStart without a computation", [](Misuse& m) { m.b().AsyncStart(Computation(), {}); },
     "AsyncStart(): the XlaComputation is empty; give it the result of a Build() that succeeded"},
    {"AsyncUpdate of an array", [](Misuse& m) { m.b().AsyncUpdate(m("f32[2]")); },
     "AsyncUpdate(f32[2]): operand 0 must be the result of AsyncStart or AsyncUpdate"},
    {"AsyncUpdate of a tuple that was not started", [](Misuse& m) { m.b().AsyncUpdate(m("((f32[2]), f32[2])")); },
     "AsyncUpdate(((f32[2]), f32[2])): operand 0 must be the result of AsyncStart or AsyncUpdate"},
    {"AsyncDone of an array", [](Misuse& m) { m.b().AsyncDone(m("f32[2]")); },
     "AsyncDone(f32[2]): the operand must be the result of AsyncStart or AsyncUpdate"},
    {"AsyncDone twice",
     [](Misuse& m) {
       const XlaOp start = m.fine().AsyncStart(m.Function("f32[2]", "f32[]"), {m("f32[2]")});
       m.fine().AsyncDone(start);
       m.b().AsyncDone(start);
     },
     "AsyncDone(((f32[2]), f32[])): async-start.1 has 2 users; an async operation is a chain in which each step is "
     "used once"},
    {"CopyStart of an invalid value", [](Misuse& m) { m.b().CopyStart(XlaOp()); },
     "CopyStart(an invalid XlaOp): operand 0 is an invalid XlaOp, default-constructed or from a builder that failed; "
     "expected a value of the builder misuse"},
    {"CopyDone of an array", [](Misuse& m) { m.b().CopyDone(m("f32[2]")); },
     "CopyDone(f32[2]): the operand must be a copy-start, but p0 is a parameter"},
    {"CopyDone of a tuple that was not started", [](Misuse& m) { m.b().CopyDone(m("(f32[2], f32[2], u32[])")); },
     "CopyDone((f32[2], f32[2], u32[])): the operand must be a copy-start, but p0 is a parameter"},
};

}  // namespace

absl::Span<const ErrorCase> FunctionErrors() { return kFunctionCases; }

}  // namespace xla
