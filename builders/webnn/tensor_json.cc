#include "builders/webnn/tensor_json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace webnn {
namespace {

struct SpecialFloat {
  const char* text;
  double value;
};
constexpr SpecialFloat kSpecialFloats[] = {{"NaN", std::numeric_limits<double>::quiet_NaN()},
                                           {"Infinity", std::numeric_limits<double>::infinity()},
                                           {"-Infinity", -std::numeric_limits<double>::infinity()},
                                           {"-0", -0.0}};

// As text, for messages.
std::string TextOf(const JsonValue& json) {
  if (const std::string* text = json.AsString()) return absl::StrCat("'", text->substr(0, 40), "'");
  if (json.AsInt64().has_value()) return absl::StrCat(*json.AsInt64());
  if (json.is_number()) return absl::StrCat(*json.AsDouble());
  return std::string(json.KindName());
}

bool ReadNumber(const JsonValue& json, double* value) {
  if (const absl::optional<double> number = json.AsDouble()) {
    *value = *number;
    return true;
  }
  const std::string* const text = json.AsString();
  if (text == nullptr) return false;
  for (const SpecialFloat& special : kSpecialFloats) {
    if (*text != special.text) continue;
    *value = special.value;
    return true;
  }
  return false;
}

template <typename Wide>
bool ReadWide(const JsonValue& json, Wide* value) {
  if (const std::string* const text = json.AsString()) return absl::SimpleAtoi(*text, value);
  absl::optional<Wide> number;
  if constexpr (std::is_signed<Wide>::value) {
    number = json.AsInt64();
  } else {
    number = json.AsUint64();
  }
  if (number.has_value()) *value = *number;
  return number.has_value();
}

// Reads an element of an integer type, which has `bits` bits.
template <typename T>
bool ReadInteger(const JsonValue& json, int bits, T* value) {
  using Wide = std::conditional_t<std::is_signed<T>::value, int64_t, uint64_t>;
  Wide wide;
  if (!ReadWide(json, &wide)) return false;
  const Wide most = std::numeric_limits<Wide>::max() >> (64 - bits);
  const Wide least = std::is_signed<T>::value ? -most - 1 : 0;
  *value = static_cast<T>(wide);
  return least <= wide && wide <= most;
}

absl::Status WrongElement(const JsonValue& json, PrimitiveType type) {
  return absl::InvalidArgumentError(absl::StrCat("expected a number of type ", PrimitiveTypeName(type), ", got ",
                                                 TextOf(json),
                                                 IsFloat(type) ? "; NaN, infinities and -0 are strings" : ""));
}

// Reads one element into place i of `array`.
absl::Status ReadElement(const JsonValue& json, Literal& array, int64_t i) {
  const PrimitiveType type = array.shape().element_type();
  bool fits = false;
  if (IsFloat(type)) {
    double value;
    fits = ReadNumber(json, &value);
    if (!fits) return WrongElement(json, type);
    if (type == F32) {
      array.mutable_data<float>()[i] = static_cast<float>(value);
    } else {
      EncodeNarrow(NarrowFormatOf(type), &value, array.mutable_data<uint8_t>() + i * ByteWidth(type), 1);
    }
  } else {
    fits = DispatchInt(type, [&](auto tag) {
      using T = TagType<decltype(tag)>;
      return ReadInteger(json, BitWidth(type), &array.mutable_data<T>()[i]);
    });
  }
  return fits ? absl::OkStatus() : WrongElement(json, type);
}

absl::Status At(absl::string_view where, absl::string_view member, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(where, ": ", member, ": ", status.message()));
}

// The decimal number with the fewest digits of which binary64, rounded to the type, gives `value` again.
template <typename Round>
double Shortest(double value, int most_digits, const Round& round) {
  char text[40];
  for (int digits = 1; digits < most_digits; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
    const double number = std::strtod(text, nullptr);
    if (round(number) == value) return number;
  }
  std::snprintf(text, sizeof(text), "%.*g", most_digits, value);
  return std::strtod(text, nullptr);
}

double RoundToHalf(double value) {
  half stored;
  EncodeNarrow(NarrowFormat::kF16, &value, &stored, 1);
  float rounded;
  DecodeNarrow(NarrowFormat::kF16, &stored, &rounded, 1);
  return rounded;
}

