#include "xla_core/text/annotations_text.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/text/number_text.h"

namespace xla {
namespace {

struct StringField {
  absl::string_view name;
  SharedString OpMetadata::*member;
};
struct IntField {
  absl::string_view name;
  int32_t OpMetadata::*member;
};

// In print order, as far as they are strings and as far as they are numbers.
constexpr StringField kLeadingStrings[] = {
    {"op_type", &OpMetadata::op_type}, {"op_name", &OpMetadata::op_name}, {"source_file", &OpMetadata::source_file}};
constexpr IntField kSourceInts[] = {{"source_line", &OpMetadata::source_line},
                                    {"source_end_line", &OpMetadata::source_end_line},
                                    {"source_column", &OpMetadata::source_column},
                                    {"source_end_column", &OpMetadata::source_end_column}};
constexpr StringField kTrailingStrings[] = {{"deduplicated_name", &OpMetadata::deduplicated_name},
                                            {"scheduling_name", &OpMetadata::scheduling_name},
                                            {"metadata_payload", &OpMetadata::metadata_payload}};
constexpr absl::string_view kProfileType = "profile_type";
constexpr absl::string_view kStackFrameId = "stack_frame_id";
constexpr absl::string_view kDropped[] = {"size_of_generated_code_in_bytes", "size_of_memory_working_set_in_bytes",
                                          "preserve_layout", "creation_pass_id", "logical_creation_pass_id"};
constexpr absl::string_view kAllMetadataFields[] = {
    "op_type",           "op_name",      "source_file",       "source_line",     "source_end_line", "source_column",
    "source_end_column", "profile_type", "deduplicated_name", "scheduling_name", "stack_frame_id",  "metadata_payload"};

bool SkipScalar(TokenReader& reader) {
  switch (reader.token().kind) {
    case TokenKind::kInteger:
    case TokenKind::kDecimal:
    case TokenKind::kString:
    case TokenKind::kKeyword:
      reader.Next();
      return true;
    default:
      return reader.ErrorExpected("a value");
  }
}

template <typename Row, size_t kSize>
const Row* Find(const Row (&rows)[kSize], absl::string_view name) {
  for (const Row& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// One field of `metadata={...}`. Fields that XLA prints and that nothing here uses are skipped.
bool ParseMetadataField(TokenReader& reader, OpMetadata* metadata) {
  if (!reader.Is(TokenKind::kAttributeName))
    return reader.ErrorExpected("a field of metadata such as op_name=, or '}'");
  const absl::string_view name = reader.token().text;
  const auto parse_string = [&](const StringField& row) {
    reader.Next();
    return reader.ParseString(&(metadata->*row.member));
  };
  if (const StringField* row = Find(kLeadingStrings, name)) return parse_string(*row);
  if (const IntField* row = Find(kSourceInts, name)) {
    reader.Next();
    return reader.ParseInt32(&(metadata->*row->member));
  }
  if (name == kStackFrameId) {
    reader.Next();
    return reader.ParseInt32(&metadata->stack_frame_id);
  }
  if (const StringField* row = Find(kTrailingStrings, name)) return parse_string(*row);
  if (name == kProfileType) {
    reader.Next();
    metadata->profile_type.clear();
    return reader.ParseIntList(&metadata->profile_type);
  }
  if (std::find(std::begin(kDropped), std::end(kDropped), name) != std::end(kDropped)) {
    reader.Next();
    return SkipScalar(reader);
  }
  return reader.ErrorUnknown("field of metadata", kAllMetadataFields);
}

bool IsPlainKey(absl::string_view key) {
  return !key.empty() && IsNameStart(key[0]) && std::all_of(key.begin(), key.end(), IsNameChar);
}

// A raw scan as TokenReader::ParseBracedText does it, that must end where the text ends.
bool ReadsBackAsJson(absl::string_view value) {
  if (value.empty() || value.front() != '{' || value.back() != '}') return false;
  int64_t depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (quoted) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1 == value.size();
    }
  }
  return false;
}

bool ParseTolerance(TokenReader& reader, ResultAccuracy* accuracy) {
  const char* const begin = reader.token().begin;
  const auto parse = [&] {
    const Token name = reader.token();
    if (!reader.Is(TokenKind::kAttributeName)) return reader.ErrorExpected("atol=, rtol= or ulps=");
    reader.Next();
    if (name.text == "atol") return reader.ParseDouble(&accuracy->atol);
    if (name.text == "rtol") return reader.ParseDouble(&accuracy->rtol);
    if (name.text == "ulps") return reader.ParseInt(&accuracy->ulps);
    return reader.ErrorAt(name.begin, absl::StrCat("expected atol=, rtol= or ulps=, found ", Quoted(name.text)));
  };
  if (!reader.ParseBracedList(parse)) return false;
  return (accuracy->atol >= 0 && accuracy->rtol >= 0 && accuracy->ulps >= 0) ||
         reader.ErrorAt(begin, "tolerances must not be negative");
}

bool ParseAccuracyMode(TokenReader& reader, ResultAccuracy* accuracy) {
  absl::string_view word;
  const char* const at = reader.token().begin;
  if (!reader.ParseName(&word, "default or highest")) return false;
  if (absl::EqualsIgnoreCase(word, "default")) {
    accuracy->mode = ResultAccuracy::Mode::kDefault;
  } else if (absl::EqualsIgnoreCase(word, "highest")) {
    accuracy->mode = ResultAccuracy::Mode::kHighest;
  } else {
    return reader.ErrorAt(at, absl::StrCat("unknown accuracy mode ", Quoted(word), "; expected default or highest"));
  }
  return true;
}

// A leaf in braces, or a tuple in parentheses.
bool ParseOriginTree(TokenReader& reader, OriginalValue* value) {
  TokenReader::NestingScope nesting(reader);
  if (!nesting.ok()) return false;
  if (reader.Is(TokenKind::kLeftParen)) {
    value->is_tuple = true;
    return reader.ParseList(TokenKind::kLeftParen, TokenKind::kRightParen, [&] {
      value->elements.emplace_back();
      return ParseOriginTree(reader, &value->elements.back());
    });
  }
  if (!reader.Is(TokenKind::kLeftBrace)) return reader.ErrorExpected("'{' or '(' in an original value");
  if (reader.Peek().kind == TokenKind::kRightBrace) {
    reader.Next();
    reader.Next();
    return true;
  }
  value->array.emplace();
  return ParseOriginalArray(reader, &*value->array);
}

void AppendOriginTree(const OriginalValue& value, std::string* out) {
  if (!value.is_tuple) {
    if (value.array.has_value()) {
      AppendOriginalArray(*value.array, out);
    } else {
      absl::StrAppend(out, "{}");
    }
    return;
  }
  out->push_back('(');
  for (size_t i = 0; i < value.elements.size(); ++i) {
    if (i > 0) absl::StrAppend(out, ", ");
    AppendOriginTree(value.elements[i], out);
  }
  out->push_back(')');
}

}  // namespace

bool ParseMetadata(TokenReader& reader, OpMetadata* metadata) {
  if (!reader.Expect(TokenKind::kLeftBrace, "before the fields of metadata")) return false;
  absl::InlinedVector<absl::string_view, 12> seen;
  while (!reader.Is(TokenKind::kRightBrace)) {
    const absl::string_view name = reader.token().text;
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      return reader.Error(absl::StrCat("field ", Quoted(name), " of metadata already exists"));
    }
    seen.push_back(name);
    if (!ParseMetadataField(reader, metadata)) return false;
    reader.Accept(TokenKind::kComma);
  }
  reader.Next();
  return true;
}

