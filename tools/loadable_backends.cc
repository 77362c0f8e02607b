#include "tools/loadable_backends.h"

#include <algorithm>

#include "backends/loading/load_backend_library.h"
#include "backends/registry.h"

namespace xla {
namespace {

struct LoadableBackend {
  const char* name;
  const char* packages;  // of Debian, with the libraries that it alone is linked with
};
constexpr LoadableBackend kLoadable[] = {{"cpu", "libllvm19 libdnnl2 libgomp1"}, {"vulkan", ""}};
constexpr LoadableBackend kReplicated = {"replicated", ""};

bool Contains(const std::vector<std::string>& names, absl::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<std::string> NamesOfLinkedAndLoadableBackends() {
  std::vector<std::string> names = BackendNames();
  for (const LoadableBackend& backend : kLoadable) {
    if (!Contains(names, backend.name)) names.push_back(backend.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::Status LoadBackend(absl::string_view name) {
  for (const LoadableBackend& backend : kLoadable) {
    if (name == backend.name && !Contains(BackendNames(), name)) return LoadBackendLibrary(name, backend.packages);
  }
  return absl::OkStatus();
}

absl::Status LoadReplicatedBackend() {
  if (Contains(BackendNames(), kReplicated.name)) return absl::OkStatus();
  return LoadBackendLibrary(kReplicated.name, kReplicated.packages);
}

}  // namespace xla
