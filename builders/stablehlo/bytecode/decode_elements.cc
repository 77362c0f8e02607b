// Elements of constants. Where the file has them as a module does, the module refers to the bytes of the file.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/bytecode/attribute_decoder.h"

namespace xla {
namespace stablehlo {
namespace {

bool IsPred(const Type& number) { return number.kind == TypeKind::kInteger && number.width == 1; }

int BitsOf(const Type& number) {
  if (number.kind == TypeKind::kFloat) return GetFloatKindInfo(number.float_kind).bits;
  return number.kind == TypeKind::kIndex ? 64 : static_cast<int>(number.width);
}

bool IsSupported(const Type& number) {
  const bool is_unknown_float =
      number.kind == TypeKind::kFloat && GetFloatKindInfo(number.float_kind).type == PRIMITIVE_TYPE_INVALID;
  return !is_unknown_float && BitsOf(number) <= 64;
}

// One element as it is in a byte of a module.
char NormalizedElement(const Type& number, char element) {
  const int bits = BitsOf(number);
  if (bits == 1) return static_cast<char>(element != 0);
  const int unused = 8 - bits;
  const auto shifted = static_cast<uint8_t>(static_cast<uint8_t>(element) << unused);
  const bool is_signed = number.kind == TypeKind::kInteger && number.signedness != Signedness::kUnsigned;
  return is_signed ? static_cast<char>(static_cast<int8_t>(shifted) >> unused) : static_cast<char>(shifted >> unused);
}

// How the elements of a tensor are in the file.
enum class Form : uint8_t { kAll, kSplat, kPacked, kWrong };

// One truth value takes a bit; old writers used a byte. Which of them this is, only the size says, and the byte FF,
// which is the splat of true.
Form FormOfPred(absl::string_view data, int64_t count) {
  const auto size = static_cast<int64_t>(data.size());
  if (count == 0) return size == 0 ? Form::kAll : Form::kWrong;
  if (size == 1 && data[0] == '\xff') return Form::kSplat;
  if (count > 0 && size == count / 8 + (count % 8 != 0) && size != count) return Form::kPacked;
  if (size == count) return Form::kAll;
  return size == 1 ? Form::kSplat : Form::kWrong;
}

Form FormOf(absl::string_view data, int64_t count, int64_t element_bytes) {
  const auto size = static_cast<int64_t>(data.size());
  if (count == 0) return size == 0 ? Form::kAll : Form::kWrong;
  if (count > 0 && size % element_bytes == 0 && size / element_bytes == count) return Form::kAll;
  return size == element_bytes ? Form::kSplat : Form::kWrong;
}

}  // namespace

// `data` as a module has it: elements narrower than a byte with extended signs.
absl::string_view AttributeDecoder::Normalized(const Type& number, absl::string_view data) {
  if (BitsOf(number) >= 8) return data;
  const auto is_normal = [&number](char element) { return NormalizedElement(number, element) == element; };
  if (std::all_of(data.begin(), data.end(), is_normal)) return data;
  char* const bytes = module_.NewBytes(data.size());
  std::transform(data.begin(), data.end(), bytes,
                 [&number](char element) { return NormalizedElement(number, element); });
  return absl::string_view(bytes, data.size());
}

bool AttributeDecoder::DecodeElements(ByteReader& reader) {
  TypeId type;
  absl::string_view data;
  if (!ReadType(reader, &type) || !reader.ReadBlob(&data)) return false;
  if (IsWaiting()) return true;
  const Type& tensor = module_.type(type);
  const auto is_open = [](int64_t dimension) { return dimension == kDynamic; };
  if (tensor.kind != TypeKind::kTensor || std::any_of(tensor.dimensions.begin(), tensor.dimensions.end(), is_open)) {
    return reader.Error("expected a tensor type of known sizes");
  }
  const Type* number = &module_.type(tensor.element);
  if (number->kind == TypeKind::kQuantized) number = &module_.type(number->quantization->storage);
  if (number->kind == TypeKind::kComplex) number = &module_.type(number->element);
  if (!IsSupported(*number)) return reader.Error("constants of this type are not supported");
  const int64_t count = ElementCount(tensor);
  const int64_t element_bytes = ElementBytes(module_, tensor.element);
  const Form form =
      IsPred(*number) && element_bytes == 1 ? FormOfPred(data, count) : FormOf(data, count, element_bytes);
  if (form == Form::kWrong) {
    return reader.Error(absl::StrCat("found ", data.size(), " bytes for a constant of ", count,
                                     " elements, each of which has ", element_bytes));
  }
  if (form == Form::kPacked) {
    char* const bytes = module_.NewBytes(count);
    for (int64_t i = 0; i < count; ++i) bytes[i] = static_cast<char>((data[i / 8] >> (i % 8)) & 1);
    data = absl::string_view(bytes, count);
  } else {
    data = Normalized(*number, data);
  }
  // A tensor of one element is not a splat.
  return SetAttribute(DenseElementsAttribute(type, data, form == Form::kSplat && count != 1));
}

// array<i64: 1, 2>
bool AttributeDecoder::DecodeDenseArray(ByteReader& reader) {
  TypeId element;
  uint64_t count = 0;
  absl::string_view data;
  if (!ReadType(reader, &element) || !reader.ReadVarint(&count) || !reader.ReadBlob(&data)) return false;
  if (IsWaiting()) return true;
  const Type& number = module_.type(element);
  const auto bytes = static_cast<uint64_t>(ElementBytes(module_, element));
  if ((number.kind != TypeKind::kInteger && number.kind != TypeKind::kFloat) || bytes > 8 || !IsSupported(number)) {
    return reader.Error("expected the type of the numbers of an array");
  }
  if (data.size() % bytes != 0 || data.size() / bytes != count) {
    return reader.Error(absl::StrCat("found ", data.size(), " bytes for an array of ", count, " numbers"));
  }
  return SetAttribute(DenseArrayAttribute(element, Normalized(number, data)));
}

}  // namespace stablehlo
}  // namespace xla
