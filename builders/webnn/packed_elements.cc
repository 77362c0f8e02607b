#include "builders/webnn/packed_elements.h"

#include <cstring>
#include <vector>

#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {

absl::StatusOr<Literal> CopyElements(const MLOperandDescriptor& descriptor, const void* data) {
  ASSIGN_OR_RETURN(Literal literal, Literal::Allocate(HloShapeOf(descriptor)));
  if (!IsPacked(descriptor.dataType)) {
    std::memcpy(literal.untyped_mutable_data(), data, static_cast<size_t>(literal.size_bytes()));
    return literal;
  }
  const auto* bytes = static_cast<const uint8_t*>(data);
  auto* elements = literal.mutable_data<uint8_t>();
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const uint8_t nibble = i % 2 == 0 ? bytes[i / 2] & 0xf : bytes[i / 2] >> 4;
    // A byte of a literal has the sign of its element.
    elements[i] = descriptor.dataType == MLOperandDataType::kInt4 && nibble >= 8 ? nibble | 0xf0 : nibble;
  }
  return literal;
}

void WriteElements(const Literal& literal, const MLOperandDescriptor& descriptor, void* data) {
  if (!IsPacked(descriptor.dataType)) {
    std::memcpy(data, literal.untyped_data(), static_cast<size_t>(literal.size_bytes()));
    return;
  }
  auto* bytes = static_cast<uint8_t*>(data);
  const auto* elements = literal.data<uint8_t>();
  for (int64_t i = 0; i < literal.element_count(); i += 2) {
    const uint8_t high = i + 1 < literal.element_count() ? elements[i + 1] & 0xf : 0;
    bytes[i / 2] = static_cast<uint8_t>((elements[i] & 0xf) | high << 4);
  }
}

}  // namespace webnn
}  // namespace xla
