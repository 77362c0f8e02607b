#include "builders/nnef_common/containers/tensor_file.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "builders/nnef_common/containers/fresh_memory.h"
#include "builders/nnef_common/containers/item_decoding.h"
#include "builders/nnef_common/diagnostics.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef {
namespace {

constexpr int64_t kMaxRank = 8;
constexpr int64_t kMaxItemBits = 64;
// Places of the header's fields.
constexpr int kDataLength = 4;
constexpr int kRank = 8;
constexpr int kExtents = 12;
constexpr int kBitsPerItem = 44;
constexpr int kItemType = 48;
constexpr int kVendor = 50;
constexpr int kParameters = 52;

// What a file is called, and how its errors are.
struct FileName {
  absl::string_view name;
  const ModelFormat& format;
};

absl::Status Refused(const FileName& file, absl::string_view message) {
  return ClassifiedError(file.format.data_error, absl::StrCat(file.name, ": ", message));
}

template <typename T>
T Load(absl::string_view bytes, int64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

template <typename T>
void Store(T value, int64_t offset, std::string& bytes) {
  std::memcpy(&bytes[static_cast<size_t>(offset)], &value, sizeof(value));
}

std::string ExtentsToString(const Extents& extents) { return absl::StrCat("[", absl::StrJoin(extents, ","), "]"); }

std::string Describe(const TensorHeader& header) {
  static constexpr const char* kNames[] = {
      "float", "unsigned integer", "quantised unsigned", "quantised signed", "integer", "bool"};
  return absl::StrCat(header.bits_per_item, "-bit ", kNames[static_cast<int>(header.item_type)], " items");
}

// What is wrong with the width of the items; empty if nothing.
std::string ComplaintAboutWidth(const TensorHeader& header) {
  const int64_t bits = header.bits_per_item;
  if (header.item_type == ItemType::kFloat) {
    return bits == 16 || bits == 32 || bits == 64 ? "" : "expected floats of 16, 32 or 64 bits";
  }
  if (header.item_type == ItemType::kBool) return bits == 1 || bits == 8 ? "" : "expected bools of 1 or 8 bits";
  return bits >= 1 && bits <= kMaxItemBits ? "" : "expected integers of 1 to 64 bits";
}

// ceil(volume * bits / 8); false if that does not fit. The volume without extents of 0 must fit, too, so that no
// product of some extents is too large. The width of what is not there does not matter: an empty tensor that can be read
// can be written with elements of any type.
bool DataBytes(const Extents& extents, int64_t bits, int64_t* bytes) {
  int64_t volume = 1;
  bool is_empty = false;
  for (int64_t extent : extents) {
    is_empty = is_empty || extent == 0;
    if (extent > 0 && !CheckedMul(volume, extent, &volume)) return false;
  }
  *bytes = 0;
  if (is_empty) return true;
  int64_t total_bits;
  if (!CheckedMul(volume, bits, &total_bits)) return false;
  *bytes = CeilDiv(total_bits, 8);
  return true;
}

// Item type and width. Older files mark signed integers by a parameter, and give the range of quantized ones in the
// header.
absl::Status ReadItemType(absl::string_view bytes, const FileName& name, TensorHeader* header) {
  const auto code = Load<uint16_t>(bytes, kItemType);
  const auto vendor = Load<uint16_t>(bytes, kVendor);
  if (vendor != 0 || code > static_cast<uint16_t>(ItemType::kBool)) {
    return Refused(name, absl::StrCat("expected item type 0 to 5 of vendor 0, got ", code, " of vendor ", vendor));
  }
  header->item_type = static_cast<ItemType>(code);
  header->bits_per_item = Load<uint32_t>(bytes, kBitsPerItem);
  const std::string complaint = ComplaintAboutWidth(*header);
  if (!complaint.empty()) return Refused(name, absl::StrCat(complaint, ", got ", header->bits_per_item));
  if (header->item_type == ItemType::kUnsigned && Load<uint32_t>(bytes, kParameters) != 0) {
    header->item_type = ItemType::kSigned;
  }
  if (header->item_type == ItemType::kQuantizedUnsigned || header->item_type == ItemType::kQuantizedSigned) {
    const auto min = Load<float>(bytes, kParameters);
    const auto max = Load<float>(bytes, kParameters + 4);
    if (min < max) header->deprecated_range = {min, max};
  }
  return absl::OkStatus();
}

absl::Status ReadExtents(absl::string_view bytes, const FileName& name, TensorHeader* header) {
  const auto rank = Load<uint32_t>(bytes, kRank);
  if (rank > kMaxRank) return Refused(name, absl::StrCat("expected a rank of at most ", kMaxRank, ", got ", rank));
  for (uint32_t i = 0; i < rank; ++i) {
    header->extents.push_back(Load<uint32_t>(bytes, kExtents + 4 * i));
    if (header->extents.back() == 0 && !name.format.has_empty_tensors) {
      return Refused(name, absl::StrCat("expected positive extents, got 0 for dimension ", i));
    }
  }
  return absl::OkStatus();
}

bool Fits(ItemType type, ItemKind declared) {
  switch (type) {
    case ItemType::kFloat:
    case ItemType::kQuantizedUnsigned:
    case ItemType::kQuantizedSigned:
      return declared == ItemKind::kReal;
    case ItemType::kUnsigned:
    case ItemType::kSigned:
      return declared == ItemKind::kInteger;
    case ItemType::kBool:
      return declared == ItemKind::kLogical;
  }
  return false;
}

absl::Status CheckDeclared(const TensorHeader& header, const DeclaredTensor& declared, const FileName& name) {
  if (!Fits(header.item_type, declared.kind)) {
    return Refused(name,
                   absl::StrCat("expected items for a tensor of type ", declared.type, ", got ", Describe(header)));
  }
  if (declared.extents == nullptr || *declared.extents == header.extents) return absl::OkStatus();
  return Refused(name, absl::StrCat("expected the declared shape ", ExtentsToString(*declared.extents), ", got ",
                                    ExtentsToString(header.extents)));
}

// Bytes begin..begin+size of a file.
using ReadBytes = absl::FunctionRef<absl::Status(int64_t begin, int64_t size, char* destination)>;

// Decodes the items piece by piece, so that the file is never in memory beside the literal.
absl::StatusOr<Literal> DecodeItems(const TensorHeader& header, const Shape& shape, FindCodeMeaning find_meaning,
                                    const FileName& name, ReadBytes read) {
  constexpr int64_t kItemsAtOnce = int64_t{1} << 16;  // a multiple of 8: each piece begins with a byte
  CodeMeaning meaning;
  if (header.item_type == ItemType::kQuantizedUnsigned || header.item_type == ItemType::kQuantizedSigned) {
    absl::StatusOr<CodeMeaning> of_codes = find_meaning(header);
    if (!of_codes.ok()) {
      return ClassifiedError(name.format.quantization_error,
                             absl::StrCat(name.name, ": ", of_codes.status().message()));
    }
    meaning = *std::move(of_codes);
  }
  const ItemDecoder decoder(header, shape.element_type(), std::move(meaning));
  ASSIGN_OR_RETURN(Literal literal, AllocateToRead(shape));
  char* destination = literal.mutable_data<char>();
  const int64_t count = literal.element_count();
  std::vector<char> buffer(static_cast<size_t>(std::min(count, kItemsAtOnce) * header.bits_per_item / 8 + 1));
  for (int64_t first = 0; first < count; first += kItemsAtOnce) {
    const int64_t items = std::min(kItemsAtOnce, count - first);
    RETURN_IF_ERROR(read(kTensorHeaderBytes + first * header.bits_per_item / 8,
                         CeilDiv(items * header.bits_per_item, 8), buffer.data()));
    const absl::StatusOr<Literal> decoded = decoder.Decode(buffer.data(), items, first);
    if (!decoded.ok()) return Refused(name, decoded.status().message());
    std::memcpy(destination, decoded->untyped_data(), static_cast<size_t>(decoded->size_bytes()));
    destination += decoded->size_bytes();
  }
  return literal;
}

absl::Status MissingFile(const Container& container, absl::string_view member) {
  constexpr int64_t kEnoughForASuggestion = 2000;
  const std::vector<std::string> members = container.Members(kEnoughForASuggestion);
  std::vector<absl::string_view> known;
  for (const std::string& other : members) known.push_back(other);
  return ClassifiedError(container.format().data_error,
                         absl::StrCat(container.NameOf(member), ": there is no such file", DidYouMean(member, known)));
}

// Errors of the container are about this tensor's data here.
absl::Status AsTensorError(const absl::Status& status, const ModelFormat& format) {
  if (status.ok()) return status;
  const bool is_quantization = ErrorCodeOf(status) == std::string(format.quantization_error.code());
  return ClassifiedError(is_quantization ? format.quantization_error : format.data_error, MessageWithoutClass(status));
}

}  // namespace

int64_t TensorHeader::item_count() const {
  int64_t count = 1;
  for (int64_t extent : extents) count *= extent;
  return count;
}

// The header of the tensor file format of the NNEF specification, 128 bytes in little-endian order. The length of the
// data must be what shape and width need.
absl::StatusOr<TensorHeader> ParseTensorHeader(absl::string_view bytes, int64_t file_bytes, absl::string_view file,
                                               const ModelFormat& format) {
  const FileName name{file, format};
  if (static_cast<int64_t>(bytes.size()) < kTensorHeaderBytes) {
    return Refused(name, absl::StrCat("expected a header of ", kTensorHeaderBytes, " bytes, got ", bytes.size(),
                                      bytes.size() == 1 ? " byte" : " bytes"));
  }
  if (bytes.substr(0, 2) != "\x4E\xEF") return Refused(name, "expected a tensor file, which begins with 4E EF");
  const int major = static_cast<uint8_t>(bytes[2]);
  const int minor = static_cast<uint8_t>(bytes[3]);
  if (major != 1 || minor != 0) {
    return Refused(name, absl::StrCat("expected version 1.0 of the tensor file format, got ", major, ".", minor));
  }
  TensorHeader header;
  header.data_bytes = Load<uint32_t>(bytes, kDataLength);
  RETURN_IF_ERROR(ReadExtents(bytes, name, &header));
  RETURN_IF_ERROR(ReadItemType(bytes, name, &header));
  int64_t expected_bytes;
  if (!DataBytes(header.extents, header.bits_per_item, &expected_bytes)) {
    return Refused(name, absl::StrCat("the shape ", ExtentsToString(header.extents), " is too large"));
  }
  if (header.data_bytes != expected_bytes) {
    return Refused(name, absl::StrCat("expected a data length of ", expected_bytes, " bytes for ", Describe(header),
                                      " of shape ", ExtentsToString(header.extents), ", got ", header.data_bytes));
  }
  if (file_bytes >= 0 && file_bytes - kTensorHeaderBytes < header.data_bytes) {
    return Refused(name, absl::StrCat("expected ", header.data_bytes, " bytes of data after the header, got ",
                                      file_bytes - kTensorHeaderBytes));
  }
  return header;
}

// Reads a member as a tensor of the declared type.
absl::StatusOr<Literal> ReadTensor(const Container& container, absl::string_view member, const DeclaredTensor& declared,
                                   FindCodeMeaning find_meaning, Diagnostics* diagnostics) {
  const ModelFormat& format = container.format();
  const std::string path = container.NameOf(member);
  const FileName name{path, format};
  if (!container.Has(member)) return MissingFile(container, member);
  const absl::StatusOr<int64_t> size = container.SizeOf(member);
  if (!size.ok()) return AsTensorError(size.status(), format);
  std::string head(static_cast<size_t>(std::min(*size, kTensorHeaderBytes)), '\0');
  RETURN_IF_ERROR(AsTensorError(container.Read(member, 0, static_cast<int64_t>(head.size()), head.data()), format));
  ASSIGN_OR_RETURN(const TensorHeader header, ParseTensorHeader(head, *size, path, format));
  RETURN_IF_ERROR(CheckDeclared(header, declared, name));
  const int64_t surplus = *size - kTensorHeaderBytes - header.data_bytes;
  if (surplus > 0 && !format.ignores_surplus_bytes) {
    return Refused(name, absl::StrCat("expected ", header.data_bytes, " bytes of data after the header, got ",
                                      header.data_bytes + surplus));
  }
  if (surplus > 0) diagnostics->Warn(absl::StrCat(path, ": ", surplus, " bytes after the data are ignored"));
  const Shape shape = Shape::Array(declared.element_type, header.extents);
  absl::StatusOr<Literal> literal =
      IsStoredAsElements(header, shape.element_type())
          ? container.ReadArray(member, kTensorHeaderBytes, shape)
          : DecodeItems(header, shape, find_meaning, name, [&](int64_t begin, int64_t bytes, char* destination) {
              return container.Read(member, begin, bytes, destination);
            });
  if (!literal.ok()) return AsTensorError(literal.status(), format);
  return literal;
}

// Parses a tensor that is in memory; `consumed` is its length with the header.
absl::StatusOr<Literal> ParseTensor(absl::string_view bytes, const DeclaredTensor& declared,
                                    FindCodeMeaning find_meaning, absl::string_view file, const ModelFormat& format,
                                    int64_t* consumed) {
  const FileName name{file, format};
  ASSIGN_OR_RETURN(const TensorHeader header, ParseTensorHeader(bytes.substr(0, kTensorHeaderBytes),
                                                                static_cast<int64_t>(bytes.size()), file, format));
  RETURN_IF_ERROR(CheckDeclared(header, declared, name));
  *consumed = kTensorHeaderBytes + header.data_bytes;
  const Shape shape = Shape::Array(declared.element_type, header.extents);
  if (IsStoredAsElements(header, shape.element_type())) {
    ASSIGN_OR_RETURN(Literal literal, Literal::Allocate(shape));
    std::memcpy(literal.untyped_mutable_data(), bytes.data() + kTensorHeaderBytes,
                static_cast<size_t>(literal.size_bytes()));
    return literal;
  }
  return DecodeItems(header, shape, find_meaning, name, [&](int64_t begin, int64_t size, char* destination) {
    std::memcpy(destination, bytes.data() + begin, static_cast<size_t>(size));
    return absl::OkStatus();
  });
}

// ---- Writing

namespace {

// How the elements of a type are stored.
absl::StatusOr<TensorHeader> HeaderFor(const Shape& shape, const ModelFormat& format) {
  const PrimitiveType type = shape.element_type();
  TensorHeader header;
  header.extents.assign(shape.dimensions().begin(), shape.dimensions().end());
  header.bits_per_item = type == PRED ? 1 : type == BF16 ? 32 : BitWidth(type);
  if (type == PRED) {
    header.item_type = ItemType::kBool;
  } else if (IsSignedInt(type)) {
    header.item_type = ItemType::kSigned;
  } else if (IsUnsignedInt(type)) {
    header.item_type = ItemType::kUnsigned;
  } else if (type != F16 && type != BF16 && type != F32 && type != F64) {
    return absl::InvalidArgumentError(absl::StrCat("tensor files have no item type for elements of type ",
                                                   PrimitiveTypeName(type), "; convert them first"));
  }
  if (shape.rank() > kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor files have at most rank ", kMaxRank, ", got ", shape.ToString()));
  }
  constexpr int64_t kLargest = std::numeric_limits<uint32_t>::max();
  const int64_t least = format.has_empty_tensors ? 0 : 1;
  for (int64_t extent : header.extents) {
    if (extent >= least && extent <= kLargest) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("tensor files have extents of ", least, " to ", kLargest, ", got ", shape.ToString()));
  }
  if (!DataBytes(header.extents, header.bits_per_item, &header.data_bytes) || header.data_bytes > kLargest) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor files hold at most ", kLargest, " bytes of data, got ", shape.ToString()));
  }
  return header;
}

