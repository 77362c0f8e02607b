#include "xla_core/proto/value_conversion.h"

#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

namespace pb = ::halo::hlo;

// ---- Shapes

absl::StatusOr<PrimitiveType> TypeFromProto(int type) {
  if (type > 0 && type < kNumPrimitiveTypes) return static_cast<PrimitiveType>(type);
  if (type == 0) return absl::InvalidArgumentError("shape without an element type");
  return absl::InvalidArgumentError(absl::StrCat("unknown element type ", type));
}

// The plain row-major layout is shared by all who have it.
bool IsPlainRowMajor(const pb::LayoutProto& proto, int rank) {
  if (proto.minor_to_major_size() != rank || proto.tiles_size() != 0 || proto.element_size_in_bits() != 0 ||
      proto.memory_space() != 0 || proto.split_configs_size() != 0 || proto.tail_padding_alignment_in_elements() > 1 ||
      proto.index_primitive_type() != 0 || proto.pointer_primitive_type() != 0 ||
      proto.dynamic_shape_metadata_prefix_bytes() != 0) {
    return false;
  }
  for (int i = 0; i < rank; ++i) {
    if (proto.minor_to_major(i) != rank - 1 - i) return false;
  }
  return true;
}

// Reads a layout; an alignment of 0, which is the default of the field, means 1. Everything is kept, so that modules
// survive reading and writing.
absl::StatusOr<Layout> LayoutFromProto(const pb::LayoutProto& proto) {
  Layout layout;
  layout.minor_to_major.assign(proto.minor_to_major().begin(), proto.minor_to_major().end());
  for (const pb::TileProto& tile : proto.tiles()) {
    layout.tiles.push_back({{tile.dimensions().begin(), tile.dimensions().end()}});
  }
  const int64_t alignment = proto.tail_padding_alignment_in_elements();
  layout.tail_padding_alignment_in_elements = alignment == 0 ? 1 : alignment;
  for (int type : {proto.index_primitive_type(), proto.pointer_primitive_type()}) {
    if (type != 0) RETURN_IF_ERROR(TypeFromProto(type).status());
  }
  layout.index_primitive_type = static_cast<PrimitiveType>(proto.index_primitive_type());
  layout.pointer_primitive_type = static_cast<PrimitiveType>(proto.pointer_primitive_type());
  layout.element_size_in_bits = proto.element_size_in_bits();
  layout.memory_space = proto.memory_space();
  for (const pb::SplitConfigProto& split : proto.split_configs()) {
    layout.split_configs.push_back({split.dimension(), {split.split_indices().begin(), split.split_indices().end()}});
  }
  layout.dynamic_shape_metadata_prefix_bytes = proto.dynamic_shape_metadata_prefix_bytes();
  return layout;
}

// Without the checks that ValidateShape makes.
absl::StatusOr<Shape> UncheckedShapeFromProto(const pb::ShapeProto& proto, int depth, ProtoWarnings& warnings) {
  if (depth > Shape::kMaxNestingDepth) {
    return absl::InvalidArgumentError(absl::StrCat("tuple nested deeper than ", Shape::kMaxNestingDepth));
  }
  warnings.NoteUnknownFields(proto);
  ASSIGN_OR_RETURN(const PrimitiveType type, TypeFromProto(proto.element_type()));
  if (type == TUPLE || type == BUFFER) {
    if (proto.dimensions_size() != 0) {
      return absl::InvalidArgumentError(absl::StrCat(PrimitiveTypeName(type), " shape with dimensions"));
    }
    std::vector<Shape> elements;
    elements.reserve(proto.tuple_shapes_size());
    for (const pb::ShapeProto& element : proto.tuple_shapes()) {
      ASSIGN_OR_RETURN(Shape shape, UncheckedShapeFromProto(element, depth + 1, warnings));
      elements.push_back(std::move(shape));
    }
    if (type == TUPLE) return Shape::Tuple(std::move(elements));
    if (elements.size() != 1) return absl::InvalidArgumentError("a buffer shape must hold one array shape");
    return Shape::Buffer(std::move(elements[0]));
  }
  if (proto.tuple_shapes_size() != 0) {
    return absl::InvalidArgumentError(absl::StrCat(PrimitiveTypeName(type), " shape with tuple elements"));
  }
  if (type == TOKEN) return Shape::Token();
  if (type == OPAQUE_TYPE) return Shape::Opaque();
  Shape shape = Shape::Array(type, absl::MakeConstSpan(proto.dimensions().data(), proto.dimensions_size()));
  const int flags = std::min(proto.is_dynamic_dimension_size(), shape.rank());
  for (int i = 0; i < flags; ++i) {
    if (proto.is_dynamic_dimension(i)) shape.set_dynamic_dimension(i, true);
  }
  if (!proto.has_layout()) return shape;
  warnings.NoteUnknownFields(proto.layout());
  if (IsPlainRowMajor(proto.layout(), shape.rank())) {
    shape.set_shared_layout(RowMajorLayout(shape.rank()));
  } else {
    ASSIGN_OR_RETURN(Layout layout, LayoutFromProto(proto.layout()));
    shape.set_layout(std::move(layout));
  }
  return shape;
}

