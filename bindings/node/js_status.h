// Results of N-API calls as absl::Status, and statuses as JavaScript errors.
//
//   RETURN_IF_ERROR(Napi(napi_create_object(env, &object)));
//
// A call that fails because a JavaScript exception is pending gives an error like any other; Throw() and ToJsError()
// find the exception itself.
#ifndef BINDINGS_NODE_JS_STATUS_H_
#define BINDINGS_NODE_JS_STATUS_H_

#include <node/node_api.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace xla {
namespace node_addon {

inline absl::Status Napi(napi_status status) {
  if (status == napi_ok) return absl::OkStatus();
  return absl::InternalError("a call to Node-API failed");
}

// Calls to JavaScript take this one: N-API fails without a pending exception once a worker is being ended.
absl::StatusOr<napi_value> CallJs(napi_env env, napi_value function, std::initializer_list<napi_value> arguments);

// Throws the error, unless an exception is pending already.
void Throw(napi_env env, const absl::Status& error);

// The pending exception if there is one, which is then no longer pending; else the error as what a browser would give:
// a TypeError, or a DOMException with the name of the kind. nullptr if not even that can be made.
napi_value ToJsError(napi_env env, const absl::Status& error);

}  // namespace node_addon
}  // namespace xla

#endif  // BINDINGS_NODE_JS_STATUS_H_
