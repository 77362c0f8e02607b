// JSON as a value (JsonValue, ParseJson) for reading, and as a stream (JsonWriter) for writing. No exceptions.
#ifndef XLA_CORE_SUPPORT_JSON_H_
#define XLA_CORE_SUPPORT_JSON_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/variant.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// A parsed JSON value. An accessor for another kind than the value has returns nothing, so a reader checks as it goes.
class JsonValue {
 public:
  using Array = std::vector<JsonValue>;
  // In the order of the file. A key that occurs twice counts with its last value, as in most readers.
  using Object = std::vector<std::pair<std::string, JsonValue>>;

  JsonValue() = default;  // null
  explicit JsonValue(bool value) : value_(value) {}
  explicit JsonValue(int64_t value) : value_(value) {}
  explicit JsonValue(uint64_t value) : value_(value) {}
  explicit JsonValue(double value) : value_(value) {}
  explicit JsonValue(std::string value) : value_(std::move(value)) {}
  explicit JsonValue(Array value) : value_(std::move(value)) {}
  explicit JsonValue(Object value) : value_(std::move(value)) {}

  bool is_null() const { return absl::holds_alternative<absl::monostate>(value_); }
  bool is_number() const { return AsDouble().has_value(); }

  absl::optional<bool> AsBool() const;
  // Whole numbers that fit, also when written as 2.0 or 1e3.
  absl::optional<int64_t> AsInt64() const;
  absl::optional<uint64_t> AsUint64() const;
  // Any number, rounded if it is a whole one beyond 2^53.
  absl::optional<double> AsDouble() const;
  const std::string* AsString() const { return absl::get_if<std::string>(&value_); }
  const Array* AsArray() const { return absl::get_if<Array>(&value_); }
  const Object* AsObject() const { return absl::get_if<Object>(&value_); }
  Array* AsMutableArray() { return absl::get_if<Array>(&value_); }
  Object* AsMutableObject() { return absl::get_if<Object>(&value_); }

  // The member `key`; null if there is none or this is not an object.
  const JsonValue* Find(absl::string_view key) const;

  // "null", "boolean", "number", "string", "array" or "object": for messages.
  absl::string_view KindName() const;

 private:
  absl::variant<absl::monostate, bool, int64_t, uint64_t, double, std::string, Array, Object> value_;
};

// Deep enough for every honest file, and shallow enough to walk such a value recursively.
inline constexpr int kMaxJsonDepth = 200;

// Parses `text`, one JSON value with blanks around it (RFC 8259).
// Errors: InvalidArgument; for what is not JSON with line and column (from 1, in bytes), "case.json:3:14: ...", for
// what is nested deeper than kMaxJsonDepth without. A limit of `resources`, which may be nullptr, was reached.
absl::StatusOr<JsonValue> ParseJson(absl::string_view text, absl::string_view file_name,
                                    const ResourceContext* resources = nullptr);

// Builds JSON text in order: BeginObject, Key, a value, ..., EndObject. Commas, colons and escapes follow by
// themselves. Text of any size costs no more memory than itself.
class JsonWriter {
 public:
  // With `indent` spaces for each level, or all on one line if it is 0.
  explicit JsonWriter(int indent = 0) : indent_(indent) {}

  JsonWriter& BeginObject() { return Open('{'); }
  JsonWriter& EndObject() { return Close('}'); }
  JsonWriter& BeginArray() { return Open('['); }
  JsonWriter& EndArray() { return Close(']'); }
  // Inside an object, before each value.
  JsonWriter& Key(absl::string_view key);

  // Bytes that are not UTF-8 become U+FFFD.
  JsonWriter& String(absl::string_view value);
  JsonWriter& Int(int64_t value);
  JsonWriter& Uint(uint64_t value);
  // The shortest text that reads back as the same number; null for NaN and infinities, which JSON lacks.
  JsonWriter& Double(double value);
  JsonWriter& Bool(bool value);
  JsonWriter& Null();

  const std::string& text() const { return text_; }
  std::string TakeText() { return std::move(text_); }

 private:
  JsonWriter& Open(char bracket);
  JsonWriter& Close(char bracket);
  JsonWriter& Scalar(absl::string_view text);
  void BeforeValue();
  void NewLine();

  const int indent_;
  std::string text_;
  std::vector<bool> has_members_;  // for each open array or object, outermost first
  bool after_key_ = false;
};

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_JSON_H_
