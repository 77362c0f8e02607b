#include "builders/stablehlo/text/operation_printer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "builders/stablehlo/ir/attribute_values.h"
#include "builders/stablehlo/text/hex_bytes.h"
#include "builders/stablehlo/text/print_attributes.h"
#include "builders/stablehlo/text/print_numbers.h"
#include "builders/stablehlo/text/print_types.h"

namespace xla {
namespace stablehlo {
namespace {

// Whether the text can follow a % as the name of a value.
bool IsValueName(absl::string_view name) {
  if (name.empty()) return false;
  const auto is_digit = [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); };
  if (is_digit(name[0])) return std::all_of(name.begin(), name.end(), is_digit);
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-' || c == '$';
  });
}

// "3" if the values are called 3#0, 3#1 and so on; "" if they are not.
absl::string_view PackName(const Module& module, absl::Span<const ValueId> values) {
  absl::string_view pack;
  for (size_t i = 0; i < values.size(); ++i) {
    const absl::string_view name = module.value(values[i]).name;
    const size_t hash = name.rfind('#');
    if (hash == absl::string_view::npos || name.substr(hash + 1) != absl::StrCat(i)) return "";
    if (i > 0 && name.substr(0, hash) != pack) return "";
    pack = name.substr(0, hash);
  }
  return pack;
}

}  // namespace

bool OperationPrinter::IsIsolated(absl::string_view name) const {
  return name == "builtin.module" || name == "func.func" || name == "sdy.manual_computation";
}

absl::optional<absl::string_view> OperationPrinter::Text(const Operation& operation, absl::string_view name) const {
  return TextValue(module_, operation.attribute(name));
}

bool OperationPrinter::IsKind(const Operation& operation, absl::string_view name, AttributeKind kind) const {
  const AttributeId attribute = operation.attribute(name);
  return attribute.ok() && module_.attribute(attribute).kind == kind;
}

bool OperationPrinter::IsStruct(const Operation& operation, absl::string_view name,
                                absl::string_view struct_name) const {
  return IsKind(operation, name, AttributeKind::kStruct) &&
         module_.attribute(operation.attribute(name)).name == struct_name;
}

void OperationPrinter::NewLine() {
  out_.push_back('\n');
  out_.append(2 * indent_, ' ');
}

// `wanted` if it is free, else a number. With %.
std::string OperationPrinter::Claim(absl::string_view wanted) {
  std::string name = absl::StrCat("%", wanted);
  if (!IsValueName(wanted) || taken_.contains(name)) {
    do {
      name = absl::StrCat("%", next_number_++);
    } while (taken_.contains(name));
  }
  taken_.insert(name);
  taken_order_.push_back(name);
  return name;
}

void OperationPrinter::ReleaseNames(size_t to) {
  for (; taken_order_.size() > to; taken_order_.pop_back()) taken_.erase(taken_order_.back());
}

void OperationPrinter::NameValue(ValueId value) { names_[value.index] = Claim(module_.value(value).name); }

// Appends `%0:2 = ` and the like.
void OperationPrinter::NameResults(const Operation& operation) {
  const absl::Span<const ValueId> results = operation.results;
  if (results.empty()) return;
  const absl::string_view pack = PackName(module_, results);
  const bool have_names = std::all_of(results.begin(), results.end(),
                                      [this](ValueId result) { return IsValueName(module_.value(result).name); });
  if (results.size() > 1 && (!pack.empty() || !have_names)) {
    const std::string name = Claim(pack);
    for (size_t i = 0; i < results.size(); ++i) names_[results[i].index] = absl::StrCat(name, "#", i);
    absl::StrAppend(&out_, name, ":", results.size(), " = ");
    return;
  }
  for (size_t i = 0; i < results.size(); ++i) {
    NameValue(results[i]);
    absl::StrAppend(&out_, i == 0 ? "" : ", ", names_[results[i].index]);
  }
  out_.append(" = ");
}

void OperationPrinter::Operands(absl::Span<const ValueId> operands) {
  for (size_t i = 0; i < operands.size(); ++i) absl::StrAppend(&out_, i == 0 ? "" : ", ", names_[operands[i].index]);
}

