// Shapes and constants.
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/writing/hlo_converter.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

absl::optional<FloatKind> FloatKindOf(PrimitiveType type) {
  for (int i = 0; i <= static_cast<int>(FloatKind::kF6E3M2FN); ++i) {
    const FloatKindInfo& info = GetFloatKindInfo(static_cast<FloatKind>(i));
    if (info.type == type) return info.kind;
  }
  return absl::nullopt;
}

}  // namespace

// Not ok(): StableHLO has no such element type.
TypeId HloConverter::ElementType(PrimitiveType type) {
  if (type == PRED) return module_.Intern(IntegerType(1));
  if (type == S1 || type == U1) return {};
  if (IsSignedInt(type)) return module_.Intern(IntegerType(BitWidth(type)));
  if (IsUnsignedInt(type)) return module_.Intern(IntegerType(BitWidth(type), Signedness::kUnsigned));
  if (IsComplex(type)) return module_.Intern(ComplexType(ElementType(ComplexComponentType(type))));
  const absl::optional<FloatKind> kind = IsFloat(type) ? FloatKindOf(type) : absl::nullopt;
  return kind.has_value() ? module_.Intern(FloatType(*kind)) : TypeId();
}

absl::StatusOr<TypeId> HloConverter::TypeOf(const Shape& leaf) {
  if (leaf.IsToken()) return module_.Intern(SimpleType(TypeKind::kToken));
  const TypeId element = ElementType(leaf.element_type());
  if (!element.ok()) {
    return absl::UnimplementedError(
        absl::StrCat("StableHLO has no type ", leaf.ToString(), "; write the program as HLO (--to text)"));
  }
  std::vector<int64_t> dimensions(leaf.dimensions().begin(), leaf.dimensions().end());
  std::vector<int64_t> bounds(dimensions.size(), kDynamic);
  bool is_bounded = false;
  for (int i = 0; i < leaf.rank(); ++i) {
    if (!leaf.is_dynamic_dimension(i)) continue;
    if (dimensions[i] != Shape::kUnboundedSize) {
      bounds[i] = dimensions[i];
      is_bounded = true;
    }
    dimensions[i] = kDynamic;
  }
  const AttributeId encoding =
      is_bounded ? module_.Struct("stablehlo.bounds", {{"bounds", Ints(bounds)}}) : AttributeId();
  return module_.Intern(TensorType(dimensions, element, encoding));
}

absl::StatusOr<TypeId> HloConverter::TupleTypeOf(const Shape& shape) {
  if (!shape.IsTuple()) return TypeOf(shape);
  std::vector<TypeId> elements;
  for (const Shape& element : shape.tuple_shapes()) {
    ASSIGN_OR_RETURN(const TypeId type, TupleTypeOf(element));
    elements.push_back(type);
  }
  return module_.Intern(ListType(TypeKind::kTuple, elements));
}

absl::Status HloConverter::AppendTypes(const Shape& shape, std::vector<TypeId>* types) {
  if (!shape.IsTuple()) {
    ASSIGN_OR_RETURN(const TypeId type, TypeOf(shape));
    types->push_back(type);
    return absl::OkStatus();
  }
  for (const Shape& element : shape.tuple_shapes()) RETURN_IF_ERROR(AppendTypes(element, types));
  return absl::OkStatus();
}

// Many elements are not copied: who calls this keeps the literal alive.
absl::StatusOr<AttributeId> HloConverter::ConstantOf(const Literal& literal) {
  ASSIGN_OR_RETURN(const TypeId type, TypeOf(literal.shape()));
  absl::string_view data(static_cast<const char*>(literal.untyped_data()), literal.size_bytes());
  const size_t bytes = ByteWidth(literal.shape().element_type());
  const bool is_splat = data.size() > bytes && data.substr(bytes) == data.substr(0, data.size() - bytes);
  if (is_splat) data = data.substr(0, bytes);
  return module_.Intern(DenseElementsAttribute(type, data, is_splat));
}

}  // namespace stablehlo
}  // namespace xla
