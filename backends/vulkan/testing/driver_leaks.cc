// Linked into a test: lets LeakSanitizer pass over what Mesa's driver for processors has allocated and not freed.
//
// The loader unloads the driver with its last instance. What is left could not be told from Halo's then, because its
// stacks have no names: so the driver stays.
#include <dlfcn.h>

#include "absl/base/config.h"

#ifdef ABSL_HAVE_ADDRESS_SANITIZER

namespace {

constexpr char kDriver[] = "libvulkan_lvp.so";

// Where there is no such driver, there is nothing to pass over.
const bool kDriverStays = [] {
  dlopen(kDriver, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  return true;
}();

}  // namespace

extern "C" const char* __lsan_default_suppressions() { return "leak:libvulkan_lvp.so\n"; }

#endif
