// MLOperandDescriptor: data type and shape of an operand, and what of them is valid.
#ifndef BUILDERS_WEBNN_DESCRIPTOR_H_
#define BUILDERS_WEBNN_DESCRIPTOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "builders/webnn/edition.h"
#include "builders/webnn/enums.h"
#include "xla_core/types/shape.h"

namespace xla {
namespace webnn {

// The limits of this implementation, which the specification leaves to it.
constexpr int kMaxRank = 8;
constexpr int64_t kMaxByteLength = int64_t{1} << 47;
// The greatest size of a dimension: that of the draft, and that of later editions.
constexpr int64_t kMaxDimension = 0xffffffff;
constexpr int64_t kMaxDimensionLater = 0x7fffffff;

inline int64_t MaxDimension(MLEdition edition) {
  return edition == MLEdition::kDraft ? kMaxDimension : kMaxDimensionLater;
}

// A value; it may hold sizes that are not valid, which CheckDimensions finds out. Dimensions are unsigned 32-bit as
// in the IDL.
struct MLOperandDescriptor {
  MLOperandDescriptor() = default;
  MLOperandDescriptor(MLOperandDataType data_type, std::vector<uint32_t> shape)
      : dataType(data_type), dimensions(std::move(shape)) {}

  MLOperandDataType dataType = MLOperandDataType::kFloat32;
  // Called `shape` by later editions. Empty for a scalar.
  std::vector<uint32_t> dimensions;

  const std::vector<uint32_t>& shape() const { return dimensions; }
  int rank() const { return static_cast<int>(dimensions.size()); }
  bool operator==(const MLOperandDescriptor& other) const {
    return dataType == other.dataType && dimensions == other.dimensions;
  }
  bool operator!=(const MLOperandDescriptor& other) const { return !(*this == other); }
  // "float32[2,3]".
  std::string ToString() const;
};

// "[2,3]".
std::string ShapeToString(absl::Span<const uint32_t> shape);

// Elements, and bytes of a buffer that holds them (two elements of int4 and uint4 share a byte); nullopt if there are
// more than 63 bits can count.
absl::optional<int64_t> ElementCountOf(absl::Span<const uint32_t> shape);
absl::optional<int64_t> ByteLengthOf(const MLOperandDescriptor& descriptor);

// TypeError unless every dimension is valid and rank and byte length are within the limits ("check dimensions").
absl::Status CheckDimensions(const MLOperandDescriptor& descriptor, MLEdition edition);

// As an array of HLO. The descriptor is one that CheckDimensions admits.
Shape HloShapeOf(const MLOperandDescriptor& descriptor);
std::vector<int64_t> HloDimensionsOf(absl::Span<const uint32_t> shape);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_DESCRIPTOR_H_
