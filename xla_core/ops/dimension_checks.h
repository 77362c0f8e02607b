// Checks of lists of dimensions, which the shape rules of data movement share. Each returns InvalidArgument with a
// message that names the attribute or operand, what was expected, what came and what to do. (Single dimensions:
// operand_checks.h.)
#ifndef XLA_CORE_OPS_DIMENSION_CHECKS_H_
#define XLA_CORE_OPS_DIMENSION_CHECKS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/types/shape.h"

namespace xla {

// All operands are arrays, and no dimension is unbounded; FailedPrecondition for one that is, because such an
// instruction cannot be judged before its dimensions have sizes.
absl::Status CheckBoundedArrays(const HloInstruction& instruction);

// The shape that the text wrote for the result is an array without unbounded dimensions (FailedPrecondition). For ops
// whose result no rule can tell.
absl::Status CheckWrittenArray(const HloInstruction& instruction);

// The array, tuple or scalar whose dimensions an attribute counts: "operand 0, f32[2,3]".
struct DimensionsOf {
  absl::string_view name;
  int64_t rank;
  const Shape* shape = nullptr;  // said in messages, if there is one
};
inline DimensionsOf DimensionsOfOperand(const HloInstruction& instruction) {
  return {"the operand", instruction.operand(0)->shape().rank(), &instruction.operand(0)->shape()};
}

// Every entry is a dimension, and none occurs twice.
absl::Status CheckDistinctDimensions(absl::string_view attribute, absl::Span<const int64_t> dimensions,
                                     const DimensionsOf& of);
// Also in ascending order.
absl::Status CheckAscendingDimensions(absl::string_view attribute, absl::Span<const int64_t> dimensions,
                                      const DimensionsOf& of);
// No dimension stands in both lists.
absl::Status CheckDisjoint(absl::string_view attribute_a, absl::Span<const int64_t> a, absl::string_view attribute_b,
                           absl::Span<const int64_t> b);

// Product of the dimensions. InvalidArgument if it does not fit in 63 bits.
absl::StatusOr<int64_t> CheckedElementCount(const Shape& shape);

bool Contains(absl::Span<const int64_t> list, int64_t value);
// "{0,2}"
std::string ListToString(absl::Span<const int64_t> list);

}  // namespace xla

#endif  // XLA_CORE_OPS_DIMENSION_CHECKS_H_
