// PJRT_Error: a status as clients see it.
#ifndef BINDINGS_PJRT_ERROR_H_
#define BINDINGS_PJRT_ERROR_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "bindings/pjrt/pjrt_api.h"

namespace xla {
namespace pjrt {

// nullptr for OK. Never fails: without memory it gives an error that says so, and that destroying leaves alone.
PJRT_Error* MakeError(const absl::Status& status) noexcept;
// The status of an error that a callback of the client gave, which ends. OK for nullptr.
absl::Status TakeError(PJRT_Error* error);
// What a callback of the client makes its errors with.
PJRT_Error* MakeCallbackError(PJRT_Error_Code code, const char* message, size_t message_size);
// A code and a message of the client as a status; a code that does not exist is kUnknown.
absl::Status StatusOf(PJRT_Error_Code code, const char* message, size_t message_size);

}  // namespace pjrt
}  // namespace xla

#endif  // BINDINGS_PJRT_ERROR_H_
