// Wrong calls about parameters, constants, tuples, finished builders, and what instructions carry.
#include "builders/computation_builder/tests/misuse.h"

namespace xla {
namespace {

void BuildSomething(Misuse& m) {
  m("f32[2]");
  (void)m.fine().Build();
}

const ErrorCase kBuildingCases[] = {
    // ---- Parameters
    {"a negative parameter number", [](Misuse& m) { m.b().Parameter(-1, m.ShapeOf("f32[2]"), "x"); },
     "Parameter(): the parameter number must be at least 0, got -1"},
    {"a parameter number twice",
     [](Misuse& m) {
       m.fine().Parameter(0, m.ShapeOf("f32[2]"), "x");
       m.b().Parameter(0, m.ShapeOf("s32[]"), "y");
     },
     "Parameter(): parameter 0 exists already: x, f32[2]"},
    {"a parameter of no shape", [](Misuse& m) { m.b().Parameter(0, Shape(), "x"); },
     "Parameter(): shape without an element type"},
    {"a parameter of a negative size", [](Misuse& m) { m.b().Parameter(0, Shape::Array(F32, {-2}), "x"); },
     "Parameter(): dimension 0 of an array has the negative size -2"},
    {"a parameter of too many bytes",
     [](Misuse& m) {
       m.b().Parameter(0, Shape::Array(F32, {INT64_MAX, 2}), "x");
     },
     "Parameter(): array f32[9223372036854775807,2] is too large: its size in bytes does not fit in 63 bits"},
    {"a parameter of a type that does not exist",
     [](Misuse& m) { m.b().Parameter(0, Shape::Array(static_cast<PrimitiveType>(1000), {2}), "x"); },
     "Parameter(): shape without an element type"},
    {"a parameter that is an array of tuples", [](Misuse& m) { m.b().Parameter(0, Shape::Array(TUPLE, {2}), "x"); },
     "Parameter(): only arrays have dimensions, but a tuple was given 1 of them"},
    {"a parameter with a wrong layout",
     [](Misuse& m) {
       Shape shape = m.ShapeOf("f32[2,3]");
       Layout layout;
       layout.minor_to_major = {1, 1};
       shape.set_layout(layout);
       m.b().Parameter(0, shape, "x");
     },
     "Parameter(): layout {1,1} is no permutation of the dimensions 0 to 1"},
    {"parameter numbers with a gap",
     [](Misuse& m) {
       m.fine().Parameter(1, m.ShapeOf("f32[2]"), "x");
       (void)m.b().Build();
     },
     "Build(): parameter 0 of the computation misuse is missing: it has 1 parameters, whose numbers must be 0 and on"},

    // ---- Build
    {"Build of nothing", [](Misuse& m) { (void)m.b().Build(); }, "Build(): the computation misuse has no operations"},
    {"BuildModule of nothing", [](Misuse& m) { (void)m.b().BuildModule(); },
     "Build(): the computation misuse has no operations"},
    {"Build twice",
     [](Misuse& m) {
       BuildSomething(m);
       (void)m.b().Build();
     },
     "Build(): the computation misuse is finished, because Build() was called; add operations before, or to a new "
     "builder"},
    {"Build of an invalid root",
     [](Misuse& m) {
       m("f32[2]");
       (void)m.b().Build(XlaOp());
     },
     "Build(): operand 0 is an invalid XlaOp, default-constructed or from a builder that failed; expected a value of "
     "the builder misuse"},
    {"Build of another builder's root",
     [](Misuse& m) {
       m("f32[2]");
       (void)m.b().Build(m.Foreign("f32[2]"));
     },
     "Build(): operand 0 is a value of another builder, expected one of the builder misuse; hand values to a "
     "computation as arguments"},
    {"an operation after Build",
     [](Misuse& m) {
       const XlaOp x = m("f32[2]");
       (void)m.fine().Build();
       m.b().Exp(x);
     },
     "Exp(f32[2]): the computation misuse is finished, because Build() was called; add operations before, or to a new "
     "builder"},
    {"a parameter after Build",
     [](Misuse& m) {
       BuildSomething(m);
       m.b().Parameter(1, m.ShapeOf("f32[2]"), "x");
     },
     "Parameter(): the computation misuse is finished, because Build() was called; add operations before, or to a new "
     "builder"},
    {"a constant after Build",
     [](Misuse& m) {
       BuildSomething(m);
       m.b().ConstantR0<float>(1);
     },
     "ConstantR0(): the computation misuse is finished, because Build() was called; add operations before, or to a new "
     "builder"},
    {"an operator after Build",
     [](Misuse& m) {
       const XlaOp x = m("f32[2]");
       (void)m.fine().Build();
       (void)m.b(), x + 1;
     },
     "ConstantLiteral(): the computation misuse is finished, because Build() was called; add operations before, or to "
     "a new builder"},

    // ---- Reported by the caller
    {"ReportError", [](Misuse& m) { m.b().ReportError(absl::InvalidArgumentError("the model has no input")); },
     "the model has no input"},
    {"an error in a function of its own",
     [](Misuse& m) {
       const XlaOp x = m("f32[2]");
       m.b();
       OperationScope scope(&m.fine(), "Normalise", {x}, m.place());
       m.fine().Reduce(x, m.fine().ConstantR0<int32_t>(0), m.Function("f32[], f32[]", "f32[]"), {0});
     },
     "Normalise(f32[2]): Reduce(f32[2], s32[]): the initial value (operand 1) of operand 0 must be f32[], got s32[]"},

    // ---- Constants
    {"no literal", [](Misuse& m) { m.b().ConstantLiteral(Literal()); },
     "ConstantLiteral(): shape without an element type"},
    {"a literal that failed",
     [](Misuse& m) { m.b().ConstantLiteral(absl::StatusOr<Literal>(absl::InvalidArgumentError("it failed"))); },
     "ConstantLiteral(): it failed"},
    {"the least complex number", [](Misuse& m) { m.b().ConstantLiteral(LiteralUtil::MinValue(C64)); },
     "ConstantLiteral(): c64 has no least and no greatest value, as complex numbers have no order"},
    {"the least tuple", [](Misuse& m) { m.b().ConstantLiteral(LiteralUtil::MinValue(TUPLE)); },
     "ConstantLiteral(): expected an element type of arrays, got tuple"},
    {"a number that the type does not have",
     [](Misuse& m) { m.b().ConstantLiteral(LiteralUtil::Number(U8, int64_t{256})); },
     "ConstantLiteral(): the number 256 is no value of u8"},
    {"a fraction as an integer", [](Misuse& m) { m.b().ConstantLiteral(LiteralUtil::Number(S32, 0.5)); },
     "ConstantLiteral(): the number 0.5 is no value of s32"},
    {"a vector of negative length", [](Misuse& m) { m.b().ConstantR1<float>(-1, 0.0f); },
     "ConstantR1(): dimension 0 of an array has the negative size -1"},
    {"a vector of too many bytes", [](Misuse& m) { m.b().ConstantR1<float>(INT64_MAX, 0.0f); },
     "ConstantR1(): array f32[9223372036854775807] is too large: its size in bytes does not fit in 63 bits"},
    {"rows that are not equally long",
     [](Misuse& m) {
       m.b().ConstantR2<float>({{1, 2}, {3}});
     },
     "ConstantR2(): the lists of dimension 1 must be equally long: the first has 2 entries, another 1"},
    {"planes that are not equally long",
     [](Misuse& m) {
       m.b().ConstantR3<float>({{{1}, {2}}, {{3}}});
     },
     "ConstantR3(): the lists of dimension 1 must be equally long: the first has 2 entries, another 1"},
    {"four dimensions that are not equally long",
     [](Misuse& m) {
       m.b().ConstantR4<float>({{{{1}, {2}}}, {{{3}, {4, 5}}}});
     },
     "ConstantR4(): the lists of dimension 3 must be equally long: the first has 1 entries, another 2"},
    {"fewer values than elements",
     [](Misuse& m) {
       m.b().ConstantArray<float>({2, 2}, {1, 2, 3});
     },
     "ConstantArray(): an array f32[2,2] has 4 elements, got 3"},
    {"more values than elements",
     [](Misuse& m) {
       m.b().ConstantArray<float>({}, {1, 2});
     },
     "ConstantArray(): an array f32[] has 1 elements, got 2"},
    {"values of a negative dimension", [](Misuse& m) { m.b().ConstantArray<float>({-1}, {1}); },
     "ConstantArray(): dimension 0 of an array has the negative size -1"},
    {"values of the least dimension",
     [](Misuse& m) {
       m.b().ConstantArray<float>({INT64_MIN, 3}, {1});
     },
     "ConstantArray(): the shape f32[?,3] has a dimension without a bound; give it a size"},
    {"values of huge dimensions",
     [](Misuse& m) {
       m.b().ConstantArray<float>({INT64_MAX, INT64_MAX}, {1});
     },
     "ConstantArray(): array f32[9223372036854775807,9223372036854775807] is too large: its size in bytes does not fit "
     "in 63 bits"},
    {"Iota of a scalar", [](Misuse& m) { m.b().Iota(m.ShapeOf("s32[]"), 0); },
     "Iota(): iota needs a dimension to count along, got the scalar result s32[]; use a constant 0"},
    {"Iota out of range", [](Misuse& m) { m.b().Iota(m.ShapeOf("s32[2,3]"), 2); },
     "Iota(): iota_dimension is out of range: 2 of s32[2,3], which has dimensions 0 to 1"},
    {"Iota of pred", [](Misuse& m) { m.b().Iota(m.ShapeOf("pred[2]"), 0); },
     "Iota(): iota counts in integers, floats or complex numbers, got pred[2]; compare or convert the result of "
     "another"},
    {"Iota of a tuple", [](Misuse& m) { m.b().Iota(m.ShapeOf("(s32[2])"), 0); },
     "Iota(): the result must be an array, got (s32[2])"},
    {"Iota of a negative size", [](Misuse& m) { m.b().Iota(S32, -1); },
     "Iota(): the size must not be negative, got -1"},
    {"Iota of too many bytes", [](Misuse& m) { m.b().Iota(S32, INT64_MAX); },
     "Iota(): array s32[9223372036854775807] is too large: its size in bytes does not fit in 63 bits"},
    {"Iota of a type that is no element type", [](Misuse& m) { m.b().Iota(TUPLE, 3); },
     "Iota(): the result must be an array, got ()"},

    // ---- Tuples
    {"Tuple of an invalid value",
     [](Misuse& m) {
       m.b().Tuple({m("f32[]"), XlaOp()});
     },
     "Tuple(f32[], an invalid XlaOp): operand 1 is an invalid XlaOp, default-constructed or from a builder that "
     "failed; expected a value of the builder misuse"},
    {"Tuple of another builder's value", [](Misuse& m) { m.b().Tuple({m.Foreign("f32[]")}); },
     "Tuple(a value of another builder): operand 0 is a value of another builder, expected one of the builder misuse; "
     "hand values to a computation as arguments"},
    {"GetTupleElement of an array", [](Misuse& m) { m.b().GetTupleElement(m("f32[2]"), 0); },
     "GetTupleElement(f32[2]): the operand must be a tuple, but p0 has shape f32[2]"},
    {"GetTupleElement out of range", [](Misuse& m) { m.b().GetTupleElement(m("(f32[2], s32[])"), 2); },
     "GetTupleElement((f32[2], s32[])): index 2 is out of range: p0 has 2 elements, expected 0 <= index < 2"},
    {"GetTupleElement of a negative index", [](Misuse& m) { m.b().GetTupleElement(m("(f32[2])"), -1); },
     "GetTupleElement((f32[2])): index -1 is out of range: p0 has 1 elements, expected 0 <= index < 1"},
    {"GetTupleElement of a huge index", [](Misuse& m) { m.b().GetTupleElement(m("(f32[2])"), 1LL << 32); },
     "GetTupleElement((f32[2])): index 4294967296 is out of range: p0 has 1 elements, expected 0 <= index < 1"},
    {"GetTupleElement of no elements", [](Misuse& m) { m.b().GetTupleElement(m("()"), 0); },
     "GetTupleElement(()): index 0 is out of range: p0 has 0 elements, expected 0 <= index < 0"},

    // ---- What instructions carry
    {"SetInstructionSharding of another builder's value",
     [](Misuse& m) { m.b().SetInstructionSharding(m.Foreign("f32[]"), Sharding()); },
     "SetInstructionSharding(a value of another builder): operand 0 is a value of another builder, expected one of the "
     "builder misuse; hand values to a computation as arguments"},
    {"SetInstructionName after Build",
     [](Misuse& m) {
       const XlaOp x = m("f32[2]");
       (void)m.fine().Build();
       m.b().SetInstructionName(x, "y");
     },
     "SetInstructionName(f32[2]): the computation misuse is finished, because Build() was called; add operations "
     "before, or to a new builder"},
    {"SetInstructionFrontendAttribute of another builder's value",
     [](Misuse& m) { m.b().SetInstructionFrontendAttribute(m.Foreign("f32[]"), "key", "value"); },
     "SetInstructionFrontendAttribute(a value of another builder): operand 0 is a value of another builder, expected "
     "one of the builder misuse; hand values to a computation as arguments"},
    {"SetInstructionBackendConfig of another builder's value",
     [](Misuse& m) { m.b().SetInstructionBackendConfig(m.Foreign("f32[]"), "config"); },
     "SetInstructionBackendConfig(a value of another builder): operand 0 is a value of another builder, expected one "
     "of the builder misuse; hand values to a computation as arguments"},
    {"SetInstructionResultAccuracy of another builder's value",
     [](Misuse& m) { m.b().SetInstructionResultAccuracy(m.Foreign("f32[]"), ResultAccuracy()); },
     "SetInstructionResultAccuracy(a value of another builder): operand 0 is a value of another builder, expected one "
     "of the builder misuse; hand values to a computation as arguments"},
    {"AddControlDependency against the order",
     [](Misuse& m) {
       const XlaOp x = m("f32[2]");
       const XlaOp y = m.fine().Exp(x);
       m.b().AddControlDependency(y, x);
     },
     "AddControlDependency(f32[2], f32[2]): the operation that runs first must have been added first; exchange the "
     "two"},
    {"AddControlDependency on itself",
     [](Misuse& m) {
       const XlaOp x = m("f32[2]");
       m.b().AddControlDependency(x, x);
     },
     "AddControlDependency(f32[2], f32[2]): the operation that runs first must have been added first; exchange the "
     "two"},
    {"AddControlDependency of an invalid value", [](Misuse& m) { m.b().AddControlDependency(m("f32[]"), XlaOp()); },
     "AddControlDependency(f32[], an invalid XlaOp): operand 1 is an invalid XlaOp, default-constructed or from a "
     "builder that failed; expected a value of the builder misuse"},

    // ---- AddOp
    {"AddOp with too few operands", [](Misuse& m) { m.b().AddOp(HloOpcode::kAdd, {m("f32[]")}); },
     "add(f32[]): expected 2 operands, got 1"},
    {"AddOp with too many operands",
     [](Misuse& m) {
       m.b().AddOp(HloOpcode::kTanh, {m("f32[]"), m("f32[]")});
     },
     "tanh(f32[], f32[]): expected 1 operand, got 2"},
    {"AddOp does not broadcast",
     [](Misuse& m) {
       m.b().AddOp(HloOpcode::kAdd, {m("f32[2]"), m("f32[]")});
     },
     "add(f32[2], f32[]): operands must have the same dimensions, got f32[2] and f32[]; HLO broadcasts only by an "
     "explicit broadcast"},
    {"AddOp with the attributes of another operation",
     [](Misuse& m) { m.b().AddOp(HloOpcode::kIota, {}, std::make_unique<SliceAttributes>(), {}, m.ShapeOf("s32[2]")); },
     "iota(): iota has the attributes IotaAttributes, got SliceAttributes"},
    {"AddOp with attributes where there are none",
     [](Misuse& m) { m.b().AddOp(HloOpcode::kTanh, {m("f32[2]")}, std::make_unique<SliceAttributes>()); },
     "tanh(f32[2]): tanh has the attributes (none), got SliceAttributes"},
    {"AddOp without its computation", [](Misuse& m) { m.b().AddOp(HloOpcode::kCall, {m("f32[2]")}); },
     "call(f32[2]): expected the computations (to_apply), got 0 computations"},
    {"AddOp with a computation too many",
     [](Misuse& m) { m.b().AddOp(HloOpcode::kTanh, {m("f32[]")}, nullptr, {m.Function("f32[]", "f32[]")}); },
     "tanh(f32[]): expected the computations (), got 1 computations"},
    {"AddOp without a shape", [](Misuse& m) { m.b().AddOp(HloOpcode::kCustomCall, {m("f32[2]")}); },
     "custom-call(f32[2]): shape without an element type"},
    {"AddOp of a parameter number twice",
     [](Misuse& m) {
       m("f32[2]");
       m.b().AddOp(HloOpcode::kParameter, {}, std::make_unique<ParameterAttributes>(), {}, m.ShapeOf("f32[2]"));
     },
     "parameter(): parameter 0 exists already: p0, f32[2]"},
    {"AddOp of a bitcast of another size",
     [](Misuse& m) { m.b().AddOp(HloOpcode::kBitcast, {m("f32[2]")}, nullptr, {}, m.ShapeOf("f32[3]{0}")); },
     "bitcast(f32[2]): operand and result of a bitcast must take the same number of bytes: operand f32[2] takes 8, "
     "result f32[3]{0} takes 12"},
};

}  // namespace

absl::Span<const ErrorCase> BuildingErrors() { return kBuildingCases; }

}  // namespace xla
