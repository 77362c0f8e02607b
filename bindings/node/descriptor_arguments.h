// Data types and shapes that come from JavaScript, as a name and a list of numbers, made into the descriptor of a
// WebNN operand. Errors are those that WebIDL has for wrong values.
#ifndef BINDINGS_NODE_DESCRIPTOR_ARGUMENTS_H_
#define BINDINGS_NODE_DESCRIPTOR_ARGUMENTS_H_

#include <node/node_api.h>

#include <utility>

#include "absl/status/statusor.h"
#include "bindings/node/js_values.h"
#include "builders/webnn/descriptor.h"
#include "builders/webnn/idl_conversions.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace node_addon {

inline absl::StatusOr<webnn::MLOperandDataType> ToDataType(napi_env env, napi_value value) {
  ASSIGN_OR_RETURN(const webnn::MLValue name, ToMLValue(env, value));
  return webnn::ToEnum<webnn::MLOperandDataType>(name, "dataType");
}

inline absl::StatusOr<webnn::MLOperandDescriptor> ToDescriptor(napi_env env, napi_value data_type, napi_value shape) {
  webnn::MLOperandDescriptor descriptor;
  ASSIGN_OR_RETURN(descriptor.dataType, ToDataType(env, data_type));
  ASSIGN_OR_RETURN(const webnn::MLValue dimensions, ToMLValue(env, shape));
  ASSIGN_OR_RETURN(descriptor.dimensions, webnn::ToUnsignedList(dimensions, "dimensions"));
  return descriptor;
}

}  // namespace node_addon
}  // namespace xla

#endif  // BINDINGS_NODE_DESCRIPTOR_ARGUMENTS_H_
