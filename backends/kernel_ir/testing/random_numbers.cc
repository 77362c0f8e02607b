#include "backends/kernel_ir/testing/random_numbers.h"

#include <cstring>
#include <vector>

#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

// What of the storage of a type may be set.
uint64_t MaskOf(PrimitiveType type) {
  const int bits = BitWidth(type);
  return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

uint64_t AnyBits(PrimitiveType type, RandomSource& random) {
  if (type == PRED) return random.Below(2);
  const uint64_t bits = random.Next() & MaskOf(type);
  // Narrow signed integers are stored with their sign extended.
  const uint64_t sign = uint64_t{1} << (BitWidth(type) - 1);
  return IsSignedInt(type) ? (bits ^ sign) - sign : bits;
}

// Limits of integers; infinities, NaN, the ends of the ranges of normal and of all numbers of wide floats.
uint64_t SpecialBits(PrimitiveType type, RandomSource& random) {
  if (IsInt(type)) {
    const uint64_t least = IsSignedInt(type) ? -(uint64_t{1} << (BitWidth(type) - 1)) : 0;
    const uint64_t greatest = least + MaskOf(type);
    const uint64_t values[] = {least, greatest, least + 1, greatest - 1, uint64_t{0}};
    return random.Pick(values);
  }
  const int mantissa = type == F64 ? 52 : type == F32 ? 23 : type == BF16 ? 7 : type == F16 ? 10 : 0;
  if (mantissa == 0) return AnyBits(type, random);
  const uint64_t sign = random.Chance(50) ? uint64_t{1} << (BitWidth(type) - 1) : 0;
  const uint64_t one_ulp_of_exponent = uint64_t{1} << mantissa;
  const uint64_t infinity = (MaskOf(type) >> 1) & ~(one_ulp_of_exponent - 1);
  const uint64_t quiet_nan = infinity + one_ulp_of_exponent / 2;
  const uint64_t values[] = {uint64_t{0},         uint64_t{0}, infinity,
                             quiet_nan,           uint64_t{1}, one_ulp_of_exponent - 1,
                             one_ulp_of_exponent, infinity - 1};
  return sign | random.Pick(values);
}

void StoreRandom(PrimitiveType type, RandomSource& random, char* out) {
  const int64_t choice = random.Below(10);
  if (choice < 6 && type != PRED) {
    // Quarters, or small integers.
    const int64_t number = random.Between(IsUnsignedInt(type) ? 0 : -12, 12);
    const absl::StatusOr<Literal> small =
        IsInt(type) ? LiteralUtil::Number(type, number) : LiteralUtil::Number(type, static_cast<double>(number) / 4);
    if (small.ok()) {
      std::memcpy(out, small->untyped_data(), ByteWidth(type));
      return;
    }
  }
  const uint64_t bits = choice < 8 && type != PRED ? SpecialBits(type, random) : AnyBits(type, random);
  std::memcpy(out, &bits, ByteWidth(type));
}

}  // namespace

Literal RandomScalar(PrimitiveType type, RandomSource& random) {
  char bytes[sizeof(complex128)] = {};
  const PrimitiveType component = ComplexComponentType(type);
  StoreRandom(component, random, bytes);
  if (IsComplex(type)) StoreRandom(component, random, bytes + ByteWidth(component));
  return Literal::ScalarOf(type, bytes);
}

}  // namespace xla
