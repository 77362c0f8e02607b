#include "bindings/node/js_values.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "bindings/node/handles.h"
#include "bindings/node/js_status.h"
#include "builders/webnn/errors.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace node_addon {

using webnn::ArrayBufferView;
using webnn::ArrayBufferViewType;
using webnn::MLValue;

namespace {

// What the JavaScript half passes is flat; deeper lists do not occur.
constexpr int kMaxDepth = 3;
constexpr uint32_t kMaxListLength = 1 << 20;

absl::Status WrongType(absl::string_view expected) {
  return webnn::TypeError("type of argument",
                          absl::StrCat("the addon was called with something that is not ", expected));
}

absl::StatusOr<MLValue> ToMLValueAtDepth(napi_env env, napi_value value, int depth);

absl::StatusOr<MLValue> BigintToMLValue(napi_env env, napi_value value) {
  int64_t as_signed;
  uint64_t as_unsigned;
  bool lossless = false;
  RETURN_IF_ERROR(Napi(napi_get_value_bigint_int64(env, value, &as_signed, &lossless)));
  if (lossless) return MLValue(as_signed);
  RETURN_IF_ERROR(Napi(napi_get_value_bigint_uint64(env, value, &as_unsigned, &lossless)));
  if (lossless) return MLValue(as_unsigned);
  return WrongType("a bigint of 64 bits");
}

// Handles become the objects that they stand for; anything else is a list, whose nesting is bounded.
absl::StatusOr<MLValue> ObjectToMLValue(napi_env env, napi_value value, int depth) {
  if (IsHandle<webnn::MLOperand>(env, value)) {
    ASSIGN_OR_RETURN(const auto operand, FromHandle<webnn::MLOperand>(env, value));
    return MLValue(*operand);
  }
  if (IsHandle<webnn::MLActivation>(env, value)) {
    ASSIGN_OR_RETURN(const auto activation, FromHandle<webnn::MLActivation>(env, value));
    return MLValue(*activation);
  }
  if (depth >= kMaxDepth) return WrongType("a flat list");
  ASSIGN_OR_RETURN(const std::vector<napi_value> elements, ToList(env, value));
  webnn::MLValueList list;
  list.reserve(elements.size());
  for (napi_value element : elements) {
    ASSIGN_OR_RETURN(MLValue converted, ToMLValueAtDepth(env, element, depth + 1));
    list.push_back(std::move(converted));
  }
  return MLValue(std::move(list));
}

// JavaScript values as the values that the operator tables check: the types of WebIDL come later, with the parameter.
absl::StatusOr<MLValue> ToMLValueAtDepth(napi_env env, napi_value value, int depth) {
  napi_valuetype type;
  RETURN_IF_ERROR(Napi(napi_typeof(env, value, &type)));
  switch (type) {
    case napi_undefined:
    case napi_null:
      return MLValue();
    case napi_boolean: {
      ASSIGN_OR_RETURN(const bool boolean, ToBool(env, value));
      return MLValue(boolean);
    }
    case napi_number: {
      double number;
      RETURN_IF_ERROR(Napi(napi_get_value_double(env, value, &number)));
      return MLValue(number);
    }
    case napi_bigint:
      return BigintToMLValue(env, value);
    case napi_string: {
      ASSIGN_OR_RETURN(std::string text, ToStdString(env, value));
      return MLValue(std::move(text));
    }
    case napi_object:
      return ObjectToMLValue(env, value, depth);
    case napi_symbol:
    case napi_function:
    case napi_external:
      break;
  }
  return WrongType("a plain value");
}

}  // namespace

absl::StatusOr<std::string> ToStdString(napi_env env, napi_value value) {
  size_t length = 0;
  if (napi_get_value_string_utf8(env, value, nullptr, 0, &length) != napi_ok) return WrongType("a string");
  std::string text(length, '\0');
  // Writes a 0 after the text, where std::string has one.
  RETURN_IF_ERROR(Napi(napi_get_value_string_utf8(env, value, &text[0], length + 1, &length)));
  return text;
}

absl::StatusOr<bool> ToBool(napi_env env, napi_value value) {
  bool result;
  if (napi_get_value_bool(env, value, &result) != napi_ok) return WrongType("a boolean");
  return result;
}

