// Pretty forms of products and convolutions.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/ir/attribute_values.h"
#include "builders/stablehlo/text/operation_printer.h"
#include "builders/stablehlo/text/print_attributes.h"

namespace xla {
namespace stablehlo {

bool OperationPrinter::CanSayPrecision(AttributeId precision) const {
  if (!precision.ok()) return true;
  const Attribute& list = module_.attribute(precision);
  return list.kind == AttributeKind::kArray &&
         std::all_of(list.elements.begin(), list.elements.end(), [this](AttributeId each) {
           return module_.attribute(each).kind == AttributeKind::kEnum &&
                  module_.attribute(each).name == "stablehlo.precision";
         });
}

// `, precision = [HIGH, DEFAULT]` if it is given
void OperationPrinter::PrintPrecision(AttributeId precision) {
  if (!precision.ok()) return;
  out_.append(", precision = [");
  const absl::Span<const AttributeId> elements = module_.attribute(precision).elements;
  for (size_t i = 0; i < elements.size(); ++i) {
    absl::StrAppend(&out_, i == 0 ? "" : ", ", module_.attribute(elements[i]).text);
  }
  out_.push_back(']');
}

bool OperationPrinter::PrintDot(const Operation& operation) {
  const AttributeId precision = operation.attribute("precision_config");
  if (operation.operands.size() != 2 || operation.results.size() != 1 || !CanSayPrecision(precision)) return false;
  out_.append("stablehlo.dot ");
  Operands(operation.operands);
  PrintPrecision(precision);
  Attributes(operation, {"precision_config"});
  out_.append(" : ");
  FunctionalType(operation);
  return true;
}

bool OperationPrinter::PrintDotGeneral(const Operation& operation) {
  const AttributeId precision = operation.attribute("precision_config");
  const AttributeId algorithm = operation.attribute("algorithm");
  const AttributeId dimensions = operation.attribute("dot_dimension_numbers");
  if (operation.operands.size() != 2 || operation.results.size() != 1 || !CanSayPrecision(precision) ||
      !IsStruct(operation, "dot_dimension_numbers", "stablehlo.dot") ||
      (algorithm.ok() && !IsStruct(operation, "algorithm", "stablehlo.dot_algorithm"))) {
    return false;
  }
  const auto list = [&](absl::string_view name) {
    return IntegerList(module_, FieldOf(module_, dimensions, name)).value_or(std::vector<int64_t>());
  };
  out_.append("stablehlo.dot_general ");
  Operands(operation.operands);
  const std::vector<int64_t> batching = list("lhs_batching_dimensions");
  if (!batching.empty() || !list("rhs_batching_dimensions").empty()) {
    out_.append(", batching_dims = ");
    AppendIntegers(batching, &out_);
    out_.append(" x ");
    AppendIntegers(list("rhs_batching_dimensions"), &out_);
  }
  out_.append(", contracting_dims = ");
  AppendIntegers(list("lhs_contracting_dimensions"), &out_);
  out_.append(" x ");
  AppendIntegers(list("rhs_contracting_dimensions"), &out_);
  PrintPrecision(precision);
  if (algorithm.ok()) {
    out_.append(", algorithm = ");
    AppendStructBody(module_, module_.attribute(algorithm), &out_);
  }
  Attributes(operation, {"dot_dimension_numbers", "precision_config", "algorithm"});
  out_.append(" : ");
  FunctionalType(operation);
  return true;
}

bool OperationPrinter::PrintConvolution(const Operation& operation) {
  std::string letters;
  if (operation.operands.size() != 2 || operation.results.size() != 1 ||
      !IsStruct(operation, "dimension_numbers", "stablehlo.conv") ||
      !AppendDimensionLetters(module_, operation.attribute("dimension_numbers"), &letters)) {
    return false;
  }
  out_.append("stablehlo.convolution(");
  Operands(operation.operands);
  absl::StrAppend(&out_, ") dim_numbers = ", letters, ", window = {");
  Said said = {"dimension_numbers"};
  const auto say = [&](absl::string_view keyword, absl::string_view name) {
    absl::StrAppend(&out_, said.size() == 1 ? "" : ", ", keyword, " = ");
    said.push_back(name);
  };
  constexpr absl::string_view kLists[][2] = {{"stride", "window_strides"},
                                             {"pad", "padding"},
                                             {"lhs_dilate", "lhs_dilation"},
                                             {"rhs_dilate", "rhs_dilation"},
                                             {"reverse", "window_reversal"}};
  for (const auto& entry : kLists) {
    const AttributeId attribute = operation.attribute(entry[1]);
    if (!attribute.ok()) continue;
    const Attribute& value = module_.attribute(attribute);
    const std::vector<int64_t> list = IntegerList(module_, attribute).value_or(std::vector<int64_t>());
    const bool is_padding = entry[1] == "padding";
    if (is_padding ? value.kind != AttributeKind::kDenseElements || list.size() % 2 != 0
                   : value.kind != AttributeKind::kDenseArray) {
      continue;
    }
    say(entry[0], entry[1]);
    if (entry[1] == "window_reversal") {
      for (size_t i = 0; i < list.size(); ++i) absl::StrAppend(&out_, i == 0 ? "[" : ", ", list[i] ? "true" : "false");
      out_.append(list.empty() ? "[]" : "]");
    } else if (is_padding) {
      for (size_t i = 0; i < list.size(); i += 2) {
        absl::StrAppend(&out_, i == 0 ? "[[" : ", [", list[i], ", ", list[i + 1], "]");
      }
      out_.append(list.empty() ? "[]" : "]");
    } else {
      AppendIntegers(list, &out_);
    }
  }
  out_.push_back('}');
  Attributes(operation, said);
  out_.append(" : ");
  FunctionalType(operation);
  return true;
}

}  // namespace stablehlo
}  // namespace xla
