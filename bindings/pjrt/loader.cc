// pjrt_c_api_halo_plugin.so: hands out the table of libhalo-core.so.0 beside it; bindings/core/core_library.h says why
// there are two libraries.
//
// Without a core there is a table too, whose PJRT_Plugin_Initialize says what is missing: clients call it before all
// else, and show its error.
#include <cstring>
#include <string>

#include "bindings/c/halo.h"
#include "bindings/core/core_library.h"
#include "bindings/pjrt/core_entry.h"
#include "bindings/pjrt/pjrt_api.h"

namespace {

void DestroyNothing(PJRT_Error*) {}
void MessageOf(const PJRT_Error* error, const char** message, size_t* message_size);
PJRT_Error_Code Unavailable(const PJRT_Error*) { return PJRT_Error_Code_UNAVAILABLE; }
void NoPayload(const PJRT_Error*, PJRT_Error_PayloadVisitor, void*) {}

constexpr PJRT_Error_FunctionTable kErrorFunctions = {
    sizeof(PJRT_Error_FunctionTable),
    sizeof(PJRT_Error),
    nullptr,
    &DestroyNothing,
    &MessageOf,
    &Unavailable,
    &NoPayload,
};

// The one error of this library, which belongs to it for ever: that the core could not be loaded.
struct LoadingError : PJRT_Error {
  explicit LoadingError(std::string text) : PJRT_Error{&kErrorFunctions}, message(std::move(text)) {}
  const std::string message;
};
LoadingError* loading_error = nullptr;

void MessageOf(const PJRT_Error* error, const char** message, size_t* message_size) {
  const std::string& text = static_cast<const LoadingError*>(error)->message;
  *message = text.data();
  *message_size = text.size();
}

void ErrorDestroy(PJRT_Error_Destroy_Args*) {}
void ErrorMessage(PJRT_Error_Message_Args* args) { MessageOf(args->error, &args->message, &args->message_size); }
PJRT_Error* ErrorGetCode(PJRT_Error_GetCode_Args* args) {
  args->code = PJRT_Error_Code_UNAVAILABLE;
  return nullptr;
}
PJRT_Error* ErrorForEachPayload(PJRT_Error_ForEachPayload_Args*) { return nullptr; }

// Any other function, whatever its arguments.
template <typename Args>
PJRT_Error* Fail(Args*) {
  return loading_error;
}
template <typename Args>
void Assign(PJRT_Error* (**function)(Args*)) {
  *function = &Fail<Args>;
}
void Assign(void (**)(PJRT_Error_Destroy_Args*)) {}
void Assign(void (**)(PJRT_Error_Message_Args*)) {}

const PJRT_Api* ApiThatFails(std::string why) {
  loading_error = new LoadingError(std::move(why));
  auto* const api = new PJRT_Api();
  api->struct_size = sizeof(*api);
  api->pjrt_api_version.struct_size = sizeof(api->pjrt_api_version);
  api->pjrt_api_version.minor_version = 112;
#define PJRT_FUNCTION(Result, Name, minor, size, required) Assign(&api->PJRT_##Name);
#include "bindings/pjrt/pjrt_functions.inc"
#undef PJRT_FUNCTION
  api->PJRT_Error_Destroy = &ErrorDestroy;
  api->PJRT_Error_Message = &ErrorMessage;
  api->PJRT_Error_GetCode = &ErrorGetCode;
  api->PJRT_Error_ForEachPayload = &ErrorForEachPayload;
  return api;
}

const PJRT_Api* FindApi() {
  const xla::CoreFunction found = xla::FindInCore("halo_core_pjrt_api");
  const auto core_api = reinterpret_cast<decltype(&halo_core_pjrt_api)>(found.address);
  if (core_api == nullptr) return ApiThatFails(found.error);
  const PJRT_Api* const api = core_api(halo_version());
  if (api != nullptr) return api;
  return ApiThatFails(found.core_path + " is not of the version of " + xla::PathOfThisLibrary() + ", " +
                      halo_version() + "; install Halo again");
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  static const PJRT_Api* const api = FindApi();
  return api;
}