void WriteFloats(const Literal& array, JsonWriter& json) {
  const PrimitiveType type = array.shape().element_type();
  for (int64_t i = 0; i < array.element_count(); ++i) {
    float value;
    if (type == F32) {
      value = array.data<float>()[i];
    } else {
      DecodeNarrow(NarrowFormatOf(type), array.data<uint8_t>() + i * ByteWidth(type), &value, 1);
    }
    WriteFloat(value, type, json);
  }
}

// More equal elements than this are written as one.
constexpr int64_t kMostEqualElements = 4;

bool HasEqualElements(const Literal& array) {
  const char* const bytes = static_cast<const char*>(array.untyped_data());
  const int64_t width = ByteWidth(array.shape().element_type());
  // Each byte is the one that stands an element before it.
  return std::memcmp(bytes, bytes + width, static_cast<size_t>(array.size_bytes() - width)) == 0;
}

void WriteElementValues(const Literal& array, JsonWriter& json) {
  const PrimitiveType type = array.shape().element_type();
  if (IsFloat(type)) return WriteFloats(array, json);
  DispatchInt(type, [&](auto tag) {
    using T = TagType<decltype(tag)>;
    for (const T value : array.span<T>()) {
      if (BitWidth(type) == 64) {
        json.String(absl::StrCat(value));
      } else {
        json.Int(static_cast<int64_t>(value));
      }
    }
  });
}

}  // namespace

absl::StatusOr<Literal> ReadJsonElements(const JsonValue& json, const Shape& shape, absl::string_view where) {
  const JsonValue* const data = json.Find("data");
  const JsonValue* const fill = json.Find("fill");
  if ((data == nullptr) == (fill == nullptr)) {
    return absl::InvalidArgumentError(absl::StrCat(where, ": expected its elements as \"data\": [...] or as \"fill\""));
  }
  const JsonValue::Array* const list = data != nullptr ? data->AsArray() : nullptr;
  if (data != nullptr && list == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(where, ": data: expected an array, got ", TextOf(*data)));
  }
  if (data != nullptr && static_cast<int64_t>(list->size()) != shape.ElementCount()) {
    return absl::InvalidArgumentError(absl::StrCat(where, ": data: ", shape.ToString(), " has ", shape.ElementCount(),
                                                   " elements, got ", list->size()));
  }
  absl::StatusOr<Literal> array = Literal::Allocate(shape);
  if (!array.ok()) return At(where, shape.ToString(), array.status());
  if (data != nullptr) {
    for (size_t i = 0; i < list->size(); ++i) {
      const absl::Status status = ReadElement((*list)[i], *array, static_cast<int64_t>(i));
      if (!status.ok()) return At(where, absl::StrCat("data[", i, "]"), status);
    }
    return array;
  }
  if (array->element_count() == 0) return array;
  RETURN_IF_ERROR(At(where, "fill", ReadElement(*fill, *array, 0)));
  DispatchByWidth(shape.element_type(), [&](auto tag) {
    using T = TagType<decltype(tag)>;
    T* const elements = array->mutable_data<T>();
    std::fill(elements + 1, elements + array->element_count(), elements[0]);
  });
  return array;
}

void WriteFloat(double value, PrimitiveType type, JsonWriter& json) {
  for (const SpecialFloat& special : kSpecialFloats) {
    const bool equal = std::isnan(value) ? std::isnan(special.value)
                                         : value == special.value && std::signbit(value) == std::signbit(special.value);
    if (!equal) continue;
    json.String(special.text);
    return;
  }
  // Whole numbers without an exponent or a point.
  constexpr double kWholeEnd = 16777216.0;
  if (std::trunc(value) == value && std::abs(value) < kWholeEnd) {
    json.Int(static_cast<int64_t>(value));
  } else if (type == F32) {
    json.Double(Shortest(value, 9, [](double number) { return static_cast<double>(static_cast<float>(number)); }));
  } else if (type == F16) {
    json.Double(Shortest(value, 5, RoundToHalf));
  } else {
    json.Double(value);
  }
}

void WriteJsonElements(const Literal& array, JsonWriter& json) {
  const PrimitiveType type = array.shape().element_type();
  if (array.element_count() > kMostEqualElements && HasEqualElements(array)) {
    const auto first = Literal::Borrow(Shape::Scalar(type), array.untyped_data());
    json.Key("fill");
    return WriteElementValues(first, json);
  }
  json.Key("data").BeginArray();
  WriteElementValues(array, json);
  json.EndArray();
}

}  // namespace webnn
}  // namespace xla