// Prints fields in the order in which XLA does, so that texts compare equal; those at their defaults are left out.
void AppendMetadata(const OpMetadata& metadata, std::string* out) {
  const char* separator = "{";
  const auto name = [&](absl::string_view field) {
    absl::StrAppend(out, separator, field, "=");
    separator = " ";
  };
  const auto strings = [&](const auto& rows) {
    for (const StringField& row : rows) {
      if ((metadata.*row.member).empty()) continue;
      name(row.name);
      AppendQuoted(metadata.*row.member, out);
    }
  };
  strings(kLeadingStrings);
  for (const IntField& row : kSourceInts) {
    if (metadata.*row.member == 0) continue;
    name(row.name);
    absl::StrAppend(out, metadata.*row.member);
  }
  if (!metadata.profile_type.empty()) {
    name(kProfileType);
    absl::StrAppend(out, "{", absl::StrJoin(metadata.profile_type, ","), "}");
  }
  strings(absl::MakeConstSpan(kTrailingStrings).first(2));
  if (metadata.stack_frame_id != 0) {
    name(kStackFrameId);
    absl::StrAppend(out, metadata.stack_frame_id);
  }
  strings(absl::MakeConstSpan(kTrailingStrings).subspan(2));
  absl::StrAppend(out, *separator == '{' ? "{}" : "}");
}

// `frontend_attributes={key="value",...}`. Keys may be quoted; values are strings or JSON. A key may occur once.
bool ParseFrontendAttributes(TokenReader& reader, FrontendAttributes* attributes) {
  return reader.ParseBracedList([&] {
    std::string key;
    const char* const at = reader.token().begin;
    if (reader.Is(TokenKind::kString)) {
      if (!reader.ParseString(&key) || !reader.Expect(TokenKind::kEqual, "after the key of a frontend attribute")) {
        return false;
      }
    } else if (reader.Is(TokenKind::kAttributeName)) {
      key = std::string(reader.token().text);
      reader.Next();
    } else {
      return reader.ErrorExpected("the key of a frontend attribute, such as a=");
    }
    std::string value;
    if (!reader.ParseStringOrJson(&value)) return false;
    const auto inserted = attributes->emplace(std::move(key), std::move(value));
    return inserted.second ||
           reader.ErrorAt(at, absl::StrCat("frontend attribute ", Quoted(inserted.first->first), " is given twice"));
  });
}

