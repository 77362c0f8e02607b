#include "xla_core/literal_io/input_spec.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "absl/numeric/int128.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "xla_core/literal_io/sub_byte.h"
#include "xla_core/support/random_source.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

// Elements made at a time: small enough for the first-level cache, large enough for a thread to be worth its while.
constexpr int64_t kChunk = 4096;

// ---- Reading ----

absl::Status Wrong(absl::string_view where, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(where, ": ", what));
}

// A whole number of JSON, also one written as a float, which is then cut to an integer as Python's int() does.
bool ToInt128(const JsonValue& json, absl::int128& value) {
  if (const auto integer = json.AsInt64()) {
    value = *integer;
  } else if (const auto large = json.AsUint64()) {
    value = *large;
  } else {
    const auto number = json.AsDouble();
    // Beyond 2^100 nothing is a bound of 64-bit integers any more.
    if (!number.has_value() || !(std::fabs(*number) < 1.3e30)) return false;
    value = static_cast<absl::int128>(*number);
  }
  return true;
}

// Reads `"dtype"` and `"shape"` of one input spec; errors name the place in the file.
absl::Status ReadShape(const JsonValue& json, absl::string_view where, Shape& shape) {
  const JsonValue* dtype = json.Find("dtype");
  if (dtype == nullptr || dtype->AsString() == nullptr) return Wrong(where, "expected a string \"dtype\"");
  const PrimitiveType type = PrimitiveTypeFromName(*dtype->AsString());
  if (!IsArrayType(type)) {
    return Wrong(where, absl::StrCat("unknown dtype \"", *dtype->AsString(), "\", expected f32, s32, pred, ..."));
  }
  const JsonValue* sizes = json.Find("shape");
  if (sizes == nullptr || sizes->AsArray() == nullptr) return Wrong(where, "expected a list \"shape\"");
  DimensionVector dimensions;
  for (const JsonValue& size : *sizes->AsArray()) {
    const auto value = size.AsInt64();
    if (!value.has_value() || *value < 0) return Wrong(where, "expected whole numbers of at least 0 in \"shape\"");
    dimensions.push_back(*value);
  }
  shape = Shape::Array(type, dimensions);
  const absl::Status status = ValidateShape(shape);
  return status.ok() ? status : Wrong(where, status.message());
}

absl::Status ReadSeed(const JsonValue& json, absl::string_view where, uint64_t& seed) {
  const JsonValue* value = json.Find("seed");
  absl::int128 number;
  if (value == nullptr || !ToInt128(*value, number)) return Wrong(where, "expected a number \"seed\"");
  seed = absl::Int128Low64(number);
  return absl::OkStatus();
}

