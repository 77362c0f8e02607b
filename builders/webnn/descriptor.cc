#include "builders/webnn/descriptor.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/webnn/data_type.h"
#include "builders/webnn/errors.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace webnn {

std::string ShapeToString(absl::Span<const uint32_t> shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ","), "]");
}

std::string MLOperandDescriptor::ToString() const {
  return absl::StrCat(webnn::ToString(dataType), ShapeToString(dimensions));
}

absl::optional<int64_t> ElementCountOf(absl::Span<const uint32_t> shape) {
  int64_t count = 1;
  for (uint32_t dimension : shape) {
    if (!CheckedMul(count, dimension, &count)) return absl::nullopt;
  }
  return count;
}

absl::optional<int64_t> ByteLengthOf(const MLOperandDescriptor& descriptor) {
  const absl::optional<int64_t> elements = ElementCountOf(descriptor.dimensions);
  int64_t bits;
  if (!elements.has_value() || !CheckedMul(*elements, BitsOf(descriptor.dataType), &bits)) return absl::nullopt;
  return CeilDiv(bits, 8);
}

absl::Status CheckDimensions(const MLOperandDescriptor& descriptor, MLEdition edition) {
  if (webnn::ToString(descriptor.dataType).empty()) return TypeError("enum dataType", "there is no such data type");
  for (size_t i = 0; i < descriptor.dimensions.size(); ++i) {
    const uint32_t dimension = descriptor.dimensions[i];
    if (dimension == 0 || dimension > MaxDimension(edition)) {
      return TypeError("invalid dimension",
                       absl::StrCat("dimension ", i, " of ", descriptor.ToString(), " must be from 1 to ",
                                    MaxDimension(edition), ", got ", dimension));
    }
  }
  if (descriptor.rank() > kMaxRank) {
    return TypeError("rank too large", absl::StrCat("an operand has at most ", kMaxRank, " dimensions, got ",
                                                    descriptor.rank(), "; merge some of them"));
  }
  const absl::optional<int64_t> bytes = ByteLengthOf(descriptor);
  if (!bytes.has_value() || *bytes >= kMaxByteLength) {
    return TypeError("byte length too large",
                     absl::StrCat("an operand has less than 2^47 bytes, which ", descriptor.ToString(), " exceeds"));
  }
  if (edition == MLEdition::kLater && *ElementCountOf(descriptor.dimensions) > kMaxDimensionLater) {
    return TypeError("element count too large", absl::StrCat("an operand has at most ", kMaxDimensionLater,
                                                             " elements, which ", descriptor.ToString(), " exceeds"));
  }
  return absl::OkStatus();
}

std::vector<int64_t> HloDimensionsOf(absl::Span<const uint32_t> shape) {
  return std::vector<int64_t>(shape.begin(), shape.end());
}

Shape HloShapeOf(const MLOperandDescriptor& descriptor) {
  return Shape::Array(PrimitiveTypeOf(descriptor.dataType), HloDimensionsOf(descriptor.dimensions));
}

}  // namespace webnn
}  // namespace xla
