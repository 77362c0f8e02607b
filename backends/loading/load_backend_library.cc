#include "backends/loading/load_backend_library.h"

#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "xla_core/support/system_library.h"

namespace xla {
namespace {

// The folder of the file that this process runs, behind all links; empty if the system does not say.
std::string ProgramFolder() {
  char path[PATH_MAX];
  if (realpath("/proc/self/exe", path) == nullptr) return "";
  const std::string program = path;
  return program.substr(0, program.rfind('/'));
}

}  // namespace

absl::Status LoadBackendLibrary(absl::string_view name, absl::string_view packages) {
  const std::string program_folder = ProgramFolder();
  const std::string library = absl::StrCat("libhalo-", name, ".so");
  const std::string folders[] = {program_folder, absl::StrCat(program_folder, "/../lib/halo")};
  for (const std::string& folder : folders) {
    const std::string path = absl::StrCat(folder, "/", library);
    if (access(path.c_str(), F_OK) != 0) continue;
    const std::string advice =
        packages.empty() ? "install Halo again"
                         : absl::StrCat("apt-get install ", packages,
                                        " installs what it needs; if nothing is missing, install Halo again");
    return LoadLibrary(path.c_str(), advice).status();
  }
  return absl::NotFoundError(absl::StrCat("the backend '", name, "' is in ", library, ", which is neither in ",
                                          folders[0], " nor in ", folders[1], "; install Halo again"));
}

}  // namespace xla
