#include "bindings/c/entry_table.h"

#include <cstring>

namespace {

constexpr HaloEntryTable kTable = {
#define HALO_ENTRY(Result, name, parameters, arguments) &::name,
#include "bindings/c/entry_points.inc"
#undef HALO_ENTRY
    &::halo_status_code,
    &::halo_status_message,
    &::halo_status_free,
};

}  // namespace

const HaloEntryTable* halo_core_entry_table(const char* version) {
  return std::strcmp(version, halo_version()) == 0 ? &kTable : nullptr;
}
