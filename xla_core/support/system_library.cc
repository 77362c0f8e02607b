#include "xla_core/support/system_library.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {

absl::StatusOr<void*> LoadLibrary(const char* name, absl::string_view advice) {
  if (void* const handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL)) return handle;
  // Begins with the library that is missing, which may be one that `name` needs.
  const char* const reason = dlerror();
  const char* const folders = std::getenv("LD_LIBRARY_PATH");
  const std::string also =
      folders == nullptr ? " (LD_LIBRARY_PATH is not set)" : absl::StrCat(" and LD_LIBRARY_PATH=", folders);
  return absl::UnavailableError(absl::StrCat("cannot load ", name, ": ", reason == nullptr ? "unknown reason" : reason,
                                             "; looked in the system's folders of libraries", also, "; ", advice));
}

absl::Status LazyLibrary::Load() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_loaded_) return absl::OkStatus();
  const std::string advice = absl::StrCat("apt-get install ", package_, " installs it");
  ASSIGN_OR_RETURN(void* const handle, LoadLibrary(soname_, advice));
  for (const Function& function : functions_) {
    void* const address = dlsym(handle, function.name);
    if (address == nullptr) {
      return absl::UnavailableError(absl::StrCat(soname_, " has no function ", function.name,
                                                 ": it is not the one of the Debian package ", package_));
    }
    *function.address = address;
  }
  is_loaded_ = true;
  return absl::OkStatus();
}

}  // namespace xla

void halo_function_is_not_loaded() {
  std::fprintf(stderr, "internal error: a function of a library is called that was not loaded\n");
  std::abort();
}
