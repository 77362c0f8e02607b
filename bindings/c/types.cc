// Element types and shapes of halo.h. The enumerators of element types have the numbers of HLO's PrimitiveType, so
// that they convert by a cast after a check of their range.
#include "bindings/c/halo.h"
#include "bindings/c/handles.h"
#include "bindings/c/status.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/primitive_type.h"
#include "xla_core/types/shape.h"

namespace xla {
namespace {

PrimitiveType TypeOf(halo_element_type type) {
  return type >= 0 && type < kNumPrimitiveTypes ? static_cast<PrimitiveType>(type) : PRIMITIVE_TYPE_INVALID;
}

bool HasByteSize(const Shape& shape) { return !shape.IsUnboundedDynamic() && ValidateShape(shape).ok(); }

}  // namespace
}  // namespace xla

const char* halo_element_type_name(halo_element_type type) {
  const xla::PrimitiveType known = xla::TypeOf(type);
  return known == xla::PRIMITIVE_TYPE_INVALID ? "invalid" : xla::PrimitiveTypeName(known);
}

halo_element_type halo_element_type_from_name(const char* name) {
  return name == nullptr ? HALO_TYPE_INVALID : static_cast<halo_element_type>(xla::PrimitiveTypeFromName(name));
}

size_t halo_element_type_size(halo_element_type type) { return xla::ByteWidth(xla::TypeOf(type)); }

halo_element_type halo_shape_element_type(const halo_shape* shape) {
  if (shape == nullptr) return HALO_TYPE_INVALID;
  return xla::UnwrapShape(shape)->element_type();
}

size_t halo_shape_rank(const halo_shape* shape) { return shape == nullptr ? 0 : xla::UnwrapShape(shape)->rank(); }

const int64_t* halo_shape_dimensions(const halo_shape* shape) {
  return halo_shape_rank(shape) == 0 ? nullptr : xla::UnwrapShape(shape)->dimensions().data();
}

int halo_shape_is_dynamic_dimension(const halo_shape* shape, size_t dimension) {
  return dimension < halo_shape_rank(shape) &&
         xla::UnwrapShape(shape)->is_dynamic_dimension(static_cast<int>(dimension));
}

size_t halo_shape_byte_size(const halo_shape* shape) {
  return shape == nullptr || !xla::HasByteSize(*xla::UnwrapShape(shape)) ? 0 : xla::UnwrapShape(shape)->ByteSize();
}

size_t halo_shape_tuple_size(const halo_shape* shape) {
  return shape == nullptr || !xla::UnwrapShape(shape)->IsTuple() ? 0 : xla::UnwrapShape(shape)->tuple_size();
}

const halo_shape* halo_shape_tuple_element(const halo_shape* shape, size_t index) {
  if (index >= halo_shape_tuple_size(shape)) return nullptr;
  return xla::WrapShape(&xla::UnwrapShape(shape)->tuple_shape(static_cast<int>(index)));
}

halo_status* halo_shape_to_string(const halo_shape* shape, char** text) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(text, "text"));
    *text = nullptr;
    RETURN_IF_ERROR(check.Present(shape, "shape"));
    const xla::Shape& value = *xla::UnwrapShape(shape);
    return xla::GiveText(value.ToString(xla::Shape::LayoutPrinting::kWithout, /*index_comments=*/false), text, nullptr);
  });
}