// The inverse of LayoutFromProto; default values are written as zeros, which protobuf leaves out.
void LayoutToProto(const Layout& layout, pb::LayoutProto* proto) {
  proto->mutable_minor_to_major()->Add(layout.minor_to_major.begin(), layout.minor_to_major.end());
  for (const Tile& tile : layout.tiles) {
    proto->add_tiles()->mutable_dimensions()->Add(tile.dimensions.begin(), tile.dimensions.end());
  }
  proto->set_tail_padding_alignment_in_elements(layout.tail_padding_alignment_in_elements);
  proto->set_index_primitive_type(static_cast<pb::PrimitiveType>(layout.index_primitive_type));
  proto->set_pointer_primitive_type(static_cast<pb::PrimitiveType>(layout.pointer_primitive_type));
  proto->set_element_size_in_bits(layout.element_size_in_bits);
  proto->set_memory_space(layout.memory_space);
  for (const SplitConfig& split : layout.split_configs) {
    pb::SplitConfigProto* added = proto->add_split_configs();
    added->set_dimension(split.dimension);
    added->mutable_split_indices()->Add(split.split_indices.begin(), split.split_indices.end());
  }
  proto->set_dynamic_shape_metadata_prefix_bytes(layout.dynamic_shape_metadata_prefix_bytes);
}

// ---- Literals

// The field of LiteralProto that holds the elements of each type.
#define HALO_LITERAL_FIELDS(FIELD)     \
  FIELD(PRED, preds)                   \
  FIELD(S1, s1s)                       \
  FIELD(S2, s2s)                       \
  FIELD(S4, s4s)                       \
  FIELD(S8, s8s)                       \
  FIELD(S16, s16s)                     \
  FIELD(S32, s32s)                     \
  FIELD(S64, s64s)                     \
  FIELD(U1, u1s)                       \
  FIELD(U2, u2s)                       \
  FIELD(U4, u4s)                       \
  FIELD(U8, u8s)                       \
  FIELD(U16, u16s)                     \
  FIELD(U32, u32s)                     \
  FIELD(U64, u64s)                     \
  FIELD(F16, f16s)                     \
  FIELD(BF16, bf16s)                   \
  FIELD(F32, f32s)                     \
  FIELD(F64, f64s)                     \
  FIELD(F8E5M2, f8e5m2s)               \
  FIELD(F8E4M3, f8e4m3s)               \
  FIELD(F8E4M3FN, f8e4m3fns)           \
  FIELD(F8E4M3B11FNUZ, f8e4m3b11fnuzs) \
  FIELD(F8E3M4, f8e3m4s)               \
  FIELD(F8E5M2FNUZ, f8e5m2fnuzs)       \
  FIELD(F8E4M3FNUZ, f8e4m3fnuzs)       \
  FIELD(F4E2M1FN, f4e2m1fns)           \
  FIELD(F6E3M2FN, f6e3m2fns)           \
  FIELD(F6E2M3FN, f6e2m3fns)           \
  FIELD(F8E8M0FNU, f8e8m0fnus)         \
  FIELD(C64, c64s)                     \
  FIELD(C128, c128s)

