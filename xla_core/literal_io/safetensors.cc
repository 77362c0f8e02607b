#include "xla_core/literal_io/safetensors.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "xla_core/literal_io/sub_byte.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/json.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr size_t kLengthBytes = 8;
constexpr absl::string_view kMetadata = "__metadata__";
// The data of a file begins at a multiple of this.
constexpr size_t kDataAlignment = 8;

struct TypeName {
  const char* name;
  PrimitiveType type;
};
constexpr TypeName kTypes[] = {
    {"BOOL", PRED},
    {"U8", U8},
    {"I8", S8},
    {"U16", U16},
    {"I16", S16},
    {"F16", F16},
    {"BF16", BF16},
    {"U32", U32},
    {"I32", S32},
    {"F32", F32},
    {"U64", U64},
    {"I64", S64},
    {"F64", F64},
    {"C64", C64},
    {"F8_E4M3", F8E4M3FN},
    {"F8_E5M2", F8E5M2},
    {"F8_E8M0", F8E8M0FNU},
};

PrimitiveType TypeOfName(absl::string_view name) {
  for (const TypeName& row : kTypes) {
    if (name == row.name) return row.type;
  }
  return PRIMITIVE_TYPE_INVALID;
}

// Null if the format has no such type.
const char* NameOfType(PrimitiveType type) {
  if (IsSubByte(type) && IsInt(type)) return IsSignedInt(type) ? "I8" : "U8";
  for (const TypeName& row : kTypes) {
    if (type == row.type) return row.name;
  }
  return nullptr;
}

