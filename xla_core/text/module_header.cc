#include "xla_core/text/module_header.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/text/annotations_text.h"

namespace xla {
namespace {

using Config = HloModuleConfig;

bool ParsePositive(TokenReader& reader, int64_t* value) {
  const char* const at = reader.token().begin;
  if (!reader.ParseInt(value)) return false;
  return *value > 0 || reader.ErrorAt(at, absl::StrCat("expected a positive number, found ", *value));
}

// (param, {index}
bool ParseParameterIndex(TokenReader& reader, int64_t* number, ShapeIndex* index) {
  return reader.Expect(TokenKind::kLeftParen, "before a parameter number") &&
         reader.ParseNonNegative(number, "a parameter number") &&
         reader.Expect(TokenKind::kComma, "between a parameter number and its index") && reader.ParseShapeIndex(index);
}

bool ParseAliasKind(TokenReader& reader, bool* must_alias) {
  if (!reader.Accept(TokenKind::kComma)) return true;
  *must_alias = reader.IsWord("must-alias");
  if (!*must_alias && !reader.IsWord("may-alias")) return reader.ErrorExpected("may-alias or must-alias");
  reader.Next();
  return true;
}

// `input_output_alias={ {0}: (1, {}, may-alias) }`: output index, parameter number and index in it. An output may be
// aliased once.
bool ParseInputOutputAlias(TokenReader& reader, Config* config) {
  absl::flat_hash_set<ShapeIndex> aliased;
  return reader.ParseBracedListWithTrailingComma([&] {
    const char* const at = reader.token().begin;
    InputOutputAlias alias;
    if (!reader.ParseShapeIndex(&alias.output_index) ||
        !reader.Expect(TokenKind::kColon, "between the output index and the parameter of an alias") ||
        !ParseParameterIndex(reader, &alias.parameter_number, &alias.parameter_index) ||
        !ParseAliasKind(reader, &alias.must_alias) ||
        !reader.Expect(TokenKind::kRightParen, "after the parameter of an alias")) {
      return false;
    }
    if (!aliased.insert(alias.output_index).second) {
      return reader.ErrorAt(at, absl::StrCat("output ", ShapeIndexToString(alias.output_index), " is aliased twice"));
    }
    config->input_output_alias.push_back(std::move(alias));
    return true;
  });
}

bool ParseBufferDonors(TokenReader& reader, Config* config) {
  return reader.ParseBracedListWithTrailingComma([&] {
    BufferDonor donor;
    if (!ParseParameterIndex(reader, &donor.parameter_number, &donor.parameter_index)) return false;
    config->buffer_donors.push_back(std::move(donor));
    return reader.Expect(TokenKind::kRightParen, "after a donated parameter");
  });
}

// {(shape, shape)->shape}
bool ParseEntryLayout(TokenReader& reader, MissingLayout missing_layout, Config* config) {
  if (!reader.Expect(TokenKind::kLeftBrace, "before the entry computation layout")) return false;
  ProgramShape& layout = config->entry_computation_layout.emplace();
  const auto parse = [&] {
    layout.parameters.emplace_back();
    return ParseShape(reader, missing_layout, &layout.parameters.back());
  };
  return reader.ParseList(TokenKind::kLeftParen, TokenKind::kRightParen, parse) &&
         reader.Expect(TokenKind::kArrow, "before the result of the entry computation layout") &&
         ParseShape(reader, missing_layout, &layout.result) &&
         reader.Expect(TokenKind::kRightBrace, "after the entry computation layout");
}

// {true,false}, or one bare word.
bool ParseBools(TokenReader& reader, std::vector<bool>* values) {
  const auto parse = [&] {
    bool value;
    if (!reader.ParseBool(&value)) return false;
    values->push_back(value);
    return true;
  };
  return reader.Is(TokenKind::kLeftBrace) ? reader.ParseBracedList(parse) : parse();
}

// { {"old" {i}} : {"new" {i}} [, "module text"] ... }
bool ParseOriginRecoveryTable(TokenReader& reader, Config* config) {
  if (!reader.Expect(TokenKind::kLeftBrace, "before the origin recovery table")) return false;
  while (!reader.Is(TokenKind::kRightBrace)) {
    OriginRecovery entry;
    if (!ParseOriginalArray(reader, &entry.old_array) ||
        !reader.Expect(TokenKind::kColon, "between the old and the new array") ||
        !ParseOriginalArray(reader, &entry.new_array)) {
      return false;
    }
    if (reader.Accept(TokenKind::kComma) && !reader.ParseString(&entry.module_text)) return false;
    config->origin_recovery_table.push_back(std::move(entry));
  }
  reader.Next();
  return true;
}

bool ParseDebugAttributes(TokenReader& reader, Config* config) {
  absl::string_view text;
  if (!reader.ParseBracedText(&text)) return false;
  config->debug_attributes = std::string(text);
  return true;
}

// What old releases wrote and nothing needs: any value.
bool SkipValue(TokenReader& reader) {
  if (reader.Is(TokenKind::kLeftBrace)) {
    absl::string_view text;
    return reader.ParseBracedText(&text);
  }
  reader.Next();
  return true;
}

struct HeaderAttribute {
  absl::string_view name;
  bool (*parse)(TokenReader&, MissingLayout, Config*);
};

constexpr HeaderAttribute kHeaderAttributes[] = {
    {"is_scheduled", [](TokenReader& r, MissingLayout, Config* c) { return r.ParseBool(&c->is_scheduled); }},
    {"replica_count", [](TokenReader& r, MissingLayout, Config* c) { return ParsePositive(r, &c->replica_count); }},
    {"num_partitions", [](TokenReader& r, MissingLayout, Config* c) { return ParsePositive(r, &c->num_partitions); }},
    {"input_output_alias", [](TokenReader& r, MissingLayout, Config* c) { return ParseInputOutputAlias(r, c); }},
    {"buffer_donor", [](TokenReader& r, MissingLayout, Config* c) { return ParseBufferDonors(r, c); }},
    {"alias_passthrough_params",
     [](TokenReader& r, MissingLayout, Config* c) { return r.ParseBool(&c->alias_passthrough_params); }},
    {"entry_computation_layout", &ParseEntryLayout},
    {"frontend_attributes",
     [](TokenReader& r, MissingLayout, Config* c) { return ParseFrontendAttributes(r, &c->frontend_attributes); }},
    {"allow_spmd_sharding_propagation_to_parameters",
     [](TokenReader& r, MissingLayout, Config* c) {
       return ParseBools(r, &c->allow_spmd_sharding_propagation_to_parameters);
     }},
    {"allow_spmd_sharding_propagation_to_output",
     [](TokenReader& r, MissingLayout, Config* c) {
       return ParseBools(r, &c->allow_spmd_sharding_propagation_to_output);
     }},
    {"origin_recovery_table", [](TokenReader& r, MissingLayout, Config* c) { return ParseOriginRecoveryTable(r, c); }},
    {"debug_attributes", [](TokenReader& r, MissingLayout, Config* c) { return ParseDebugAttributes(r, c); }},
    // Of old releases:
    {"dynamic_parameter_binding", [](TokenReader& r, MissingLayout, Config*) { return SkipValue(r); }},
    {"cross_program_prefetches", [](TokenReader& r, MissingLayout, Config*) { return SkipValue(r); }},
    {"cross_program_prefetch_index", [](TokenReader& r, MissingLayout, Config*) { return SkipValue(r); }},
};

bool IsOnlyFalse(const std::vector<bool>& values) { return values.empty() || (values.size() == 1 && !values[0]); }

void AppendBools(absl::string_view name, const std::vector<bool>& values, std::string* out) {
  if (IsOnlyFalse(values)) return;
  absl::StrAppend(out, ", ", name, "={");
  for (size_t i = 0; i < values.size(); ++i) absl::StrAppend(out, i > 0 ? "," : "", values[i] ? "true" : "false");
  out->push_back('}');
}

void AppendAliases(const std::vector<InputOutputAlias>& aliases, std::string* out) {
  if (aliases.empty()) return;
  absl::StrAppend(out, ", input_output_alias={ ",
                  absl::StrJoin(aliases, ", ",
                                [](std::string* o, const InputOutputAlias& alias) {
                                  absl::StrAppend(o, ShapeIndexToString(alias.output_index), ": (",
                                                  alias.parameter_number, ", ",
                                                  ShapeIndexToString(alias.parameter_index),
                                                  alias.must_alias ? ", must-alias)" : ", may-alias)");
                                }),
                  " }");
}

void AppendDonors(const std::vector<BufferDonor>& donors, std::string* out) {
  if (donors.empty()) return;
  absl::StrAppend(out, ", buffer_donor={ ",
                  absl::StrJoin(donors, ", ",
                                [](std::string* o, const BufferDonor& donor) {
                                  absl::StrAppend(o, "(", donor.parameter_number, ", ",
                                                  ShapeIndexToString(donor.parameter_index), ")");
                                }),
                  " }");
}

void AppendEntryLayout(const ProgramShape& layout, std::string* out) {
  absl::StrAppend(out, ", entry_computation_layout={(");
  for (size_t i = 0; i < layout.parameters.size(); ++i) {
    if (i > 0) absl::StrAppend(out, ", ");
    if (i > 0 && i % 5 == 0) absl::StrAppend(out, "/*index=", i, "*/");
    layout.parameters[i].AppendTo(out, Shape::LayoutPrinting::kWith, true);
  }
  absl::StrAppend(out, ")->");
  layout.result.AppendTo(out, Shape::LayoutPrinting::kWith, true);
  out->push_back('}');
}

void AppendRecoveryTable(const std::vector<OriginRecovery>& table, std::string* out) {
  if (table.empty()) return;
  absl::StrAppend(out, ", origin_recovery_table={\n");
  for (const OriginRecovery& entry : table) {
    absl::StrAppend(out, "  ");
    AppendOriginalArray(entry.old_array, out);
    absl::StrAppend(out, " : ");
    AppendOriginalArray(entry.new_array, out);
    if (!entry.module_text.empty()) {
      absl::StrAppend(out, ",\n  ");
      AppendQuoted(entry.module_text, out);
    }
    out->push_back('\n');
  }
  out->push_back('}');
}

// ---- Stack frames

using FileLocation = StackFrameIndex::FileLocation;
using StackFrame = StackFrameIndex::StackFrame;

template <typename Row>
struct RowField {
  absl::string_view name;
  int32_t Row::*member;
};
constexpr RowField<FileLocation> kLocationFields[] = {{"file_name_id", &FileLocation::file_name_id},
                                                      {"function_name_id", &FileLocation::function_name_id},
                                                      {"line", &FileLocation::line},
                                                      {"end_line", &FileLocation::end_line},
                                                      {"column", &FileLocation::column},
                                                      {"end_column", &FileLocation::end_column}};
constexpr RowField<StackFrame> kFrameFields[] = {{"file_location_id", &StackFrame::file_location_id},
                                                 {"parent_frame_id", &StackFrame::parent_frame_id}};

// The number that starts a line of a table is read and ignored: the position decides.
template <typename Fn>
bool ParseTable(TokenReader& reader, Keyword heading, const char* name, Fn parse_row) {
  if (!reader.Accept(heading)) return reader.ErrorExpected(absl::StrCat("the stack-frame table ", name));
  while (reader.Is(TokenKind::kInteger)) {
    reader.Next();
    if (!parse_row()) return false;
  }
  return true;
}

// {file_location_id=2 parent_frame_id=1}: every field once, in any order.
template <typename Row, size_t kSize>
bool ParseRow(TokenReader& reader, const RowField<Row> (&fields)[kSize], Row* row) {
  bool seen[kSize] = {};
  if (!reader.Expect(TokenKind::kLeftBrace, "before the fields of a table row")) return false;
  while (!reader.Is(TokenKind::kRightBrace)) {
    size_t f = 0;
    while (f < kSize && !reader.IsAttribute(fields[f].name)) ++f;
    if (f == kSize) return reader.ErrorExpected(absl::StrCat("a field such as ", fields[0].name, "="));
    if (seen[f]) return reader.Error(absl::StrCat("field ", fields[f].name, " is given twice"));
    seen[f] = true;
    reader.Next();
    if (!reader.ParseInt32(&(row->*fields[f].member))) return false;
    reader.Accept(TokenKind::kComma);
  }
  for (size_t f = 0; f < kSize; ++f) {
    if (!seen[f]) return reader.Error(absl::StrCat("field ", fields[f].name, " is missing"));
  }
  reader.Next();
  return true;
}

template <typename Row, size_t kSize>
void AppendRow(const RowField<Row> (&fields)[kSize], const Row& row, std::string* out) {
  for (size_t f = 0; f < kSize; ++f)
    absl::StrAppend(out, f == 0 ? "{" : " ", fields[f].name, "=", row.*fields[f].member);
  absl::StrAppend(out, "}\n");
}

void AppendNames(const char* heading, const std::vector<std::string>& names, std::string* out) {
  absl::StrAppend(out, heading, "\n");
  for (size_t i = 0; i < names.size(); ++i) {
    absl::StrAppend(out, i + 1, " ");
    AppendQuoted(names[i], out);
    out->push_back('\n');
  }
  out->push_back('\n');
}

}  // namespace

// Attributes after the module's name; each may occur once.
bool ParseHeaderAttributes(TokenReader& reader, MissingLayout missing_layout, HloModuleConfig* config) {
  std::vector<absl::string_view> known;
  for (const HeaderAttribute& attribute : kHeaderAttributes) known.push_back(attribute.name);
  std::vector<bool> seen(known.size(), false);
  while (reader.Accept(TokenKind::kComma)) {
    if (!reader.Is(TokenKind::kAttributeName))
      return reader.ErrorExpected("an attribute of the module, such as is_scheduled=");
    const Token name = reader.token();
    const size_t i = std::find(known.begin(), known.end(), name.text) - known.begin();
    if (i == known.size()) {
      return reader.Error(absl::StrCat("unexpected attribute ", Quoted(name.text), " of a module",
                                       DidYouMean(name.text, known), "; allowed are ", absl::StrJoin(known, ", ")));
    }
    if (seen[i]) return reader.Error(absl::StrCat("attribute ", name.text, " already exists"));
    seen[i] = true;
    reader.Next();
    if (!kHeaderAttributes[i].parse(reader, missing_layout, config)) return false;
  }
  return true;
}

// Prints header attributes in XLA's order. Attributes at their defaults are left out.
void AppendHeaderAttributes(const HloModuleConfig& config, const HeaderPrintOptions& options, std::string* out) {
  if (config.is_scheduled) absl::StrAppend(out, ", is_scheduled=true");
  AppendAliases(config.input_output_alias, out);
  AppendDonors(config.buffer_donors, out);
  if (config.alias_passthrough_params) absl::StrAppend(out, ", alias_passthrough_params=true");
  if (config.entry_computation_layout.has_value()) AppendEntryLayout(*config.entry_computation_layout, out);
  AppendBools("allow_spmd_sharding_propagation_to_parameters", config.allow_spmd_sharding_propagation_to_parameters,
              out);
  AppendBools("allow_spmd_sharding_propagation_to_output", config.allow_spmd_sharding_propagation_to_output, out);
  if (config.replica_count != 1) absl::StrAppend(out, ", replica_count=", config.replica_count);
  if (config.num_partitions != 1) absl::StrAppend(out, ", num_partitions=", config.num_partitions);
  if (!config.frontend_attributes.empty()) {
    absl::StrAppend(out, ", frontend_attributes=");
    AppendFrontendAttributes(config.frontend_attributes, out);
  }
  AppendRecoveryTable(config.origin_recovery_table, out);
  if (options.newest_spellings && !config.debug_attributes.empty()) {
    absl::StrAppend(out, ", debug_attributes=", config.debug_attributes);
  }
}

// Four tables that describe where instructions come from. Rows are numbered from 1; the text has parent frames plus
// one.
bool ParseStackFrameTables(TokenReader& reader, StackFrameIndex* index) {
  if (!reader.Is(Keyword::kFileNames)) return true;
  const auto strings = [&](std::vector<std::string>* names) {
    return [&reader, names] {
      names->emplace_back();
      return reader.ParseString(&names->back());
    };
  };
  const auto location = [&] {
    index->file_locations.emplace_back();
    return ParseRow(reader, kLocationFields, &index->file_locations.back());
  };
  const auto frame = [&] {
    const char* const at = reader.token().begin;
    index->stack_frames.emplace_back();
    int32_t& parent = index->stack_frames.back().parent_frame_id;
    if (!ParseRow(reader, kFrameFields, &index->stack_frames.back())) return false;
    if (parent <= std::numeric_limits<int32_t>::min()) return reader.ErrorAt(at, "parent_frame_id is out of range");
    // Text has the stored value plus one.
    --parent;
    return true;
  };
  return ParseTable(reader, Keyword::kFileNames, "FileNames", strings(&index->file_names)) &&
         ParseTable(reader, Keyword::kFunctionNames, "FunctionNames", strings(&index->function_names)) &&
         ParseTable(reader, Keyword::kFileLocations, "FileLocations", location) &&
         ParseTable(reader, Keyword::kStackFrames, "StackFrames", frame);
}

// The inverse of ParseStackFrameTables.
void AppendStackFrameTables(const StackFrameIndex& index, std::string* out) {
  if (index.empty()) return;
  AppendNames("FileNames", index.file_names, out);
  AppendNames("FunctionNames", index.function_names, out);
  absl::StrAppend(out, "FileLocations\n");
  for (size_t i = 0; i < index.file_locations.size(); ++i) {
    absl::StrAppend(out, i + 1, " ");
    AppendRow(kLocationFields, index.file_locations[i], out);
  }
  absl::StrAppend(out, "\nStackFrames\n");
  for (size_t i = 0; i < index.stack_frames.size(); ++i) {
    absl::StrAppend(out, i + 1, " ");
    StackFrame row = index.stack_frames[i];
    // The stored value is no frame number beyond the count, so this cannot overflow for a sane table.
    if (row.parent_frame_id < std::numeric_limits<int32_t>::max()) ++row.parent_frame_id;
    AppendRow(kFrameFields, row, out);
  }
  out->push_back('\n');
}

}  // namespace xla
