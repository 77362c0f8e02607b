#include "bindings/node/js_status.h"

#include <string>

#include "bindings/node/environment.h"
#include "bindings/node/js_values.h"
#include "builders/webnn/errors.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace node_addon {
namespace {

// Made by the JavaScript half, which knows DOMException.
absl::StatusOr<napi_value> MakeError(napi_env env, const absl::Status& error) {
  ASSIGN_OR_RETURN(napi_value make_error, Environment::Of(env)->make_error());
  ASSIGN_OR_RETURN(napi_value name, NewString(env, webnn::ErrorKindName(webnn::ErrorKindOf(error))));
  ASSIGN_OR_RETURN(napi_value message, NewString(env, error.message()));
  ASSIGN_OR_RETURN(napi_value rule, NewString(env, webnn::RuleOf(error)));
  return CallJs(env, make_error, {name, message, rule});
}

napi_value TakePendingException(napi_env env) {
  bool is_pending = false;
  napi_value exception = nullptr;
  if (napi_is_exception_pending(env, &is_pending) == napi_ok && is_pending) {
    napi_get_and_clear_last_exception(env, &exception);
  }
  return exception;
}

}  // namespace

absl::StatusOr<napi_value> CallJs(napi_env env, napi_value function, std::initializer_list<napi_value> arguments) {
  napi_value receiver, result = nullptr;
  RETURN_IF_ERROR(Napi(napi_get_undefined(env, &receiver)));
  RETURN_IF_ERROR(Napi(napi_call_function(env, receiver, function, arguments.size(), arguments.begin(), &result)));
  return result;
}

napi_value ToJsError(napi_env env, const absl::Status& error) {
  if (napi_value exception = TakePendingException(env)) return exception;
  const absl::StatusOr<napi_value> made = MakeError(env, error);
  return made.ok() ? *made : TakePendingException(env);
}

void Throw(napi_env env, const absl::Status& error) {
  if (napi_value exception = ToJsError(env, error)) napi_throw(env, exception);
}

}  // namespace node_addon
}  // namespace xla
