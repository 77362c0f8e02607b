// JavaScript values to ours and back. What JavaScript passes is used as it is, without conversions: those
// are Web IDL's, and happen in idl_conversions.h or in the JavaScript half.
#ifndef BINDINGS_NODE_JS_VALUES_H_
#define BINDINGS_NODE_JS_VALUES_H_

#include <node/node_api.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/webnn/array_buffer.h"
#include "builders/webnn/descriptor.h"
#include "builders/webnn/value.h"

namespace xla {
namespace node_addon {

// ---- From JavaScript. TypeError for values of another type.

absl::StatusOr<std::string> ToStdString(napi_env env, napi_value value);
absl::StatusOr<bool> ToBool(napi_env env, napi_value value);
absl::StatusOr<int64_t> ToInteger(napi_env env, napi_value value);
absl::StatusOr<std::vector<napi_value>> ToList(napi_env env, napi_value value);
absl::StatusOr<std::vector<std::string>> ToStrings(napi_env env, napi_value value);
// Numbers, bigints, strings, booleans, undefined, handles of operands and activations, arrays of them.
absl::StatusOr<webnn::MLValue> ToMLValue(napi_env env, napi_value value);
// Two lists of equal length, names and values, as a record.
template <typename T>
absl::StatusOr<webnn::Named<T>> ToNamed(napi_env env, napi_value names, napi_value values,
                                        const std::function<absl::StatusOr<T>(napi_env, napi_value)>& convert);
absl::StatusOr<webnn::Named<webnn::MLValue>> ToNamedValues(napi_env env, napi_value names, napi_value values);
// The list [type, ArrayBuffer, byteOffset, byteLength]: "Float32Array" or another name of a view. Without type (not a
// string), that of an operand of `type_if_none`.
absl::StatusOr<webnn::ArrayBufferView> ToView(napi_env env, napi_value value,
                                              webnn::MLOperandDataType type_if_none = webnn::MLOperandDataType::kUint8);
// A view of an ArrayBuffer.
absl::StatusOr<webnn::ArrayBufferView> ViewOf(napi_env env, webnn::ArrayBufferViewType type, napi_value buffer,
                                              int64_t byte_offset, int64_t byte_length);

// ---- To JavaScript

absl::StatusOr<napi_value> NewString(napi_env env, absl::string_view text);
absl::StatusOr<napi_value> NewNumber(napi_env env, double number);
absl::StatusOr<napi_value> NewBool(napi_env env, bool value);
absl::StatusOr<napi_value> NewList(napi_env env, absl::Span<const napi_value> elements);
absl::StatusOr<napi_value> NewNumbers(napi_env env, absl::Span<const uint32_t> numbers);
absl::StatusOr<napi_value> NewStrings(napi_env env, absl::Span<const absl::string_view> texts);
absl::StatusOr<napi_value> Undefined(napi_env env);
// Without handles.
absl::StatusOr<napi_value> FromMLValue(napi_env env, const webnn::MLValue& value);

// An object that is filled step by step; the first error sticks.
//   JsObject object(env);
//   object.Set("name", NewString(env, name)).Set("size", NewNumber(env, size));
//   return object.Finish();
class JsObject {
 public:
  explicit JsObject(napi_env env);
  JsObject& Set(absl::string_view name, const absl::StatusOr<napi_value>& value);
  absl::StatusOr<napi_value> Finish() const;

 private:
  const napi_env env_;
  napi_value object_ = nullptr;
  absl::Status status_;
};

// ---- Implementation

absl::StatusOr<std::vector<napi_value>> ToListOfLength(napi_env env, napi_value value, size_t length);

template <typename T>
absl::StatusOr<webnn::Named<T>> ToNamed(napi_env env, napi_value names, napi_value values,
                                        const std::function<absl::StatusOr<T>(napi_env, napi_value)>& convert) {
  const absl::StatusOr<std::vector<std::string>> keys = ToStrings(env, names);
  if (!keys.ok()) return keys.status();
  const absl::StatusOr<std::vector<napi_value>> elements = ToListOfLength(env, values, keys->size());
  if (!elements.ok()) return elements.status();
  webnn::Named<T> result;
  result.reserve(keys->size());
  for (size_t i = 0; i < keys->size(); ++i) {
    absl::StatusOr<T> value = convert(env, (*elements)[i]);
    if (!value.ok()) return value.status();
    result.emplace_back((*keys)[i], *std::move(value));
  }
  return result;
}

}  // namespace node_addon
}  // namespace xla

#endif  // BINDINGS_NODE_JS_VALUES_H_