// Elements narrower than a byte, the first of them in the most significant bits.
void PackElements(const Literal& literal, int64_t bits, char* destination) {
  const auto* const elements = literal.data<uint8_t>();
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const int value = elements[i] & ((1 << bits) - 1);
    destination[i * bits / 8] |= static_cast<char>(value << (8 - bits - i * bits % 8));
  }
}

}  // namespace

// The file of a tensor. bf16 is written as f32, for the format has no such type.
absl::StatusOr<std::string> SerializeTensor(const Literal& literal, const ModelFormat& format) {
  if (!literal.shape().IsArray()) {
    return absl::InvalidArgumentError(absl::StrCat("expected an array, got ", literal.shape().ToString()));
  }
  if (literal.shape().element_type() == BF16) {
    ASSIGN_OR_RETURN(const Literal wider, LiteralUtil::Convert(literal, F32));
    return SerializeTensor(wider, format);
  }
  ASSIGN_OR_RETURN(const TensorHeader header, HeaderFor(literal.shape(), format));
  std::string bytes(static_cast<size_t>(kTensorHeaderBytes + header.data_bytes), '\0');
  bytes.replace(0, 4, "\x4E\xEF\x01\x00", 4);
  Store(static_cast<uint32_t>(header.data_bytes), kDataLength, bytes);
  Store(static_cast<uint32_t>(header.extents.size()), kRank, bytes);
  for (size_t i = 0; i < header.extents.size(); ++i) {
    Store(static_cast<uint32_t>(header.extents[i]), kExtents + 4 * static_cast<int64_t>(i), bytes);
  }
  Store(static_cast<uint32_t>(header.bits_per_item), kBitsPerItem, bytes);
  Store(static_cast<uint16_t>(header.item_type), kItemType, bytes);
  if (header.bits_per_item < 8) {
    PackElements(literal, header.bits_per_item, &bytes[kTensorHeaderBytes]);
  } else {
    std::memcpy(&bytes[kTensorHeaderBytes], literal.untyped_data(), static_cast<size_t>(literal.size_bytes()));
  }
  return bytes;
}

}  // namespace nnef
}  // namespace xla
