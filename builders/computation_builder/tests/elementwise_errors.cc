// Wrong calls of element-wise operations, comparisons, selection and conversion.
#include "builders/computation_builder/tests/misuse.h"

namespace xla {
namespace {

const ErrorCase kElementwiseCases[] = {
    // ---- Unary operations: element types
    {"Abs of pred", [](Misuse& m) { m.b().Abs(m("pred[2]")); },
     "Abs(pred[2]): operand 0 must be an array of signed integer, floating or complex elements, got pred[2]"},
    {"Abs of unsigned", [](Misuse& m) { m.b().Abs(m("u32[2]")); },
     "Abs(u32[2]): operand 0 must be an array of signed integer, floating or complex elements, got u32[2]"},
    {"Abs of a tuple", [](Misuse& m) { m.b().Abs(m("(f32[2], s32[])")); },
     "Abs((f32[2], s32[])): operand 0 must be an array of signed integer, floating or complex elements, got (f32[2], "
     "s32[])"},
    {"Abs of a token", [](Misuse& m) { m.b().Abs(m.fine().CreateToken()); },
     "Abs(token[]): operand 0 must be an array of signed integer, floating or complex elements, got token[]"},
    {"Neg of pred", [](Misuse& m) { m.b().Neg(m("pred[]")); },
     "Neg(pred[]): operand 0 must be an array of integer, floating or complex elements, got pred[]"},
    {"Sign of unsigned", [](Misuse& m) { m.b().Sign(m("u8[3]")); },
     "Sign(u8[3]): operand 0 must be an array of signed integer, floating or complex elements, got u8[3]"},
    {"Sign of pred", [](Misuse& m) { m.b().Sign(m("pred[3]")); },
     "Sign(pred[3]): operand 0 must be an array of signed integer, floating or complex elements, got pred[3]"},
    {"Ceil of integers", [](Misuse& m) { m.b().Ceil(m("s32[2]")); },
     "Ceil(s32[2]): operand 0 must be an array of floating elements, got s32[2]"},
    {"Ceil of a tuple", [](Misuse& m) { m.b().Ceil(m("()")); },
     "Ceil(()): operand 0 must be an array of floating elements, got ()"},
    {"Floor of complex", [](Misuse& m) { m.b().Floor(m("c64[2]")); },
     "Floor(c64[2]): operand 0 must be an array of floating elements, got c64[2]"},
    {"Round of integers", [](Misuse& m) { m.b().Round(m("s8[2]")); },
     "Round(s8[2]): operand 0 must be an array of floating elements, got s8[2]"},
    {"RoundNearestEven of pred", [](Misuse& m) { m.b().RoundNearestEven(m("pred[2]")); },
     "RoundNearestEven(pred[2]): operand 0 must be an array of floating elements, got pred[2]"},
    {"Exp of integers", [](Misuse& m) { m.b().Exp(m("s32[2]")); },
     "Exp(s32[2]): operand 0 must be an array of floating or complex elements, got s32[2]"},
    {"Exp of a token", [](Misuse& m) { m.b().Exp(m.fine().CreateToken()); },
     "Exp(token[]): operand 0 must be an array of floating or complex elements, got token[]"},
    {"Expm1 of integers", [](Misuse& m) { m.b().Expm1(m("u16[2]")); },
     "Expm1(u16[2]): operand 0 must be an array of floating or complex elements, got u16[2]"},
    {"Log of pred", [](Misuse& m) { m.b().Log(m("pred[2]")); },
     "Log(pred[2]): operand 0 must be an array of floating or complex elements, got pred[2]"},
    {"Log1p of integers", [](Misuse& m) { m.b().Log1p(m("s64[2]")); },
     "Log1p(s64[2]): operand 0 must be an array of floating or complex elements, got s64[2]"},
    {"Logistic of integers", [](Misuse& m) { m.b().Logistic(m("s32[2]")); },
     "Logistic(s32[2]): operand 0 must be an array of floating or complex elements, got s32[2]"},
    {"Sqrt of integers", [](Misuse& m) { m.b().Sqrt(m("s32[2]")); },
     "Sqrt(s32[2]): operand 0 must be an array of floating or complex elements, got s32[2]"},
    {"Rsqrt of integers", [](Misuse& m) { m.b().Rsqrt(m("s32[2]")); },
     "Rsqrt(s32[2]): operand 0 must be an array of floating or complex elements, got s32[2]"},
    {"Cbrt of complex", [](Misuse& m) { m.b().Cbrt(m("c64[2]")); },
     "Cbrt(c64[2]): operand 0 must be an array of floating elements, got c64[2]"},
    {"Erf of complex", [](Misuse& m) { m.b().Erf(m("c128[2]")); },
     "Erf(c128[2]): operand 0 must be an array of floating elements, got c128[2]"},
    {"Sin of integers", [](Misuse& m) { m.b().Sin(m("s32[2]")); },
     "Sin(s32[2]): operand 0 must be an array of floating or complex elements, got s32[2]"},
    {"Cos of pred", [](Misuse& m) { m.b().Cos(m("pred[2]")); },
     "Cos(pred[2]): operand 0 must be an array of floating or complex elements, got pred[2]"},
    {"Tan of integers", [](Misuse& m) { m.b().Tan(m("u32[2]")); },
     "Tan(u32[2]): operand 0 must be an array of floating or complex elements, got u32[2]"},
    {"Asin of integers", [](Misuse& m) { m.b().Asin(m("s32[2]")); },
     "Asin(s32[2]): operand 0 must be an array of floating or complex elements, got s32[2]"},
    {"Acos of integers", [](Misuse& m) { m.b().Acos(m("s32[2]")); },
     "Acos(s32[2]): operand 0 must be an array of floating or complex elements, got s32[2]"},
    {"Atan of integers", [](Misuse& m) { m.b().Atan(m("s32[2]")); },
     "Atan(s32[2]): operand 0 must be an array of floating or complex elements, got s32[2]"},
    {"Atan of a tuple", [](Misuse& m) { m.b().Atan(m("(f32[])")); },
     "Atan((f32[])): the operand must be an array, got (f32[])"},
    {"Sinh of integers", [](Misuse& m) { m.b().Sinh(m("s32[2]")); },
     "Sinh(s32[2]): operand 0 must be an array of floating or complex elements, got s32[2]"},
    {"Cosh of integers", [](Misuse& m) { m.b().Cosh(m("s32[2]")); },
     "Cosh(s32[2]): operand 0 must be an array of floating or complex elements, got s32[2]"},
    {"Tanh of integers", [](Misuse& m) { m.b().Tanh(m("s32[2]")); },
     "Tanh(s32[2]): operand 0 must be an array of floating or complex elements, got s32[2]"},
    {"Asinh of integers", [](Misuse& m) { m.b().Asinh(m("s32[2]")); },
     "Asinh(s32[2]): operand 0 must be an array of floating or complex elements, got s32[2]"},
    {"Acosh of integers", [](Misuse& m) { m.b().Acosh(m("s32[2]")); },
     "Acosh(s32[2]): operand 0 must be an array of floating or complex elements, got s32[2]"},
    {"Atanh of integers", [](Misuse& m) { m.b().Atanh(m("s32[2]")); },
     "Atanh(s32[2]): operand 0 must be an array of floating or complex elements, got s32[2]"},
    {"Real of integers", [](Misuse& m) { m.b().Real(m("s32[2]")); },
     "Real(s32[2]): operand 0 must be an array of floating or complex elements, got s32[2]"},
    {"Imag of pred", [](Misuse& m) { m.b().Imag(m("pred[]")); },
     "Imag(pred[]): operand 0 must be an array of floating or complex elements, got pred[]"},
    {"Conj of integers", [](Misuse& m) { m.b().Conj(m("s32[2]")); },
     "Conj(s32[2]): the operand must be an array of floats or complex numbers"},
    {"Conj of a tuple", [](Misuse& m) { m.b().Conj(m("(c64[])")); },
     "Conj((c64[])): the operand must be an array of floats or complex numbers"},
    {"IsFinite of integers", [](Misuse& m) { m.b().IsFinite(m("s32[2]")); },
     "IsFinite(s32[2]): operand 0 must be an array of floating elements, got s32[2]"},
    {"LogicalNot of integers", [](Misuse& m) { m.b().LogicalNot(m("s32[2]")); },
     "LogicalNot(s32[2]): the operand must be of type pred; for the bits of integers use Not"},
    {"Not of floats", [](Misuse& m) { m.b().Not(m("f32[2]")); },
     "Not(f32[2]): operand 0 must be an array of pred or integer elements, got f32[2]"},
    {"PopulationCount of floats", [](Misuse& m) { m.b().PopulationCount(m("f32[2]")); },
     "PopulationCount(f32[2]): operand 0 must be an array of integer elements, got f32[2]"},
    {"Clz of pred", [](Misuse& m) { m.b().Clz(m("pred[2]")); },
     "Clz(pred[2]): operand 0 must be an array of integer elements, got pred[2]"},
    {"Copy of an invalid value", [](Misuse& m) { m.b().Copy(XlaOp()); },
     "Copy(an invalid XlaOp): operand 0 is an invalid XlaOp, default-constructed or from a builder that failed; "
     "expected a value of the builder misuse"},

    // ---- Binary operations: element types
    {"Add of different types", [](Misuse& m) { m.b().Add(m("f32[2]"), m("s32[2]")); },
     "Add(f32[2], s32[2]): operands 0 and 1 must have the same element type, got f32[2] and s32[2]; convert one of "
     "them"},
    {"Add of floats of different width", [](Misuse& m) { m.b().Add(m("f32[2]"), m("f64[2]")); },
     "Add(f32[2], f64[2]): operands 0 and 1 must have the same element type, got f32[2] and f64[2]; convert one of "
     "them"},
    {"Add of a tuple", [](Misuse& m) { m.b().Add(m("(f32[2])"), m("f32[2]")); },
     "Add((f32[2]), f32[2]): operand 0 must be an array, got (f32[2])"},
    {"Add of a token", [](Misuse& m) { m.b().Add(m("f32[2]"), m.fine().CreateToken()); },
     "Add(f32[2], token[]): operand 1 must be an array, got token[]"},
    {"Sub of pred", [](Misuse& m) { m.b().Sub(m("pred[2]"), m("pred[2]")); },
     "Sub(pred[2], pred[2]): operand 0 must be an array of integer, floating or complex elements, got pred[2]"},
    {"Mul of different types", [](Misuse& m) { m.b().Mul(m("u32[2]"), m("s32[2]")); },
     "Mul(u32[2], s32[2]): operands 0 and 1 must have the same element type, got u32[2] and s32[2]; convert one of "
     "them"},
    {"Div of pred", [](Misuse& m) { m.b().Div(m("pred[2]"), m("pred[]")); },
     "Div(pred[2], pred[]): operand 0 must be an array of integer, floating or complex elements, got pred[2]"},
    {"Rem of complex", [](Misuse& m) { m.b().Rem(m("c64[2]"), m("c64[2]")); },
     "Rem(c64[2], c64[2]): operand 0 must be an array of integer or floating elements, got c64[2]"},
    {"Max of complex", [](Misuse& m) { m.b().Max(m("c64[2]"), m("c64[2]")); },
     "Max(c64[2], c64[2]): operand 0 must be an array of pred, integer or floating elements, got c64[2]"},
    {"Min of complex", [](Misuse& m) { m.b().Min(m("c64[]"), m("c64[]")); },
     "Min(c64[], c64[]): operand 0 must be an array of pred, integer or floating elements, got c64[]"},
    {"Pow of pred", [](Misuse& m) { m.b().Pow(m("pred[2]"), m("pred[2]")); },
     "Pow(pred[2], pred[2]): operand 0 must be an array of integer, floating or complex elements, got pred[2]"},
    {"Pow of different types", [](Misuse& m) { m.b().Pow(m("f32[2]"), m("s32[]")); },
     "Pow(f32[2], s32[]): operands 0 and 1 must have the same element type, got f32[2] and s32[]; convert one of them"},
    {"Atan2 of integers", [](Misuse& m) { m.b().Atan2(m("s32[2]"), m("s32[2]")); },
     "Atan2(s32[2], s32[2]): operand 0 must be an array of floating or complex elements, got s32[2]"},
    {"Complex of halves", [](Misuse& m) { m.b().Complex(m("f16[2]"), m("f16[2]")); },
     "Complex(f16[2], f16[2]): operand 0 must be an array of f32 or f64 elements, got f16[2]"},
    {"Complex of different types", [](Misuse& m) { m.b().Complex(m("f32[2]"), m("f64[2]")); },
     "Complex(f32[2], f64[2]): operands 0 and 1 must have the same element type, got f32[2] and f64[2]; convert one of "
     "them"},
    {"LogicalAnd of integers", [](Misuse& m) { m.b().LogicalAnd(m("s32[2]"), m("s32[2]")); },
     "LogicalAnd(s32[2], s32[2]): both operands must be of type pred; for the bits of integers use And, Or, Xor"},
    {"LogicalAnd of pred and integers", [](Misuse& m) { m.b().LogicalAnd(m("pred[2]"), m("s32[2]")); },
     "LogicalAnd(pred[2], s32[2]): both operands must be of type pred; for the bits of integers use And, Or, Xor"},
    {"LogicalOr of floats", [](Misuse& m) { m.b().LogicalOr(m("f32[2]"), m("f32[2]")); },
     "LogicalOr(f32[2], f32[2]): both operands must be of type pred; for the bits of integers use And, Or, Xor"},
    {"LogicalXor of integers", [](Misuse& m) { m.b().LogicalXor(m("u8[2]"), m("u8[2]")); },
     "LogicalXor(u8[2], u8[2]): both operands must be of type pred; for the bits of integers use And, Or, Xor"},
    {"And of floats", [](Misuse& m) { m.b().And(m("f32[2]"), m("f32[2]")); },
     "And(f32[2], f32[2]): operand 0 must be an array of pred or integer elements, got f32[2]"},
    {"Or of complex", [](Misuse& m) { m.b().Or(m("c64[2]"), m("c64[2]")); },
     "Or(c64[2], c64[2]): operand 0 must be an array of pred or integer elements, got c64[2]"},
    {"Xor of different types", [](Misuse& m) { m.b().Xor(m("u32[2]"), m("u8[2]")); },
     "Xor(u32[2], u8[2]): operands 0 and 1 must have the same element type, got u32[2] and u8[2]; convert one of them"},
    {"ShiftLeft of pred", [](Misuse& m) { m.b().ShiftLeft(m("pred[2]"), m("pred[2]")); },
     "ShiftLeft(pred[2], pred[2]): operand 0 must be an array of integer elements, got pred[2]"},
    {"ShiftRightArithmetic of floats", [](Misuse& m) { m.b().ShiftRightArithmetic(m("f32[2]"), m("f32[2]")); },
     "ShiftRightArithmetic(f32[2], f32[2]): operand 0 must be an array of integer elements, got f32[2]"},
    {"ShiftRightLogical by another type", [](Misuse& m) { m.b().ShiftRightLogical(m("s32[2]"), m("u32[2]")); },
     "ShiftRightLogical(s32[2], u32[2]): operands 0 and 1 must have the same element type, got s32[2] and u32[2]; "
     "convert one of them"},
    {"MulHi of floats", [](Misuse& m) { m.b().MulHi(m("f32[2]"), m("f32[2]")); },
     "MulHi(f32[2], f32[2]): operand 0 must be an array of integer elements, got f32[2]"},

    // ---- Broadcasting
    {"dimensions that differ", [](Misuse& m) { m.b().Add(m("f32[2,3]"), m("f32[2,4]")); },
     "Add(f32[2,3], f32[2,4]): dimension 1 of f32[2,4] goes with dimension 1 of f32[2,3], so their sizes must be equal "
     "or one of them 1, got 4 and 3"},
    {"dimensions that differ, sizes 0 and 2", [](Misuse& m) { m.b().Sub(m("f32[0]"), m("f32[2]")); },
     "Sub(f32[0], f32[2]): dimension 0 of f32[2] goes with dimension 0 of f32[0], so their sizes must be equal or one "
     "of them 1, got 2 and 0"},
    {"ranks that differ", [](Misuse& m) { m.b().Mul(m("f32[3]"), m("f32[2,3]")); },
     "Mul(f32[3], f32[2,3]): shapes must have equal rank, unless one is a scalar, but are f32[3] and f32[2,3]; give "
     "broadcast_dimensions to say which dimensions of f32[2,3] those of f32[3] are"},
    {"ranks that differ, the lower on the right", [](Misuse& m) { m.b().Div(m("f32[2,3]"), m("f32[3]")); },
     "Div(f32[2,3], f32[3]): shapes must have equal rank, unless one is a scalar, but are f32[3] and f32[2,3]; give "
     "broadcast_dimensions to say which dimensions of f32[2,3] those of f32[3] are"},
    {"broadcast_dimensions of a wrong size", [](Misuse& m) { m.b().Add(m("f32[3]"), m("f32[4,3]"), {0}); },
     "Add(f32[3], f32[4,3]): dimension 0 of f32[3] goes with dimension 0 of f32[4,3], so their sizes must be equal or "
     "one of them 1, got 3 and 4"},
    {"broadcast_dimensions of two wrong sizes",
     [](Misuse& m) {
       m.b().Add(m("f32[2,1]"), m("f32[2,3,4]"), {1, 2});
     },
     "Add(f32[2,1], f32[2,3,4]): dimension 0 of f32[2,1] goes with dimension 1 of f32[2,3,4], so their sizes must be "
     "equal or one of them 1, got 2 and 3"},
    {"too many broadcast_dimensions",
     [](Misuse& m) {
       m.b().Max(m("f32[3]"), m("f32[4,3]"), {0, 1});
     },
     "Max(f32[3], f32[4,3]): broadcast_dimensions {0,1} must have one entry for each dimension of the operand of rank "
     "1, got 2"},
    {"too few broadcast_dimensions", [](Misuse& m) { m.b().Min(m("f32[4,3]"), m("f32[2,4,3]"), {1}); },
     "Min(f32[4,3], f32[2,4,3]): broadcast_dimensions {1} must have one entry for each dimension of the operand of "
     "rank 2, got 1"},
    {"a negative broadcast dimension", [](Misuse& m) { m.b().Pow(m("f32[3]"), m("f32[4,3]"), {-1}); },
     "Pow(f32[3], f32[4,3]): broadcast_dimensions {-1}: entry 0 must be at least 0 and less than 2, the rank of the "
     "result, got -1"},
    {"a broadcast dimension out of range", [](Misuse& m) { m.b().Rem(m("f32[3]"), m("f32[4,3]"), {2}); },
     "Rem(f32[3], f32[4,3]): broadcast_dimensions {2}: entry 0 must be at least 0 and less than 2, the rank of the "
     "result, got 2"},
    {"a huge broadcast dimension", [](Misuse& m) { m.b().Rem(m("f32[3]"), m("f32[4,3]"), {INT64_MAX}); },
     "Rem(f32[3], f32[4,3]): broadcast_dimensions {9223372036854775807}: entry 0 must be at least 0 and less than 2, "
     "the rank of the result, got 9223372036854775807"},
    {"broadcast_dimensions that descend",
     [](Misuse& m) {
       m.b().And(m("s32[4,3]"), m("s32[2,3,4]"), {2, 1});
     },
     "And(s32[4,3], s32[2,3,4]): broadcast_dimensions {2,1} must be in ascending order; transpose the operand instead"},
    {"a broadcast dimension twice",
     [](Misuse& m) {
       m.b().Or(m("s32[3,3]"), m("s32[3,3,3]"), {1, 1});
     },
     "Or(s32[3,3], s32[3,3,3]): broadcast_dimensions {1,1} must be in ascending order; transpose the operand instead"},
    {"broadcast_dimensions of a scalar", [](Misuse& m) { m.b().Add(m("f32[]"), m("f32[3]"), {0}); },
     "Add(f32[], f32[3]): broadcast_dimensions {0} must have one entry for each dimension of the operand of rank 0, "
     "got 1"},
    {"broadcast_dimensions between equal ranks",
     [](Misuse& m) {
       m.b().Add(m("f32[2,2]"), m("f32[2,2]"), {1, 0});
     },
     "Add(f32[2,2], f32[2,2]): operands of equal rank need no broadcast_dimensions: expected {} or {0,1}, got {1,0}"},
    {"Atan2 of different ranks", [](Misuse& m) { m.b().Atan2(m("f32[2]"), m("f32[2,2]")); },
     "Atan2(f32[2], f32[2,2]): shapes must have equal rank, unless one is a scalar, but are f32[2] and f32[2,2]; give "
     "broadcast_dimensions to say which dimensions of f32[2,2] those of f32[2] are"},
    {"Complex of different dimensions", [](Misuse& m) { m.b().Complex(m("f32[2]"), m("f32[3]")); },
     "Complex(f32[2], f32[3]): dimension 0 of f32[3] goes with dimension 0 of f32[2], so their sizes must be equal or "
     "one of them 1, got 3 and 2"},
    {"LogicalAnd of different dimensions", [](Misuse& m) { m.b().LogicalAnd(m("pred[2]"), m("pred[3]")); },
     "LogicalAnd(pred[2], pred[3]): dimension 0 of pred[3] goes with dimension 0 of pred[2], so their sizes must be "
     "equal or one of them 1, got 3 and 2"},
    {"bounds that differ", [](Misuse& m) { m.b().Add(m("f32[<=4]"), m("f32[<=5]")); },
     "Add(f32[<=4], f32[<=5]): dimension 0 of f32[<=5] goes with dimension 0 of f32[<=4], so their sizes must be equal "
     "or one of them 1, got 5 and 4"},

    // ---- Operands that are not values of the builder
    {"an invalid operand", [](Misuse& m) { m.b().Add(m("f32[]"), XlaOp()); },
     "Add(f32[], an invalid XlaOp): operand 1 is an invalid XlaOp, default-constructed or from a builder that failed; "
     "expected a value of the builder misuse"},
    {"an operand of another builder", [](Misuse& m) { m.b().Add(m.Foreign("f32[]"), m("f32[]")); },
     "Add(a value of another builder, f32[]): operand 0 is a value of another builder, expected one of the builder "
     "misuse; hand values to a computation as arguments"},
    {"both operands of another builder", [](Misuse& m) { m.b().Mul(m.Foreign("f32[]"), m.Foreign("f32[2]")); },
     "Mul(a value of another builder, a value of another builder): operand 0 is a value of another builder, expected "
     "one of the builder misuse; hand values to a computation as arguments"},
    {"Exp of another builder's value", [](Misuse& m) { m.b().Exp(m.Foreign("f32[]")); },
     "Exp(a value of another builder): operand 0 is a value of another builder, expected one of the builder misuse; "
     "hand values to a computation as arguments"},

    // ---- Operators
    {"the operator + of different types",
     [](Misuse& m) {
       const XlaOp x = m("f32[2]"), y = m("s32[2]");
       (void)m.b(), x + y;
     },
     "Add(f32[2], s32[2]): operands 0 and 1 must have the same element type, got f32[2] and s32[2]; convert one of them"},
    {"the operator << of floats",
     [](Misuse& m) {
       const XlaOp x = m("f32[2]");
       (void)m.b(), x << x;
     },
     "ShiftLeft(f32[2], f32[2]): operand 0 must be an array of integer elements, got f32[2]"},
    {"the operator ~ of floats",
     [](Misuse& m) {
       const XlaOp x = m("f32[2]");
       (void)m.b(), ~x;
     },
     "Not(f32[2]): operand 0 must be an array of pred or integer elements, got f32[2]"},
    {"a fraction times integers",
     [](Misuse& m) {
       const XlaOp x = m("s32[2]");
       (void)m.b(), 0.5 * x;
     },
     "ConstantLiteral(): the number 0.5 is no value of s32"},
    {"a number plus a tuple",
     [](Misuse& m) {
       const XlaOp x = m("(s32[2])");
       (void)m.b(), x + 1;
     },
     "ConstantLiteral(): expected an element type of arrays, got tuple"},
    {"the function Eq of different ranks",
     [](Misuse& m) {
       const XlaOp x = m("s32[2]"), y = m("s32[2,2]");
       (void)m.b(), Eq(x, y);
     },
     "Eq(s32[2], s32[2,2]): shapes must have equal rank, unless one is a scalar, but are s32[2] and s32[2,2]; give broadcast_dimensions to say which dimensions of s32[2,2] those of s32[2] are"},

    // ---- Comparisons
    {"Eq of different types", [](Misuse& m) { m.b().Eq(m("f32[2]"), m("s32[2]")); },
     "Eq(f32[2], s32[2]): operands 0 and 1 must have the same element type, got f32[2] and s32[2]; convert one of "
     "them"},
    {"Ne of tuples", [](Misuse& m) { m.b().Ne(m("(s32[])"), m("(s32[])")); },
     "Ne((s32[]), (s32[])): operand 0 must be an array, got (s32[])"},
    {"Ge of complex", [](Misuse& m) { m.b().Ge(m("c64[2]"), m("c64[2]")); },
     "Ge(c64[2], c64[2]): complex numbers have no order: direction must be EQ or NE, got GE"},
    {"Gt of complex", [](Misuse& m) { m.b().Gt(m("c128[]"), m("c128[]")); },
     "Gt(c128[], c128[]): complex numbers have no order: direction must be EQ or NE, got GT"},
    {"Le of different dimensions", [](Misuse& m) { m.b().Le(m("f32[2]"), m("f32[3]")); },
     "Le(f32[2], f32[3]): dimension 0 of f32[3] goes with dimension 0 of f32[2], so their sizes must be equal or one "
     "of them 1, got 3 and 2"},
    {"Lt of different ranks", [](Misuse& m) { m.b().Lt(m("f32[2]"), m("f32[2,2]")); },
     "Lt(f32[2], f32[2,2]): shapes must have equal rank, unless one is a scalar, but are f32[2] and f32[2,2]; give "
     "broadcast_dimensions to say which dimensions of f32[2,2] those of f32[2] are"},
    {"Lt with a broadcast dimension out of range", [](Misuse& m) { m.b().Lt(m("f32[2]"), m("f32[2,2]"), {5}); },
     "Lt(f32[2], f32[2,2]): broadcast_dimensions {5}: entry 0 must be at least 0 and less than 2, the rank of the "
     "result, got 5"},
    {"EqTotalOrder of different types", [](Misuse& m) { m.b().EqTotalOrder(m("f32[2]"), m("f16[2]")); },
     "EqTotalOrder(f32[2], f16[2]): operands 0 and 1 must have the same element type, got f32[2] and f16[2]; convert "
     "one of them"},
    {"NeTotalOrder of a token", [](Misuse& m) { m.b().NeTotalOrder(m("f32[2]"), m.fine().CreateToken()); },
     "NeTotalOrder(f32[2], token[]): operand 1 must be an array, got token[]"},
    {"GeTotalOrder of complex", [](Misuse& m) { m.b().GeTotalOrder(m("c64[2]"), m("c64[2]")); },
     "GeTotalOrder(c64[2], c64[2]): complex numbers have no order: direction must be EQ or NE, got GE"},
    {"GtTotalOrder of different dimensions", [](Misuse& m) { m.b().GtTotalOrder(m("f32[2]"), m("f32[3]")); },
     "GtTotalOrder(f32[2], f32[3]): dimension 0 of f32[3] goes with dimension 0 of f32[2], so their sizes must be "
     "equal or one of them 1, got 3 and 2"},
    {"LeTotalOrder of complex", [](Misuse& m) { m.b().LeTotalOrder(m("c64[2]"), m("c64[2]")); },
     "LeTotalOrder(c64[2], c64[2]): complex numbers have no order: direction must be EQ or NE, got LE"},
    {"LtTotalOrder of different ranks", [](Misuse& m) { m.b().LtTotalOrder(m("f32[3]"), m("f32[2,3]")); },
     "LtTotalOrder(f32[3], f32[2,3]): shapes must have equal rank, unless one is a scalar, but are f32[3] and "
     "f32[2,3]; give broadcast_dimensions to say which dimensions of f32[2,3] those of f32[3] are"},
    {"Compare with the order of another type",
     [](Misuse& m) { m.b().Compare(m("f32[2]"), m("f32[2]"), ComparisonDirection::kLt, {}, ComparisonType::kSigned); },
     "Compare(f32[2], f32[2]): comparison type of f32 operands must be FLOAT or TOTALORDER, got SIGNED; they are "
     "compared as FLOAT"},
    {"Compare of unsigned integers as signed",
     [](Misuse& m) { m.b().Compare(m("u32[2]"), m("u32[2]"), ComparisonDirection::kLt, {}, ComparisonType::kSigned); },
     "Compare(u32[2], u32[2]): comparison type of u32 operands must be UNSIGNED, got SIGNED; they are compared as "
     "UNSIGNED"},
    {"Compare of complex by size", [](Misuse& m) { m.b().Compare(m("c64[2]"), m("c64[2]"), ComparisonDirection::kLt); },
     "Compare(c64[2], c64[2]): complex numbers have no order: direction must be EQ or NE, got LT"},

    // ---- Selection, limits, conversion
    {"Select by integers", [](Misuse& m) { m.b().Select(m("s32[2]"), m("f32[2]"), m("f32[2]")); },
     "Select(s32[2], f32[2], f32[2]): operand 0 must be of type pred, got s32[2]"},
    {"Select by a predicate of other dimensions",
     [](Misuse& m) { m.b().Select(m("pred[3]"), m("f32[2]"), m("f32[2]")); },
     "Select(pred[3], f32[2], f32[2]): operand 1 and a predicate that is not a scalar must have the same dimensions, got "
     "f32[2] and pred[3]; HLO broadcasts only by an explicit broadcast"},
    {"Select of different types", [](Misuse& m) { m.b().Select(m("pred[]"), m("f32[2]"), m("s32[2]")); },
     "Select(pred[], f32[2], s32[2]): operands 1 and 2 must have the same element type, got f32[2] and s32[2]; convert "
     "one of them"},
    {"Select of different dimensions", [](Misuse& m) { m.b().Select(m("pred[]"), m("f32[2]"), m("f32[3]")); },
     "Select(pred[], f32[2], f32[3]): operands 1 and 2 must have the same dimensions, got f32[2] and f32[3]; HLO "
     "broadcasts only by an explicit broadcast"},
    {"Select of an array and a tuple", [](Misuse& m) { m.b().Select(m("pred[]"), m("f32[2]"), m("(f32[2])")); },
     "Select(pred[], f32[2], (f32[2])): tuples to select from must have the same shape"},
    {"Select of different tuples",
     [](Misuse& m) { m.b().Select(m("pred[]"), m("(f32[2], s32[])"), m("(f32[2], f32[])")); },
     "Select(pred[], (f32[2], s32[]), (f32[2], f32[])): tuples to select from must have the same shape"},
    {"Select of tuples by an array", [](Misuse& m) { m.b().Select(m("pred[2]"), m("(f32[2])"), m("(f32[2])")); },
     "Select(pred[2], (f32[2]), (f32[2])): a tuple is selected as a whole, by a pred[]"},
    {"Select by a tuple", [](Misuse& m) { m.b().Select(m("(pred[])"), m("f32[2]"), m("f32[2]")); },
     "Select((pred[]), f32[2], f32[2]): operand 0 must be an array, got (pred[])"},
    {"Select of tokens",
     [](Misuse& m) {
       const XlaOp token = m.fine().CreateToken();
       m.b().Select(m("pred[]"), token, token);
     },
     "Select(pred[], token[], token[]): operand 1 must be an array, got token[]"},
    {"Clamp with limits of another type", [](Misuse& m) { m.b().Clamp(m("s32[]"), m("f32[2]"), m("f32[]")); },
     "Clamp(s32[], f32[2], f32[]): operands 1 and 0 must have the same element type, got f32[2] and s32[]; convert one "
     "of them"},
    {"Clamp with limits of other dimensions", [](Misuse& m) { m.b().Clamp(m("f32[3]"), m("f32[2]"), m("f32[]")); },
     "Clamp(f32[3], f32[2], f32[]): operand 1 and an operand 0 that is not a scalar must have the same dimensions, got "
     "f32[2] and f32[3]; HLO broadcasts only by an explicit broadcast"},
    {"Clamp of complex", [](Misuse& m) { m.b().Clamp(m("c64[]"), m("c64[2]"), m("c64[]")); },
     "Clamp(c64[], c64[2], c64[]): operand 0 must be an array of pred, integer or floating elements, got c64[]"},
    {"Clamp of a tuple", [](Misuse& m) { m.b().Clamp(m("f32[]"), m("(f32[2])"), m("f32[]")); },
     "Clamp(f32[], (f32[2]), f32[]): operand 1 must be an array of pred, integer or floating elements, got (f32[2])"},
    {"ConvertElementType of a tuple", [](Misuse& m) { m.b().ConvertElementType(m("(f32[2])"), F32); },
     "ConvertElementType((f32[2])): operand 0 must be an array, got (f32[2])"},
    {"ConvertElementType to a tuple", [](Misuse& m) { m.b().ConvertElementType(m("f32[2]"), TUPLE); },
     "ConvertElementType(f32[2]): the result must be an array, got ()"},
    {"ConvertElementType to a token", [](Misuse& m) { m.b().ConvertElementType(m("f32[2]"), TOKEN); },
     "ConvertElementType(f32[2]): the result must be an array, got token[]"},
    {"ConvertElementType to no type", [](Misuse& m) { m.b().ConvertElementType(m("f32[2]"), PRIMITIVE_TYPE_INVALID); },
     "ConvertElementType(f32[2]): the result must be an array, got invalid[]"},
    {"ConvertElementType to a type that does not exist",
     [](Misuse& m) { m.b().ConvertElementType(m("f32[2]"), static_cast<PrimitiveType>(1000)); },
     "ConvertElementType(f32[2]): the result must be an array, got invalid[]"},
    {"ConvertElementType of complex to real", [](Misuse& m) { m.b().ConvertElementType(m("c64[2]"), F32); },
     "ConvertElementType(c64[2]): cannot convert c64[2] to the real type f32; take `real` or `abs` of the complex "
     "number first"},
    {"BitcastConvert to a type that does not divide", [](Misuse& m) { m.b().BitcastConvert(m("f32[3]"), F64); },
     "BitcastConvert(f32[3]): the last dimension of f32[3] must be static and 2, the number of elements that make one "
     "f64"},
    {"BitcastConvert of a scalar to a wider type", [](Misuse& m) { m.b().BitcastConvert(m("u8[]"), U32); },
     "BitcastConvert(u8[]): the last dimension of u8[] must be static and 4, the number of elements that make one u32"},
    {"BitcastConvert to a tuple", [](Misuse& m) { m.b().BitcastConvert(m("f32[2]"), TUPLE); },
     "BitcastConvert(f32[2]): cannot reinterpret f32[2] as tuple: the result must be an array"},
    {"BitcastConvert of a tuple", [](Misuse& m) { m.b().BitcastConvert(m("(f32[2])"), U32); },
     "BitcastConvert((f32[2])): operand 0 must be an array, got (f32[2])"},
    {"BitcastConvertType to no type", [](Misuse& m) { m.b().BitcastConvertType(m("f32[2]"), PRIMITIVE_TYPE_INVALID); },
     "BitcastConvertType(f32[2]): cannot reinterpret f32[2] as invalid: the result must be an array"},
    {"ReducePrecision of integers", [](Misuse& m) { m.b().ReducePrecision(m("s32[2]"), 5, 10); },
     "ReducePrecision(s32[2]): operand 0 must be an array of floating elements, got s32[2]"},
    {"ReducePrecision to no exponent", [](Misuse& m) { m.b().ReducePrecision(m("f32[2]"), 0, 10); },
     "ReducePrecision(f32[2]): exponent_bits must be at least 1, got 0"},
    {"ReducePrecision to a negative mantissa", [](Misuse& m) { m.b().ReducePrecision(m("f32[2]"), 5, -1); },
     "ReducePrecision(f32[2]): mantissa_bits must not be negative, got -1"},
    {"ReducePrecision of huge bits", [](Misuse& m) { m.b().ReducePrecision(m("f32[2]"), INT64_MIN, INT64_MIN); },
     "ReducePrecision(f32[2]): exponent_bits must be at least 1, got -9223372036854775808; mantissa_bits must not be "
     "negative, got -9223372036854775808"},
    {"StochasticConvertType with signed bits",
     [](Misuse& m) { m.b().StochasticConvertType(m("f32[2]"), m("s32[2]"), S8); },
     "StochasticConvertType(f32[2], s32[2]): the random bits must be unsigned integers of 32 bits, as wide as operand "
     "0 (f32[2]), got s32[2]"},
    {"StochasticConvertType with bits of another width",
     [](Misuse& m) { m.b().StochasticConvertType(m("f32[2]"), m("u16[2]"), S8); },
     "StochasticConvertType(f32[2], u16[2]): the random bits must be unsigned integers of 32 bits, as wide as operand "
     "0 (f32[2]), got u16[2]"},
    {"StochasticConvertType with bits of other dimensions",
     [](Misuse& m) { m.b().StochasticConvertType(m("f32[2]"), m("u32[3]"), S8); },
     "StochasticConvertType(f32[2], u32[3]): operands must have the same dimensions, got f32[2] and u32[3]; HLO "
     "broadcasts only by an explicit broadcast"},
    {"StochasticConvertType to a tuple",
     [](Misuse& m) { m.b().StochasticConvertType(m("f32[2]"), m("u32[2]"), TUPLE); },
     "StochasticConvertType(f32[2], u32[2]): the result must be an array of integer or floating elements, got ()"},
};

}  // namespace

absl::Span<const ErrorCase> ElementwiseErrors() { return kElementwiseCases; }

}  // namespace xla