absl::StatusOr<int64_t> ToInteger(napi_env env, napi_value value) {
  double number;
  if (napi_get_value_double(env, value, &number) != napi_ok) return WrongType("a number");
  if (!(std::fabs(number) < 9007199254740992.0)) return WrongType("an integer that is exact");
  return static_cast<int64_t>(number);
}

absl::StatusOr<std::vector<napi_value>> ToList(napi_env env, napi_value value) {
  uint32_t length;
  if (napi_get_array_length(env, value, &length) != napi_ok) return WrongType("a list");
  if (length > kMaxListLength) return WrongType("a list of that length");
  std::vector<napi_value> elements(length);
  for (uint32_t i = 0; i < length; ++i) RETURN_IF_ERROR(Napi(napi_get_element(env, value, i, &elements[i])));
  return elements;
}

absl::StatusOr<std::vector<napi_value>> ToListOfLength(napi_env env, napi_value value, size_t length) {
  ASSIGN_OR_RETURN(std::vector<napi_value> elements, ToList(env, value));
  if (elements.size() != length) return WrongType("a list of the right length");
  return elements;
}

absl::StatusOr<std::vector<std::string>> ToStrings(napi_env env, napi_value value) {
  ASSIGN_OR_RETURN(const std::vector<napi_value> elements, ToList(env, value));
  std::vector<std::string> texts;
  texts.reserve(elements.size());
  for (napi_value element : elements) {
    ASSIGN_OR_RETURN(std::string text, ToStdString(env, element));
    texts.push_back(std::move(text));
  }
  return texts;
}

absl::StatusOr<MLValue> ToMLValue(napi_env env, napi_value value) { return ToMLValueAtDepth(env, value, 0); }

absl::StatusOr<webnn::Named<MLValue>> ToNamedValues(napi_env env, napi_value names, napi_value values) {
  return ToNamed<MLValue>(env, names, values, ToMLValue);
}

// A view as address and length. Lengths come from JavaScript and are checked against the buffer; the buffer of a
// detached view is empty.
absl::StatusOr<ArrayBufferView> ViewOf(napi_env env, ArrayBufferViewType type, napi_value buffer, int64_t byte_offset,
                                       int64_t byte_length) {
  void* data = nullptr;
  size_t size = 0;
  if (napi_get_arraybuffer_info(env, buffer, &data, &size) != napi_ok) return WrongType("an ArrayBuffer");
  ArrayBufferView view;
  view.type = type;
  view.byteOffset = byte_offset;
  view.length_in_bytes = byte_length;
  bool is_detached = false;
  RETURN_IF_ERROR(Napi(napi_is_detached_arraybuffer(env, buffer, &is_detached)));
  if (is_detached) return view;  // whose buffer is detached as well
  const int64_t bytes = static_cast<int64_t>(size);
  if (byte_offset < 0 || byte_length < 0 || byte_offset > bytes || byte_length > bytes - byte_offset) {
    return WrongType("a view within its buffer");
  }
  if (data != nullptr) {
    view.buffer = webnn::ArrayBuffer::Over(data, bytes);
  } else {
    // An empty buffer needs an address of its own, too.
    ASSIGN_OR_RETURN(view.buffer, webnn::ArrayBuffer::Allocate(0));
  }
  return view;
}

// A list of four: name of the view's type, buffer, offset and length in bytes. A plain ArrayBuffer names no type and
// takes the operand's.
absl::StatusOr<ArrayBufferView> ToView(napi_env env, napi_value value, webnn::MLOperandDataType type_if_none) {
  ASSIGN_OR_RETURN(const std::vector<napi_value> parts, ToListOfLength(env, value, 4));
  ArrayBufferViewType type = webnn::ViewTypeOf(type_if_none);
  napi_valuetype type_of_name;
  RETURN_IF_ERROR(Napi(napi_typeof(env, parts[0], &type_of_name)));
  if (type_of_name == napi_string) {
    ASSIGN_OR_RETURN(const std::string name, ToStdString(env, parts[0]));
    const absl::optional<ArrayBufferViewType> known = webnn::ParseEnum<ArrayBufferViewType>(name);
    if (!known.has_value()) return webnn::TypeError("buffer element type", absl::StrCat("there is no view ", name));
    type = *known;
  }
  ASSIGN_OR_RETURN(const int64_t byte_offset, ToInteger(env, parts[2]));
  ASSIGN_OR_RETURN(const int64_t byte_length, ToInteger(env, parts[3]));
  return ViewOf(env, type, parts[1], byte_offset, byte_length);
}