absl::Span<const char> BytesOf(const std::string& field) { return field; }
template <typename T>
absl::Span<const char> BytesOf(const google::protobuf::RepeatedField<T>& field) {
  return absl::MakeConstSpan(reinterpret_cast<const char*>(field.data()), field.size() * sizeof(T));
}

absl::Span<const char> StoredElements(const pb::LiteralProto& proto, PrimitiveType type) {
  switch (type) {
#define FIELD(kType, name) \
  case kType:              \
    return BytesOf(proto.name());
    HALO_LITERAL_FIELDS(FIELD)
#undef FIELD
    default:
      return {};
  }
}

uint64_t ElementsField(PrimitiveType type) {
  switch (type) {
#define FIELD(kType, name) \
  case kType:              \
    return static_cast<uint64_t>(pb::LiteralProto::descriptor()->FindFieldByName(#name)->number());
    HALO_LITERAL_FIELDS(FIELD)
#undef FIELD
    default:
      return 0;
  }
}

void AssignBytes(const char* data, int64_t size, std::string* field) { field->assign(data, static_cast<size_t>(size)); }
template <typename T>
void AssignBytes(const char* data, int64_t size, google::protobuf::RepeatedField<T>* field) {
  field->Resize(static_cast<int>(size / static_cast<int64_t>(sizeof(T))), T());
  if (size > 0) std::memcpy(field->mutable_data(), data, static_cast<size_t>(size));
}

void StoreElements(PrimitiveType type, const char* data, int64_t size, pb::LiteralProto* proto) {
  switch (type) {
#define FIELD(kType, name)                            \
  case kType:                                         \
    AssignBytes(data, size, proto->mutable_##name()); \
    break;
    HALO_LITERAL_FIELDS(FIELD)
#undef FIELD
    default:
      break;
  }
}
#undef HALO_LITERAL_FIELDS

// Elements of less than a byte: XLA of 2026 stores one in the low bits of each byte, earlier ones packed those of 1, 2
// and 4 bits, lowest bits first. Both are read; where both would do (one element) they are the same.
bool IsStoredPacked(PrimitiveType type, int64_t count, size_t stored_bytes) {
  return IsSubByte(type) && 8 % BitWidth(type) == 0 && static_cast<int64_t>(stored_bytes) != count &&
         static_cast<int64_t>(stored_bytes) == CeilDiv(count, 8 / BitWidth(type));
}

// The low bits of each byte as elements, sign-extended if the type is signed.
std::vector<uint8_t> WidenSubByteElements(absl::Span<const char> stored, PrimitiveType type) {
  const int shift = 8 - BitWidth(type);
  std::vector<uint8_t> elements(stored.size());
  for (size_t i = 0; i < stored.size(); ++i) {
    const auto high = static_cast<uint8_t>(static_cast<uint8_t>(stored[i]) << shift);
    elements[i] = IsSignedInt(type) ? static_cast<uint8_t>(static_cast<int8_t>(high) >> shift)
                                    : static_cast<uint8_t>(high >> shift);
  }
  return elements;
}

enum class Direction { kToRowMajor, kFromRowMajor };

// Moves elements of kWidth bytes between the linear order of `layout` and row-major order. Bytes, not typed elements,
// because a literal that is read where it lies in the file may start anywhere.
template <int64_t kWidth>
void Reorder(const Shape& shape, const Layout& layout, Direction direction, const char* from, char* to) {
  const int rank = shape.rank();
  DimensionVector stride(rank, 0);  // of each dimension in the order of the layout
  int64_t step = 1;
  for (int64_t dim : layout.minor_to_major) {
    stride[dim] = step;
    step *= shape.dimension(static_cast<int>(dim));
  }
  DimensionVector index(rank, 0);
  const int64_t count = shape.ElementCount();
  int64_t position = 0;  // in the order of the layout, of the element at `index`
  for (int64_t i = 0; i < count; ++i) {
    if (direction == Direction::kToRowMajor) {
      std::memcpy(to + i * kWidth, from + position * kWidth, kWidth);
    } else {
      std::memcpy(to + position * kWidth, from + i * kWidth, kWidth);
    }
    for (int d = rank - 1; d >= 0; --d) {
      position += stride[d];
      if (++index[d] < shape.dimension(d)) break;
      position -= stride[d] * shape.dimension(d);
      index[d] = 0;
    }
  }
}

void CopyReordered(const Shape& shape, Direction direction, const char* from, char* to) {
  DispatchByWidth(shape.element_type(), [&](auto tag) {
    Reorder<sizeof(TagType<decltype(tag)>)>(shape, *shape.layout(), direction, from, to);
  });
}

// Sizes at run time, one for each dimension if there are any, each from 0 to the bound in the shape.
absl::Status ReadDynamicSizes(const pb::LiteralProto& proto, Literal* literal) {
  if (proto.dynamic_sizes_size() == 0) return absl::OkStatus();
  const Shape& shape = literal->shape();
  if (proto.dynamic_sizes_size() != shape.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("literal ", shape.ToString(), " has ", proto.dynamic_sizes_size(),
                                                   " dynamic sizes, expected one for each dimension"));
  }
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t size = proto.dynamic_sizes(i);
    if (size < 0 || size > shape.dimension(i)) {
      return absl::InvalidArgumentError(absl::StrCat("literal ", shape.ToString(), " has the dynamic size ", size,
                                                     " in dimension ", i, ", expected 0 to ", shape.dimension(i)));
    }
    literal->SetDynamicSize(i, size);
  }
  return absl::OkStatus();
}

// The array whose elements are varints, in the order of `shape`'s layout.
template <typename T>
absl::StatusOr<Literal> ArrayFromVarints(absl::string_view bytes, const Shape& shape) {
  ASSIGN_OR_RETURN(Literal literal, Literal::Allocate(shape));
  if (!DecodeVarints(bytes, absl::MakeSpan(literal.mutable_data<T>(), static_cast<size_t>(shape.ElementCount())))) {
    return absl::InvalidArgumentError(absl::StrCat("literal ", shape.ToString(), " has a number of more than 64 bits"));
  }
  if (shape.IsRowMajor()) return literal;
  ASSIGN_OR_RETURN(Literal reordered, Literal::Allocate(shape));
  CopyReordered(shape, Direction::kToRowMajor, literal.data<char>(), reordered.mutable_data<char>());
  return reordered;
}

// nullopt if the elements of `type` are not stored as varints.
absl::optional<absl::StatusOr<Literal>> ArrayFromVarints(const EncodedElements& elements, const Shape& shape) {
  const PrimitiveType type = shape.element_type();
  if (elements.field != ElementsField(type)) return absl::nullopt;
  if (type != PRED && type != S32 && type != S64 && type != U32 && type != U64) return absl::nullopt;
  const int64_t stored = CountVarints(elements.bytes);
  if (stored != shape.ElementCount()) {
    return absl::StatusOr<Literal>(absl::InvalidArgumentError(
        absl::StrCat("literal ", shape.ToString(), " has ", stored, " elements, expected ", shape.ElementCount())));
  }
  switch (type) {
    case PRED:
      return ArrayFromVarints<bool>(elements.bytes, shape);
    case S32:
      return ArrayFromVarints<int32_t>(elements.bytes, shape);
    case S64:
      return ArrayFromVarints<int64_t>(elements.bytes, shape);
    case U32:
      return ArrayFromVarints<uint32_t>(elements.bytes, shape);
    default:
      return ArrayFromVarints<uint64_t>(elements.bytes, shape);
  }
}

// The elements of an array from a message. They may be in `elements`, bytes split off before parsing, or in the
// repeated field of their type; elements of less than a byte may be packed, or one a byte. Literals are row-major in
// memory, so that elements in another layout are reordered.
absl::StatusOr<Literal> ArrayFromProto(const pb::LiteralProto& proto, const Shape& shape,
                                       const EncodedElements& elements) {
  const PrimitiveType type = shape.element_type();
  if (shape.IsUnboundedDynamic()) {
    return absl::InvalidArgumentError(absl::StrCat("literal ", shape.ToString(), " has an unbounded dimension"));
  }
  if (elements.field != 0) {
    absl::optional<absl::StatusOr<Literal>> from_varints = ArrayFromVarints(elements, shape);
    if (from_varints.has_value()) {
      if (from_varints->ok()) RETURN_IF_ERROR(ReadDynamicSizes(proto, &**from_varints));
      return *std::move(from_varints);
    }
  }
  const bool encoded = elements.field != 0 && elements.field == ElementsField(type);
  const absl::Span<const char> stored = encoded ? absl::Span<const char>(elements.bytes) : StoredElements(proto, type);
  const int64_t count = shape.ElementCount();
  const int64_t want = count * ByteWidth(type);
  const bool packed = IsStoredPacked(type, count, stored.size());
  if (static_cast<int64_t>(stored.size()) != want && !packed) {
    return absl::InvalidArgumentError(
        absl::StrCat("literal ", shape.ToString(), " has ", stored.size(), " bytes of elements, expected ", want));
  }
  ASSIGN_OR_RETURN(Literal literal, Literal::Allocate(shape));
  RETURN_IF_ERROR(ReadDynamicSizes(proto, &literal));
  if (count == 0) return literal;
  const char* from = stored.data();
  std::vector<uint8_t> bytes_each;
  if (packed) {
    const auto bytes = absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(stored.data()), stored.size());
    ASSIGN_OR_RETURN(bytes_each, UnpackSubByteElements(bytes, BitWidth(type), IsSignedInt(type), count));
  } else if (IsSubByte(type)) {
    bytes_each = WidenSubByteElements(stored, type);
  }
  if (IsSubByte(type)) from = reinterpret_cast<const char*>(bytes_each.data());
  char* to = static_cast<char*>(literal.untyped_mutable_data());
  if (shape.IsRowMajor()) {
    std::memcpy(to, from, static_cast<size_t>(literal.size_bytes()));
  } else {
    CopyReordered(shape, Direction::kToRowMajor, from, to);
  }
  return literal;
}

