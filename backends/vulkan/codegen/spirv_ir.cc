#include "backends/vulkan/codegen/spirv_ir.h"

#include <cstring>

#include "backends/vulkan/codegen/spirv_rare.h"
#include "xla_core/support/check.h"

namespace xla {
namespace vulkan {

using codegen::BitsOf;
using codegen::IsFloatKind;

namespace {

int64_t SignBit(Kind kind) { return kind == Kind::kF32 ? int64_t{0x80000000} : INT64_MIN; }

}  // namespace

SpirvIr::SpirvIr(SpirvBuilder& builder, const SpirvTarget& target)
    : b_(builder), target_(target), rare_(MakeSpirvRareOperations()) {}
SpirvIr::~SpirvIr() = default;

V SpirvIr::Make(Kind kind, Value value) {
  values_.push_back(value);
  return {this, &values_.back(), kind, 1};
}

Id SpirvIr::TypeOf(Kind kind) {
  switch (kind) {
    case Kind::kI1:
      return b_.BoolType();
    case Kind::kI8:
    case Kind::kI16:
    case Kind::kI32:
      return b_.IntType(32);
    case Kind::kI64:
      return b_.IntType(64);
    case Kind::kF32:
      return b_.FloatType(32);
    case Kind::kF64:
      return b_.FloatType(64);
    case Kind::kI128:
    case Kind::kPointer:
      break;
  }
  CHECK(false);
}

// ---- Constants

V SpirvIr::Int(Kind kind, int64_t x, int) {
  Value value;
  value.integer = x;
  if (kind == Kind::kI1) {
    value.id = b_.Bool((x & 1) != 0);
  } else if (IsPair(kind)) {
    value.id = b_.Word(static_cast<uint32_t>(x));
    value.high = b_.Word(static_cast<uint32_t>(static_cast<uint64_t>(x) >> 32));
  } else if (kind == Kind::kI64) {
    value.id = b_.Constant(TypeOf(kind), static_cast<uint64_t>(x));
  } else {
    const uint64_t mask = (uint64_t{1} << BitsOf(kind)) - 1;
    value.id = b_.Word(static_cast<uint32_t>(static_cast<uint64_t>(x) & mask));
  }
  if (kind == Kind::kI64) value.word = b_.Word(static_cast<uint32_t>(x));
  return Make(kind, value);
}

V SpirvIr::Float(Kind kind, double x, int) {
  if (!IsFloatKind(kind)) return Int(kind, static_cast<int64_t>(x));
  int64_t bits = 0;
  if (kind == Kind::kF32) {
    const float single = static_cast<float>(x);
    std::memcpy(&bits, &single, sizeof(single));
  } else {
    std::memcpy(&bits, &x, sizeof(x));
  }
  return FloatOfBits(kind, bits);
}

absl::optional<int64_t> SpirvIr::ConstantInt(V x) { return Get(x).integer; }
absl::optional<double> SpirvIr::ConstantFloat(V x) { return Get(x).number; }

V SpirvIr::FloatOfBits(Kind kind, int64_t bits) {
  Value value;
  double number = 0;
  if (kind == Kind::kF32) {
    bits &= 0xFFFFFFFF;
    float single = 0;
    std::memcpy(&single, &bits, sizeof(single));
    number = static_cast<double>(single);
  } else {
    std::memcpy(&number, &bits, sizeof(number));
  }
  // The bits of a NaN say more than it.
  if (number == number) value.number = number;
  value.id = b_.Constant(TypeOf(kind), static_cast<uint64_t>(bits));
  const V constant = Make(kind, value);
  return bits == 0 ? HideZero(constant) : constant;
}

// The upper bit of a workgroup's number is never set, and no driver uses that.
Id SpirvIr::UnknownZero() {
  const Id word = b_.IntType(32);
  const Id group = b_.Op(spv::Op::OpCompositeExtract, word, {b_.BuiltIn3(spv::BuiltIn::WorkgroupId), 0});
  return Word(spv::Op::OpBitwiseAnd, group, b_.Word(0x80000000));
}

V SpirvIr::HideZero(V x) {
  if (!target_.drops_zeros || Get(x).integer.value_or(0) != 0) return x;
  const auto hidden = [&](Id word) { return Word(spv::Op::OpBitwiseOr, word, UnknownZero()); };
  V result;
  if (BitsOf(x.kind) == 64) {
    const Words words = ToWords(x);
    result = FromWords(x.kind, words.first, hidden(words.second));
  } else {
    result = FromWord(x.kind, hidden(ToWord(x)));
  }
  return Make(x.kind, Value{Get(result).id, 0, 0, false, {}, Get(x).number});
}

// ---- Words

V SpirvIr::FromWord(Kind kind, Id word) {
  if (kind == Kind::kI1) return Make(kind, IsWord(spv::Op::OpINotEqual, word, b_.Word(0)));
  if (kind == Kind::kF32) return Make(kind, b_.Op(spv::Op::OpBitcast, TypeOf(kind), {word}));
  return Make(kind, word);
}

V SpirvIr::FromWords(Kind kind, Id low, Id high) {
  if (IsPair(kind)) return MakePair(low, high);
  const Id both = b_.Op(spv::Op::OpCompositeConstruct, b_.VectorType(b_.IntType(32), 2), {low, high});
  return Make(kind, b_.Op(spv::Op::OpBitcast, TypeOf(kind), {both}));
}

Id SpirvIr::ToWord(V x) {
  if (x.kind == Kind::kI1) return SelectWord(Get(x).id, b_.Word(1), b_.Word(0));
  if (x.kind == Kind::kF32) return b_.Op(spv::Op::OpBitcast, b_.IntType(32), {Get(x).id});
  return Get(x).id;
}

std::pair<Id, Id> SpirvIr::ToWords(V x) {
  const Value& value = Get(x);
  if (IsPair(x.kind)) return {value.id, value.high};
  const Id word = b_.IntType(32);
  const Id both = b_.Op(spv::Op::OpBitcast, b_.VectorType(word, 2), {value.id});
  return {b_.Op(spv::Op::OpCompositeExtract, word, {both, 0}), b_.Op(spv::Op::OpCompositeExtract, word, {both, 1})};
}

// ---- What integers and floats share

V SpirvIr::Binary(Op op, V x, V y) {
  CHECK(x.kind == y.kind);
  if (IsFloatKind(x.kind)) return BinaryFloat(op, x, y);
  const Value& a = Get(x);
  const Value& b = Get(y);
  if (x.kind == Kind::kI1) return Make(x.kind, BinaryBool(op, a.id, b.id));
  if (IsPair(x.kind)) {
    const Words result = BinaryPair(op, {a.id, a.high}, {b.id, b.high});
    return MakePair(result.first, result.second);
  }
  if (x.kind != Kind::kI64) return Make(x.kind, BinaryWord(op, x.kind, a.id, b.id));
  const bool is_shift = op == Op::kShiftLeft || op == Op::kShiftRight || op == Op::kShiftRightArithmetic;
  return Make(x.kind, BinaryLong(op, a.id, is_shift ? ToWord(ZeroExtend(y, Kind::kI32)) : b.id));
}

V SpirvIr::Compare(Relation relation, V x, V y) {
  CHECK(x.kind == y.kind);
  if (!IsFloatKind(x.kind)) return CompareIntegers(relation, x, y);
  static constexpr spv::Op kOps[] = {
      spv::Op::OpFOrdEqual,         spv::Op::OpFUnordNotEqual,       spv::Op::OpFOrdLessThan,
      spv::Op::OpFOrdLessThanEqual, spv::Op::OpFOrdGreaterThan,      spv::Op::OpFOrdGreaterThanEqual,
      spv::Op::OpFOrdLessThan,      spv::Op::OpFOrdGreaterThanEqual, spv::Op::OpFUnordEqual};
  return Make(Kind::kI1, b_.Op(kOps[static_cast<int>(relation)], b_.BoolType(), {Get(x).id, Get(y).id}));
}

V SpirvIr::Select(V condition, V on_true, V on_false) {
  CHECK(on_true.kind == on_false.kind);
  const Value& a = Get(on_true);
  const Value& b = Get(on_false);
  const Id c = Get(condition).id;
  if (IsPair(on_true.kind)) return MakePair(SelectWord(c, a.id, b.id), SelectWord(c, a.high, b.high));
  return Make(on_true.kind, b_.Op(spv::Op::OpSelect, TypeOf(on_true.kind), {c, a.id, b.id}));
}

V SpirvIr::Negate(V x) {
  if (IsFloatKind(x.kind)) return Make(x.kind, b_.Exact(spv::Op::OpFNegate, TypeOf(x.kind), {Get(x).id}));
  return Binary(Op::kSubtract, Int(x.kind, 0), x);
}

V SpirvIr::Intrinsic1(absl::string_view name, V x) {
  if (name == "ctpop") return PopulationCount(x);
  if (name == "ctlz") return LeadingZeros(x);
  if (name == "sqrt") return SquareRoot(x);
  if (name == "round") return RoundAwayFromZero(x);
  // GLSL's absolute value may leave -0 what it is, and Mesa's does.
  if (name == "fabs") return FromBits(ToBits(x) & ~SignBit(x.kind));
  const GLSLstd450 instruction = name == "floor"   ? GLSLstd450Floor
                                 : name == "ceil"  ? GLSLstd450Ceil
                                 : name == "trunc" ? GLSLstd450Trunc
                                                   : GLSLstd450RoundEven;
  return Make(x.kind, b_.Extended(instruction, TypeOf(x.kind), {Get(x).id}));
}

V SpirvIr::Intrinsic2(absl::string_view name, V x, V y) {
  if (name == "copysign") {
    const int64_t sign = SignBit(x.kind);
    return FromBits((ToBits(x) & ~sign) | (ToBits(y) & sign));
  }
  const bool is_signed = name[0] == 's';
  const V is_less = Compare(is_signed ? Relation::kLt : Relation::kUnsignedLt, x, y);
  return name.substr(1) == "max" ? Select(is_less, y, x) : Select(is_less, x, y);
}

// ---- Conversions of bits

V SpirvIr::Bitcast(V x, Kind kind) {
  if (x.kind == kind) return x;
  if (const auto bits = ConstantInt(x); bits.has_value() && IsFloatKind(kind)) return FloatOfBits(kind, *bits);
  if (BitsOf(kind) == 64 && IsPair(Kind::kI64)) {
    const Words words = ToWords(x);
    return FromWords(kind, words.first, words.second);
  }
  const Value& value = Get(x);
  if (value.number.has_value() && kind == Kind::kI32) {
    const float number = static_cast<float>(*value.number);
    int32_t bits = 0;
    std::memcpy(&bits, &number, sizeof(bits));
    return Int(kind, bits);
  }
  return Make(kind, b_.Op(spv::Op::OpBitcast, TypeOf(kind), {value.id}));
}

// Constants stay known where the wider kind is a word or more.
V SpirvIr::SignExtend(V x, Kind kind) {
  if (x.kind == kind) return x;
  if (const auto number = ConstantInt(x); number.has_value() && BitsOf(kind) >= 32 && BitsOf(x.kind) >= 8) {
    const int unused = 64 - BitsOf(x.kind);
    return Int(kind, static_cast<int64_t>(static_cast<uint64_t>(*number) << unused) >> unused);
  }
  if (x.kind == Kind::kI1) return Select(x, Int(kind, -1), Int(kind, 0));
  if (x.kind == Kind::kI64 || BitsOf(kind) < BitsOf(x.kind)) return ZeroExtend(x, kind);
  const Id word = SignExtended(Get(x).id, x.kind);
  if (kind != Kind::kI64) return Make(kind, Masked(word, kind));
  Value value = {word, 0, word, true, {}, {}};
  if (IsPair(kind)) {
    value.high = Word(spv::Op::OpShiftRightArithmetic, word, b_.Word(31));
  } else {
    value.id = b_.Op(spv::Op::OpSConvert, TypeOf(kind), {word});
  }
  return Make(kind, value);
}

V SpirvIr::ZeroExtend(V x, Kind kind) {
  if (x.kind == kind) return x;
  if (const auto number = ConstantInt(x); number.has_value() && BitsOf(kind) >= 32) {
    const uint64_t mask = ~uint64_t{0} >> (64 - BitsOf(x.kind));
    return Int(kind, static_cast<int64_t>(static_cast<uint64_t>(*number) & mask));
  }
  if (kind == Kind::kI1)
    return Make(kind, IsWord(spv::Op::OpINotEqual,
                             Word(spv::Op::OpBitwiseAnd, ToWord(ZeroExtend(x, Kind::kI32)), b_.Word(1)), b_.Word(0)));
  if (x.kind == Kind::kI1) return Select(x, Int(kind, 1), Int(kind, 0));
  const Value& from = Get(x);
  if (x.kind == Kind::kI64) {
    Id word = from.word;
    if (word == 0) word = IsPair(x.kind) ? from.id : b_.Op(spv::Op::OpUConvert, b_.IntType(32), {from.id});
    return Make(kind, Masked(word, kind));
  }
  if (kind != Kind::kI64) return Make(kind, BitsOf(kind) < BitsOf(x.kind) ? Masked(from.id, kind) : from.id);
  Value value = {from.id, 0, from.id, false, {}, {}};
  if (IsPair(kind)) {
    value.high = b_.Word(0);
  } else {
    value.id = b_.Op(spv::Op::OpUConvert, TypeOf(kind), {from.id});
  }
  return Make(kind, value);
}

// Not called: has_half() and has_half_arithmetic() are false.
V SpirvIr::HalfBitsToFloat(V) { CHECK(false); }
V SpirvIr::FloatToHalfBits(V) { CHECK(false); }
V SpirvIr::HalfBinary(Op, V, V) { CHECK(false); }

// ---- Control

void SpirvIr::AddIncoming(V phi, V x, Id block) {
  b_.AddIncoming(Get(phi).id, Get(x).id, block);
  if (IsPair(phi.kind)) b_.AddIncoming(Get(phi).high, Get(x).high, block);
}

V SpirvIr::PhiOf(Kind kind) {
  if (IsPair(kind)) {
    const Id low = b_.Phi(b_.IntType(32), {});
    return MakePair(low, b_.Phi(b_.IntType(32), {}));
  }
  return Make(kind, b_.Phi(TypeOf(kind), {}));
}

SpirvIr::State SpirvIr::While(const State& initial, absl::FunctionRef<V(const State&)> condition,
                              absl::FunctionRef<State(const State&)> body) {
  const SpirvBuilder::Loop loop = b_.BeginLoop();
  State current;
  for (const V& x : initial) {
    current.push_back(PhiOf(x.kind));
    AddIncoming(current.back(), x, loop.before);
  }
  b_.LoopTest(loop);
  b_.LoopBody(loop, BoolId(condition(current)));
  const State next = body(current);
  b_.LoopNext(loop);
  for (size_t i = 0; i < next.size(); ++i) AddIncoming(current[i], next[i], b_.CurrentBlock());
  b_.EndLoop(loop);
  return current;
}

SpirvIr::State SpirvIr::IfElse(V condition, absl::FunctionRef<State()> on_true, absl::FunctionRef<State()> on_false) {
  const SpirvBuilder::If branch = b_.BeginIf(BoolId(condition));
  const State a = on_true();
  const Id from_a = b_.CurrentBlock();
  b_.BeginElse(branch);
  const State b = on_false();
  const Id from_b = b_.CurrentBlock();
  b_.EndIf(branch);
  State merged;
  for (size_t i = 0; i < a.size(); ++i) {
    merged.push_back(PhiOf(a[i].kind));
    AddIncoming(merged[i], a[i], from_a);
    AddIncoming(merged[i], b[i], from_b);
  }
  return merged;
}

void SpirvIr::If(V condition, absl::FunctionRef<void()> on_true) {
  IfElse(
      condition,
      [&] {
        on_true();
        return State();
      },
      [] { return State(); });
}

}  // namespace vulkan
}  // namespace xla