// Reads `"low"` and `"high"`, by default -1 and 1. Integers draw from both bounds inclusive: int_count is their
// number, in 64 bits, where 0 stands for all 2^64 of them.
absl::Status ReadRange(const JsonValue& json, absl::string_view where, InputSpec& spec) {
  absl::int128 int_low = -1, int_high = 1;
  const bool integers = IsInt(spec.shape.element_type());
  const auto read_bound = [&](const char* key, double& bound, absl::int128& int_bound) -> absl::Status {
    const JsonValue* value = json.Find(key);
    if (value == nullptr) return absl::OkStatus();
    if (!value->is_number())
      return Wrong(where, absl::StrCat("expected a number \"", key, "\", got a ", value->KindName()));
    bound = *value->AsDouble();
    if (integers && !ToInt128(*value, int_bound)) return Wrong(where, absl::StrCat("\"", key, "\" is too large"));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(read_bound("low", spec.low, int_low));
  RETURN_IF_ERROR(read_bound("high", spec.high, int_high));
  if (integers && int_high < int_low) return Wrong(where, "\"high\" is below \"low\"");
  const absl::int128 count = int_high - int_low + 1;
  spec.int_low = absl::Int128Low64(int_low);
  spec.int_count = count > absl::int128(std::numeric_limits<uint64_t>::max()) ? 0 : absl::Int128Low64(count);
  return absl::OkStatus();
}

// A number, true or false, "nan", "inf" or "-inf" (which JSON numbers cannot say).
bool ReadReal(const JsonValue& json, double& value) {
  if (const auto number = json.AsDouble()) {
    value = *number;
  } else if (const auto truth = json.AsBool()) {
    value = *truth ? 1 : 0;
  } else if (json.AsString() != nullptr && *json.AsString() == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (json.AsString() != nullptr && (*json.AsString() == "inf" || *json.AsString() == "-inf")) {
    value = std::numeric_limits<double>::infinity() * (json.AsString()->size() == 3 ? 1 : -1);
  } else {
    return false;
  }
  return true;
}

// Also [real, imaginary] for complex types.
absl::Status ReadConstant(const JsonValue& json, absl::string_view where, InputSpec& spec) {
  const JsonValue* value = json.Find("value");
  if (value == nullptr) return Wrong(where, "expected \"value\"");
  double real = 0, imaginary = 0;
  const JsonValue::Array* parts = value->AsArray();
  const bool is_pair = IsComplex(spec.shape.element_type()) && parts != nullptr && parts->size() == 2;
  const bool read = is_pair ? ReadReal((*parts)[0], real) && ReadReal((*parts)[1], imaginary) : ReadReal(*value, real);
  if (!read) return Wrong(where, absl::StrCat("\"value\" is a ", value->KindName(), ", expected a number"));
  spec.value = {real, imaginary};
  if (!IsInt(spec.shape.element_type())) return absl::OkStatus();
  absl::int128 integer = real == 1;
  if (value->AsBool() == absl::nullopt && !ToInt128(*value, integer)) {
    return Wrong(where, "expected a whole number as \"value\"");
  }
  spec.int_value = static_cast<int64_t>(absl::Int128Low64(integer));
  return absl::OkStatus();
}

absl::Status ReadBytes(const JsonValue& json, absl::string_view where, InputSpec& spec) {
  const JsonValue* base64 = json.Find("base64");
  if (base64 == nullptr || base64->AsString() == nullptr) return Wrong(where, "expected a string \"base64\"");
  if (!absl::Base64Unescape(*base64->AsString(), &spec.bytes)) return Wrong(where, "\"base64\" is no valid base64");
  const int64_t wanted = spec.shape.ByteSize();
  if (static_cast<int64_t>(spec.bytes.size()) != wanted) {
    return Wrong(where, absl::StrCat("\"base64\" holds ", spec.bytes.size(), " bytes, expected ", wanted, " for ",
                                     spec.shape.ToString()));
  }
  const absl::Status status = NormalizeSubByteElements(
      spec.shape.element_type(), reinterpret_cast<uint8_t*>(&spec.bytes[0]), spec.shape.ElementCount());
  return status.ok() ? status : Wrong(where, status.message());
}

// ---- Making ----

// Wraps `value` to the width of the type and extends its sign, if it has one.
template <typename T>
T WrapToType(uint64_t value, int bits) {
  const int unused_bits = 64 - bits;
  const uint64_t high = value << unused_bits;
  if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(static_cast<int64_t>(high) >> unused_bits);
  } else {
    return static_cast<T>(high >> unused_bits);
  }
}

// Element i of an array of integers.
uint64_t IntegerElement(const InputSpec& spec, int64_t i) {
  switch (spec.fill) {
    case InputSpec::Fill::kIota:
      return static_cast<uint64_t>(i);
    case InputSpec::Fill::kConstant:
      return static_cast<uint64_t>(spec.int_value);
    default: {
      const uint64_t z = SplitMix64(spec.seed, static_cast<uint64_t>(i));
      return spec.int_low + (spec.int_count == 0 ? z : z % spec.int_count);
    }
  }
}

bool PredElement(const InputSpec& spec, int64_t i) {
  switch (spec.fill) {
    case InputSpec::Fill::kIota:
      return i != 0;
    case InputSpec::Fill::kConstant:
      return spec.value != 0.0;
    default:
      return (SplitMix64(spec.seed, static_cast<uint64_t>(i)) & 1) != 0;
  }
}

// Part i of an array of floats, where the parts of complex number k are 2k and 2k + 1.
double RealPart(const InputSpec& spec, bool complex, int64_t i) {
  const bool imaginary = complex && i % 2 == 1;
  switch (spec.fill) {
    case InputSpec::Fill::kIota:
      return imaginary ? 0 : static_cast<double>(complex ? i / 2 : i);
    case InputSpec::Fill::kConstant:
      return imaginary ? spec.value.imag() : spec.value.real();
    default: {
      const uint64_t z = SplitMix64(spec.seed, static_cast<uint64_t>(i));
      return spec.low + (spec.high - spec.low) * (static_cast<double>(z >> 11) * 0x1p-53);
    }
  }
}

// Fills elements [begin, end), which depend only on the spec and their position, so that threads may fill parts in
// any order. Complex numbers are two reals in sequence. Types narrower than f32 go through f32 as NumPy's conversions
// do, except f16.
void FillFloats(const InputSpec& spec, int64_t begin, int64_t end, Literal& array) {
  const PrimitiveType type = array.shape().element_type();
  const bool complex = IsComplex(type);
  if (complex) {
    begin *= 2;
    end *= 2;
  }
  std::vector<double> parts(static_cast<size_t>(end - begin));
  for (int64_t i = begin; i < end; ++i) parts[i - begin] = RealPart(spec, complex, i);
  const PrimitiveType part_type = ComplexComponentType(type);
  if (part_type == F64) {
    std::copy(parts.begin(), parts.end(), array.mutable_data<double>() + begin);
  } else if (part_type == F32) {
    float* to = array.mutable_data<float>() + begin;
    for (const double part : parts) *to++ = static_cast<float>(part);
  } else {
    // f16 is rounded once, as NumPy does; what NumPy itself does not know comes by way of f32 there.
    if (part_type != F16) {
      for (double& part : parts) part = static_cast<float>(part);
    }
    char* const to = array.mutable_data<char>() + begin * ByteWidth(type);
    EncodeNarrow(NarrowFormatOf(type), parts.data(), to, static_cast<int64_t>(parts.size()));
  }
}

void FillRange(const InputSpec& spec, int64_t begin, int64_t end, Literal& array) {
  const PrimitiveType type = array.shape().element_type();
  if (type == PRED) {
    bool* const to = array.mutable_data<bool>();
    for (int64_t i = begin; i < end; ++i) to[i] = PredElement(spec, i);
  } else if (IsInt(type)) {
    DispatchInt(type, [&](auto tag) {
      using T = TagType<decltype(tag)>;
      T* const to = array.mutable_data<T>();
      for (int64_t i = begin; i < end; ++i) to[i] = WrapToType<T>(IntegerElement(spec, i), BitWidth(type));
    });
  } else {
    FillFloats(spec, begin, end, array);
  }
}

}  // namespace