// A literal of the given shape. Elements of a tuple may state shapes of their own, for their layouts; these must be
// compatible.
absl::StatusOr<Literal> LiteralOfShape(const pb::LiteralProto& proto, const Shape& shape,
                                       const EncodedElements& encoded, ProtoWarnings& warnings) {
  warnings.NoteUnknownFields(proto);
  if (shape.IsArray()) return ArrayFromProto(proto, shape, encoded);
  if (!shape.IsTuple()) return Literal::Allocate(shape);
  if (proto.tuple_literals_size() != shape.tuple_size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("tuple literal has ", proto.tuple_literals_size(), " elements, its shape ", shape.tuple_size()));
  }
  std::vector<Literal> elements;
  elements.reserve(shape.tuple_size());
  for (int i = 0; i < shape.tuple_size(); ++i) {
    Shape element_shape = shape.tuple_shape(i);
    if (proto.tuple_literals(i).has_shape()) {
      ASSIGN_OR_RETURN(element_shape, ShapeFromProto(proto.tuple_literals(i).shape(), warnings));
      if (!element_shape.Compatible(shape.tuple_shape(i))) {
        return absl::InvalidArgumentError(absl::StrCat("element ", i, " of a tuple literal is ",
                                                       element_shape.ToString(), ", its shape says ",
                                                       shape.tuple_shape(i).ToString()));
      }
    }
    ASSIGN_OR_RETURN(Literal element, LiteralOfShape(proto.tuple_literals(i), element_shape, {}, warnings));
    elements.push_back(std::move(element));
  }
  return Literal::Tuple(std::move(elements));
}