absl::StatusOr<napi_value> NewString(napi_env env, absl::string_view text) {
  napi_value result;
  RETURN_IF_ERROR(Napi(napi_create_string_utf8(env, text.empty() ? "" : text.data(), text.size(), &result)));
  return result;
}

absl::StatusOr<napi_value> NewNumber(napi_env env, double number) {
  napi_value result;
  RETURN_IF_ERROR(Napi(napi_create_double(env, number, &result)));
  return result;
}

absl::StatusOr<napi_value> NewBool(napi_env env, bool value) {
  napi_value result;
  RETURN_IF_ERROR(Napi(napi_get_boolean(env, value, &result)));
  return result;
}

absl::StatusOr<napi_value> NewList(napi_env env, absl::Span<const napi_value> elements) {
  napi_value list;
  RETURN_IF_ERROR(Napi(napi_create_array_with_length(env, elements.size(), &list)));
  for (size_t i = 0; i < elements.size(); ++i) {
    RETURN_IF_ERROR(Napi(napi_set_element(env, list, static_cast<uint32_t>(i), elements[i])));
  }
  return list;
}

absl::StatusOr<napi_value> NewNumbers(napi_env env, absl::Span<const uint32_t> numbers) {
  std::vector<napi_value> elements;
  for (uint32_t number : numbers) {
    ASSIGN_OR_RETURN(napi_value element, NewNumber(env, number));
    elements.push_back(element);
  }
  return NewList(env, elements);
}

absl::StatusOr<napi_value> NewStrings(napi_env env, absl::Span<const absl::string_view> texts) {
  std::vector<napi_value> elements;
  for (absl::string_view text : texts) {
    ASSIGN_OR_RETURN(napi_value element, NewString(env, text));
    elements.push_back(element);
  }
  return NewList(env, elements);
}

absl::StatusOr<napi_value> Undefined(napi_env env) {
  napi_value result;
  RETURN_IF_ERROR(Napi(napi_get_undefined(env, &result)));
  return result;
}

// The inverse, for defaults that the tables list; 64-bit integers become numbers.
absl::StatusOr<napi_value> FromMLValue(napi_env env, const MLValue& value) {
  if (const auto* boolean = value.As<bool>()) return NewBool(env, *boolean);
  if (const auto* number = value.As<double>()) return NewNumber(env, *number);
  if (const auto* integer = value.As<int64_t>()) return NewNumber(env, static_cast<double>(*integer));
  if (const auto* integer = value.As<uint64_t>()) return NewNumber(env, static_cast<double>(*integer));
  if (const auto* text = value.As<std::string>()) return NewString(env, *text);
  if (const auto* list = value.As<webnn::MLValueList>()) {
    std::vector<napi_value> elements;
    for (const MLValue& element : *list) {
      ASSIGN_OR_RETURN(napi_value converted, FromMLValue(env, element));
      elements.push_back(converted);
    }
    return NewList(env, elements);
  }
  return Undefined(env);
}

JsObject::JsObject(napi_env env) : env_(env), status_(Napi(napi_create_object(env, &object_))) {}

JsObject& JsObject::Set(absl::string_view name, const absl::StatusOr<napi_value>& value) {
  if (!status_.ok()) return *this;
  const absl::StatusOr<napi_value> key = NewString(env_, name);
  if (!value.ok() || !key.ok()) {
    status_ = value.ok() ? key.status() : value.status();
  } else {
    status_ = Napi(napi_set_property(env_, object_, *key, *value));
  }
  return *this;
}

absl::StatusOr<napi_value> JsObject::Finish() const {
  if (!status_.ok()) return status_;
  return object_;
}

}  // namespace node_addon
}  // namespace xla
