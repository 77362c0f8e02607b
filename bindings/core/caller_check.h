// CallerCheck: what a function of a C interface checks of its arguments.
#ifndef BINDINGS_CORE_CALLER_CHECK_H_
#define BINDINGS_CORE_CALLER_CHECK_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace xla {

// Errors are InvalidArgument and begin with the function's name.
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

  const char* function() const { return function_; }

 private:
  const char* function_;
};

}  // namespace xla

#endif  // BINDINGS_CORE_CALLER_CHECK_H_