// Writes elements in the shape's layout, those of less than a byte without their sign extension. Arrays that a
// protobuf message cannot hold, of about 2 GB, are errors: HLO text has no such limit.
absl::Status ArrayToProto(const Literal& literal, const Shape& shape, pb::LiteralProto* proto) {
  // protobuf counts in int, and a message with this literal in it must stay below 2 GB too.
  constexpr int64_t kLargest = std::numeric_limits<int32_t>::max() - (1 << 20);
  if (literal.size_bytes() > kLargest) {
    return absl::InvalidArgumentError(absl::StrCat("literal ", shape.ToString(), " has ", literal.size_bytes(),
                                                   " bytes; a protobuf message holds at most 2 GB"));
  }
  for (int i = 0; literal.has_dynamic_sizes() && i < shape.rank(); ++i) {
    if (literal.dynamic_size(i) > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrCat("literal ", shape.ToString(), " has the dynamic size ",
                                                     literal.dynamic_size(i), ", which protobuf cannot store"));
    }
    proto->add_dynamic_sizes(static_cast<int32_t>(literal.dynamic_size(i)));
  }
  const PrimitiveType type = shape.element_type();
  const char* from = static_cast<const char*>(literal.untyped_data());
  const int64_t size = literal.size_bytes();
  std::vector<char> reordered;
  if (!shape.IsRowMajor() && size > 0) {
    reordered.resize(static_cast<size_t>(size));
    CopyReordered(shape, Direction::kFromRowMajor, from, reordered.data());
    from = reordered.data();
  }
  std::vector<char> low_bits;
  if (IsSubByte(type)) {
    const char mask = static_cast<char>((1 << BitWidth(type)) - 1);
    for (int64_t i = 0; i < size; ++i) low_bits.push_back(static_cast<char>(from[i] & mask));
    from = low_bits.data();
  }
  StoreElements(type, from, size, proto);
  return absl::OkStatus();
}

