// halo_status, and the frame of every C function that can fail.
#ifndef BINDINGS_C_STATUS_H_
#define BINDINGS_C_STATUS_H_

#include <exception>
#include <new>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "bindings/c/halo.h"

namespace xla {

// nullptr for OK. Never fails: without memory it gives an error that says so and must not be freed.
halo_status* MakeStatus(const absl::Status& status) noexcept;

// Checks what the caller of a C function gave. Errors are InvalidArgument and begin with the function's name.
class CallerCheck {
 public:
  explicit CallerCheck(const char* function) : function_(function) {}

  absl::Status Error(absl::string_view message) const {
    return absl::InvalidArgumentError(absl::StrCat(function_, ": ", message));
  }
  absl::Status Present(const void* pointer, absl::string_view name) const {
    return pointer != nullptr ? absl::OkStatus() : Error(absl::StrCat(name, " is NULL"));
  }
  // A handle of the right kind.
  template <typename Handle>
  absl::Status Live(const Handle* handle, absl::string_view name) const {
    if (handle == nullptr) return Error(absl::StrCat(name, " is NULL"));
    if (handle->has_tag()) return absl::OkStatus();
    return Error(absl::StrCat(name, " is no ", Handle::kKind, ", or was freed"));
  }

 private:
  const char* function_;
};

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
