#include "bindings/pjrt/ffi_dictionary.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/primitive_type.h"

namespace xla {
namespace pjrt {
namespace {

// Dictionaries within dictionaries.
constexpr int kMaxDepth = 64;

// The type that MLIR calls `name`: i32, ui8, f32, bf16, i1, index.
PrimitiveType TypeOf(absl::string_view name) {
  if (name == "i1") return PRED;
  if (name == "index") return S64;
  if (absl::ConsumePrefix(&name, "ui")) return PrimitiveTypeFromName(absl::StrCat("u", name));
  if (absl::ConsumePrefix(&name, "si")) return PrimitiveTypeFromName(absl::StrCat("s", name));
  if (absl::ConsumePrefix(&name, "i")) return PrimitiveTypeFromName(absl::StrCat("s", name));
  return PrimitiveTypeFromName(name);
}

template <typename T>
void AppendBytes(T value, int width, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), static_cast<size_t>(width));
}

// Appends a number of that type, as it is in memory. False if it is not one.
bool AppendScalar(absl::string_view text, PrimitiveType type, std::string* bytes) {
  if (type == PRED) {
    if (text != "true" && text != "false" && text != "1" && text != "0") return false;
    bytes->push_back(text == "true" || text == "1");
    return true;
  }
  uint64_t bits;
  if (absl::StartsWith(text, "0x") && absl::SimpleHexAtoi(text, &bits)) {
    AppendBytes(bits, ByteWidth(type), bytes);
    return true;
  }
  if (IsInt(type)) {
    int64_t number;
    if (!absl::SimpleAtoi(text, &number)) {
      if (!absl::SimpleAtoi(text, &bits)) return false;
      number = static_cast<int64_t>(bits);
    }
    AppendBytes(number, ByteWidth(type), bytes);
    return true;
  }
  double number;
  if (!absl::SimpleAtod(text, &number)) return false;
  if (type == F64) AppendBytes(number, 8, bytes);
  if (type == F32) AppendBytes(static_cast<float>(number), 4, bytes);
  return type == F64 || type == F32;
}

}  // namespace

// Reads from the front of a text.
class FfiDictionary::Parser {
 public:
  explicit Parser(absl::string_view text) : text_(text), rest_(text) {}

  absl::StatusOr<std::unique_ptr<FfiDictionary>> ReadAll() {
    ASSIGN_OR_RETURN(std::unique_ptr<FfiDictionary> dictionary, ReadDictionary(0));
    Skip();
    if (!rest_.empty()) return Error("the end");
    return dictionary;
  }

