// Custom-call targets from C.
#include "bindings/c/halo.h"
#include "bindings/c/status.h"
#include "xla_core/ops/custom_call_registry.h"
#include "xla_core/support/status_macros.h"

halo_status* halo_custom_call_register(const char* target, void (*function)(void* out, const void** in)) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(target, "target"));
    if (function == nullptr) return check.Error("function is NULL");
    if (*target == '\0') return check.Error("target is empty");
    return xla::CustomCallRegistry::Global().RegisterOriginal(target, function);
  });
}
