#include "tests/random_modules/data_class.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "tests/random_modules/facts.h"
#include "xla_core/ops/convert_elements.h"
#include "xla_core/support/check.h"

namespace xla {
namespace {

constexpr std::pair<DataClass, const char*> kNames[] = {
    {DataClass::kAny, "any"},
    {DataClass::kOrdinary, "ordinary"},
    {DataClass::kPositive, "positive"},
    {DataClass::kSmall, "small"},
    {DataClass::kCount, "count"},
    {DataClass::kDefinite, "definite"},
    {DataClass::kTriangular, "triangular"},
};

// Bytes of an element as text and protobuf hold them: the value in the low bits, signed integers extended.
void SetBits(PrimitiveType type, uint64_t bits, void* element) {
  std::memcpy(element, &bits, ByteWidth(type));
  if (type == PRED) {
    *static_cast<uint8_t*>(element) = bits & 1;
  } else if (IsSubByte(type) && IsInt(type)) {
    WrapSubByteElements(type, 1, element);
  } else if (IsSubByte(type)) {
    *static_cast<uint8_t*>(element) &= (1 << BitWidth(type)) - 1;
  }
}

void SetNumber(PrimitiveType type, double value, void* element) { ConvertElements(F64, type, 1, &value, element); }

// A real element of kAny.
void SetAnything(PrimitiveType type, bool special_values, RandomSource& random, void* element) {
  if (!special_values) {
    const double value = random.Chance(50) ? static_cast<double>(random.Between(-4, 4)) : random.Unit() * 8 - 4;
    return SetNumber(type, IsUnsignedInt(type) ? std::fabs(value) : value, element);
  }
  static const double kNumbers[] = {0.0,     -0.0,  1,      -1,   0.5,  2,         INFINITY, -INFINITY, NAN,     1e-310,
                                    -1e-310, 1e-40, -1e-45, 6e-8, 3e38, -1e308,    1e20,     0x1p31,    -0x1p31, 0x1p63,
                                    127.5,   255.5, 65504,  2.5,  -0.5, 1e-38 / 3, 448,      0.333333,  -2.5,    1e-5};
  const int64_t kind = random.Below(10);
  if (kind < 3) return SetBits(type, random.Next(), element);
  if (kind < 5 && IsInt(type)) {
    const uint64_t limit = uint64_t{1} << (BitWidth(type) - 1);
    const uint64_t choices[] = {0, 1, ~uint64_t{0}, limit, limit - 1, limit + 1, ~uint64_t{1}, 2};
    return SetBits(type, random.Pick(choices), element);
  }
  if (kind < 6) return SetNumber(type, random.Pick(kNumbers), element);
  const double value = random.Chance(50) ? static_cast<double>(random.Between(-8, 8)) : random.Unit() * 8 - 4;
  SetNumber(type, IsUnsignedInt(type) ? std::fabs(value) : value, element);
}

double NumberOf(DataClass data_class, PrimitiveType type, RandomSource& random) {
  const DataRange range = RangeOf(data_class, type);
  if (range.integral) {
    return static_cast<double>(random.Between(static_cast<int64_t>(range.low), static_cast<int64_t>(range.high)));
  }
  return range.low + (range.high - range.low) * random.Unit();
}

void SetElement(PrimitiveType type, DataClass data_class, bool special_values, RandomSource& random, void* element) {
  if (data_class == DataClass::kAny || !RangeOf(data_class, type).bounded) {
    SetAnything(type, special_values, random, element);
  } else {
    SetNumber(type, NumberOf(data_class, type, random), element);
  }
}

// Square matrices in the last two dimensions.
Literal MakeMatrices(Literal literal, DataClass data_class, RandomSource& random) {
  const Shape& shape = literal.shape();
  const PrimitiveType type = shape.element_type();
  const int64_t n = shape.dimension(shape.rank() - 1);
  for (int64_t first = 0; n > 0 && first < shape.ElementCount(); first += n * n) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        double value = static_cast<double>(random.Between(-1, 1));
        if (i == j) value = data_class == DataClass::kDefinite ? 2.0 * static_cast<double>(n) : random.Between(1, 2);
        for (const int64_t at : {first + i * n + j, first + j * n + i}) {
          ConvertElements(F64, type, 1, &value, literal.mutable_data<char>() + at * ByteWidth(type));
        }
      }
    }
  }
  return literal;
}

}  // namespace

const char* DataClassName(DataClass data_class) {
  for (const auto& [value, name] : kNames) {
    if (value == data_class) return name;
  }
  return "any";
}

DataClass DataClassOfName(absl::string_view parameter_name) {
  const size_t underscore = parameter_name.rfind('_');
  const absl::string_view word = parameter_name.substr(underscore == absl::string_view::npos ? 0 : underscore + 1);
  for (const auto& [value, name] : kNames) {
    if (word == name) return value;
  }
  return DataClass::kAny;
}

DataRange RangeOf(DataClass data_class, PrimitiveType type) {
  if (type == PRED) return {true, 0, 1, true};
  const PrimitiveType real = ComplexComponentType(type);
  // f8e8m0fnu has neither zero nor negative numbers.
  if (data_class == DataClass::kAny || (!IsFloat(real) && !IsInt(real)) || real == F8E8M0FNU) return {};
  DataRange range = {true, -4, 4, false};
  if (data_class == DataClass::kPositive) range = {true, 0.5, 2, false};
  if (data_class == DataClass::kSmall) range = {true, -3, 3, true};
  if (data_class == DataClass::kCount) range = {true, 0, 3, true};
  if (data_class == DataClass::kDefinite) range = {true, -16, 16, true};
  if (data_class == DataClass::kTriangular) range = {true, -2, 2, true};
  if (IsInt(real)) {
    const double span = std::ldexp(1.0, BitWidth(real) - (IsSignedInt(real) ? 1 : 0));
    range.low = std::max(std::ceil(range.low), IsSignedInt(real) ? -span : 0);
    range.high = std::min(range.high, span - 1);
    range.integral = true;
    if (range.low > range.high) range.low = range.high;
  }
  return range;
}

Literal MakeData(const Shape& shape, DataClass data_class, bool special_values, RandomSource& random) {
  absl::StatusOr<Literal> allocated = Literal::Zeros(shape);
  CHECK(allocated.ok());
  if (data_class == DataClass::kDefinite || data_class == DataClass::kTriangular) {
    return MakeMatrices(*std::move(allocated), data_class, random);
  }
  const PrimitiveType type = shape.element_type();
  const PrimitiveType real = ComplexComponentType(type);
  const int64_t parts = allocated->element_count() * (IsComplex(type) ? 2 : 1);
  for (int64_t i = 0; i < parts; ++i) {
    SetElement(real, data_class, special_values, random, allocated->mutable_data<char>() + i * ByteWidth(real));
  }
  return *std::move(allocated);
}

}  // namespace xla
