// What the lowerings of several operations need: shapes in words, broadcasting as NNEF has it, and the type that sums
// are made in.
//
// Functions of an invalid XlaOp return an invalid one; errors stick to the builder, as everywhere in
// ComputationBuilder.
#ifndef BUILDERS_NNEF1_OPERATIONS_ARRAYS_H_
#define BUILDERS_NNEF1_OPERATIONS_ARRAYS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/nnef1/graph.h"
#include "builders/nnef1/operation.h"

namespace xla {
namespace nnef1 {

// ---- Shapes

// "[1,3,224,224]", as NNEF writes it.
std::string ShapeText(absl::Span<const int64_t> extents);

// The shape that tensor parameters of these names broadcast to: dimension 0 is aligned with dimension 0, extents that
// are missing at the end count as 1, and in each dimension extents are equal or 1.
// Errors: InvalidArgument, naming both parameters, the dimension and the extents.
// Source: NNEF 1.0.4, section 4.2.2.
absl::StatusOr<Extents> BroadcastExtents(const OperationCall& call, absl::Span<const absl::string_view> names);

// The same for given shapes: that of the parameter `name`, and that of `other_name`, which may be anything.
absl::StatusOr<Extents> BroadcastExtents(absl::string_view name, absl::Span<const int64_t> extents,
                                         absl::string_view other_name, absl::Span<const int64_t> other);

// `values` has one item for each of `count` dimensions ("spatial dimension", "dimension of the input"), and all of them
// are at least `least`. Errors: InvalidArgument naming the list and what is wrong with it.
absl::Status CheckCount(absl::string_view name, size_t items, int64_t count, absl::string_view of_what);
absl::Status CheckAtLeast(absl::string_view name, absl::Span<const int64_t> values, int64_t least);

// ---- Values

// The element type and the dimensions of a value; none of an invalid one.
PrimitiveType TypeOf(XlaOp x);
std::vector<int64_t> DimensionsOf(XlaOp x);

// x within `extents`: dimension 0 is dimension 0 there and so on, extents that are missing at the end count as 1, and
// those of 1 are repeated.
//   HLO: none, reshape, or broadcast
XlaOp BroadcastLeading(XlaOp x, absl::Span<const int64_t> extents);

// The operand for a tensor parameter, broadcast to the shape of the first result.
XlaOp OperandLikeResult(const LoweringCall& call, absl::string_view name);

// A number as a scalar of the type of `like`.
XlaOp NumberLike(XlaOp like, double value);

// An array constant of a float type, each number rounded once.
XlaOp NumbersOfType(ComputationBuilder& b, PrimitiveType type, absl::Span<const int64_t> extents,
                    absl::Span<const double> numbers);

// The type that sums, and what is done with them, are computed in: f32 for f16 and bf16, otherwise the type itself.
inline PrimitiveType SumType(PrimitiveType type) { return type == F16 || type == BF16 ? F32 : type; }
// x in another type; x itself if it has it.
XlaOp ConvertTo(XlaOp x, PrimitiveType type);
// x in its SumType.
XlaOp Widen(XlaOp x);

// x[begin .. end) along one dimension; x itself if that is all of it.
XlaOp SliceAlong(XlaOp x, int64_t dimension, int64_t begin, int64_t end);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_OPERATIONS_ARRAYS_H_
