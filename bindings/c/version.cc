// What libhalo.so knows without its core.
#include "bindings/c/halo.h"

#define HALO_TEXT_OF_(x) #x
#define HALO_TEXT_OF(x) HALO_TEXT_OF_(x)

int32_t halo_abi_version(void) { return HALO_ABI_VERSION; }

const char* halo_version(void) {
  return HALO_TEXT_OF(HALO_VERSION_MAJOR) "." HALO_TEXT_OF(HALO_VERSION_MINOR) "." HALO_TEXT_OF(HALO_VERSION_PATCH);
}

const char* halo_code_name(halo_code code) {
  static constexpr const char* kNames[] = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
  };
  return code >= 0 && code <= HALO_UNAVAILABLE ? kNames[code] : "UNKNOWN";
}
