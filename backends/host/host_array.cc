#include "backends/host/host_array.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// No element type needs more than double does.
constexpr int64_t kLargestAlignment = alignof(double);

bool IsDense(const HostArray& array) {
  if (array.byte_strides.empty()) return true;
  int64_t stride = ByteWidth(array.shape.element_type());
  for (int i = array.shape.rank() - 1; i >= 0; --i) {
    if (array.shape.dimension(i) != 1 && array.byte_strides[i] != stride) return false;
    stride *= array.shape.dimension(i);
  }
  return true;
}

bool IsAligned(const HostArray& array) {
  const int64_t alignment = std::min<int64_t>(ByteWidth(array.shape.element_type()), kLargestAlignment);
  return reinterpret_cast<uintptr_t>(array.data) % static_cast<uintptr_t>(alignment) == 0;
}

// The value that a byte stands for; the byte itself for types that use all its bits.
uint8_t ValueOfByte(PrimitiveType type, uint8_t byte) {
  if (type == PRED) return byte != 0 ? 1 : 0;
  if (!IsSubByte(type)) return byte;
  const int unused = 8 - BitWidth(type);
  const auto high = static_cast<uint8_t>(byte << unused);
  return IsSignedInt(type) ? static_cast<uint8_t>(static_cast<int8_t>(high) >> unused)
                           : static_cast<uint8_t>(high >> unused);
}

bool HasUnusedBits(PrimitiveType type) { return type == PRED || IsSubByte(type); }

bool HoldsValues(const HostArray& array) {
  const PrimitiveType type = array.shape.element_type();
  if (!HasUnusedBits(type)) return true;
  const auto* const bytes = static_cast<const uint8_t*>(array.data);
  return std::all_of(bytes, bytes + array.shape.ByteSize(),
                     [type](uint8_t byte) { return ValueOfByte(type, byte) == byte; });
}

// Copies elements that lie strides apart into dense row-major order, one dimension inside of the other.
char* CopyStrided(const HostArray& array, const char* from, int dimension, char* to) {
  const int64_t width = ByteWidth(array.shape.element_type());
  if (dimension == array.shape.rank()) {
    std::memcpy(to, from, width);
    return to + width;
  }
  for (int64_t i = 0; i < array.shape.dimension(dimension); ++i) {
    to = CopyStrided(array, from + i * array.byte_strides[dimension], dimension + 1, to);
  }
  return to;
}

}  // namespace

// Only arrays, with one stride for each dimension or none, and with memory unless they are empty.
absl::Status CheckHostArray(const HostArray& array) {
  if (!array.shape.IsArray()) {
    return absl::InvalidArgumentError(
        absl::StrCat("only an array can be made from memory, asked for shape ", array.shape.ToString()));
  }
  if (!array.byte_strides.empty() && static_cast<int>(array.byte_strides.size()) != array.shape.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("got ", array.byte_strides.size(), " strides for an array of shape ", array.shape.ToString()));
  }
  if (array.data == nullptr && array.shape.ByteSize() > 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no memory (nullptr) to make an array of shape ", array.shape.ToString(), " from"));
  }
  return absl::OkStatus();
}

bool CanBorrow(const HostArray& array) { return IsDense(array) && IsAligned(array) && HoldsValues(array); }

// Copies from the caller's strides to row-major. Types with unused bits in a byte are normalized.
absl::StatusOr<Literal> CopyHostArray(const HostArray& array) {
  ASSIGN_OR_RETURN(Literal literal, Literal::Allocate(array.shape));
  if (literal.size_bytes() == 0) return literal;
  char* const to = literal.mutable_data<char>();
  if (IsDense(array)) {
    std::memcpy(to, array.data, literal.size_bytes());
  } else {
    CopyStrided(array, static_cast<const char*>(array.data), 0, to);
  }
  const PrimitiveType type = array.shape.element_type();
  if (!HasUnusedBits(type)) return literal;
  auto* const bytes = literal.mutable_data<uint8_t>();
  std::transform(bytes, bytes + literal.size_bytes(), bytes, [type](uint8_t byte) { return ValueOfByte(type, byte); });
  return literal;
}

}  // namespace xla
