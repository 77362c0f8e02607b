// MLTensor, and what a context does with tensors.
#include <utility>

#include "bindings/node/descriptor_arguments.h"
#include "bindings/node/environment.h"
#include "bindings/node/functions.h"
#include "bindings/node/handles.h"
#include "bindings/node/js_values.h"
#include "builders/webnn/context.h"
#include "builders/webnn/tensor.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace node_addon {
namespace {

using webnn::ArrayBufferView;
using webnn::MLContext;
using webnn::MLGraph;
using webnn::MLOperandDescriptor;
using webnn::MLTensor;

// [handle, data type, shape]
absl::StatusOr<napi_value> FromTensor(napi_env env, std::shared_ptr<MLTensor> tensor) {
  const MLOperandDescriptor& descriptor = tensor->descriptor();
  ASSIGN_OR_RETURN(napi_value type, NewString(env, webnn::ToString(descriptor.dataType)));
  ASSIGN_OR_RETURN(napi_value shape, NewNumbers(env, descriptor.dimensions));
  const int64_t bytes = webnn::ByteLengthOf(descriptor).value_or(0);
  ASSIGN_OR_RETURN(napi_value handle, NewHandle(env, std::move(tensor), bytes));
  return NewList(env, {handle, type, shape});
}

// (context, data type, shape, readable, writable): a tensor.
absl::StatusOr<napi_value> CreateTensor(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto context, FromHandle<MLContext>(env, arguments[0]));
  ASSIGN_OR_RETURN(MLOperandDescriptor descriptor, ToDescriptor(env, arguments[1], arguments[2]));
  ASSIGN_OR_RETURN(const bool readable, ToBool(env, arguments[3]));
  ASSIGN_OR_RETURN(const bool writable, ToBool(env, arguments[4]));
  ASSIGN_OR_RETURN(auto tensor,
                   context->createTensor(webnn::MLTensorDescriptor(std::move(descriptor), readable, writable)));
  return FromTensor(env, std::move(tensor));
}

// (context, data type, shape, view): a constant tensor with a copy of the view's bytes.
absl::StatusOr<napi_value> CreateConstantTensor(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto context, FromHandle<MLContext>(env, arguments[0]));
  ASSIGN_OR_RETURN(const MLOperandDescriptor descriptor, ToDescriptor(env, arguments[1], arguments[2]));
  ASSIGN_OR_RETURN(const ArrayBufferView view, ToView(env, arguments[3], descriptor.dataType));
  ASSIGN_OR_RETURN(auto tensor, context->createConstantTensor(descriptor, view));
  return FromTensor(env, std::move(tensor));
}

// (context, tensor, view): copies the view's bytes.
absl::StatusOr<napi_value> WriteTensor(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto context, FromHandle<MLContext>(env, arguments[0]));
  ASSIGN_OR_RETURN(const auto tensor, FromHandle<MLTensor>(env, arguments[1]));
  ASSIGN_OR_RETURN(const ArrayBufferView view, ToView(env, arguments[2], tensor->dataType()));
  RETURN_IF_ERROR(context->writeTensor(tensor, view));
  return Undefined(env);
}

// (context, tensor): a promise for an ArrayBuffer with the tensor's bytes.
absl::StatusOr<napi_value> ReadTensor(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto context, FromHandle<MLContext>(env, arguments[0]));
  ASSIGN_OR_RETURN(const auto tensor, FromHandle<MLTensor>(env, arguments[1]));
  const int64_t bytes = webnn::ByteLengthOf(tensor->descriptor()).value_or(0);
  // JavaScript sees the buffer when it is filled, so nothing can detach its memory meanwhile.
  void* data = nullptr;
  napi_value buffer;
  RETURN_IF_ERROR(Napi(napi_create_arraybuffer(env, static_cast<size_t>(bytes), &data, &buffer)));
  const Event event =
      context->readTensorAsync(tensor, ArrayBufferView::OverBytes(webnn::ViewTypeOf(tensor->dataType()), data, bytes));
  PromiseOptions options;
  options.kept = buffer;
  options.holds_environment = true;
  return Environment::Of(env)->PromiseFor(
      event, [](napi_env, napi_value kept) -> absl::StatusOr<napi_value> { return kept; }, options);
}

absl::StatusOr<napi_value> TensorByteLength(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto tensor, FromHandle<MLTensor>(env, arguments[0]));
  return NewNumber(env, static_cast<double>(webnn::ByteLengthOf(tensor->descriptor()).value_or(0)));
}

absl::StatusOr<napi_value> DestroyTensor(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto tensor, FromHandle<MLTensor>(env, arguments[0]));
  tensor->destroy();
  return Undefined(env);
}

absl::StatusOr<webnn::MLNamedTensors> ToNamedTensors(napi_env env, napi_value names, napi_value tensors) {
  return ToNamed<std::shared_ptr<MLTensor>>(env, names, tensors, FromHandle<MLTensor>);
}

// (context, graph, input names, inputs, output names, outputs)
absl::StatusOr<napi_value> Dispatch(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto context, FromHandle<MLContext>(env, arguments[0]));
  ASSIGN_OR_RETURN(const auto graph, FromHandle<MLGraph>(env, arguments[1]));
  ASSIGN_OR_RETURN(const auto inputs, ToNamedTensors(env, arguments[2], arguments[3]));
  ASSIGN_OR_RETURN(const auto outputs, ToNamedTensors(env, arguments[4], arguments[5]));
  RETURN_IF_ERROR(context->dispatch(graph, inputs, outputs));
  for (const auto& output : outputs) {
    if (const std::shared_ptr<Buffer> value = output.second->value()) Environment::Of(env)->Hold(value->ready());
  }
  return Undefined(env);
}

}  // namespace

std::vector<Function> TensorFunctions() {
  return {
      {"createTensor", Entry<CreateTensor>},
      {"createConstantTensor", Entry<CreateConstantTensor>},
      {"tensorByteLength", Entry<TensorByteLength>},
      {"writeTensor", Entry<WriteTensor>},
      {"readTensor", Entry<ReadTensor>},
      {"destroyTensor", Entry<DestroyTensor>},
      {"dispatch", Entry<Dispatch>},
  };
}

}  // namespace node_addon
}  // namespace xla
