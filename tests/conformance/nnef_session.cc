#include "tests/conformance/nnef_session.h"

#include <map>
#include <utility>

#include "backends/backend.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<Client*> ClientFor(const std::string& backend, const BackendVariant& variant) {
  static auto* const clients = new std::map<std::pair<std::string, int>, std::shared_ptr<Client>>;
  std::shared_ptr<Client>& client = (*clients)[{backend, variant.threads}];
  if (client == nullptr) {
    ClientOptions options;
    options.threads = variant.threads;
    options.settings = variant.client_settings;
    ASSIGN_OR_RETURN(client, GetClient(backend, options));
  }
  return client.get();
}

}  // namespace

absl::StatusOr<std::unique_ptr<nnef::Session>> NnefSession(nnef::LoweredModel lowered, const std::string& backend,
                                                           const BackendVariant& variant) {
  ASSIGN_OR_RETURN(Client* const client, ClientFor(backend, variant));
  CompileOptions options;
  options.optimization_level = variant.optimization_level;
  options.settings = variant.settings;
  return nnef::Session::Create(client, std::move(lowered), options);
}

}  // namespace xla
