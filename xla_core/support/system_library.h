// Libraries of the system that are loaded when a program needs them.
#ifndef XLA_CORE_SUPPORT_SYSTEM_LIBRARY_H_
#define XLA_CORE_SUPPORT_SYSTEM_LIBRARY_H_

#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla {

// dlopen of a name or a path, with a scope of its own. Unavailable: what is missing, where the system looked, `advice`.
absl::StatusOr<void*> LoadLibrary(const char* name, absl::string_view advice);

// A library whose functions are called through a table of their addresses: what lazy_library.bzl writes code for.
class LazyLibrary {
 public:
  struct Function {
    const char* name;
    void** address;  // of the function; until it is loaded, whatever ends the process
  };

  // Literals: the name that programs ask for, and the Debian package it is in.
  LazyLibrary(const char* soname, const char* package, std::vector<Function> functions)
      : soname_(soname), package_(package), functions_(std::move(functions)) {}

  // Finds all functions, once; nothing is ever unloaded. Thread-safe. Unavailable: the library is not there, or one of
  // the functions is not in it.
  absl::Status Load();

 private:
  const char* const soname_;
  const char* const package_;
  const std::vector<Function> functions_;
  std::mutex mutex_;
  bool is_loaded_ = false;
};

}  // namespace xla

// Ends the process: what calls of a library's functions are before it is loaded.
extern "C" [[noreturn]] void halo_function_is_not_loaded();

#endif  // XLA_CORE_SUPPORT_SYSTEM_LIBRARY_H_