uint64_t LittleEndian64(absl::string_view bytes) {
  uint64_t value = 0;
  for (int i = kLengthBytes - 1; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::string LittleEndian64(uint64_t value) {
  std::string bytes;
  for (size_t i = 0; i < kLengthBytes; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
  return bytes;
}

// The non-negative whole numbers of an array; false if `json` is something else.
bool ReadSizes(const JsonValue* json, DimensionVector* sizes) {
  if (json == nullptr || json->AsArray() == nullptr) return false;
  for (const JsonValue& element : *json->AsArray()) {
    const absl::optional<int64_t> size = element.AsInt64();
    if (!size.has_value() || *size < 0) return false;
    sizes->push_back(*size);
  }
  return true;
}

// The product of the sizes with the element's width; false if it has no 63 bits.
bool ByteSizeOf(const Shape& shape, int64_t* bytes) {
  *bytes = ByteWidth(shape.element_type());
  return std::all_of(shape.dimensions().begin(), shape.dimensions().end(),
                     [bytes](int64_t size) { return CheckedMul(*bytes, size, bytes); });
}

}  // namespace

absl::Status SafetensorsReader::Error(absl::string_view what) const {
  return absl::InvalidArgumentError(absl::StrCat(path_, ": ", what));
}

absl::StatusOr<SafetensorsReader> SafetensorsReader::Open(const std::string& path) {
  ASSIGN_OR_RETURN(FileContents contents, ReadFile(path));
  const auto file = std::make_shared<const FileContents>(std::move(contents));
  ASSIGN_OR_RETURN(SafetensorsReader reader, FromBytes(file->data(), path));
  reader.file_ = file;
  return reader;
}

absl::StatusOr<SafetensorsReader> SafetensorsReader::FromBytes(absl::string_view bytes, absl::string_view name) {
  SafetensorsReader reader;
  reader.path_ = std::string(name);
  RETURN_IF_ERROR(reader.ReadHeader(bytes));
  return reader;
}

// Reads the header of the Safetensors format: 8 bytes with its length, then JSON that maps names to type, shape and
// byte range. Arrays are listed in the order of their data; each range must fit its shape and lie in the file.
absl::Status SafetensorsReader::ReadHeader(absl::string_view file) {
  if (file.size() < kLengthBytes) return Error("not a .safetensors file: it has fewer than 8 bytes");
  const uint64_t header_bytes = LittleEndian64(file.substr(0, kLengthBytes));
  file.remove_prefix(kLengthBytes);
  if (header_bytes > file.size()) {
    return Error("not a .safetensors file, or cut off: its first 8 bytes announce a longer header than there is");
  }
  ASSIGN_OR_RETURN(const JsonValue header, ParseJson(file.substr(0, header_bytes), absl::StrCat(path_, ": header")));
  if (header.AsObject() == nullptr) return Error("the header of a .safetensors file is a JSON object");
  const absl::string_view data = file.substr(header_bytes);

  for (const auto& [name, json] : *header.AsObject()) {
    if (name == kMetadata) continue;
    const JsonValue* const dtype = json.Find("dtype");
    DimensionVector dimensions, offsets;
    if (dtype == nullptr || dtype->AsString() == nullptr || !ReadSizes(json.Find("shape"), &dimensions) ||
        !ReadSizes(json.Find("data_offsets"), &offsets) || offsets.size() != 2) {
      return Error(absl::StrCat(name, ": expected {\"dtype\", \"shape\", \"data_offsets\": [begin, end]}"));
    }
    const PrimitiveType type = TypeOfName(*dtype->AsString());
    if (type == PRIMITIVE_TYPE_INVALID) {
      return Error(absl::StrCat(name, ": holds elements of type '", *dtype->AsString(),
                                "', expected F16, F32, I8, I32 or another type of whole bytes that HLO has"));
    }
    const Shape shape = Shape::Array(type, dimensions);
    int64_t bytes = 0;
    if (!ValidateShape(shape).ok() || !ByteSizeOf(shape, &bytes)) {
      return Error(absl::StrCat(name, ": the array is too large"));
    }
    const int64_t available = static_cast<int64_t>(data.size());
    if (offsets[0] > offsets[1] || offsets[1] > available) {
      return Error(absl::StrCat(name, ": data_offsets [", offsets[0], ", ", offsets[1], "] lie outside the ", available,
                                " bytes of data; the file is damaged or cut off"));
    }
    if (offsets[1] - offsets[0] != bytes) {
      return Error(absl::StrCat(name, ": ", shape.ToString(), " takes ", bytes, " bytes, its data_offsets span ",
                                offsets[1] - offsets[0]));
    }
    arrays_.push_back({name, shape, data.substr(offsets[0], bytes)});
  }
  std::stable_sort(arrays_.begin(), arrays_.end(),
                   [](const Array& a, const Array& b) { return a.data.data() < b.data.data(); });
  return absl::OkStatus();
}

int SafetensorsReader::Find(absl::string_view array_name) const {
  for (int i = 0; i < size(); ++i) {
    if (arrays_[i].name == array_name) return i;
  }
  return -1;
}

absl::StatusOr<Literal> SafetensorsReader::ReadUnder(int i, const Shape& shape) const {
  const Array& array = arrays_[i];
  ASSIGN_OR_RETURN(Literal literal, Literal::Allocate(shape));
  if (!array.data.empty()) std::memcpy(literal.untyped_mutable_data(), array.data.data(), array.data.size());
  const absl::Status status = NormalizeSubByteElements(
      shape.element_type(), static_cast<uint8_t*>(literal.untyped_mutable_data()), literal.element_count());
  if (!status.ok()) return Error(absl::StrCat(array.name, ": ", status.message()));
  return literal;
}

absl::StatusOr<Literal> SafetensorsReader::Read(int i) const { return ReadUnder(i, arrays_[i].shape); }

absl::StatusOr<Literal> SafetensorsReader::ReadAs(int i, const Shape& wanted) const {
  const Shape& stored = arrays_[i].shape;
  const char* const name = NameOfType(wanted.element_type());
  const bool fits =
      name != nullptr && TypeOfName(name) == stored.element_type() && stored.dimensions() == wanted.dimensions();
  if (!fits) {
    return Error(absl::StrCat(arrays_[i].name, ": holds ", stored.ToString(), ", expected ", wanted.ToString()));
  }
  return ReadUnder(i, wanted);
}

// Writes header and data in the order given, with the header padded by blanks so that data are aligned. The file
// appears under its name only when it is complete. Elements of less than a byte are written one a byte, without the
// bits of their sign extension.
absl::Status WriteSafetensors(absl::Span<const std::pair<std::string, Literal>> arrays, const std::string& path) {
  std::vector<absl::string_view> names = {kMetadata};
  int64_t offset = 0;
  JsonWriter json;
  json.BeginObject();
  for (const auto& [name, array] : arrays) {
    const char* const dtype = NameOfType(array.shape().element_type());
    if (dtype == nullptr || array.has_dynamic_sizes()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": a .safetensors file has no place for ", name, ", ", array.shape().ToString()));
    }
    json.Key(name).BeginObject().Key("dtype").String(dtype).Key("shape").BeginArray();
    for (const int64_t size : array.shape().dimensions()) json.Int(size);
    json.EndArray().Key("data_offsets").BeginArray().Int(offset).Int(offset + array.size_bytes()).EndArray();
    json.EndObject();
    offset += array.size_bytes();
    names.push_back(name);
  }
  json.EndObject();
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": there is more than one array '", *twice, "'"));
  }

  std::string header = json.TakeText();
  header.append((kDataAlignment - header.size() % kDataAlignment) % kDataAlignment, ' ');
  ASSIGN_OR_RETURN(const std::unique_ptr<AtomicFile> file, AtomicFile::Create(path));
  RETURN_IF_ERROR(file->Append(LittleEndian64(header.size())));
  RETURN_IF_ERROR(file->Append(header));
  for (const auto& [name, array] : arrays) {
    Literal stored = array;
    const PrimitiveType type = array.shape().element_type();
    if (IsSubByte(type) && IsSignedInt(type)) {
      RETURN_IF_ERROR(stored.MakeWritable(nullptr));
      MaskSubByteElements(type, stored.mutable_data<uint8_t>(), stored.element_count());
    }
    RETURN_IF_ERROR(
        file->Append({static_cast<const char*>(stored.untyped_data()), static_cast<size_t>(stored.size_bytes())}));
  }
  return file->Commit();
}

}  // namespace xla
