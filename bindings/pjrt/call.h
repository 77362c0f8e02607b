// The frame of every function of the table: what is checked before its own work, and how its status becomes an error.
#ifndef BINDINGS_PJRT_CALL_H_
#define BINDINGS_PJRT_CALL_H_

#include <cstddef>
#include <exception>
#include <new>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "bindings/core/caller_check.h"
#include "bindings/pjrt/error.h"
#include "bindings/pjrt/pjrt_api.h"

namespace xla {
namespace pjrt {

// By the type of its arguments: a function's name, and the least struct_size that a caller may send.
template <typename Args>
struct FunctionOf;
#define PJRT_FUNCTION(Result, Name, minor, size, required) \
  template <>                                              \
  struct FunctionOf<PJRT_##Name##_Args> {                  \
    static constexpr char kName[] = "PJRT_" #Name;         \
    static constexpr size_t kRequired = required;          \
  };
#include "bindings/pjrt/pjrt_functions.inc"
#undef PJRT_FUNCTION

// Whether the caller's struct reaches to the end of `field`, one of its own.
template <typename Args, typename Field>
bool HasField(const Args& args, const Field& field) {
  return args.struct_size >=
         static_cast<size_t>(reinterpret_cast<const char*>(&field + 1) - reinterpret_cast<const char*>(&args));
}
// Writes an answer that older callers have no place for.
template <typename Args, typename Field, typename Value>
void SetIfPresent(Args& args, Field& field, Value&& value) {
  if (HasField(args, field)) field = std::forward<Value>(value);
}

// Runs `body`, a function from CallerCheck to absl::Status; an exception (memory that is exhausted) becomes an error.
template <typename Body>
PJRT_Error* Guarded(const char* function, Body body) noexcept {
  try {
    return MakeError(body(CallerCheck(function)));
  } catch (const std::bad_alloc&) {
    return MakeError(absl::ResourceExhaustedError("out of memory"));
  } catch (const std::exception& error) {
    return MakeError(absl::InternalError(error.what()));
  }
}

template <typename Args>
absl::Status CheckArgs(const CallerCheck& check, const Args* args, size_t required) {
  if (args == nullptr) return check.Error("args is NULL");
  if (args->struct_size >= required) return absl::OkStatus();
  return check.Error(absl::StrCat("struct_size is ", args->struct_size, ", expected at least ", required));
}

// The same for a function of the table, whose arguments are checked first.
template <typename Args, typename Body>
PJRT_Error* Answer(const Args* args, Body body) noexcept {
  using Function = FunctionOf<Args>;
  return Guarded(Function::kName, [&](const CallerCheck& check) -> absl::Status {
    if (absl::Status status = CheckArgs(check, args, Function::kRequired); !status.ok()) return status;
    return body(check);
  });
}

// A list or text of the caller: nothing where it has no elements. InvalidArgument if it has, and no memory.
inline absl::Status CheckList(const CallerCheck& check, const void* list, size_t count, absl::string_view name) {
  return count == 0 ? absl::OkStatus() : check.Present(list, name);
}

}  // namespace pjrt
}  // namespace xla

#endif  // BINDINGS_PJRT_CALL_H_
