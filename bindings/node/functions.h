// The functions of the addon, by group. They are for the JavaScript half (lib/), which has the interfaces that people
// see; whatever they are called with, they check it.
#ifndef BINDINGS_NODE_FUNCTIONS_H_
#define BINDINGS_NODE_FUNCTIONS_H_

#include <node/node_api.h>

#include <array>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "bindings/node/js_status.h"

namespace xla {
namespace node_addon {

// The arguments of a call; those that are missing are undefined.
constexpr int kMaxArguments = 8;
using Arguments = std::array<napi_value, kMaxArguments>;

// A function that the addon exports. Both pointers are to static data.
struct Function {
  const char* name;
  napi_callback entry;
};

// Calls `function`, and throws its error.
template <absl::StatusOr<napi_value> (*function)(napi_env, const Arguments&)>
napi_value Entry(napi_env env, napi_callback_info info) {
  Arguments arguments;
  size_t count = kMaxArguments;
  if (napi_get_cb_info(env, info, &count, arguments.data(), nullptr, nullptr) != napi_ok) return nullptr;
  const absl::StatusOr<napi_value> result = function(env, arguments);
  if (result.ok()) return *result;
  Throw(env, result.status());
  return nullptr;
}

std::vector<Function> ContextFunctions();
std::vector<Function> BuilderFunctions();
std::vector<Function> TensorFunctions();
std::vector<Function> TableFunctions();

}  // namespace node_addon
}  // namespace xla

#endif  // BINDINGS_NODE_FUNCTIONS_H_
