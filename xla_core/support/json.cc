#include "xla_core/support/json.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// 2^63 and 2^64: the first doubles too large for an int64_t or a uint64_t.
constexpr double kInt64End = 9223372036854775808.0;
constexpr double kUint64End = 18446744073709551616.0;

bool IsWhole(double value) { return std::isfinite(value) && std::trunc(value) == value; }

// "12:7", the place of byte `offset` of `text`.
std::string LineAndColumn(absl::string_view text, size_t offset) {
  const absl::string_view before = text.substr(0, std::min(offset, text.size()));
  const size_t line = static_cast<size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const size_t newline = before.rfind('\n');
  const size_t column = newline == absl::string_view::npos ? before.size() + 1 : before.size() - newline;
  return absl::StrCat(line, ":", column);
}

// Receives the parser's events and builds the value without recursion: `open_` holds the arrays and objects that are
// not closed yet, each with the key under which it goes into the one before it.
class ValueBuilder {
 public:
  explicit ValueBuilder(const ResourceContext* resources) : resources_(resources) {}

  bool null() { return Add(JsonValue()); }
  bool boolean(bool value) { return Add(JsonValue(value)); }
  bool number_integer(int64_t value) { return Add(JsonValue(value)); }
  bool number_unsigned(uint64_t value) { return Add(JsonValue(value)); }
  bool number_float(double value, const std::string&) { return Add(JsonValue(value)); }
  bool string(std::string& value) { return Add(JsonValue(std::move(value))); }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool start_array(size_t) { return Open(JsonValue(JsonValue::Array())); }
  bool start_object(size_t) { return Open(JsonValue(JsonValue::Object())); }
  bool end_array() { return Close(); }
  bool end_object() {
    KeepLastOfEachKey(*open_.back().value.AsMutableObject());
    return Close();
  }
  bool key(std::string& key) {
    open_.back().next_key = std::move(key);
    return true;
  }
  bool parse_error(size_t offset, const std::string& last_token, const nlohmann::json::exception&) {
    error_offset_ = offset;
    last_token_ = last_token;
    return false;
  }

  bool too_deep() const { return too_deep_; }
  size_t error_offset() const { return error_offset_; }
  const std::string& last_token() const { return last_token_; }
  JsonValue TakeResult() { return std::move(result_); }

 private:
  struct OpenValue {
    JsonValue value;
    std::string next_key;
  };

  bool Add(JsonValue value) {
    if (++added_ % kValuesBetweenLooks == 1 && resources_ != nullptr && resources_->IsOver()) return false;
    if (open_.empty()) {
      result_ = std::move(value);
    } else if (JsonValue::Array* array = open_.back().value.AsMutableArray()) {
      array->push_back(std::move(value));
    } else {
      open_.back().value.AsMutableObject()->emplace_back(std::move(open_.back().next_key), std::move(value));
    }
    return true;
  }
  bool Open(JsonValue value) {
    too_deep_ = open_.size() >= kMaxJsonDepth;
    if (too_deep_) return false;
    open_.push_back({std::move(value), ""});
    return true;
  }
  bool Close() {
    JsonValue value = std::move(open_.back().value);
    open_.pop_back();
    return Add(std::move(value));
  }
  static void KeepLastOfEachKey(JsonValue::Object& object) {
    absl::flat_hash_map<absl::string_view, size_t> last;
    for (size_t i = 0; i < object.size(); ++i) last[object[i].first] = i;
    if (last.size() == object.size()) return;
    JsonValue::Object kept;
    for (size_t i = 0; i < object.size(); ++i) {
      if (last[object[i].first] == i) kept.push_back(std::move(object[i]));
    }
    object = std::move(kept);
  }

  // Some ten thousandths of a second.
  static constexpr int64_t kValuesBetweenLooks = 1024;

  const ResourceContext* const resources_;
  int64_t added_ = 0;
  std::vector<OpenValue> open_;
  JsonValue result_;
  bool too_deep_ = false;
  size_t error_offset_ = 0;
  std::string last_token_;
};

// Length of the UTF-8 sequence at the start of `text`, or 0 if it is not a valid one (too long a form, a surrogate,
// beyond U+10FFFF, cut off).
size_t Utf8SequenceLength(absl::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second > 0x9F;
  const bool too_large = first == 0xF4 && second > 0x8F;
  return overlong || surrogate || too_large ? 0 : length;
}

// Appends a JSON string. Bytes that are not UTF-8 become U+FFFD, since a JSON file must be UTF-8.
void AppendEscaped(absl::string_view value, std::string& to) {
  to.push_back('"');
  while (!value.empty()) {
    const char c = value[0];
    const size_t length = Utf8SequenceLength(value);
    if (c == '"' || c == '\\') {
      to.append({'\\', c});
    } else if (c == '\n') {
      to.append("\\n");
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&to, "\\u%04x", c);
    } else if (length == 0) {
      to.append("\\ufffd");
    } else {
      to.append(value.data(), length);
    }
    value.remove_prefix(std::max<size_t>(length, 1));
  }
  to.push_back('"');
}

}  // namespace