absl::Status LiteralOfShapeToProto(const Literal& literal, const Shape& shape, pb::LiteralProto* proto) {
  ShapeToProto(shape, proto->mutable_shape());
  if (shape.IsArray()) return ArrayToProto(literal, shape, proto);
  for (int i = 0; i < literal.tuple_size(); ++i) {
    RETURN_IF_ERROR(LiteralOfShapeToProto(literal.element(i), shape.tuple_shape(i), proto->add_tuple_literals()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> ShapeFromProto(const pb::ShapeProto& proto, ProtoWarnings& warnings) {
  ASSIGN_OR_RETURN(Shape shape, UncheckedShapeFromProto(proto, 0, warnings));
  RETURN_IF_ERROR(ValidateShape(shape));
  return shape;
}

void ShapeToProto(const Shape& shape, pb::ShapeProto* proto) {
  proto->set_element_type(static_cast<pb::PrimitiveType>(shape.element_type()));
  for (const Shape& element : shape.tuple_shapes()) ShapeToProto(element, proto->add_tuple_shapes());
  if (!shape.IsArray()) return;
  proto->mutable_dimensions()->Add(shape.dimensions().begin(), shape.dimensions().end());
  for (int i = 0; i < shape.rank(); ++i) proto->add_is_dynamic_dimension(shape.is_dynamic_dimension(i));
  if (shape.has_layout()) LayoutToProto(*shape.layout(), proto->mutable_layout());
}

absl::StatusOr<Literal> LiteralFromProto(const pb::LiteralProto& proto, ProtoWarnings& warnings,
                                         const EncodedElements& elements) {
  if (!proto.has_shape()) return absl::InvalidArgumentError("literal without a shape");
  ASSIGN_OR_RETURN(const Shape shape, ShapeFromProto(proto.shape(), warnings));
  return LiteralOfShape(proto, shape, elements, warnings);
}

absl::Status LiteralToProto(const Literal& literal, pb::LiteralProto* proto) {
  Shape shape = literal.shape();
  shape.SetMissingLayoutsToDefault();
  return LiteralOfShapeToProto(literal, shape, proto);
}

}  // namespace xla
