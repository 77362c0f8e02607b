// The addon's entry: fills the object that require('halo_webnn.node') gives.
#include <node/node_api.h>

#include "bindings/node/environment.h"
#include "bindings/node/functions.h"
#include "bindings/node/js_status.h"
#include "bindings/node/js_values.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace node_addon {
namespace {

// (makeError, transferBuffer): what only JavaScript can do.
absl::StatusOr<napi_value> Initialize(napi_env env, const Arguments& arguments) {
  RETURN_IF_ERROR(Environment::Of(env)->SetFunctions(arguments[0], arguments[1]));
  return Undefined(env);
}

absl::StatusOr<napi_value> WaitForHeld(napi_env env, const Arguments&) {
  Environment::Of(env)->WaitForHeld();
  return Undefined(env);
}

absl::Status AddFunctions(napi_env env, napi_value exports, const std::vector<Function>& functions) {
  for (const Function& function : functions) {
    napi_value value;
    RETURN_IF_ERROR(Napi(napi_create_function(env, function.name, NAPI_AUTO_LENGTH, function.entry, nullptr, &value)));
    RETURN_IF_ERROR(Napi(napi_set_named_property(env, exports, function.name, value)));
  }
  return absl::OkStatus();
}

absl::Status FillExports(napi_env env, napi_value exports) {
  RETURN_IF_ERROR(Environment::Create(env));
  RETURN_IF_ERROR(AddFunctions(env, exports, {{"initialize", Entry<Initialize>}, {"waitForHeld", Entry<WaitForHeld>}}));
  RETURN_IF_ERROR(AddFunctions(env, exports, ContextFunctions()));
  RETURN_IF_ERROR(AddFunctions(env, exports, BuilderFunctions()));
  RETURN_IF_ERROR(AddFunctions(env, exports, TensorFunctions()));
  return AddFunctions(env, exports, TableFunctions());
}

}  // namespace
}  // namespace node_addon
}  // namespace xla

NAPI_MODULE_INIT() {
  const absl::Status status = xla::node_addon::FillExports(env, exports);
  if (status.ok()) return exports;
  napi_throw_error(env, nullptr, "the addon of @halo/webnn could not be set up");
  return nullptr;
}