void AppendFrontendAttributes(const FrontendAttributes& attributes, std::string* out) {
  const char* separator = "{";
  for (const auto& attribute : attributes) {
    absl::StrAppend(out, separator);
    if (IsPlainKey(attribute.first)) {
      absl::StrAppend(out, attribute.first);
    } else {
      AppendQuoted(attribute.first, out);
    }
    out->push_back('=');
    AppendStringOrJson(attribute.second, out);
    separator = ",";
  }
  absl::StrAppend(out, *separator == '{' ? "{}" : "}");
}

bool ParseStatistics(TokenReader& reader, Statistics* statistics) {
  bool first = true;
  return reader.ParseBracedList([&] {
    const absl::string_view name = reader.token().text;
    if (!reader.Is(TokenKind::kAttributeName))
      return reader.ErrorExpected("the name of a statistic, such as count_nan=");
    reader.Next();
    if (first) {
      first = false;
      return reader.ParseInt(&statistics->visualizing_index);
    }
    statistics->values.emplace_back(std::string(name), 0.0);
    return reader.ParseDouble(&statistics->values.back().second);
  });
}

void AppendStatistics(const Statistics& statistics, std::string* out) {
  absl::StrAppend(out, "{visualizing_index=", statistics.visualizing_index);
  for (const auto& value : statistics.values) {
    absl::StrAppend(out, ",", value.first, "=");
    AppendDouble(value.second, out);
  }
  out->push_back('}');
}

bool ParseResultAccuracy(TokenReader& reader, ResultAccuracy* accuracy) {
  if (!reader.Expect(TokenKind::kLeftBrace, "before an accuracy")) return false;
  if (reader.IsAttribute("mode")) {
    reader.Next();
    if (!ParseAccuracyMode(reader, accuracy)) return false;
  } else if (reader.IsAttribute("tolerance")) {
    reader.Next();
    accuracy->mode = ResultAccuracy::Mode::kTolerance;
    if (!ParseTolerance(reader, accuracy)) return false;
  } else {
    return reader.ErrorExpected("mode= or tolerance=");
  }
  return reader.Expect(TokenKind::kRightBrace, "after an accuracy");
}

void AppendResultAccuracy(const ResultAccuracy& accuracy, std::string* out) {
  if (accuracy.mode != ResultAccuracy::Mode::kTolerance) {
    absl::StrAppend(out, "{mode=", accuracy.mode == ResultAccuracy::Mode::kHighest ? "highest" : "default", "}");
    return;
  }
  absl::StrAppend(out, "{tolerance={atol=");
  AppendDouble(accuracy.atol, out);
  absl::StrAppend(out, ",rtol=");
  AppendDouble(accuracy.rtol, out);
  absl::StrAppend(out, ",ulps=", accuracy.ulps, "}}");
}

bool ParseOriginalArray(TokenReader& reader, OriginalValue::Array* array) {
  if (!reader.Expect(TokenKind::kLeftBrace, "before an original array") ||
      !reader.ParseString(&array->instruction_name)) {
    return false;
  }
  if (reader.Is(TokenKind::kLeftBrace) && !reader.ParseShapeIndex(&array->shape_index)) return false;
  return reader.Expect(TokenKind::kRightBrace, "after an original array");
}

void AppendOriginalArray(const OriginalValue::Array& array, std::string* out) {
  out->push_back('{');
  AppendQuoted(array.instruction_name, out);
  if (!array.shape_index.empty()) absl::StrAppend(out, " ", ShapeIndexToString(array.shape_index));
  out->push_back('}');
}

bool ParseOrigin(TokenReader& reader, OriginalValue* origin) {
  if (!reader.Expect(TokenKind::kLeftBrace, "before an original value")) return false;
  if (reader.Accept(TokenKind::kRightBrace)) {
    origin->is_tuple = true;
    return true;
  }
  if (reader.Accept(TokenKind::kLeftSquare)) {
    if (!reader.IsWord("synthetic_call")) return reader.ErrorExpected("synthetic_call");
    reader.Next();
    origin->is_synthetic_call = true;
    if (!reader.Expect(TokenKind::kRightSquare, "after synthetic_call")) return false;
  } else if (!ParseOriginTree(reader, origin)) {
    return false;
  }
  return reader.Expect(TokenKind::kRightBrace, "after an original value");
}

void AppendOrigin(const OriginalValue& origin, std::string* out) {
  out->push_back('{');
  if (origin.is_synthetic_call) {
    absl::StrAppend(out, "[synthetic_call]");
  } else {
    AppendOriginTree(origin, out);
  }
  out->push_back('}');
}

void AppendStringOrJson(absl::string_view value, std::string* out) {
  if (ReadsBackAsJson(value)) {
    absl::StrAppend(out, value);
  } else {
    AppendQuoted(value, out);
  }
}

void AppendQuoted(absl::string_view value, std::string* out) {
  out->push_back('"');
  const bool plain = std::all_of(value.begin(), value.end(),
                                 [](char c) { return c >= ' ' && c < 0x7F && c != '"' && c != '\'' && c != '\\'; });
  if (plain) {
    out->append(value.data(), value.size());
  } else {
    out->append(absl::CEscape(value));
  }
  out->push_back('"');
}

}  // namespace xla
