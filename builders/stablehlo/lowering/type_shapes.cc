#include "builders/stablehlo/lowering/type_shapes.h"

#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

std::string DescribeElement(const Module& module, TypeId id) {
  const Type& type = module.type(id);
  switch (type.kind) {
    case TypeKind::kInteger:
      return absl::StrCat(type.signedness == Signedness::kUnsigned ? "ui"
                          : type.signedness == Signedness::kSigned ? "si"
                                                                   : "i",
                          type.width);
    case TypeKind::kFloat:
      return GetFloatKindInfo(type.float_kind).name;
    case TypeKind::kComplex:
      return absl::StrCat("complex<", DescribeElement(module, type.element), ">");
    case TypeKind::kQuantized:
      return absl::StrCat("quantized integers stored in ", DescribeElement(module, type.quantization->storage));
    default:
      return "values that are not numbers";
  }
}

// The bounds that an encoding gives: `#stablehlo.bounds<?, 3>`. Empty if there are none.
absl::StatusOr<std::vector<int64_t>> BoundsOf(const Module& module, const Type& tensor) {
  std::vector<int64_t> bounds;
  if (!tensor.encoding.ok()) return bounds;
  const Attribute& encoding = module.attribute(tensor.encoding);
  if (encoding.kind != AttributeKind::kStruct) return bounds;
  for (const NamedAttribute& field : encoding.fields) {
    if (field.name != "bounds") continue;
    const Attribute& list = module.attribute(field.value);
    if (list.kind != AttributeKind::kDenseArray || list.data.size() % sizeof(int64_t) != 0) continue;
    bounds.resize(list.data.size() / sizeof(int64_t));
    std::memcpy(bounds.data(), list.data.data(), list.data.size());
  }
  if (!bounds.empty() && bounds.size() != tensor.dimensions.size()) {
    return absl::InvalidArgumentError(absl::StrCat("the encoding of a tensor has bounds for ", bounds.size(),
                                                   " dimensions, expected one for each of its ",
                                                   tensor.dimensions.size(), " dimensions, ? where it is static"));
  }
  return bounds;
}

}  // namespace

TypeShapes::TypeShapes(const Module& module) {
  shapes_.reserve(module.type_count());
  for (int i = 0; i < module.type_count(); ++i) {
    absl::StatusOr<Shape> shape = MakeShape(module, module.type(TypeId{i}));
    if (shape.ok()) {
      const absl::Status valid = ValidateShape(*shape);
      if (!valid.ok() && !shape->IsUnboundedDynamic()) shape = valid;
    }
    shapes_.push_back(std::move(shape));
  }
}

absl::StatusOr<Shape> TypeShapes::MakeShape(const Module& module, const Type& type) const {
  switch (type.kind) {
    case TypeKind::kTensor:
      return ShapeOfTensor(module, type);
    case TypeKind::kToken:
      return Shape::Token();
    case TypeKind::kTuple: {
      std::vector<Shape> elements;
      for (const TypeId element : type.types) {
        ASSIGN_OR_RETURN(Shape shape, Of(element));
        elements.push_back(std::move(shape));
      }
      return Shape::Tuple(std::move(elements));
    }
    case TypeKind::kUnrankedTensor:
      return absl::UnimplementedError(
          "HLO has no tensors without a rank (tensor<*x...>); export the program for arguments of known rank");
    case TypeKind::kMemRef:
      return absl::UnimplementedError("HLO has no memref; give the program tensors as arguments");
    case TypeKind::kFuture:
      return absl::UnimplementedError("a future can only go from async_start to async_done");
    default:
      return absl::UnimplementedError("expected a tensor, a token or a tuple of these");
  }
}

absl::StatusOr<Shape> TypeShapes::ShapeOfTensor(const Module& module, const Type& tensor) const {
  const Type& element = module.type(tensor.element);
  const PrimitiveType type = element.kind == TypeKind::kQuantized ? StorageType(module, *element.quantization)
                                                                  : HloElementType(module, tensor.element);
  if (type == PRIMITIVE_TYPE_INVALID) {
    return absl::UnimplementedError(absl::StrCat("HLO has no arrays of ", DescribeElement(module, tensor.element),
                                                 "; convert them to another type"));
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> bounds, BoundsOf(module, tensor));
  DimensionVector sizes(tensor.dimensions.begin(), tensor.dimensions.end());
  Shape shape = Shape::Array(type, sizes);
  for (int i = 0; i < shape.rank(); ++i) {
    if (tensor.dimensions[i] != kDynamic) continue;
    const bool is_bounded = !bounds.empty() && bounds[i] != kDynamic;
    shape.set_dimension(i, is_bounded ? bounds[i] : Shape::kUnboundedSize);
    shape.set_dynamic_dimension(i, true);
  }
  return shape;
}

PrimitiveType StorageType(const Module& module, const Quantization& quantization) {
  const Type& storage = module.type(quantization.storage);
  if (storage.kind != TypeKind::kInteger) return PRIMITIVE_TYPE_INVALID;
  switch (storage.width) {
    case 2:
      return quantization.is_signed ? S2 : U2;
    case 4:
      return quantization.is_signed ? S4 : U4;
    case 8:
      return quantization.is_signed ? S8 : U8;
    case 16:
      return quantization.is_signed ? S16 : U16;
    case 32:
      return quantization.is_signed ? S32 : U32;
    default:
      return PRIMITIVE_TYPE_INVALID;
  }
}

const Quantization* QuantizationOf(const Module& module, TypeId id) {
  const Type& type = module.type(id);
  if (type.kind != TypeKind::kTensor) return nullptr;
  return module.type(type.element).quantization;
}

}  // namespace stablehlo
}  // namespace xla
