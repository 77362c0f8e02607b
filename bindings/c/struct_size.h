// Reads and writes the structs of halo.h whose first field is their size, so that programs and libraries of different
// ages understand each other.
#ifndef BINDINGS_C_STRUCT_SIZE_H_
#define BINDINGS_C_STRUCT_SIZE_H_

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "bindings/c/status.h"

namespace xla {

// More than any version of a struct will have: a larger size was never initialised.
constexpr size_t kMaxStructSize = 4096;

inline absl::Status CheckStructSize(const CallerCheck& check, size_t struct_size, absl::string_view name) {
  if (struct_size >= sizeof(size_t) && struct_size <= kMaxStructSize) return absl::OkStatus();
  return check.Error(
      absl::StrCat(name, ".struct_size is ", struct_size, "; initialise the struct with its HALO_..._INIT"));
}

// What `given` says, or all zero where it is nullptr or older than the library. Unimplemented if it is newer, and has
// set a field that this library does not know.
template <typename Options>
absl::Status ReadOptions(const CallerCheck& check, const Options* given, Options* options) {
  *options = Options();
  if (given == nullptr) return absl::OkStatus();
  const size_t size = given->struct_size;
  if (absl::Status status = CheckStructSize(check, size, "options"); !status.ok()) return status;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  const bool knows_all = size <= sizeof(Options) ||
                         std::all_of(bytes + sizeof(Options), bytes + size, [](unsigned char b) { return b == 0; });
  if (!knows_all) {
    return absl::UnimplementedError(
        absl::StrCat("the options are of a newer halo.h than this library (", halo_version(),
                     "), and a field that it does not know is set; install a newer libhalo"));
  }
  std::memcpy(options, given, std::min(size, sizeof(Options)));
  return absl::OkStatus();
}

// Fills as much of `out` as its owner knows.
template <typename Values>
absl::Status WriteValues(const CallerCheck& check, Values values, Values* out, absl::string_view name) {
  if (absl::Status status = check.Present(out, name); !status.ok()) return status;
  if (absl::Status status = CheckStructSize(check, out->struct_size, name); !status.ok()) return status;
  values.struct_size = out->struct_size;
  std::memcpy(out, &values, std::min(values.struct_size, sizeof(Values)));
  return absl::OkStatus();
}

}  // namespace xla

#endif  // BINDINGS_C_STRUCT_SIZE_H_