absl::optional<bool> JsonValue::AsBool() const {
  const bool* value = absl::get_if<bool>(&value_);
  return value != nullptr ? absl::optional<bool>(*value) : absl::nullopt;
}

absl::optional<int64_t> JsonValue::AsInt64() const {
  if (const int64_t* value = absl::get_if<int64_t>(&value_)) return *value;
  const absl::optional<uint64_t> large = absl::holds_alternative<uint64_t>(value_) ? AsUint64() : absl::nullopt;
  if (large.has_value() && *large <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return static_cast<int64_t>(*large);
  }
  const double* value = absl::get_if<double>(&value_);
  if (value == nullptr || !IsWhole(*value) || *value < -kInt64End || *value >= kInt64End) return absl::nullopt;
  return static_cast<int64_t>(*value);
}

absl::optional<uint64_t> JsonValue::AsUint64() const {
  if (const uint64_t* value = absl::get_if<uint64_t>(&value_)) return *value;
  if (const int64_t* value = absl::get_if<int64_t>(&value_)) {
    return *value >= 0 ? absl::optional<uint64_t>(static_cast<uint64_t>(*value)) : absl::nullopt;
  }
  const double* value = absl::get_if<double>(&value_);
  if (value == nullptr || !IsWhole(*value) || *value < 0 || *value >= kUint64End) return absl::nullopt;
  return static_cast<uint64_t>(*value);
}

absl::optional<double> JsonValue::AsDouble() const {
  if (const double* value = absl::get_if<double>(&value_)) return *value;
  if (const int64_t* value = absl::get_if<int64_t>(&value_)) return static_cast<double>(*value);
  if (const uint64_t* value = absl::get_if<uint64_t>(&value_)) return static_cast<double>(*value);
  return absl::nullopt;
}

const JsonValue* JsonValue::Find(absl::string_view key) const {
  const Object* object = AsObject();
  if (object == nullptr) return nullptr;
  for (const auto& member : *object) {
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

absl::string_view JsonValue::KindName() const {
  // In the order of value_'s alternatives.
  constexpr absl::string_view kNames[] = {"null", "boolean", "number", "number", "number", "string", "array", "object"};
  return kNames[value_.index()];
}

absl::StatusOr<JsonValue> ParseJson(absl::string_view text, absl::string_view file_name,
                                    const ResourceContext* resources) {
  ValueBuilder builder(resources);
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return builder.TakeResult();
  RETURN_IF_ERROR(CheckResources(resources));
  if (builder.too_deep()) {
    return absl::InvalidArgumentError(absl::StrCat(file_name, ": nested deeper than ", kMaxJsonDepth, " levels"));
  }
  // The offset counts the bytes read, of which the last is the one that did not fit.
  const size_t offset = builder.error_offset();
  const std::string place = LineAndColumn(text, offset > 0 ? offset - 1 : 0);
  const std::string found = offset > text.size() ? "the end" : absl::StrCat("'", builder.last_token(), "'");
  return absl::InvalidArgumentError(absl::StrCat(file_name, ":", place, ": not valid JSON: unexpected ", found));
}

JsonWriter& JsonWriter::Key(absl::string_view key) {
  BeforeValue();
  AppendEscaped(key, text_);
  text_.append(indent_ > 0 ? ": " : ":");
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::String(absl::string_view value) {
  BeforeValue();
  AppendEscaped(value, text_);
  return *this;
}

JsonWriter& JsonWriter::Int(int64_t value) { return Scalar(absl::StrCat(value)); }
JsonWriter& JsonWriter::Uint(uint64_t value) { return Scalar(absl::StrCat(value)); }
JsonWriter& JsonWriter::Bool(bool value) { return Scalar(value ? "true" : "false"); }
JsonWriter& JsonWriter::Null() { return Scalar("null"); }

JsonWriter& JsonWriter::Double(double value) {
  if (!std::isfinite(value)) return Null();
  for (int digits = 15; digits < 17; ++digits) {
    const std::string text = absl::StrFormat("%.*g", digits, value);
    if (std::strtod(text.c_str(), nullptr) == value) return Scalar(text);
  }
  return Scalar(absl::StrFormat("%.17g", value));
}

JsonWriter& JsonWriter::Open(char bracket) {
  BeforeValue();
  text_.push_back(bracket);
  has_members_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::Close(char bracket) {
  const bool had_members = has_members_.back();
  has_members_.pop_back();
  if (had_members) NewLine();
  text_.push_back(bracket);
  return *this;
}

JsonWriter& JsonWriter::Scalar(absl::string_view text) {
  BeforeValue();
  text_.append(text.data(), text.size());
  return *this;
}

// Writes what separates this value, or key, from what precedes it.
void JsonWriter::BeforeValue() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_members_.empty()) return;
  if (has_members_.back()) text_.push_back(',');
  has_members_.back() = true;
  NewLine();
}

void JsonWriter::NewLine() {
  if (indent_ == 0) return;
  text_.push_back('\n');
  text_.append(static_cast<size_t>(indent_) * has_members_.size(), ' ');
}

}  // namespace xla
