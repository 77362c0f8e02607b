// Integers: words, 64-bit integers, and pairs of words that stand for them.
#include "backends/vulkan/codegen/spirv_ir.h"
#include "xla_core/support/check.h"

namespace xla {
namespace vulkan {

using codegen::BitsOf;

Id SpirvIr::Masked(Id word, Kind kind) {
  if (BitsOf(kind) >= 32) return word;
  return Word(spv::Op::OpBitwiseAnd, word, b_.Word((1u << BitsOf(kind)) - 1));
}

Id SpirvIr::SignExtended(Id word, Kind kind) {
  if (BitsOf(kind) >= 32) return word;
  const Id unused = b_.Word(static_cast<uint32_t>(32 - BitsOf(kind)));
  return Word(spv::Op::OpShiftRightArithmetic, Word(spv::Op::OpShiftLeftLogical, word, unused), unused);
}

Id SpirvIr::BinaryBool(Op op, Id x, Id y) {
  const spv::Op logical = op == Op::kAnd  ? spv::Op::OpLogicalAnd
                          : op == Op::kOr ? spv::Op::OpLogicalOr
                                          : spv::Op::OpLogicalNotEqual;
  CHECK(op == Op::kAnd || op == Op::kOr || op == Op::kXor);
  return b_.Op(logical, b_.BoolType(), {x, y});
}

// Of kinds up to 32 bits. The remainder of negative numbers is undefined in Vulkan: it is made of the quotient.
Id SpirvIr::BinaryWord(Op op, Kind kind, Id x, Id y) {
  switch (op) {
    case Op::kAdd:
      return Masked(Word(spv::Op::OpIAdd, x, y), kind);
    case Op::kSubtract:
      return Masked(Word(spv::Op::OpISub, x, y), kind);
    case Op::kMultiply:
      return Masked(Word(spv::Op::OpIMul, x, y), kind);
    case Op::kDivide:
      return Masked(Word(spv::Op::OpSDiv, SignExtended(x, kind), SignExtended(y, kind)), kind);
    case Op::kRemainder: {
      const Id a = SignExtended(x, kind);
      const Id b = SignExtended(y, kind);
      return Masked(Word(spv::Op::OpISub, a, Word(spv::Op::OpIMul, Word(spv::Op::OpSDiv, a, b), b)), kind);
    }
    case Op::kUnsignedDivide:
      return Word(spv::Op::OpUDiv, x, y);
    case Op::kUnsignedRemainder:
      return Word(spv::Op::OpUMod, x, y);
    case Op::kAnd:
      return Word(spv::Op::OpBitwiseAnd, x, y);
    case Op::kOr:
      return Word(spv::Op::OpBitwiseOr, x, y);
    case Op::kXor:
      return Word(spv::Op::OpBitwiseXor, x, y);
    case Op::kShiftLeft:
      return Masked(Word(spv::Op::OpShiftLeftLogical, x, y), kind);
    case Op::kShiftRight:
      return Word(spv::Op::OpShiftRightLogical, x, y);
    case Op::kShiftRightArithmetic:
      return Masked(Word(spv::Op::OpShiftRightArithmetic, SignExtended(x, kind), y), kind);
  }
  CHECK(false);
}

Id SpirvIr::BinaryLong(Op op, Id x, Id y) {
  static constexpr spv::Op kOps[] = {spv::Op::OpIAdd,
                                     spv::Op::OpISub,
                                     spv::Op::OpIMul,
                                     spv::Op::OpSDiv,
                                     spv::Op::OpUDiv,
                                     spv::Op::OpNop,
                                     spv::Op::OpUMod,
                                     spv::Op::OpBitwiseAnd,
                                     spv::Op::OpBitwiseOr,
                                     spv::Op::OpBitwiseXor,
                                     spv::Op::OpShiftLeftLogical,
                                     spv::Op::OpShiftRightLogical,
                                     spv::Op::OpShiftRightArithmetic};
  const Id type = b_.IntType(64);
  if (op != Op::kRemainder) return b_.Op(kOps[static_cast<int>(op)], type, {x, y});
  const Id quotient = b_.Op(spv::Op::OpSDiv, type, {x, y});
  return b_.Op(spv::Op::OpISub, type, {x, b_.Op(spv::Op::OpIMul, type, {quotient, y})});
}

// ---- Pairs

SpirvIr::Words SpirvIr::WideProduct(Id x, Id y) {
  const Id word = b_.IntType(32);
  const Id both = b_.Op(spv::Op::OpUMulExtended, b_.PairType(word, word), {x, y});
  return {b_.Op(spv::Op::OpCompositeExtract, word, {both, 0}), b_.Op(spv::Op::OpCompositeExtract, word, {both, 1})};
}

SpirvIr::Words SpirvIr::MultiplyPair(Words x, Words y) {
  const Words low = WideProduct(x.first, y.first);
  const Id crossed =
      Word(spv::Op::OpIAdd, Word(spv::Op::OpIMul, x.first, y.second), Word(spv::Op::OpIMul, x.second, y.first));
  return {low.first, Word(spv::Op::OpIAdd, low.second, crossed)};
}

SpirvIr::Words SpirvIr::NegatePair(Words x) { return BinaryPair(Op::kSubtract, {b_.Word(0), b_.Word(0)}, x); }

// By less than 64. A shift of a word by 32 or more is undefined, so each case has an amount below.
SpirvIr::Words SpirvIr::ShiftPair(Op op, Words x, Id amount) {
  const Id zero = b_.Word(0);
  const Id within = Word(spv::Op::OpBitwiseAnd, amount, b_.Word(31));
  const Id rest = Word(spv::Op::OpBitwiseAnd, Word(spv::Op::OpISub, b_.Word(32), within), b_.Word(31));
  const Id is_whole = IsWord(spv::Op::OpIEqual, within, zero);
  const Id is_far = IsWord(spv::Op::OpUGreaterThanEqual, amount, b_.Word(32));
  if (op == Op::kShiftLeft) {
    const Id carried = SelectWord(is_whole, zero, Word(spv::Op::OpShiftRightLogical, x.first, rest));
    const Id low = Word(spv::Op::OpShiftLeftLogical, x.first, within);
    const Id high = Word(spv::Op::OpBitwiseOr, Word(spv::Op::OpShiftLeftLogical, x.second, within), carried);
    return {SelectWord(is_far, zero, low), SelectWord(is_far, low, high)};
  }
  const bool is_signed = op == Op::kShiftRightArithmetic;
  const spv::Op shift = is_signed ? spv::Op::OpShiftRightArithmetic : spv::Op::OpShiftRightLogical;
  const Id carried = SelectWord(is_whole, zero, Word(spv::Op::OpShiftLeftLogical, x.second, rest));
  const Id low = Word(spv::Op::OpBitwiseOr, Word(spv::Op::OpShiftRightLogical, x.first, within), carried);
  const Id high = Word(shift, x.second, within);
  const Id filled = is_signed ? Word(spv::Op::OpShiftRightArithmetic, x.second, b_.Word(31)) : zero;
  return {SelectWord(is_far, high, low), SelectWord(is_far, filled, high)};
}

// Unsigned, by long division: a bit of the quotient per iteration.
SpirvIr::PairDivision SpirvIr::DividePair(Words x, Words y) {
  const State initial = {Int(Kind::kI32, 64),
                         FromWords(Kind::kI64, x.first, x.second),  // what is left, and the quotient from below
                         Int(Kind::kI64, 0)};                       // the remainder
  const V divisor = FromWords(Kind::kI64, y.first, y.second);
  const State result = While(
      initial, [](const State& state) { return state[0] != 0; },
      [&](const State& state) {
        const Words left = ToWords(state[1]);
        const Words remainder = ToWords(state[2]);
        // The remainder may need a 65th bit.
        const Id carry = Word(spv::Op::OpShiftRightLogical, remainder.second, b_.Word(31));
        const Words shifted = ShiftPair(Op::kShiftLeft, remainder, b_.Word(1));
        const Id next_bit = Word(spv::Op::OpShiftRightLogical, left.second, b_.Word(31));
        const V taken = FromWords(Kind::kI64, Word(spv::Op::OpBitwiseOr, shifted.first, next_bit), shifted.second);
        const V goes_in = FromWord(Kind::kI1, carry) | Compare(Relation::kUnsignedGe, taken, divisor);
        const V doubled = state[1] << 1;
        return State{state[0] - 1, doubled | ZeroExtend(goes_in, Kind::kI64),
                     xla::codegen::Select(goes_in, taken - divisor, taken)};
      });
  return {ToWords(result[1]), ToWords(result[2])};
}

SpirvIr::Words SpirvIr::SignedDivision(Op op, Words x, Words y) {
  const auto magnitude = [&](Words w) {
    const Id is_negative = IsWord(spv::Op::OpSLessThan, w.second, b_.Word(0));
    const Words negated = NegatePair(w);
    return Words{SelectWord(is_negative, negated.first, w.first), SelectWord(is_negative, negated.second, w.second)};
  };
  const PairDivision division = DividePair(magnitude(x), magnitude(y));
  const bool is_quotient = op == Op::kDivide;
  const Words result = is_quotient ? division.quotient : division.remainder;
  const Id sign = is_quotient ? Word(spv::Op::OpBitwiseXor, x.second, y.second) : x.second;
  const Id is_negative = IsWord(spv::Op::OpSLessThan, sign, b_.Word(0));
  const Words negated = NegatePair(result);
  return {SelectWord(is_negative, negated.first, result.first), SelectWord(is_negative, negated.second, result.second)};
}

SpirvIr::Words SpirvIr::BinaryPair(Op op, Words x, Words y) {
  switch (op) {
    case Op::kAdd: {
      const Id low = Word(spv::Op::OpIAdd, x.first, y.first);
      const Id carry = SelectWord(IsWord(spv::Op::OpULessThan, low, x.first), b_.Word(1), b_.Word(0));
      return {low, Word(spv::Op::OpIAdd, Word(spv::Op::OpIAdd, x.second, y.second), carry)};
    }
    case Op::kSubtract: {
      const Id low = Word(spv::Op::OpISub, x.first, y.first);
      const Id borrow = SelectWord(IsWord(spv::Op::OpULessThan, x.first, y.first), b_.Word(1), b_.Word(0));
      return {low, Word(spv::Op::OpISub, Word(spv::Op::OpISub, x.second, y.second), borrow)};
    }
    case Op::kMultiply:
      return MultiplyPair(x, y);
    case Op::kUnsignedDivide:
      return DividePair(x, y).quotient;
    case Op::kUnsignedRemainder:
      return DividePair(x, y).remainder;
    case Op::kDivide:
    case Op::kRemainder:
      return SignedDivision(op, x, y);
    case Op::kAnd:
      return {Word(spv::Op::OpBitwiseAnd, x.first, y.first), Word(spv::Op::OpBitwiseAnd, x.second, y.second)};
    case Op::kOr:
      return {Word(spv::Op::OpBitwiseOr, x.first, y.first), Word(spv::Op::OpBitwiseOr, x.second, y.second)};
    case Op::kXor:
      return {Word(spv::Op::OpBitwiseXor, x.first, y.first), Word(spv::Op::OpBitwiseXor, x.second, y.second)};
    case Op::kShiftLeft:
    case Op::kShiftRight:
    case Op::kShiftRightArithmetic:
      return ShiftPair(op, x, y.first);
  }
  CHECK(false);
}

// ---- Comparisons

Id SpirvIr::ComparePairs(Relation relation, Words x, Words y) {
  const auto both = [&](Id a, Id b) { return b_.Op(spv::Op::OpLogicalAnd, b_.BoolType(), {a, b}); };
  const auto either = [&](Id a, Id b) { return b_.Op(spv::Op::OpLogicalOr, b_.BoolType(), {a, b}); };
  const auto less = [&](spv::Op of_high, Words a, Words b) {
    const Id same = both(IsWord(spv::Op::OpIEqual, a.second, b.second), IsWord(spv::Op::OpULessThan, a.first, b.first));
    return either(IsWord(of_high, a.second, b.second), same);
  };
  const auto negated = [&](Id a) { return b_.Op(spv::Op::OpLogicalNot, b_.BoolType(), {a}); };
  switch (relation) {
    case Relation::kEq:
    case Relation::kEqOrNan:
      return both(IsWord(spv::Op::OpIEqual, x.first, y.first), IsWord(spv::Op::OpIEqual, x.second, y.second));
    case Relation::kNe:
      return either(IsWord(spv::Op::OpINotEqual, x.first, y.first), IsWord(spv::Op::OpINotEqual, x.second, y.second));
    case Relation::kLt:
      return less(spv::Op::OpSLessThan, x, y);
    case Relation::kGt:
      return less(spv::Op::OpSLessThan, y, x);
    case Relation::kLe:
      return negated(less(spv::Op::OpSLessThan, y, x));
    case Relation::kGe:
      return negated(less(spv::Op::OpSLessThan, x, y));
    case Relation::kUnsignedLt:
      return less(spv::Op::OpULessThan, x, y);
    case Relation::kUnsignedGe:
      return negated(less(spv::Op::OpULessThan, x, y));
  }
  CHECK(false);
}

Id SpirvIr::WordOf(V x, bool is_signed) const {
  const Value& value = Get(x);
  if (value.word == 0) return 0;
  if (!value.integer.has_value()) return value.is_word_signed == is_signed ? value.word : 0;
  const int64_t number = *value.integer;
  const bool fits = is_signed ? number >= INT32_MIN && number <= INT32_MAX : number >= 0 && number <= UINT32_MAX;
  return fits ? value.word : 0;
}

// Extended words are compared as words. That is quicker, and Mesa 22.3 takes a 64-bit x >= 0 of an extended x for x >
// 0.
V SpirvIr::CompareIntegers(Relation relation, V x, V y) {
  static constexpr spv::Op kOps[] = {
      spv::Op::OpIEqual,         spv::Op::OpINotEqual,         spv::Op::OpSLessThan,
      spv::Op::OpSLessThanEqual, spv::Op::OpSGreaterThan,      spv::Op::OpSGreaterThanEqual,
      spv::Op::OpULessThan,      spv::Op::OpUGreaterThanEqual, spv::Op::OpIEqual};
  Id a = Get(x).id;
  Id b = Get(y).id;
  for (const bool is_signed : {true, false}) {
    const bool is_unsigned_order = relation == Relation::kUnsignedLt || relation == Relation::kUnsignedGe;
    const bool is_signed_order = relation >= Relation::kLt && relation <= Relation::kGe;
    if (x.kind != Kind::kI64 || (is_signed ? is_unsigned_order : is_signed_order)) continue;
    const Id x_word = WordOf(x, is_signed);
    const Id y_word = WordOf(y, is_signed);
    if (x_word != 0 && y_word != 0) return Make(Kind::kI1, IsWord(kOps[static_cast<int>(relation)], x_word, y_word));
  }
  if (IsPair(x.kind)) return Make(Kind::kI1, ComparePairs(relation, {a, Get(x).high}, {b, Get(y).high}));
  if (x.kind == Kind::kI1) {
    CHECK(relation == Relation::kEq || relation == Relation::kNe);
    const bool is_equal = relation == Relation::kEq;
    return Make(Kind::kI1,
                b_.Op(is_equal ? spv::Op::OpLogicalEqual : spv::Op::OpLogicalNotEqual, b_.BoolType(), {a, b}));
  }
  const bool is_signed = relation >= Relation::kLt && relation <= Relation::kGe;
  if (is_signed && BitsOf(x.kind) < 32) {
    a = SignExtended(a, x.kind);
    b = SignExtended(b, x.kind);
  }
  return Make(Kind::kI1, IsWord(kOps[static_cast<int>(relation)], a, b));
}

// ---- Counts of bits, and upper halves of products

V SpirvIr::PopulationCount(V x) {
  const Id word = b_.IntType(32);
  if (x.kind != Kind::kI64) return Make(x.kind, b_.Op(spv::Op::OpBitCount, word, {Get(x).id}));
  const Words words = ToWords(x);
  const Id count = Word(spv::Op::OpIAdd, b_.Op(spv::Op::OpBitCount, word, {words.first}),
                        b_.Op(spv::Op::OpBitCount, word, {words.second}));
  return ZeroExtend(Make(Kind::kI32, count), Kind::kI64);
}

// FindUMsb is -1 of zero, so the difference is the number of bits.
V SpirvIr::LeadingZeros(V x) {
  const Id word = b_.IntType(32);
  const auto count = [&](Id of, int bits) {
    return Word(spv::Op::OpISub, b_.Word(static_cast<uint32_t>(bits - 1)), b_.Extended(GLSLstd450FindUMsb, word, {of}));
  };
  if (x.kind != Kind::kI64) return Make(x.kind, count(Get(x).id, BitsOf(x.kind)));
  const Words words = ToWords(x);
  const Id below = Word(spv::Op::OpIAdd, b_.Word(32), count(words.first, 32));
  const Id is_small = IsWord(spv::Op::OpIEqual, words.second, b_.Word(0));
  return ZeroExtend(Make(Kind::kI32, SelectWord(is_small, below, count(words.second, 32))), Kind::kI64);
}

// The product of unsigned numbers, in words of 32 bits with carries; for signed ones, less what a negative factor adds.
V SpirvIr::MultiplyHighLong(V x, V y, bool is_signed) {
  const Words a = ToWords(x);
  const Words b = ToWords(y);
  const V low = FromWord(Kind::kI32, WideProduct(a.first, b.first).second);
  const auto wide = [&](Id p, Id q) {
    const Words product = WideProduct(p, q);
    return FromWords(Kind::kI64, product.first, product.second);
  };
  const V middle = wide(a.first, b.second) + ZeroExtend(low, Kind::kI64);
  const Words halves = ToWords(middle);
  const V other = wide(a.second, b.first) + ZeroExtend(FromWord(Kind::kI32, halves.first), Kind::kI64);
  const V upper = wide(a.second, b.second) + ZeroExtend(FromWord(Kind::kI32, halves.second), Kind::kI64) +
                  ZeroExtend(FromWord(Kind::kI32, ToWords(other).second), Kind::kI64);
  if (!is_signed) return upper;
  const V zero = Int(Kind::kI64, 0);
  return upper - codegen::Select(x < 0, y, zero) - codegen::Select(y < 0, x, zero);
}

V SpirvIr::MultiplyHigh(V x, V y, int bits, bool is_signed) {
  if (x.kind == Kind::kI64) return MultiplyHighLong(x, y, is_signed);
  const V a = is_signed ? SignExtend(x, Kind::kI32) : ZeroExtend(x, Kind::kI32);
  const V b = is_signed ? SignExtend(y, Kind::kI32) : ZeroExtend(y, Kind::kI32);
  if (bits < 32) {
    const V product = a * b;
    const V shifted = is_signed ? Binary(Op::kShiftRightArithmetic, product, product.LikeInt(bits)) : product >> bits;
    return ZeroExtend(shifted, x.kind);
  }
  const Id word = b_.IntType(32);
  const spv::Op op = is_signed ? spv::Op::OpSMulExtended : spv::Op::OpUMulExtended;
  const Id both = b_.Op(op, b_.PairType(word, word), {Get(a).id, Get(b).id});
  return Make(x.kind, b_.Op(spv::Op::OpCompositeExtract, word, {both, 1}));
}

}  // namespace vulkan
}  // namespace xla
