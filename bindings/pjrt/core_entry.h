// What libhalo-core.so.0 hands to the plugin. Both come from one build: this is not an interface for other programs.
#ifndef BINDINGS_PJRT_CORE_ENTRY_H_
#define BINDINGS_PJRT_CORE_ENTRY_H_

#include "bindings/c/halo.h"
#include "bindings/pjrt/pjrt_api.h"

extern "C" {
// The table, which lives for ever. nullptr if `version` is not that of the core.
HALO_EXPORT const PJRT_Api* halo_core_pjrt_api(const char* version);
}

#endif  // BINDINGS_PJRT_CORE_ENTRY_H_
