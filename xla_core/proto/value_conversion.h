// Shapes and literals to and from their messages.
#ifndef XLA_CORE_PROTO_VALUE_CONVERSION_H_
#define XLA_CORE_PROTO_VALUE_CONVERSION_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_core/proto/hlo.pb.h"
#include "xla_core/proto/large_literal.h"
#include "xla_core/proto/proto_warnings.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

inline ShapeIndex ToShapeIndex(const google::protobuf::RepeatedField<int64_t>& values) {
  return ShapeIndex(values.begin(), values.end());
}

// A valid shape (see ValidateShape) or an error.
absl::StatusOr<Shape> ShapeFromProto(const halo::hlo::ShapeProto& proto, ProtoWarnings& warnings);
void ShapeToProto(const Shape& shape, halo::hlo::ShapeProto* proto);

// The numbers of elements are checked against the shape before anything is allocated. `elements`, if there are any,
// stand for the field of `proto` that they were taken from.
absl::StatusOr<Literal> LiteralFromProto(const halo::hlo::LiteralProto& proto, ProtoWarnings& warnings,
                                         const EncodedElements& elements = {});
// Elements are stored in the order of the shape's layout, row-major if it has none. InvalidArgument if a message would
// grow beyond protobuf's limit of 2 GB.
absl::Status LiteralToProto(const Literal& literal, halo::hlo::LiteralProto* proto);

}  // namespace xla

#endif  // XLA_CORE_PROTO_VALUE_CONVERSION_H_
