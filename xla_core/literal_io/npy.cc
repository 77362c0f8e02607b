#include "xla_core/literal_io/npy.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/literal_io/sub_byte.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/dynamic_sizes.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

// The data of a .npy file begins at a multiple of this.
constexpr size_t kHeaderAlignment = 64;
// Limits are looked at before each piece of this many bytes, which takes some milliseconds to inflate.
constexpr int64_t kPieceBytes = int64_t{1} << 20;

// The HLO type of what NumPy's type code and width say: `f` with 4 bytes is f32. Kinds without a case, unsigned
// integers among them, are taken by their width.
PrimitiveType StoredType(const NpyHeader& header) {
  const auto by_width = [&](PrimitiveType b1, PrimitiveType b2, PrimitiveType b4, PrimitiveType b8) {
    return header.item_bytes == 1 ? b1 : header.item_bytes == 2 ? b2 : header.item_bytes == 4 ? b4 : b8;
  };
  switch (header.kind) {
    case 'b':
      return PRED;
    case 'i':
      return by_width(S8, S16, S32, S64);
    case 'f':
      return by_width(PRIMITIVE_TYPE_INVALID, F16, F32, F64);
    case 'c':
      return header.item_bytes == 8 ? C64 : C128;
    default:
      return by_width(U8, U16, U32, U64);
  }
}

void ReverseBytes(char* data, int64_t bytes, int width) {
  for (int64_t i = 0; i < bytes; i += width) std::reverse(data + i, data + i + width);
}

// Copies an array whose first index changes fastest to row-major order.
template <typename T>
void CopyFromFortranOrder(const T* from, absl::Span<const int64_t> dimensions, T* to, int64_t count) {
  const int rank = static_cast<int>(dimensions.size());
  DimensionVector strides(rank, 1);
  for (int i = 1; i < rank; ++i) strides[i] = strides[i - 1] * dimensions[i - 1];
  DimensionVector index(rank, 0);
  int64_t offset = 0;
  for (int64_t k = 0; k < count; ++k) {
    to[k] = from[offset];
    for (int i = rank - 1; i >= 0; --i) {
      offset += strides[i];
      if (++index[i] < dimensions[i]) break;
      offset -= strides[i] * dimensions[i];
      index[i] = 0;
    }
  }
}

absl::Status ReadInPieces(const NpyStream& file, int64_t bytes, char* to, const ResourceContext* resources) {
  for (int64_t begin = 0; begin < bytes; begin += kPieceBytes) {
    RETURN_IF_ERROR(CheckResources(resources));
    RETURN_IF_ERROR(file.next(std::min(kPieceBytes, bytes - begin), to + begin));
  }
  return CheckResources(resources);
}

// The elements of the file, row-major, as they are stored, under `type`, which is as wide.
absl::StatusOr<Literal> ReadElements(const NpyHeader& header, const NpyStream& file, PrimitiveType type,
                                     absl::string_view name, MemoryBudget* budget, const ResourceContext* resources) {
  const Shape shape = Shape::Array(type, header.dimensions);
  RETURN_IF_ERROR(ValidateShape(shape));
  ASSIGN_OR_RETURN(Literal literal, Literal::Allocate(shape, budget));
  const int64_t bytes = literal.size_bytes();
  if (bytes == 0) return literal;
  const int64_t count = literal.element_count();
  char* const to = literal.mutable_data<char>();
  RETURN_IF_ERROR(ReadInPieces(file, bytes, to, resources));
  // A complex number is two numbers, each with its own bytes in order.
  const int word = header.kind == 'c' ? header.item_bytes / 2 : header.item_bytes;
  if (header.big_endian && word > 1) ReverseBytes(to, bytes, word);
  if (header.fortran_order && header.dimensions.size() > 1) {
    ASSIGN_OR_RETURN(Literal transposed, Literal::Allocate(shape, budget));
    DispatchByWidth(type, [&](auto tag) {
      using T = TagType<decltype(tag)>;
      CopyFromFortranOrder(literal.data<T>(), header.dimensions, transposed.mutable_data<T>(), count);
    });
    literal = std::move(transposed);
    RETURN_IF_ERROR(CheckResources(resources));
  }
  const absl::Status status = NormalizeSubByteElements(type, literal.mutable_data<uint8_t>(), count);
  if (!status.ok()) return absl::Status(status.code(), absl::StrCat(name, ": ", status.message()));
  return literal;
}

// Whether elements of NumPy's kind and width are the bits of `type`.
bool HoldsBitsOf(const NpyHeader& header, PrimitiveType type) {
  if (StoredType(header) == type && header.kind != 'V') return true;
  if (header.item_bytes != ByteWidth(type)) return false;
  const bool lacks_numpy_type = (IsNarrowFloatType(type) && type != F16) || IsSubByte(type);
  if (lacks_numpy_type) return header.kind == 'u' || header.kind == 'V' || (header.kind == 'i' && IsSignedInt(type));
  return false;
}

absl::StatusOr<Literal> RoundToNarrowFloat(const Literal& stored, PrimitiveType type, MemoryBudget* budget) {
  ASSIGN_OR_RETURN(Literal literal, Literal::Allocate(Shape::Array(type, stored.shape().dimensions()), budget));
  const int64_t count = literal.element_count();
  if (stored.shape().element_type() == F32) {
    EncodeNarrow(NarrowFormatOf(type), stored.data<float>(), literal.untyped_mutable_data(), count);
  } else {
    EncodeNarrow(NarrowFormatOf(type), stored.data<double>(), literal.untyped_mutable_data(), count);
  }
  return literal;
}

