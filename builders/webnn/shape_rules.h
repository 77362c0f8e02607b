// Algorithms on shapes that several operators share: broadcasting, reduced shapes, lists of axes.
#ifndef BUILDERS_WEBNN_SHAPE_RULES_H_
#define BUILDERS_WEBNN_SHAPE_RULES_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "builders/webnn/operand.h"
#include "builders/webnn/options.h"

namespace xla {
namespace webnn {

// "Bidirectionally broadcast the shapes": each dimension is the greater of the two, of which one is 1 or both are
// equal. nullopt if they do not fit.
absl::optional<UnsignedList> BroadcastShapes(absl::Span<const uint32_t> a, absl::Span<const uint32_t> b);
// The same as a TypeError of the rule "bidirectional broadcast".
absl::StatusOr<UnsignedList> BroadcastOperands(const MLOperand& a, const MLOperand& b);

// "Unidirectionally broadcastable": TypeErrors "unidirectional broadcast: rank" and "... size".
absl::Status CheckUnidirectionalBroadcast(absl::Span<const uint32_t> from, absl::Span<const uint32_t> to,
                                          absl::string_view what);

// TypeError `rule` unless both have one data type.
absl::Status CheckSameType(const MLOperand& expected, const MLOperand& operand, absl::string_view what,
                           absl::string_view rule = "dtype mismatch");

// TypeErrors "axis: out of range"; "axes: out of range" and "axes: duplicate".
absl::Status CheckAxis(uint32_t axis, int rank);
absl::Status CheckAxes(absl::Span<const uint32_t> axes, int rank);
// The axes, or all if they are not given.
UnsignedList AxesOrAll(const absl::optional<UnsignedList>& axes, int rank);

// The shape without the axes, or with 1 in their place.
UnsignedList ReducedShape(absl::Span<const uint32_t> shape, absl::Span<const uint32_t> axes, bool keep_dimensions);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_SHAPE_RULES_H_
