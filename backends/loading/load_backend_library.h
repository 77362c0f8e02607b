// Backends in shared libraries beside the program: those that backend_library.bzl makes.
//
// hlo-run starts without LLVM and oneDNN, which take longer to load than a small program to run. Such a library has the
// code of its backend alone. Everything else of Halo that the backend calls is in the program, once, and exported by
// it; so the two belong together, and a library of another build does not fit.
#ifndef BACKENDS_LOADING_LOAD_BACKEND_LIBRARY_H_
#define BACKENDS_LOADING_LOAD_BACKEND_LIBRARY_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace xla {

// Loads libhalo-NAME.so, which registers the backend NAME: for RegisterLoadableBackend. It is looked for beside the
// program's file, where a build puts it, and in ../lib/halo, where an installation has it; the current folder and the
// links by which the program was called do not matter.
// Errors: NotFound if it is in neither; Unavailable if it cannot be loaded, with the library that is missing and
// `packages`, the Debian packages that it needs.
absl::Status LoadBackendLibrary(absl::string_view name, absl::string_view packages);

}  // namespace xla

#endif  // BACKENDS_LOADING_LOAD_BACKEND_LIBRARY_H_
