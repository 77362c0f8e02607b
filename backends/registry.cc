#include "backends/registry.h"

#include <map>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/support/edit_distance.h"

namespace xla {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, ClientFactory, std::less<>> factories;
};

// Never destroyed: clients may be asked for while the process ends.
Registry& GlobalRegistry() {
  static auto* const registry = new Registry;
  return *registry;
}

// Those that a program can link, for the error of one that is not linked.
constexpr absl::string_view kBackendsOfHalo[] = {"cpu", "interpreter", "replicated", "vulkan"};

// Tells a backend that exists but is not linked, with the target to depend on, from one that does not exist, for
// which it suggests similar names.
absl::Status UnknownBackend(absl::string_view name) {
  const std::vector<std::string> names = BackendNames();
  for (const absl::string_view linkable : kBackendsOfHalo) {
    if (name != linkable) continue;
    return absl::NotFoundError(absl::StrCat("backend '", name, "' is not linked into this program, which has ",
                                            names.empty() ? "no backend" : absl::StrJoin(names, ", "),
                                            "; depend on @halo//:", name, " to link it"));
  }
  if (names.empty()) {
    return absl::NotFoundError(
        absl::StrCat("unknown backend '", name, "'; no backend is linked: depend on @halo//:interpreter, for example"));
  }
  const std::vector<absl::string_view> known(names.begin(), names.end());
  return absl::NotFoundError(absl::StrCat("unknown backend '", name, "'", DidYouMean(name, known), "; this build has ",
                                          absl::StrJoin(names, ", ")));
}

}  // namespace

absl::StatusOr<std::shared_ptr<Client>> GetClient(absl::string_view name, const ClientOptions& options) {
  ClientFactory factory;
  {
    Registry& registry = GlobalRegistry();
    std::lock_guard<std::mutex> lock(registry.mutex);
    const auto found = registry.factories.find(name);
    if (found != registry.factories.end()) factory = found->second;
  }
  if (factory == nullptr) return UnknownBackend(name);
  return factory(options);
}

std::vector<std::string> BackendNames() {
  Registry& registry = GlobalRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  std::vector<std::string> names;
  for (const auto& entry : registry.factories) names.push_back(entry.first);
  return names;
}

absl::Status RegisterBackend(absl::string_view name, ClientFactory factory) {
  Registry& registry = GlobalRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  const bool is_new = registry.factories.emplace(std::string(name), std::move(factory)).second;
  return is_new ? absl::OkStatus() : absl::AlreadyExistsError(absl::StrCat("there is a backend '", name, "' already"));
}

}  // namespace xla
