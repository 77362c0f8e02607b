// halo_status, and the frame of every C function that can fail.
#ifndef BINDINGS_C_STATUS_H_
#define BINDINGS_C_STATUS_H_

#include <exception>
#include <new>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "bindings/c/halo.h"
#include "bindings/core/caller_check.h"

namespace xla {

// nullptr for OK. Never fails: without memory it gives an error that says so and must not be freed.
halo_status* MakeStatus(const absl::Status& status) noexcept;

// Runs `body`, a function from CallerCheck to absl::Status; an exception (memory that is exhausted) becomes an error.
template <typename Body>
halo_status* Guarded(const char* function, Body body) noexcept {
  try {
    return MakeStatus(body(CallerCheck(function)));
  } catch (const std::bad_alloc&) {
    return MakeStatus(absl::ResourceExhaustedError("out of memory"));
  } catch (const std::exception& error) {
    return MakeStatus(absl::InternalError(error.what()));
  }
}

// A handle may be asked for what it is without an error to return: null and wrong handles answer with `otherwise`.
template <typename Handle, typename Value, typename Body>
Value Ask(const Handle* handle, Value otherwise, Body body) noexcept {
  return handle != nullptr && handle->has_tag() ? static_cast<Value>(body(*handle)) : otherwise;
}

// A copy of `text`, with a zero byte after it, for halo_free. `size` may be nullptr.
absl::Status GiveText(absl::string_view text, char** out, size_t* size);

}  // namespace xla

#endif  // BINDINGS_C_STATUS_H_
