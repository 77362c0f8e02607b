// Types of VHLO and of the builtin dialect.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "builders/stablehlo/bytecode/attribute_decoder.h"

namespace xla {
namespace stablehlo {
namespace {

// The types of VHLO that are a code alone.
struct SimpleVhloType {
  uint64_t code;
  Type type;
};

const SimpleVhloType kSimpleVhloTypes[] = {
    {0, IntegerType(1)},
    {2, FloatType(FloatKind::kBF16)},
    {3, FloatType(FloatKind::kF16)},
    {4, FloatType(FloatKind::kF32)},
    {5, FloatType(FloatKind::kF64)},
    {6, FloatType(FloatKind::kF8E4M3FN)},
    {7, FloatType(FloatKind::kF8E5M2)},
    {9, SimpleType(TypeKind::kIndex)},
    {10, IntegerType(4)},
    {11, IntegerType(8)},
    {12, IntegerType(16)},
    {13, IntegerType(32)},
    {14, IntegerType(64)},
    {15, IntegerType(4, Signedness::kUnsigned)},
    {16, IntegerType(8, Signedness::kUnsigned)},
    {17, IntegerType(16, Signedness::kUnsigned)},
    {18, IntegerType(32, Signedness::kUnsigned)},
    {19, IntegerType(64, Signedness::kUnsigned)},
    {22, SimpleType(TypeKind::kToken)},
    {26, SimpleType(TypeKind::kWitness)},
    {27, FloatType(FloatKind::kF8E4M3FNUZ)},
    {28, FloatType(FloatKind::kF8E5M2FNUZ)},
    {29, FloatType(FloatKind::kF8E4M3B11FNUZ)},
    {31, IntegerType(2)},
    {32, IntegerType(2, Signedness::kUnsigned)},
    {33, SimpleType(TypeKind::kNone)},
    {34, FloatType(FloatKind::kTF32)},
    {35, FloatType(FloatKind::kF8E4M3)},
    {36, FloatType(FloatKind::kF8E3M4)},
    {37, FloatType(FloatKind::kF4E2M1FN)},
    {38, FloatType(FloatKind::kF6E2M3FN)},
    {39, FloatType(FloatKind::kF6E3M2FN)},
    {40, FloatType(FloatKind::kF8E8M0FNU)},
};

absl::optional<FloatKind> BuiltinFloat(uint64_t code) {
  switch (code) {
    case 3:
      return FloatKind::kBF16;
    case 4:
      return FloatKind::kF16;
    case 5:
      return FloatKind::kF32;
    case 6:
      return FloatKind::kF64;
    case 7:
      return FloatKind::kF80;
    case 8:
      return FloatKind::kF128;
    default:
      return absl::nullopt;
  }
}

constexpr uint64_t kMaxIntegerWidth = (1 << 24) - 1;  // MLIR's own
constexpr uint32_t kMaxStorageWidth = 32;

}  // namespace

bool AttributeDecoder::DecodeVhloType(ByteReader& reader) {
  uint64_t code = 0;
  if (!reader.ReadVarint(&code)) return false;
  for (const SimpleVhloType& simple : kSimpleVhloTypes) {
    if (simple.code == code) return SetType(simple.type);
  }
  switch (code) {
    case 1:
      return DecodeComplexType(reader);
    case 8:
      return DecodeFunctionType(reader);
    case 20:
    case 21:
      return DecodeTensorType(reader, TypeKind::kTensor, /*has_encoding=*/code == 21);
    case 23:
      return DecodeListType(reader, TypeKind::kTuple);
    case 24:
    case 30:
      return DecodeQuantizedType(reader, /*is_per_axis=*/code == 30);
    case 25:
      return DecodeUnrankedType(reader);
    case 41:
      return DecodeTensorType(reader, TypeKind::kMemRef, /*has_encoding=*/false);
    case 42:
      return DecodeListType(reader, TypeKind::kFuture);
    default:
      return ErrorCode(reader, "vhlo", "type", code);
  }
}

bool AttributeDecoder::DecodeBuiltinType(ByteReader& reader) {
  uint64_t code = 0;
  if (!reader.ReadVarint(&code)) return false;
  if (const absl::optional<FloatKind> kind = BuiltinFloat(code)) return SetType(FloatType(*kind));
  switch (code) {
    case 0: {
      uint64_t bits = 0;
      if (!reader.ReadVarint(&bits)) return false;
      const uint64_t width = bits >> 2;
      const uint64_t signedness = bits & 3;
      if (width == 0 || width > kMaxIntegerWidth || signedness > 2) return reader.Error("expected an integer type");
      return SetType(IntegerType(static_cast<uint32_t>(width), signedness == 0   ? Signedness::kSignless
                                                               : signedness == 1 ? Signedness::kSigned
                                                                                 : Signedness::kUnsigned));
    }
    case 1:
      return SetType(SimpleType(TypeKind::kIndex));
    case 2:
      return DecodeFunctionType(reader);
    case 9:
      return DecodeComplexType(reader);
    case 12:
      return SetType(SimpleType(TypeKind::kNone));
    case 13:
    case 14:
      return DecodeTensorType(reader, TypeKind::kTensor, /*has_encoding=*/code == 14);
    case 15:
      return DecodeListType(reader, TypeKind::kTuple);
    case 18:
      return DecodeUnrankedType(reader);
    default:
      return SetUnknown();  // memory references and vectors
  }
}

bool AttributeDecoder::DecodeFunctionType(ByteReader& reader) {
  std::vector<TypeId> arguments;
  std::vector<TypeId> results;
  return ReadTypes(reader, &arguments) && ReadTypes(reader, &results) && SetType(FunctionType(arguments, results));
}

bool AttributeDecoder::DecodeListType(ByteReader& reader, TypeKind kind) {
  std::vector<TypeId> types;
  return ReadTypes(reader, &types) && SetType(ListType(kind, types));
}

bool AttributeDecoder::DecodeComplexType(ByteReader& reader) {
  TypeId part;
  if (!ReadType(reader, &part) || IsWaiting()) return part.ok() || IsWaiting();
  const TypeKind kind = module_.type(part).kind;
  if (kind != TypeKind::kFloat && kind != TypeKind::kInteger) return reader.Error("expected a float or integer type");
  return SetType(ComplexType(part));
}

bool AttributeDecoder::CheckElementType(const ByteReader& reader, TypeId element) const {
  return !element.ok() || ElementBytes(module_, element) != 0 || reader.Error("expected the type of elements");
}

bool AttributeDecoder::DecodeTensorType(ByteReader& reader, TypeKind kind, bool has_encoding) {
  Type tensor;
  tensor.kind = kind;
  std::vector<int64_t> dimensions;
  if ((has_encoding && !ReadAttribute(reader, &tensor.encoding)) || !ReadIntegers(reader, &dimensions) ||
      !ReadType(reader, &tensor.element) || !CheckElementType(reader, tensor.element)) {
    return false;
  }
  tensor.dimensions = dimensions;
  for (const int64_t dimension : dimensions) {
    if (dimension >= 0 || dimension == kDynamic) continue;
    return reader.Error(absl::StrCat("expected the size of a dimension, found ", dimension));
  }
  return SetType(tensor);
}

bool AttributeDecoder::DecodeUnrankedType(ByteReader& reader) {
  Type tensor = SimpleType(TypeKind::kUnrankedTensor);
  return ReadType(reader, &tensor.element) && CheckElementType(reader, tensor.element) && SetType(tensor);
}

// The two forms have their fields in another order.
bool AttributeDecoder::DecodeQuantizedType(ByteReader& reader, bool is_per_axis) {
  uint64_t flags = 0;
  uint64_t axis = 0;
  TypeId storage_id;
  Type quantized = SimpleType(TypeKind::kQuantized);
  Quantization quantization;
  std::vector<double> scales(1);
  std::vector<int64_t> zero_points(1);
  if (!reader.ReadVarint(&flags) || !ReadType(reader, &storage_id) || !ReadType(reader, &quantized.element) ||
      (is_per_axis ? !reader.ReadVarint(&axis)
                   : !ReadDouble(reader, scales.data()) || !reader.ReadSignedVarint(zero_points.data())) ||
      !reader.ReadSignedVarint(&quantization.storage_min) || !reader.ReadSignedVarint(&quantization.storage_max)) {
    return false;
  }
  if (is_per_axis) {
    uint64_t count = 0;
    if (!reader.ReadCount("scales", &count)) return false;
    scales.resize(count);
    const bool is_read =
        std::all_of(scales.begin(), scales.end(), [&](double& scale) { return ReadDouble(reader, &scale); });
    if (!is_read || !ReadIntegers(reader, &zero_points)) return false;
  }
  if (IsWaiting()) return true;
  const Type& storage = module_.type(storage_id);
  if (storage.kind != TypeKind::kInteger || storage.width > kMaxStorageWidth) {
    return reader.Error(absl::StrCat("expected integers of at most ", kMaxStorageWidth, " bits as storage"));
  }
  if (module_.type(quantized.element).kind != TypeKind::kFloat) return reader.Error("expected a float type");
  quantization.is_signed = (flags & 1) != 0;
  quantization.storage = module_.Intern(IntegerType(storage.width));
  const int64_t least = quantization.is_signed ? -(int64_t{1} << (storage.width - 1)) : 0;
  const int64_t most = (int64_t{1} << (quantization.is_signed ? storage.width - 1 : storage.width)) - 1;
  if (quantization.storage_min < least || quantization.storage_max > most ||
      quantization.storage_min >= quantization.storage_max) {
    return reader.Error(absl::StrCat("expected limits of the storage in order from ", least, " to ", most, ", found ",
                                     quantization.storage_min, " and ", quantization.storage_max));
  }
  const bool are_finite = std::all_of(scales.begin(), scales.end(), [](double scale) { return std::isfinite(scale); });
  if (scales.empty() || scales.size() != zero_points.size() || !are_finite) {
    return reader.Error("expected finite scales, and a zero point for each of them");
  }
  if (axis > static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) return reader.Error("expected a dimension");
  if (is_per_axis) quantization.axis = static_cast<int32_t>(axis);
  quantization.scales = scales;
  quantization.zero_points = zero_points;
  quantized.quantization = &quantization;
  return SetType(quantized);
}

}  // namespace stablehlo
}  // namespace xla
