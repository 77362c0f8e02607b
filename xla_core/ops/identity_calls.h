// The targets of custom-call that XLA writes as marks for compilers: the value of such a call is that of its operand.
#ifndef XLA_CORE_OPS_IDENTITY_CALLS_H_
#define XLA_CORE_OPS_IDENTITY_CALLS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla {

struct IdentityCall {
  absl::string_view target;
  // Whether operand and result have one shape in every program. Others lead from a full shape to that of a shard in
  // programs that are yet to be partitioned, or from an array to a buffer.
  bool keeps_shape;
};

// Sorted by target.
absl::Span<const IdentityCall> IdentityCalls();

// Whether the target is one of these.
bool IsIdentityCall(absl::string_view target);

}  // namespace xla

#endif  // XLA_CORE_OPS_IDENTITY_CALLS_H_
