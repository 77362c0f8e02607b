#include "builders/nnef2/data/tensor_file.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/data/model_format.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef2 {
namespace {

using nnef::ItemKind;
using nnef::ItemType;

absl::StatusOr<nnef::CodeMeaning> NoMeaning(const nnef::TensorHeader&) {
  return absl::InvalidArgumentError(
      "it stores quantised codes, which nothing gives a meaning; store the numbers that they mean");
}

absl::string_view KindName(ItemKind kind) {
  switch (kind) {
    case ItemKind::kReal:
      return "real";
    case ItemKind::kInteger:
      return "int";
    case ItemKind::kLogical:
      return "bool";
  }
  return "";
}

PrimitiveType IntegerOf(int64_t bits, bool is_signed) {
  if (bits == 8) return is_signed ? S8 : U8;
  if (bits == 16) return is_signed ? S16 : U16;
  if (bits == 32) return is_signed ? S32 : U32;
  return is_signed ? S64 : U64;
}

// What a file holds, as what a document would declare to have it unchanged.
nnef::DeclaredTensor AsStored(const nnef::TensorHeader& header) {
  nnef::DeclaredTensor declared;
  switch (header.item_type) {
    case ItemType::kUnsigned:
    case ItemType::kSigned:
      declared.kind = ItemKind::kInteger;
      declared.element_type = IntegerOf(header.bits_per_item, header.item_type == ItemType::kSigned);
      break;
    case ItemType::kBool:
      declared.kind = ItemKind::kLogical;
      declared.element_type = PRED;
      break;
    case ItemType::kFloat:
      declared.element_type = header.bits_per_item == 16 ? F16 : header.bits_per_item == 32 ? F32 : F64;
      break;
    case ItemType::kQuantizedUnsigned:
    case ItemType::kQuantizedSigned:
      break;  // NoMeaning refuses them
  }
  declared.type = KindName(declared.kind);
  return declared;
}

}  // namespace

absl::StatusOr<StoredTensor> ParseStoredTensor(absl::string_view bytes, absl::string_view name) {
  const nnef::ModelFormat& format = Nnef2Format();
  StoredTensor stored;
  ASSIGN_OR_RETURN(stored.header, nnef::ParseTensorHeader(bytes, static_cast<int64_t>(bytes.size()), name, format));
  int64_t consumed = 0;
  ASSIGN_OR_RETURN(stored.value, nnef::ParseTensor(bytes, AsStored(stored.header), NoMeaning, name, format, &consumed));
  if (consumed == static_cast<int64_t>(bytes.size())) return stored;
  return ClassifiedError(
      ErrorClass::kData,
      absl::StrCat(name, ": expected ", stored.header.data_bytes, " bytes of data after the header, got ",
                   static_cast<int64_t>(bytes.size()) - nnef::kTensorHeaderBytes));
}

absl::StatusOr<Literal> ReadVariable(const nnef::Container& container, absl::string_view member, nnef::ItemKind kind,
                                     PrimitiveType element_type, const nnef::Extents& extents,
                                     Diagnostics* diagnostics) {
  nnef::DeclaredTensor declared;
  declared.kind = kind;
  declared.type = KindName(kind);
  declared.element_type = element_type;
  declared.extents = &extents;
  return nnef::ReadTensor(container, member, declared, NoMeaning, diagnostics);
}

absl::StatusOr<std::string> SerializeTensor(const Literal& literal) {
  return nnef::SerializeTensor(literal, Nnef2Format());
}

}  // namespace nnef2
}  // namespace xla
