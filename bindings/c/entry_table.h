// The functions of the C interface as libhalo-core.so.0 hands them to libhalo.so. Both come from one build: the table
// is not an interface for other programs.
#ifndef BINDINGS_C_ENTRY_TABLE_H_
#define BINDINGS_C_ENTRY_TABLE_H_

#include "bindings/c/halo.h"

// A pointer for each row of entry_points.inc, in its order, and the functions of halo_status.
struct HaloEntryTable {
#define HALO_ENTRY(Result, name, parameters, arguments) Result(*name) parameters;
#include "bindings/c/entry_points.inc"
#undef HALO_ENTRY
  halo_code (*status_code)(const halo_status* status);
  const char* (*status_message)(const halo_status* status);
  void (*status_free)(halo_status* status);
};

extern "C" {
// nullptr if `version` is not that of the core.
HALO_EXPORT const HaloEntryTable* halo_core_entry_table(const char* version);
}

#endif  // BINDINGS_C_ENTRY_TABLE_H_