void OperationPrinter::EachType(absl::Span<const ValueId> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out_.append(", ");
    AppendType(module_, TypeOf(values[i]), &out_);
  }
}

void OperationPrinter::ResultTypes(const Operation& operation) {
  std::vector<TypeId> types;
  for (const ValueId result : operation.results) types.push_back(TypeOf(result));
  AppendResultTypes(module_, types, &out_);
}

// (T, U) -> R
void OperationPrinter::FunctionalType(const Operation& operation) {
  out_.push_back('(');
  EachType(operation.operands);
  out_.append(") -> ");
  ResultTypes(operation);
}

// The attributes that were not said, after a blank, if there are any.
void OperationPrinter::Attributes(const Operation& operation, const Said& said) {
  std::vector<NamedAttribute> left;
  for (const NamedAttribute& attribute : operation.attributes) {
    if (std::find(said.begin(), said.end(), attribute.name) == said.end()) left.push_back(attribute);
  }
  if (left.empty()) return;
  out_.push_back(' ');
  AppendDictionary(module_, left, &out_);
}

bool OperationPrinter::HaveType(absl::Span<const ValueId> values, TypeId type) const {
  return std::all_of(values.begin(), values.end(), [&](ValueId value) { return TypeOf(value) == type; });
}

void OperationPrinter::PrintOperation(OperationId id) {
  const Operation& operation = module_.operation(id);
  NameResults(operation);
  const size_t after_results = out_.size();
  if (options_.is_generic || !PrintPretty(operation)) {
    out_.resize(after_results);
    PrintGeneric(operation);
  }
  if (options_.with_locations) PrintLocation(operation.location);
}

bool OperationPrinter::PrintPretty(const Operation& operation) {
  if (const OperationForm* const form = FindOperationForm(operation.name); form != nullptr) {
    return PrintForm(*form, operation);
  }
  const SpecialForm form = FindSpecialForm(operation.name);
  return form != nullptr && (this->*form)(operation);
}

// "d.op"(%a) <{...}> ({...}) {...} : (T) -> R
void OperationPrinter::PrintGeneric(const Operation& operation) {
  AppendString(operation.name, &out_);
  out_.push_back('(');
  Operands(operation.operands);
  out_.push_back(')');
  const absl::Span<const absl::string_view> known = PropertyNames(operation.name);
  const OperationForm* const form = FindOperationForm(operation.name);
  std::vector<NamedAttribute> properties;
  Said said;
  for (const NamedAttribute& attribute : operation.attributes) {
    bool is_property = std::find(known.begin(), known.end(), attribute.name) != known.end();
    for (const Clause& clause : form == nullptr ? absl::Span<const Clause>() : absl::MakeConstSpan(form->clauses)) {
      is_property |= clause.kind != ClauseKind::kNone && clause.attribute == attribute.name;
    }
    if (!is_property) continue;
    properties.push_back(attribute);
    said.push_back(attribute.name);
  }
  if (!properties.empty()) {
    out_.append(" <");
    AppendDictionary(module_, properties, &out_);
    out_.push_back('>');
  }
  if (!operation.regions.empty()) {
    out_.append(" (");
    for (size_t i = 0; i < operation.regions.size(); ++i) {
      if (i > 0) out_.append(", ");
      PrintRegion(operation.regions[i]);
    }
    out_.push_back(')');
  }
  Attributes(operation, said);
  out_.append(" : ");
  FunctionalType(operation);
}

void OperationPrinter::PrintRegion(RegionId id) {
  const Region& region = module_.region(id);
  absl::optional<OwnNames> own;
  if (IsIsolated(module_.operation(region.operation).name)) own.emplace(this);
  const size_t taken = TakenNames();
  out_.push_back('{');
  for (size_t i = 0; i < region.blocks.size(); ++i) {
    const Block& block = module_.block(region.blocks[i]);
    for (const ValueId argument : block.arguments) NameValue(argument);
    if (region.blocks.size() > 1 || !block.arguments.empty() || block.operations.empty()) PrintBlockHeader(i, block);
    PrintBody(block);
  }
  NewLine();
  out_.push_back('}');
  ReleaseNames(taken);
}

