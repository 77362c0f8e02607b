// Pretty forms of operations with regions: modules, functions, reduce, while and manual computations.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/ir/attribute_values.h"
#include "builders/stablehlo/text/operation_printer.h"
#include "builders/stablehlo/text/print_attributes.h"
#include "builders/stablehlo/text/print_numbers.h"
#include "builders/stablehlo/text/print_types.h"

namespace xla {
namespace stablehlo {

OperationPrinter::OwnNames::OwnNames(OperationPrinter* printer)
    : printer_(*printer),
      taken_(std::exchange(printer->taken_, {})),
      order_(std::exchange(printer->taken_order_, {})),
      next_number_(std::exchange(printer->next_number_, 0)) {}

OperationPrinter::OwnNames::~OwnNames() {
  printer_.taken_ = std::move(taken_);
  printer_.taken_order_ = std::move(order_);
  printer_.next_number_ = next_number_;
}

// nullptr: the region has none or several.
const Block* OperationPrinter::OnlyBlock(RegionId region) const {
  const absl::Span<const BlockId> blocks = module_.region(region).blocks;
  return blocks.size() == 1 ? &module_.block(blocks[0]) : nullptr;
}

bool OperationPrinter::PrintModuleForm(const Operation& operation) {
  const bool has_name = operation.attribute("sym_name").ok();
  if (operation.regions.size() != 1 || !operation.operands.empty() || !operation.results.empty()) return false;
  const Block* const block = OnlyBlock(operation.regions[0]);
  if (block == nullptr || !block->arguments.empty()) return false;
  if (has_name && !IsKind(operation, "sym_name", AttributeKind::kString)) return false;
  out_.append("module");
  if (has_name) {
    out_.push_back(' ');
    AppendSymbol(*Text(operation, "sym_name"), &out_);
  }
  if (operation.attributes.size() > static_cast<size_t>(has_name)) out_.append(" attributes");
  Attributes(operation, {"sym_name"});
  out_.append(" {");
  const OwnNames own(this);
  PrintBody(*block);
  NewLine();
  out_.push_back('}');
  return true;
}

// The dictionary of an argument or result.
AttributeId OperationPrinter::DictionaryOf(const Operation& operation, absl::string_view name, size_t index) const {
  const AttributeId list = operation.attribute(name);
  if (!list.ok() || module_.attribute(list).elements.size() <= index) return {};
  const AttributeId dictionary = module_.attribute(list).elements[index];
  return module_.attribute(dictionary).fields.empty() ? AttributeId() : dictionary;
}

bool OperationPrinter::PrintFunction(const Operation& operation) {
  if (!IsKind(operation, "sym_name", AttributeKind::kString) ||
      !IsKind(operation, "function_type", AttributeKind::kType) || operation.regions.size() != 1 ||
      !operation.operands.empty() || !operation.results.empty()) {
    return false;
  }
  const Type& type = module_.type(module_.attribute(operation.attribute("function_type")).type);
  if (type.kind != TypeKind::kFunction) return false;
  for (const auto& [name, count] :
       {std::make_pair("arg_attrs", type.types.size()), std::make_pair("res_attrs", type.results.size())}) {
    const AttributeId list = operation.attribute(name);
    if (list.ok() &&
        (!IsKind(operation, name, AttributeKind::kArray) || module_.attribute(list).elements.size() != count)) {
      return false;
    }
  }
  const Region& region = module_.region(operation.regions[0]);
  const Block* const block = OnlyBlock(operation.regions[0]);
  if (!region.blocks.empty()) {
    if (block == nullptr) return false;
    const bool is_same =
        std::equal(block->arguments.begin(), block->arguments.end(), type.types.begin(), type.types.end(),
                   [this](ValueId argument, TypeId wanted) { return TypeOf(argument) == wanted; });
    if (!is_same) return false;
  }
  const OwnNames own(this);
  PrintFunctionSignature(operation, type);
  Said said = {"sym_name", "sym_visibility", "function_type", "arg_attrs", "res_attrs"};
  const size_t before = out_.size();
  Attributes(operation, said);
  if (out_.size() > before) out_.insert(before, " attributes");
  if (block == nullptr) return true;
  out_.append(" {");
  PrintBody(*block);
  NewLine();
  out_.push_back('}');
  return true;
}

// func.func public @main(%arg0: T {...}) -> (R {...})
void OperationPrinter::PrintFunctionSignature(const Operation& operation, const Type& type) {
  out_.append("func.func ");
  if (const auto visibility = Text(operation, "sym_visibility"); visibility.has_value()) {
    absl::StrAppend(&out_, *visibility, " ");
  }
  AppendSymbol(*Text(operation, "sym_name"), &out_);
  out_.push_back('(');
  const Block* const block = OnlyBlock(operation.regions[0]);
  for (size_t i = 0; i < type.types.size(); ++i) {
    if (i > 0) out_.append(", ");
    if (block != nullptr) {
      NameValue(block->arguments[i]);
      absl::StrAppend(&out_, names_[block->arguments[i].index], ": ");
    }
    AppendType(module_, type.types[i], &out_);
    if (const AttributeId dictionary = DictionaryOf(operation, "arg_attrs", i); dictionary.ok()) {
      out_.push_back(' ');
      AppendAttribute(module_, dictionary, &out_);
    }
    if (block != nullptr && options_.with_locations) PrintLocation(module_.value(block->arguments[i]).location);
  }
  out_.push_back(')');
  if (type.results.empty()) return;
  out_.append(" -> ");
  if (!operation.attribute("res_attrs").ok()) return AppendResultTypes(module_, type.results, &out_);
  out_.push_back('(');
  for (size_t i = 0; i < type.results.size(); ++i) {
    if (i > 0) out_.append(", ");
    AppendType(module_, type.results[i], &out_);
    const AttributeId dictionary = DictionaryOf(operation, "res_attrs", i);
    if (!dictionary.ok()) continue;
    out_.push_back(' ');
    AppendAttribute(module_, dictionary, &out_);
  }
  out_.push_back(')');
}

bool OperationPrinter::PrintCall(const Operation& operation) {
  const AttributeId callee = operation.attribute("callee");
  if (!IsKind(operation, "callee", AttributeKind::kSymbol) || !module_.attribute(callee).elements.empty()) return false;
  out_.append("func.call ");
  AppendAttribute(module_, callee, &out_);
  out_.push_back('(');
  Operands(operation.operands);
  out_.push_back(')');
  Attributes(operation, {"callee"});
  out_.append(" : ");
  FunctionalType(operation);
  return true;
}

// Whether the body only applies an operation that commutes to its two scalars.
bool OperationPrinter::IsShortReducer(const Operation& operation) const {
  constexpr absl::string_view kCombiners[] = {"stablehlo.add",     "stablehlo.multiply", "stablehlo.maximum",
                                              "stablehlo.minimum", "stablehlo.and",      "stablehlo.or",
                                              "stablehlo.xor"};
  const Block& block = *OnlyBlock(operation.regions[0]);
  const Type& input = module_.type(operation.operands[0]);
  if (operation.operands.size() != 2 || block.operations.size() != 2 || input.kind != TypeKind::kTensor) return false;
  const Operation& combine = module_.operation(block.operations[0]);
  const Operation& give_back = module_.operation(block.operations[1]);
  if (std::find(std::begin(kCombiners), std::end(kCombiners), combine.name) == std::end(kCombiners) ||
      give_back.name != "stablehlo.return" || !combine.attributes.empty() || !give_back.attributes.empty()) {
    return false;
  }
  if (options_.with_locations && (combine.location.ok() || give_back.location.ok())) return false;
  if (combine.operands != block.arguments || give_back.operands != combine.results || combine.results.size() != 1) {
    return false;
  }
  const auto is_scalar = [&](ValueId value) {
    const Type& type = module_.type(value);
    return type.kind == TypeKind::kTensor && type.dimensions.empty() && type.element == input.element &&
           !type.encoding.ok() && !(options_.with_locations && module_.value(value).location.ok());
  };
  return is_scalar(block.arguments[0]) && is_scalar(block.arguments[1]) && is_scalar(combine.results[0]);
}

bool OperationPrinter::PrintReduce(const Operation& operation) {
  if (operation.regions.size() != 1 || !IsKind(operation, "dimensions", AttributeKind::kDenseArray)) return false;
  const Block* const block = OnlyBlock(operation.regions[0]);
  const size_t inputs = operation.operands.size() / 2;
  if (block == nullptr || inputs == 0 || operation.operands.size() != 2 * inputs ||
      block->arguments.size() != 2 * inputs) {
    return false;
  }
  out_.append("stablehlo.reduce");
  for (size_t i = 0; i < inputs; ++i) {
    absl::StrAppend(&out_, i == 0 ? "(" : ", (", names_[operation.operands[i].index],
                    " init: ", names_[operation.operands[inputs + i].index], ")");
  }
  const bool is_short = IsShortReducer(operation);
  if (is_short) absl::StrAppend(&out_, " applies ", module_.operation(block->operations[0]).name);
  out_.append(" across dimensions = ");
  AppendIntegers(IntegerList(module_, operation.attribute("dimensions")).value_or(std::vector<int64_t>()), &out_);
  Attributes(operation, {"dimensions"});
  out_.append(" : ");
  FunctionalType(operation);
  if (is_short) return true;
  const size_t taken = TakenNames();
  for (const ValueId argument : block->arguments) NameValue(argument);
  NewLine();
  out_.append(" reducer");
  for (size_t i = 0; i < inputs; ++i) {
    out_.append(i == 0 ? "(" : " (");
    PrintArgument(block->arguments[i]);
    out_.append(", ");
    PrintArgument(block->arguments[inputs + i]);
    out_.push_back(')');
  }
  out_.append(" {");
  PrintBody(*block);
  NewLine();
  out_.push_back('}');
  ReleaseNames(taken);
  return true;
}

bool OperationPrinter::PrintWhile(const Operation& operation) {
  if (operation.regions.size() != 2 || operation.operands.size() != operation.results.size()) return false;
  const Block* const blocks[] = {OnlyBlock(operation.regions[0]), OnlyBlock(operation.regions[1])};
  for (const Block* block : blocks) {
    if (block == nullptr || block->arguments.size() != operation.operands.size()) return false;
    for (size_t i = 0; i < operation.operands.size(); ++i) {
      const Value& argument = module_.value(block->arguments[i]);
      const bool has_location = options_.with_locations && argument.location.ok();
      if (argument.type != TypeOf(operation.operands[i]) || argument.type != TypeOf(operation.results[i]) ||
          has_location) {
        return false;
      }
    }
  }
  // Both regions call the arguments the same.
  const size_t before = TakenNames();
  out_.append("stablehlo.while(");
  for (size_t i = 0; i < operation.operands.size(); ++i) {
    NameValue(blocks[0]->arguments[i]);
    names_[blocks[1]->arguments[i].index] = names_[blocks[0]->arguments[i].index];
    absl::StrAppend(&out_, i == 0 ? "" : ", ", names_[blocks[0]->arguments[i].index], " = ",
                    names_[operation.operands[i].index]);
  }
  out_.push_back(')');
  if (!operation.operands.empty()) out_.append(" : ");
  EachType(operation.operands);
  if (!operation.attributes.empty()) out_.append(" attributes");
  Attributes(operation, {});
  const size_t with_arguments = TakenNames();
  for (const auto& [keyword, block] : {std::make_pair("cond {", blocks[0]), std::make_pair(" do {", blocks[1])}) {
    if (block == blocks[0]) NewLine();
    out_.append(keyword);
    PrintBody(*block);
    NewLine();
    out_.push_back('}');
    ReleaseNames(with_arguments);
  }
  ReleaseNames(before);
  return true;
}

bool OperationPrinter::PrintManualComputation(const Operation& operation) {
  if (operation.regions.size() != 1 || !IsStruct(operation, "in_shardings", "sdy.sharding_per_value") ||
      !IsStruct(operation, "out_shardings", "sdy.sharding_per_value") ||
      !IsStruct(operation, "manual_axes", "sdy.manual_axes")) {
    return false;
  }
  const Block* const block = OnlyBlock(operation.regions[0]);
  if (block == nullptr) return false;
  out_.append("sdy.manual_computation(");
  Operands(operation.operands);
  out_.append(") in_shardings=");
  AppendShardings(module_, operation.attribute("in_shardings"), &out_);
  out_.append(" out_shardings=");
  AppendShardings(module_, operation.attribute("out_shardings"), &out_);
  out_.append(" manual_axes=");
  AppendManualAxes(module_, operation.attribute("manual_axes"), &out_);
  {
    const OwnNames own(this);
    for (const ValueId argument : block->arguments) NameValue(argument);
    out_.append(" (");
    for (size_t i = 0; i < block->arguments.size(); ++i) {
      if (i > 0) out_.append(", ");
      PrintArgument(block->arguments[i]);
    }
    out_.append(") {");
    PrintBody(*block);
    NewLine();
    out_.push_back('}');
  }
  Attributes(operation, {"in_shardings", "out_shardings", "manual_axes"});
  out_.append(" : ");
  FunctionalType(operation);
  return true;
}

}  // namespace stablehlo
}  // namespace xla
