// libhalo.so: the C interface, which passes every call on to libhalo-core.so.0 beside it; bindings/core/core_library.h
// says why there are two libraries.
#include <string>
#include <type_traits>

#include "bindings/c/entry_table.h"
#include "bindings/c/halo.h"
#include "bindings/core/core_library.h"

// The one error that the core does not make: that it could not be loaded. Belongs to this library for ever.
struct halo_status {
  std::string message;
};

namespace {

struct Core {
  const HaloEntryTable* table = nullptr;
  halo_status failure;  // of loading, if there is no table
};

// A core of another version, which has no such function or none for this library, is an error, too.
Core LoadCore() {
  Core core;
  const xla::CoreFunction found = xla::FindInCore("halo_core_entry_table");
  core.failure.message = found.error;
  const auto entry_table = reinterpret_cast<decltype(&halo_core_entry_table)>(found.address);
  if (entry_table == nullptr) return core;
  core.table = entry_table(halo_version());
  if (core.table == nullptr) {
    core.failure.message = found.core_path + " is not of the version of " + xla::PathOfThisLibrary() + ", " +
                           halo_version() + "; install Halo again";
  }
  return core;
}

// Never destroyed: the last calls come while the process ends.
Core& TheCore() {
  static Core& core = *new Core(LoadCore());
  return core;
}

// What a function gives if there is no core.
template <typename Result>
Result WithoutCore() {
  if constexpr (std::is_same_v<Result, halo_status*>) {
    return &TheCore().failure;
  } else if constexpr (std::is_same_v<Result, const char*>) {
    return "";
  } else if constexpr (!std::is_void_v<Result>) {
    return Result();
  }
}

}  // namespace

#define HALO_ENTRY(Result, name, parameters, arguments)                      \
  Result name parameters {                                                   \
    const HaloEntryTable* const table = TheCore().table;                     \
    return table != nullptr ? table->name arguments : WithoutCore<Result>(); \
  }
#include "bindings/c/entry_points.inc"
#undef HALO_ENTRY

halo_code halo_status_code(const halo_status* status) {
  if (status == nullptr) return HALO_OK;
  const Core& core = TheCore();
  return core.table == nullptr ? HALO_UNAVAILABLE : core.table->status_code(status);
}

const char* halo_status_message(const halo_status* status) {
  if (status == nullptr) return "";
  const Core& core = TheCore();
  return core.table == nullptr ? core.failure.message.c_str() : core.table->status_message(status);
}

void halo_status_free(halo_status* status) {
  const Core& core = TheCore();
  if (core.table != nullptr) core.table->status_free(status);
}
