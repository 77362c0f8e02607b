#include "bindings/pjrt/error.h"

#include <new>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bindings/pjrt/call.h"
#include "bindings/pjrt/functions.h"

namespace xla {
namespace pjrt {
namespace {

struct StatusError : PJRT_Error {
  explicit StatusError(absl::Status of);
  const absl::Status status;
  const std::string message;
};

const StatusError& AsStatusError(const PJRT_Error* error) { return *static_cast<const StatusError*>(error); }

// What MakeError gives when there is no memory for an error. Never destroyed.
StatusError& OutOfMemory() {
  static auto& error = *new StatusError(absl::ResourceExhaustedError("out of memory"));
  return error;
}

void Destroy(PJRT_Error* error) {
  if (error != nullptr && error != &OutOfMemory()) delete static_cast<StatusError*>(error);
}

void Message(const PJRT_Error* error, const char** message, size_t* message_size) {
  *message = error == nullptr ? "" : AsStatusError(error).message.data();
  *message_size = error == nullptr ? 0 : AsStatusError(error).message.size();
}

PJRT_Error_Code Code(const PJRT_Error* error) {
  return error == nullptr ? PJRT_Error_Code_OK : static_cast<PJRT_Error_Code>(AsStatusError(error).status.code());
}

// Statuses of Halo have none.
void ForEachPayload(const PJRT_Error*, PJRT_Error_PayloadVisitor, void*) {}

constexpr PJRT_Error_FunctionTable kErrorFunctions = {
    sizeof(PJRT_Error_FunctionTable), sizeof(PJRT_Error), nullptr, &Destroy, &Message, &Code, &ForEachPayload,
};

StatusError::StatusError(absl::Status of)
    : PJRT_Error{&kErrorFunctions}, status(std::move(of)), message(status.message()) {}

// Made while there is memory.
const bool kIsOutOfMemoryMade = (OutOfMemory(), true);

}  // namespace

PJRT_Error* MakeError(const absl::Status& status) noexcept {
  if (status.ok()) return nullptr;
  try {
    return new StatusError(status);
  } catch (const std::bad_alloc&) {
    return &OutOfMemory();
  }
}

absl::Status TakeError(PJRT_Error* error) {
  if (error == nullptr) return absl::OkStatus();
  absl::Status status = AsStatusError(error).status;
  Destroy(error);
  return status;
}

absl::Status StatusOf(PJRT_Error_Code code, const char* message, size_t message_size) {
  if (code == PJRT_Error_Code_OK) return absl::OkStatus();
  const bool is_known = code > PJRT_Error_Code_OK && code <= PJRT_Error_Code_UNAUTHENTICATED;
  return absl::Status(is_known ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kUnknown,
                      message == nullptr ? absl::string_view() : absl::string_view(message, message_size));
}

PJRT_Error* MakeCallbackError(PJRT_Error_Code code, const char* message, size_t message_size) {
  try {
    const absl::Status status = StatusOf(code, message, message_size);
    return MakeError(status.ok() ? absl::UnknownError("an error without a code") : status);
  } catch (const std::bad_alloc&) {
    return &OutOfMemory();
  }
}

void Error_Destroy(PJRT_Error_Destroy_Args* args) {
  if (args != nullptr) Destroy(args->error);
}

void Error_Message(PJRT_Error_Message_Args* args) {
  if (args != nullptr) Message(args->error, &args->message, &args->message_size);
}

PJRT_Error* Error_GetCode(PJRT_Error_GetCode_Args* args) {
  if (args != nullptr) args->code = Code(args->error);
  return nullptr;
}

PJRT_Error* Error_ForEachPayload(PJRT_Error_ForEachPayload_Args*) { return nullptr; }

}  // namespace pjrt
}  // namespace xla