// The operations of a block whose arguments have names.
void OperationPrinter::PrintBody(const Block& block) {
  ++indent_;
  for (const OperationId operation : block.operations) {
    NewLine();
    PrintOperation(operation);
  }
  --indent_;
}

void OperationPrinter::PrintBlockHeader(size_t number, const Block& block) {
  NewLine();
  absl::StrAppend(&out_, "^bb", number);
  for (size_t i = 0; i < block.arguments.size(); ++i) {
    out_.append(i == 0 ? "(" : ", ");
    PrintArgument(block.arguments[i]);
  }
  out_.append(block.arguments.empty() ? ":" : "):");
}

// %a: T loc(...)
void OperationPrinter::PrintArgument(ValueId argument) {
  absl::StrAppend(&out_, names_[argument.index], ": ");
  AppendType(module_, TypeOf(argument), &out_);
  if (options_.with_locations) PrintLocation(module_.value(argument).location);
}

void OperationPrinter::PrintLocation(LocationId location) {
  if (location.ok()) absl::StrAppend(&out_, " loc(#loc", location.index, ")");
}

namespace {

// What stands between the parentheses of loc(...); its parts by their aliases.
void AppendLocation(const Module& module, const Location& location, std::string* out) {
  const auto alias = [](LocationId id) { return absl::StrCat("#loc", id.index); };
  switch (location.kind) {
    case LocationKind::kUnknown:
      out->append("unknown");
      return;
    case LocationKind::kFile:
      AppendString(location.text, out);
      absl::StrAppend(out, ":", location.line, ":", location.column);
      if (location.end_line > 0) absl::StrAppend(out, " to ", location.end_line, ":", location.end_column);
      return;
    case LocationKind::kName:
      AppendString(location.text, out);
      if (location.child.ok()) absl::StrAppend(out, "(", alias(location.child), ")");
      return;
    case LocationKind::kCallSite:
      absl::StrAppend(out, "callsite(", alias(location.child), " at ", alias(location.caller), ")");
      return;
    case LocationKind::kFused:
      out->append("fused");
      if (location.metadata.ok()) {
        out->push_back('<');
        AppendAttribute(module, location.metadata, out);
        out->push_back('>');
      }
      out->push_back('[');
      for (size_t i = 0; i < location.parts.size(); ++i) {
        absl::StrAppend(out, i == 0 ? "" : ", ", alias(location.parts[i]));
      }
      out->push_back(']');
      return;
  }
}

// {-# dialect_resources: {...} #-}
void AppendResources(const Module& module, std::string* out) {
  if (module.resource_keys().empty()) return;
  out->append("\n{-#\n  dialect_resources: {\n    builtin: {");
  const char* separator = "\n";
  for (const absl::string_view key : module.resource_keys()) {
    const Resource& resource = *module.FindResource(key);
    absl::StrAppend(out, separator, "      ");
    if (IsWord(key)) {
      out->append(key.data(), key.size());
    } else {
      AppendString(key, out);
    }
    out->append(": \"0x");
    const auto alignment = static_cast<uint32_t>(resource.alignment);
    AppendHex(absl::string_view(reinterpret_cast<const char*>(&alignment), sizeof(alignment)), out);
    AppendHex(resource.data, out);
    out->push_back('"');
    separator = ",\n";
  }
  out->append("\n    }\n  }\n#-}\n");
}

}  // namespace

std::string PrintModule(const Module& module, const PrintOptions& options) {
  std::string text;
  OperationPrinter(module, options, &text).Print();
  text.push_back('\n');
  for (int i = 0; options.with_locations && i < module.location_count(); ++i) {
    absl::StrAppend(&text, "#loc", i, " = loc(");
    AppendLocation(module, module.location({i}), &text);
    text.append(")\n");
  }
  AppendResources(module, &text);
  return text;
}

}  // namespace stablehlo
}  // namespace xla
