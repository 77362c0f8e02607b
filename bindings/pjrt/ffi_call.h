// Calls of handlers that clients have registered.
#ifndef BINDINGS_PJRT_FFI_CALL_H_
#define BINDINGS_PJRT_FFI_CALL_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "bindings/pjrt/ffi_api.h"
#include "xla_core/ops/custom_call_registry.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace pjrt {

// Runs the execute stage of `handler` on the operands: dense, row-major arrays, one byte for each element of types
// narrower than a byte; a token has no data. Errors: what the handler says; InvalidArgument for attributes that are not
// a dictionary of scalars, texts and arrays.
absl::StatusOr<Literal> CallFfiHandler(XLA_FFI_Handler* handler, const CustomCall& call);

// Makes programs that call `name` call the handler. AlreadyExists if the name means something else already.
absl::Status RegisterFfiHandler(absl::string_view name, XLA_FFI_Handler* handler);

// The number of a type of the client's by its name: `wanted`, or a new one if that is 0. InvalidArgument if the name
// has another number.
absl::StatusOr<int64_t> RegisterFfiType(absl::string_view name, int64_t wanted);

}  // namespace pjrt
}  // namespace xla

#endif  // BINDINGS_PJRT_FFI_CALL_H_