InputSpec DefaultInputSpec(const Shape& shape, uint64_t seed) {
  InputSpec spec;
  spec.shape = shape;
  spec.seed = seed;
  const bool is_signed = IsSignedInt(shape.element_type());
  spec.int_low = is_signed ? static_cast<uint64_t>(-8) : 0;
  spec.int_count = is_signed ? 17 : 9;
  return spec;
}

// Reads an object such as `{"dtype": "f32", "shape": [2, 3], "fill": "uniform", "seed": 1}`.
absl::StatusOr<InputSpec> ParseInputSpec(const JsonValue& json, absl::string_view where) {
  if (json.AsObject() == nullptr) {
    return Wrong(where, absl::StrCat("expected an object {\"dtype\", \"shape\", \"fill\"}, got a ", json.KindName()));
  }
  InputSpec spec;
  RETURN_IF_ERROR(ReadShape(json, where, spec.shape));
  const JsonValue* fill = json.Find("fill");
  const std::string name = fill != nullptr && fill->AsString() != nullptr ? *fill->AsString() : "";
  if (name == "uniform") {
    spec.fill = InputSpec::Fill::kUniform;
    RETURN_IF_ERROR(ReadSeed(json, where, spec.seed));
    RETURN_IF_ERROR(ReadRange(json, where, spec));
  } else if (name == "iota") {
    spec.fill = InputSpec::Fill::kIota;
  } else if (name == "constant") {
    spec.fill = InputSpec::Fill::kConstant;
    RETURN_IF_ERROR(ReadConstant(json, where, spec));
  } else if (name == "bytes") {
    spec.fill = InputSpec::Fill::kBytes;
    RETURN_IF_ERROR(ReadBytes(json, where, spec));
  } else {
    return Wrong(where, absl::StrCat("unknown \"fill\" \"", name, "\", expected uniform, iota, constant or bytes"));
  }
  return spec;
}

