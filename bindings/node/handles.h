// Handles: JavaScript objects that hold an object of ours. They carry a type tag, which JavaScript cannot forge, so
// what is passed in is either a handle of the wanted kind or refused.
#ifndef BINDINGS_NODE_HANDLES_H_
#define BINDINGS_NODE_HANDLES_H_

#include <node/node_api.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "bindings/node/js_status.h"
#include "builders/webnn/context.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/graph.h"
#include "builders/webnn/graph_builder.h"
#include "builders/webnn/operand.h"
#include "builders/webnn/tensor.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace node_addon {

// What differs between kinds of handles: the second half of the type tag (the numbers must differ), and the name of
// the WebNN interface for messages. Declared for the types below only.
template <typename T>
struct HandleKind;
template <>
struct HandleKind<webnn::MLContext> {
  static constexpr uint64_t kNumber = 1;
  static constexpr char kName[] = "MLContext";
};
template <>
struct HandleKind<webnn::MLGraphBuilder> {
  static constexpr uint64_t kNumber = 2;
  static constexpr char kName[] = "MLGraphBuilder";
};
template <>
struct HandleKind<webnn::MLGraph> {
  static constexpr uint64_t kNumber = 3;
  static constexpr char kName[] = "MLGraph";
};
template <>
struct HandleKind<webnn::MLOperand> {
  static constexpr uint64_t kNumber = 4;
  static constexpr char kName[] = "MLOperand";
};
template <>
struct HandleKind<webnn::MLActivation> {
  static constexpr uint64_t kNumber = 5;
  static constexpr char kName[] = "MLActivation";
};
template <>
struct HandleKind<webnn::MLTensor> {
  static constexpr uint64_t kNumber = 6;
  static constexpr char kName[] = "MLTensor";
};

template <typename T>
napi_type_tag TypeTagOf() {
  // Any number that other addons do not use.
  return {0x2f6a1c94d87be035, HandleKind<T>::kNumber};
}

// What a handle's JavaScript object points to. It is deleted when the garbage collector finalises the object; `bytes`
// is what NewHandle has told the collector of.
template <typename T>
struct Held {
  std::shared_ptr<T> object;
  int64_t bytes;
};

// `bytes`: memory that goes when the handle does, of which the garbage collector would not know.
template <typename T>
absl::StatusOr<napi_value> NewHandle(napi_env env, std::shared_ptr<T> object, int64_t bytes = 0) {
  napi_value handle;
  RETURN_IF_ERROR(Napi(napi_create_object(env, &handle)));
  auto held = std::make_unique<Held<T>>(Held<T>{std::move(object), bytes});
  const auto finalize = [](napi_env finalizing_env, void* data, void*) {
    std::unique_ptr<Held<T>> gone(static_cast<Held<T>*>(data));
    int64_t total;
    if (gone->bytes != 0) napi_adjust_external_memory(finalizing_env, -gone->bytes, &total);
  };
  RETURN_IF_ERROR(Napi(napi_wrap(env, handle, held.get(), finalize, nullptr, nullptr)));
  held.release();
  int64_t total;
  if (bytes != 0) napi_adjust_external_memory(env, bytes, &total);
  const napi_type_tag tag = TypeTagOf<T>();
  RETURN_IF_ERROR(Napi(napi_type_tag_object(env, handle, &tag)));
  return handle;
}

template <typename T>
bool IsHandle(napi_env env, napi_value value) {
  const napi_type_tag tag = TypeTagOf<T>();
  bool is_tagged = false;
  return napi_check_object_type_tag(env, value, &tag, &is_tagged) == napi_ok && is_tagged;
}

// TypeError if it is something else.
template <typename T>
absl::StatusOr<std::shared_ptr<T>> FromHandle(napi_env env, napi_value value) {
  void* held = nullptr;
  if (!IsHandle<T>(env, value) || napi_unwrap(env, value, &held) != napi_ok) {
    return webnn::TypeError("illegal invocation", absl::StrCat("a handle of an ", HandleKind<T>::kName, " is needed"));
  }
  return static_cast<Held<T>*>(held)->object;
}

}  // namespace node_addon
}  // namespace xla

#endif  // BINDINGS_NODE_HANDLES_H_
