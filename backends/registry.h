// Backends by name. A backend registers itself when it is linked, so a program gets exactly those it depends on.
#ifndef BACKENDS_REGISTRY_H_
#define BACKENDS_REGISTRY_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/options.h"

namespace xla {

class Client;

// A new client of the backend `name`. NotFound for an unknown name, with the names there are; whatever the backend
// reports if it cannot start: InvalidArgument for wrong options, Unavailable without a device.
absl::StatusOr<std::shared_ptr<Client>> GetClient(absl::string_view name, const ClientOptions& options = {});

// Names of all backends that are linked, sorted.
std::vector<std::string> BackendNames();

using ClientFactory = std::function<absl::StatusOr<std::shared_ptr<Client>>(const ClientOptions& options)>;

// AlreadyExists if the name is taken. Thread-safe.
absl::Status RegisterBackend(absl::string_view name, ClientFactory factory);

}  // namespace xla

#endif  // BACKENDS_REGISTRY_H_