 private:
  void Skip() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }
  bool Consume(absl::string_view token) {
    Skip();
    return absl::ConsumePrefix(&rest_, token);
  }
  absl::Status Error(absl::string_view expected) const {
    return absl::InvalidArgumentError(absl::StrCat("backend_config: expected ", expected, " at byte ",
                                                   text_.size() - rest_.size(), " of ", text_.substr(0, 200)));
  }
  // Up to one of the characters that end a value or a name.
  absl::string_view Word() {
    Skip();
    const absl::string_view word = rest_.substr(0, rest_.find_first_of(" \t\n\r=,:{}<>\""));
    rest_.remove_prefix(word.size());
    return word;
  }

  absl::StatusOr<std::string> ReadText() {
    size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
    std::string text;
    if (end >= rest_.size() || !absl::CUnescape(rest_.substr(1, end - 1), &text)) return Error("a text in quotes");
    rest_.remove_prefix(end + 1);
    return text;
  }

  absl::StatusOr<std::string> ReadName() {
    Skip();
    if (absl::StartsWith(rest_, "\"")) return ReadText();
    const absl::string_view word = Word();
    if (word.empty()) return Error("a name");
    return std::string(word);
  }

  absl::StatusOr<PrimitiveType> ReadType() {
    const PrimitiveType type = TypeOf(Word());
    if (!IsArrayType(type)) return Error("a type such as i64 or f32");
    return type;
  }

  // array<i64: 1, 2>
  absl::Status ReadArray(Entry* entry) {
    if (!Consume("<")) return Error("<");
    ASSIGN_OR_RETURN(const PrimitiveType type, ReadType());
    entry->type = XLA_FFI_AttrType_ARRAY;
    entry->array.dtype = type;
    if (Consume(">")) return absl::OkStatus();
    if (!Consume(":")) return Error(":");
    do {
      if (!AppendScalar(Word(), type, &entry->bytes)) return Error(absl::StrCat("a ", PrimitiveTypeName(type)));
      ++entry->array.size;
    } while (Consume(","));
    return Consume(">") ? absl::OkStatus() : Error("> or ,");
  }

  absl::Status ReadScalar(absl::string_view word, Entry* entry) {
    PrimitiveType type = word == "true" || word == "false" ? PRED : absl::StrContains(word, ".") ? F64 : S64;
    if (Consume(":")) {
      ASSIGN_OR_RETURN(type, ReadType());
    }
    entry->scalar.dtype = type;
    if (AppendScalar(word, type, &entry->bytes)) return absl::OkStatus();
    return Error(absl::StrCat("a number of type ", PrimitiveTypeName(type), " before"));
  }

  absl::Status ReadValue(int depth, Entry* entry) {
    Skip();
    if (absl::StartsWith(rest_, "{")) {
      entry->type = XLA_FFI_AttrType_DICTIONARY;
      ASSIGN_OR_RETURN(entry->dictionary, ReadDictionary(depth + 1));
      return absl::OkStatus();
    }
    if (absl::StartsWith(rest_, "\"")) {
      entry->type = XLA_FFI_AttrType_STRING;
      ASSIGN_OR_RETURN(entry->bytes, ReadText());
      return absl::OkStatus();
    }
    const absl::string_view word = Word();
    if (word == "array") return ReadArray(entry);
    return ReadScalar(word, entry);
  }

  absl::StatusOr<std::unique_ptr<FfiDictionary>> ReadDictionary(int depth) {
    if (depth > kMaxDepth) return Error(absl::StrCat("at most ", kMaxDepth, " dictionaries within each other"));
    if (!Consume("{")) return Error("{");
    auto dictionary = std::make_unique<FfiDictionary>();
    while (!Consume("}")) {
      if (!dictionary->entries_.empty() && !Consume(",")) return Error(", or }");
      Entry entry;
      ASSIGN_OR_RETURN(entry.name, ReadName());
      if (Consume("=")) {
        RETURN_IF_ERROR(ReadValue(depth, &entry));
      } else {  // what is only named is true
        entry.scalar.dtype = PRED;
        entry.bytes.push_back(1);
      }
      dictionary->entries_.push_back(std::move(entry));
    }
    dictionary->Finish();
    return dictionary;
  }

  const absl::string_view text_;
  absl::string_view rest_;
};

void FfiDictionary::Finish() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  for (Entry& entry : entries_) {
    entry.scalar.value = entry.bytes.data();
    entry.array.data = entry.bytes.data();
    entry.span = {entry.bytes.data(), entry.bytes.size()};
    entry.name_span = {entry.name.data(), entry.name.size()};
    types_.push_back(entry.type);
    names_.push_back(&entry.name_span);
    switch (entry.type) {
      case XLA_FFI_AttrType_ARRAY:
        values_.push_back(&entry.array);
        break;
      case XLA_FFI_AttrType_DICTIONARY:
        values_.push_back(&entry.dictionary->attrs_);
        break;
      case XLA_FFI_AttrType_SCALAR:
        values_.push_back(&entry.scalar);
        break;
      case XLA_FFI_AttrType_STRING:
        values_.push_back(&entry.span);
        break;
    }
  }
  attrs_ = {sizeof(attrs_), nullptr,       static_cast<int64_t>(entries_.size()),
            types_.data(),  names_.data(), values_.data()};
}

absl::StatusOr<std::unique_ptr<FfiDictionary>> FfiDictionary::Parse(absl::string_view text) {
  if (absl::StripAsciiWhitespace(text).empty()) return Parser("{}").ReadAll();
  return Parser(text).ReadAll();
}

}  // namespace pjrt
}  // namespace xla