// Makes the array in chunks, on the pool if there is one. Contents do not depend on the number of threads.
absl::StatusOr<Literal> MakeInput(const InputSpec& spec, ThreadPool* pool, MemoryBudget* budget,
                                  const ResourceContext* resources) {
  ASSIGN_OR_RETURN(Literal array, Literal::Allocate(spec.shape, budget));
  if (spec.fill == InputSpec::Fill::kBytes) {
    std::memcpy(array.untyped_mutable_data(), spec.bytes.data(), spec.bytes.size());
    return array;
  }
  const auto fill = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += kChunk) {
      if (resources != nullptr && resources->IsOver()) return;
      FillRange(spec, i, std::min(end, i + kChunk), array);
    }
  };
  const int64_t count = array.element_count();
  if (pool != nullptr) {
    pool->ParallelFor(count, 16 * kChunk, fill);
  } else {
    fill(0, count);
  }
  RETURN_IF_ERROR(CheckResources(resources));
  return array;
}

// Reads a list of specs, one for each parameter, or a list of such lists, one for each device. An object around it
// may give the numbers of replicas and partitions; 0 stands for a number that is not given.
absl::StatusOr<InputSpecs> ParseInputSpecs(const JsonValue& json, absl::string_view file_name) {
  InputSpecs specs;
  const JsonValue* list = &json;
  if (json.AsObject() != nullptr) {
    list = json.Find("inputs");
    const auto count = [&](const char* key) {
      const JsonValue* value = json.Find(key);
      return value == nullptr ? 0 : std::max<int64_t>(0, value->AsInt64().value_or(0));
    };
    specs.replica_count = count("replicas");
    specs.partition_count = count("partitions");
  }
  if (list == nullptr || list->AsArray() == nullptr) {
    return Wrong(file_name, "expected a list \"inputs\" with one spec for each parameter");
  }
  const JsonValue::Array& items = *list->AsArray();
  const bool per_device = !items.empty() && items[0].AsArray() != nullptr;
  const size_t device_count = per_device ? items.size() : 1;
  for (size_t device = 0; device < device_count; ++device) {
    const JsonValue::Array* device_items = per_device ? items[device].AsArray() : &items;
    std::string where = absl::StrCat(file_name, ": inputs");
    if (per_device) absl::StrAppend(&where, "[", device, "]");
    if (device_items == nullptr) return Wrong(where, "expected a list of specs, as for the first device");
    specs.devices.emplace_back();
    for (size_t k = 0; k < device_items->size(); ++k) {
      ASSIGN_OR_RETURN(InputSpec spec, ParseInputSpec((*device_items)[k], absl::StrCat(where, "[", k, "]")));
      specs.devices.back().push_back(std::move(spec));
    }
  }
  return specs;
}

}  // namespace xla
