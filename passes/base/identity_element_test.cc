#include "passes/base/identity_element.h"

#include <cstring>
#include <iterator>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "passes/base/built_module.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

constexpr HloOpcode kOfNumbers[] = {HloOpcode::kAdd, HloOpcode::kMultiply, HloOpcode::kMaximum, HloOpcode::kMinimum};
constexpr HloOpcode kOfBits[] = {HloOpcode::kAnd, HloOpcode::kOr, HloOpcode::kXor};

// "-inf", or the code of the error.
std::string IdentityText(HloOpcode op, PrimitiveType type) {
  const absl::StatusOr<Literal> identity = IdentityElement(op, type);
  return identity.ok() ? LiteralValueToString(*identity) : absl::StatusCodeToString(identity.status().code());
}

TEST(IdentityElement, OfEachOperation) {
  EXPECT_EQ(IdentityText(HloOpcode::kAdd, S32), "0");
  EXPECT_EQ(IdentityText(HloOpcode::kMultiply, U8), "1");
  EXPECT_EQ(IdentityText(HloOpcode::kMaximum, S8), "-128");
  EXPECT_EQ(IdentityText(HloOpcode::kMinimum, S8), "127");
  EXPECT_EQ(IdentityText(HloOpcode::kMaximum, U64), "0");
  EXPECT_EQ(IdentityText(HloOpcode::kMinimum, U64), "18446744073709551615");
  EXPECT_EQ(IdentityText(HloOpcode::kAnd, S16), "-1");
  EXPECT_EQ(IdentityText(HloOpcode::kAnd, U16), "65535");
  EXPECT_EQ(IdentityText(HloOpcode::kOr, U16), "0");
  EXPECT_EQ(IdentityText(HloOpcode::kXor, S64), "0");
}

TEST(IdentityElement, OfFloatsIsMinusZeroOrInfinite) {
  EXPECT_EQ(IdentityText(HloOpcode::kAdd, F32), "-0.0");
  EXPECT_EQ(IdentityText(HloOpcode::kAdd, BF16), "-0.0");
  EXPECT_EQ(IdentityText(HloOpcode::kAdd, C64), "(-0.0, -0.0)");
  EXPECT_EQ(IdentityText(HloOpcode::kMaximum, F16), "-inf");
  EXPECT_EQ(IdentityText(HloOpcode::kMinimum, F64), "inf");
  EXPECT_EQ(IdentityText(HloOpcode::kMaximum, F8E4M3FN), "-448") << "it has no infinity";
}

TEST(IdentityElement, OfNarrowIntegers) {
  EXPECT_EQ(IdentityText(HloOpcode::kMaximum, S4), "-8");
  EXPECT_EQ(IdentityText(HloOpcode::kMinimum, U2), "3");
  EXPECT_EQ(IdentityText(HloOpcode::kAnd, S2), "-1");
  EXPECT_EQ(IdentityText(HloOpcode::kAnd, S1), "-1");
  EXPECT_EQ(IdentityText(HloOpcode::kAnd, U1), "1");
}

TEST(IdentityElement, OfPredicatesIsThatOfTheOperationOnBits) {
  EXPECT_EQ(OnPredicates(HloOpcode::kAdd), HloOpcode::kOr);
  EXPECT_EQ(OnPredicates(HloOpcode::kMultiply), HloOpcode::kAnd);
  EXPECT_EQ(OnPredicates(HloOpcode::kXor), HloOpcode::kXor);
  for (const HloOpcode op : {HloOpcode::kAdd, HloOpcode::kMaximum, HloOpcode::kOr, HloOpcode::kXor}) {
    EXPECT_EQ(IdentityText(op, PRED), "false") << HloOpcodeName(op);
  }
  for (const HloOpcode op : {HloOpcode::kMultiply, HloOpcode::kMinimum, HloOpcode::kAnd}) {
    EXPECT_EQ(IdentityText(op, PRED), "true") << HloOpcodeName(op);
  }
}