// "<f4", "|b1": how the elements of a literal are stored.
std::string DescrOf(PrimitiveType type) {
  const int bytes = ByteWidth(type);
  const bool as_unsigned = IsSubByte(type) || (IsNarrowFloatType(type) && type != F16) || IsUnsignedInt(type);
  const char kind = type == PRED ? 'b' : as_unsigned ? 'u' : IsSignedInt(type) ? 'i' : IsComplex(type) ? 'c' : 'f';
  return absl::StrCat(bytes == 1 ? "|" : "<", std::string(1, kind), bytes);
}

std::string HeaderText(const Shape& shape) {
  std::string dictionary =
      absl::StrCat("{'descr': '", DescrOf(shape.element_type()), "', 'fortran_order': False, 'shape': (");
  for (const int64_t size : shape.dimensions()) absl::StrAppend(&dictionary, size, shape.rank() == 1 ? "," : ", ");
  if (shape.rank() > 1) dictionary.resize(dictionary.size() - 2);
  absl::StrAppend(&dictionary, "), }");
  // 64 dimensions of 20 digits are still below the 64 KB that version 1 can say.
  const size_t unpadded = 10 + dictionary.size() + 1;
  dictionary.append((kHeaderAlignment - unpadded % kHeaderAlignment) % kHeaderAlignment, ' ');
  dictionary.push_back('\n');
  std::string header("\x93NUMPY\x01\x00", 8);
  header.push_back(static_cast<char>(dictionary.size() & 0xFF));
  header.push_back(static_cast<char>(dictionary.size() >> 8));
  return header + dictionary;
}

}  // namespace

Shape ShapeInNpy(const NpyHeader& header) { return Shape::Array(StoredType(header), header.dimensions); }

NpyStream StreamOf(absl::string_view file) {
  return {static_cast<int64_t>(file.size()), [rest = file](int64_t count, char* to) mutable {
            std::copy_n(rest.data(), count, to);
            rest.remove_prefix(static_cast<size_t>(count));
            return absl::OkStatus();
          }};
}

absl::StatusOr<Literal> ReadNpy(absl::string_view file, absl::string_view name, MemoryBudget* budget,
                                const ResourceContext* resources) {
  const NpyStream stream = StreamOf(file);
  ASSIGN_OR_RETURN(const NpyHeader header, ReadNpyHeader(stream, name));
  return ReadNpyElements(header, stream, name, budget, resources);
}

absl::StatusOr<Literal> ReadNpyAs(absl::string_view file, absl::string_view name, const Shape& wanted,
                                  MemoryBudget* budget, const ResourceContext* resources) {
  const NpyStream stream = StreamOf(file);
  ASSIGN_OR_RETURN(const NpyHeader header, ReadNpyHeader(stream, name));
  return ReadNpyElementsAs(header, stream, name, wanted, budget, resources);
}

absl::StatusOr<Literal> ReadNpyElements(const NpyHeader& header, const NpyStream& file, absl::string_view name,
                                        MemoryBudget* budget, const ResourceContext* resources) {
  return ReadElements(header, file, StoredType(header), name, budget, resources);
}

// The file must hold the bits of the wanted type, or a wider float where a narrow one is wanted, which is then rounded.
// A wanted shape with dynamic dimensions accepts any size up to the bounds; the array is padded and keeps its sizes.
absl::StatusOr<Literal> ReadNpyElementsAs(const NpyHeader& header, const NpyStream& file, absl::string_view name,
                                          const Shape& wanted, MemoryBudget* budget, const ResourceContext* resources) {
  const PrimitiveType type = wanted.element_type();
  const bool rounds = IsNarrowFloatType(type) && header.kind == 'f' && header.item_bytes > 2;
  if ((!HoldsBitsOf(header, type) && !rounds) || !DimensionsFit(header.dimensions, wanted)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": holds ", ShapeInNpy(header).ToString(), ", expected ", wanted.ToString()));
  }
  ASSIGN_OR_RETURN(Literal literal,
                   ReadElements(header, file, rounds ? StoredType(header) : type, name, budget, resources));
  if (rounds) {
    ASSIGN_OR_RETURN(literal, RoundToNarrowFloat(literal, type, budget));
  }
  if (wanted.IsDynamic()) return PadToBounds(literal, wanted, budget);
  literal.ResetShape(wanted);
  return literal;
}

absl::StatusOr<NpyFile> MakeNpy(const Literal& array) {
  NpyFile file;
  file.stored = array;
  if (array.has_dynamic_sizes()) {
    ASSIGN_OR_RETURN(file.stored, CutToDynamicSizes(array));
  }
  const PrimitiveType type = array.shape().element_type();
  if (IsSubByte(type) && IsSignedInt(type)) {
    RETURN_IF_ERROR(file.stored.MakeWritable(nullptr));
    MaskSubByteElements(type, file.stored.mutable_data<uint8_t>(), file.stored.element_count());
  }
  file.header = HeaderText(file.stored.shape());
  return file;
}

absl::Status AppendInPieces(absl::string_view bytes, AtomicFile& file, const ResourceContext* resources) {
  do {
    RETURN_IF_ERROR(CheckResources(resources));
    constexpr size_t kWrittenBytes = size_t{4} << 20;
    RETURN_IF_ERROR(file.Append(bytes.substr(0, kWrittenBytes)));
    bytes.remove_prefix(std::min(bytes.size(), kWrittenBytes));
  } while (!bytes.empty());
  return absl::OkStatus();
}

}  // namespace xla