TEST(IdentityElement, OfExtremesNeedsAnOrder) {
  EXPECT_EQ(IdentityText(HloOpcode::kMaximum, C64), "INVALID_ARGUMENT");
  EXPECT_EQ(IdentityText(HloOpcode::kMinimum, C128), "INVALID_ARGUMENT");
  EXPECT_EQ(IdentityText(HloOpcode::kAdd, TOKEN), "INVALID_ARGUMENT");
}

// (inf + 0i)(1 + 0i) has the imaginary part inf * 0, which is NaN; f8e8m0fnu has powers of two only.
TEST(IdentityElement, DoesNotExistWhereEveryElementChangesSomeNumber) {
  EXPECT_EQ(IdentityText(HloOpcode::kMultiply, C64), "INVALID_ARGUMENT");
  EXPECT_EQ(IdentityText(HloOpcode::kAdd, F8E8M0FNU), "INVALID_ARGUMENT");
  EXPECT_EQ(IdentityText(HloOpcode::kMultiply, F8E8M0FNU), "1");
}

// Zeros of either sign, infinities, the least and greatest values, as near as the type has them.
Literal EdgeValues(PrimitiveType type) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (IsComplex(type)) {
    std::vector<complex128> values;
    for (const double real : {-0.0, 0.0, -1.5, 2.0, infinity}) {
      for (const double imaginary : {-0.0, 0.0, -1.5, 2.0, -infinity}) values.push_back({real, imaginary});
    }
    const Literal wide = Literal::FromValues<complex128>({static_cast<int64_t>(values.size())}, values);
    return *LiteralUtil::Convert(wide, type);
  }
  std::vector<Literal> scalars;
  for (const double value : {-0.0, 0.0, 1.0, -1.0, 3.0, -2.5, 1e-40, 6e-8, infinity, -infinity}) {
    auto number = LiteralUtil::Number(type, value);
    if (number.ok()) scalars.push_back(*std::move(number));
  }
  scalars.push_back(*LiteralUtil::MinValue(type));
  scalars.push_back(*LiteralUtil::MaxValue(type));
  const int64_t count = static_cast<int64_t>(scalars.size());
  Literal values = *Literal::Allocate(Shape::Array(type, {count}));
  char* to = static_cast<char*>(values.untyped_mutable_data());
  for (const Literal& scalar : scalars) {
    std::memcpy(to, scalar.untyped_data(), scalar.size_bytes());
    to += scalar.size_bytes();
  }
  return values;
}

// Expects that op(x, identity) and op(identity, x) are x, if there is an identity.
void ExpectKeepsBits(HloOpcode op, PrimitiveType type) {
  const absl::StatusOr<Literal> identity = IdentityElement(op, type);
  if (!identity.ok()) return;
  BuiltModule m;
  const Literal values = EdgeValues(type);
  HloInstruction* const x = m.build.Constant(values);
  HloInstruction* const same = m.build.Splat(x->shape(), *identity);
  const std::vector<Literal> results = m.Evaluate({m.build.Binary(op, x, same), m.build.Binary(op, same, x)});
  for (const Literal& result : results) {
    EXPECT_TRUE(result.BitwiseEquals(values)) << HloOpcodeName(op) << " of " << LiteralToString(values) << " with "
                                              << LiteralToString(*identity) << " gives " << LiteralToString(result);
  }
}

TEST(IdentityElement, KeepsTheBitsOfEveryNumber) {
  for (int i = 0; i < kNumPrimitiveTypes; ++i) {
    const auto type = static_cast<PrimitiveType>(i);
    if (!IsArrayType(type)) continue;
    for (const HloOpcode op : kOfNumbers) ExpectKeepsBits(op, type);
    if (!IsInt(type) && type != PRED) continue;
    for (const HloOpcode op : kOfBits) ExpectKeepsBits(op, type);
  }
}

TEST(IdentityElement, TheseAreAllAssociativeOperations) {
  int count = 0;
  for (const HloOpcode op : AllOpcodes()) count += HasTrait(op, opcode_trait::kAssociative) ? 1 : 0;
  EXPECT_EQ(count, static_cast<int>(std::size(kOfNumbers) + std::size(kOfBits)));
}

}  // namespace
}  // namespace xla
