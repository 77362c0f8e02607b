// Pretty forms of single operations.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "builders/stablehlo/ir/attribute_values.h"
#include "builders/stablehlo/text/operation_printer.h"
#include "builders/stablehlo/text/print_attributes.h"
#include "builders/stablehlo/text/print_elements.h"
#include "builders/stablehlo/text/print_numbers.h"
#include "builders/stablehlo/text/print_types.h"

namespace xla {
namespace stablehlo {

OperationPrinter::SpecialForm OperationPrinter::FindSpecialForm(absl::string_view name) {
  using Self = OperationPrinter;
  static const auto* const forms = new absl::flat_hash_map<absl::string_view, SpecialForm>{
      {"builtin.module", &Self::PrintModuleForm},
      {"func.func", &Self::PrintFunction},
      {"func.call", &Self::PrintCall},
      {"func.return", &Self::PrintReturn},
      {"stablehlo.return", &Self::PrintReturn},
      {"stablehlo.constant", &Self::PrintConstant},
      {"stablehlo.compare", &Self::PrintCompare},
      {"stablehlo.complex", &Self::PrintComplex},
      {"stablehlo.select", &Self::PrintSelect},
      {"stablehlo.slice", &Self::PrintSlice},
      {"stablehlo.tuple", &Self::PrintTuple},
      {"stablehlo.get_tuple_element", &Self::PrintGetTupleElement},
      {"stablehlo.optimization_barrier", &Self::PrintBarrier},
      {"stablehlo.reduce_precision", &Self::PrintReducePrecision},
      {"stablehlo.custom_call", &Self::PrintCustomCall},
      {"stablehlo.composite", &Self::PrintComposite},
      {"stablehlo.dot", &Self::PrintDot},
      {"stablehlo.dot_general", &Self::PrintDotGeneral},
      {"stablehlo.convolution", &Self::PrintConvolution},
      {"stablehlo.reduce", &Self::PrintReduce},
      {"stablehlo.while", &Self::PrintWhile},
      {"chlo.top_k", &Self::PrintTopK},
      {"sdy.all_gather", &Self::PrintShardedCollective},
      {"sdy.all_reduce", &Self::PrintShardedCollective},
      {"sdy.all_slice", &Self::PrintShardedCollective},
      {"sdy.all_to_all", &Self::PrintShardedCollective},
      {"sdy.collective_permute", &Self::PrintShardedCollective},
      {"sdy.manual_computation", &Self::PrintManualComputation},
      {"sdy.mesh", &Self::PrintMesh},
      {"sdy.reduce_scatter", &Self::PrintShardedCollective},
      {"sdy.replicated_to_unreduced", &Self::PrintShardedCollective},
      {"sdy.reshard", &Self::PrintShardingConstraint},
      {"sdy.return", &Self::PrintReturn},
      {"sdy.sharded_to_unreduced", &Self::PrintShardedCollective},
      {"sdy.sharding_constraint", &Self::PrintShardingConstraint},
  };
  const auto found = forms->find(name);
  return found == forms->end() ? nullptr : found->second;
}

bool OperationPrinter::PrintConstant(const Operation& operation) {
  const AttributeId value = operation.attribute("value");
  if (!value.ok() || !operation.operands.empty() || operation.results.size() != 1) return false;
  const Attribute& elements = module_.attribute(value);
  if (elements.kind != AttributeKind::kDenseElements && elements.kind != AttributeKind::kResource) return false;
  if (elements.type != TypeOf(operation.results[0])) return false;
  out_.append("stablehlo.constant");
  Attributes(operation, {"value"});
  out_.push_back(' ');
  AppendAttribute(module_, value, &out_);
  return true;
}

bool OperationPrinter::PrintCompare(const Operation& operation) {
  const AttributeId type = operation.attribute("compare_type");
  if (!IsKind(operation, "comparison_direction", AttributeKind::kEnum) || operation.operands.size() != 2 ||
      operation.results.size() != 1 || (type.ok() && !IsKind(operation, "compare_type", AttributeKind::kEnum))) {
    return false;
  }
  absl::StrAppend(&out_, "stablehlo.compare ", *Text(operation, "comparison_direction"), ", ");
  Operands(operation.operands);
  if (type.ok()) absl::StrAppend(&out_, ", ", *Text(operation, "compare_type"));
  Attributes(operation, {"comparison_direction", "compare_type"});
  out_.append(" : ");
  FunctionalType(operation);
  return true;
}

bool OperationPrinter::PrintComplex(const Operation& operation) {
  if (operation.operands.size() != 2 || operation.results.size() != 1) return false;
  const Type& result = module_.type(operation.results[0]);
  const Type& part = module_.type(operation.operands[0]);
  if (result.kind != TypeKind::kTensor || part.kind != TypeKind::kTensor) return false;
  const Type& element = module_.type(result.element);
  const bool is_derived = element.kind == TypeKind::kComplex && element.element == part.element &&
                          part.dimensions == result.dimensions && part.encoding == result.encoding;
  if (!is_derived || TypeOf(operation.operands[0]) != TypeOf(operation.operands[1])) return false;
  out_.append("stablehlo.complex ");
  Operands(operation.operands);
  Attributes(operation, {});
  out_.append(" : ");
  ResultTypes(operation);
  return true;
}

bool OperationPrinter::PrintSelect(const Operation& operation) {
  if (operation.operands.size() != 3 || operation.results.size() != 1) return false;
  out_.append("stablehlo.select ");
  Operands(operation.operands);
  Attributes(operation, {});
  out_.append(" : ");
  const TypeId result = TypeOf(operation.results[0]);
  if (!HaveType(operation.operands.subspan(1), result)) {
    FunctionalType(operation);
    return true;
  }
  AppendType(module_, TypeOf(operation.operands[0]), &out_);
  out_.append(", ");
  AppendType(module_, result, &out_);
  return true;
}

bool OperationPrinter::PrintSlice(const Operation& operation) {
  std::vector<int64_t> lists[3];
  constexpr absl::string_view kNames[] = {"start_indices", "limit_indices", "strides"};
  for (int i = 0; i < 3; ++i) {
    if (!IsKind(operation, kNames[i], AttributeKind::kDenseArray)) return false;
    lists[i] = IntegerList(module_, operation.attribute(kNames[i])).value_or(std::vector<int64_t>());
    if (lists[i].size() != lists[0].size()) return false;
  }
  if (operation.operands.size() != 1 || operation.results.size() != 1) return false;
  out_.append("stablehlo.slice ");
  Operands(operation.operands);
  out_.append(" [");
  for (size_t i = 0; i < lists[0].size(); ++i) {
    absl::StrAppend(&out_, i == 0 ? "" : ", ", lists[0][i], ":", lists[1][i]);
    if (lists[2][i] != 1) absl::StrAppend(&out_, ":", lists[2][i]);
  }
  out_.push_back(']');
  Attributes(operation, {"start_indices", "limit_indices", "strides"});
  out_.append(" : ");
  FunctionalType(operation);
  return true;
}

bool OperationPrinter::PrintTuple(const Operation& operation) {
  if (operation.results.size() != 1) return false;
  const Type& result = module_.type(operation.results[0]);
  std::vector<TypeId> types;
  for (const ValueId operand : operation.operands) types.push_back(TypeOf(operand));
  if (result.kind != TypeKind::kTuple || result.types != absl::MakeConstSpan(types)) return false;
  absl::StrAppend(&out_, "stablehlo.tuple", types.empty() ? "" : " ");
  Operands(operation.operands);
  Attributes(operation, {});
  out_.append(" : ");
  ResultTypes(operation);
  return true;
}

bool OperationPrinter::PrintGetTupleElement(const Operation& operation) {
  if (!IsKind(operation, "index", AttributeKind::kInteger) || operation.operands.size() != 1 ||
      operation.results.size() != 1) {
    return false;
  }
  out_.append("stablehlo.get_tuple_element ");
  Operands(operation.operands);
  absl::StrAppend(&out_, "[", *IntegerValue(module_, operation.attribute("index")), "]");
  Attributes(operation, {"index"});
  out_.append(" : ");
  FunctionalType(operation);
  return true;
}

bool OperationPrinter::PrintBarrier(const Operation& operation) {
  const bool is_same = std::equal(
      operation.operands.begin(), operation.operands.end(), operation.results.begin(), operation.results.end(),
      [this](ValueId operand, ValueId result) { return TypeOf(operand) == TypeOf(result); });
  if (!is_same) return false;
  out_.append("stablehlo.optimization_barrier");
  out_.append(operation.operands.empty() ? "()" : " ");
  Operands(operation.operands);
  Attributes(operation, {});
  if (operation.operands.empty()) return true;
  out_.append(" : ");
  EachType(operation.operands);
  return true;
}

bool OperationPrinter::PrintReturn(const Operation& operation) {
  if (!operation.results.empty() || !operation.regions.empty()) return false;
  absl::StrAppend(&out_, operation.name == "func.return" ? "return" : operation.name);
  if (!operation.operands.empty()) out_.push_back(' ');
  Operands(operation.operands);
  Attributes(operation, {});
  if (operation.operands.empty()) return true;
  out_.append(" : ");
  EachType(operation.operands);
  return true;
}

bool OperationPrinter::PrintReducePrecision(const Operation& operation) {
  if (!IsKind(operation, "exponent_bits", AttributeKind::kInteger) ||
      !IsKind(operation, "mantissa_bits", AttributeKind::kInteger) || operation.operands.size() != 1 ||
      operation.results.size() != 1) {
    return false;
  }
  const int64_t exponent_bits = *IntegerValue(module_, operation.attribute("exponent_bits"));
  const int64_t mantissa_bits = *IntegerValue(module_, operation.attribute("mantissa_bits"));
  if (exponent_bits < 0 || mantissa_bits < 0) return false;
  out_.append("stablehlo.reduce_precision ");
  Operands(operation.operands);
  absl::StrAppend(&out_, ", format = e", exponent_bits, "m", mantissa_bits);
  Attributes(operation, {"exponent_bits", "mantissa_bits"});
  out_.append(" : ");
  PrintSameTypes(operation);
  return true;
}

bool OperationPrinter::PrintCustomCall(const Operation& operation) {
  if (!IsKind(operation, "call_target_name", AttributeKind::kString) || !operation.regions.empty()) return false;
  out_.append("stablehlo.custom_call ");
  AppendSymbol(*Text(operation, "call_target_name"), &out_);
  out_.push_back('(');
  Operands(operation.operands);
  out_.push_back(')');
  Attributes(operation, {"call_target_name"});
  out_.append(" : ");
  FunctionalType(operation);
  return true;
}

bool OperationPrinter::PrintComposite(const Operation& operation) {
  if (!IsKind(operation, "name", AttributeKind::kString) || !operation.regions.empty()) return false;
  out_.append("stablehlo.composite ");
  AppendString(*Text(operation, "name"), &out_);
  if (!operation.operands.empty()) out_.push_back(' ');
  Operands(operation.operands);
  Attributes(operation, {"name"});
  out_.append(" : ");
  FunctionalType(operation);
  return true;
}

bool OperationPrinter::PrintTopK(const Operation& operation) {
  const AttributeId is_stable = operation.attribute("is_stable");
  if (!IsKind(operation, "k", AttributeKind::kInteger) || operation.operands.size() != 1 || operation.results.empty() ||
      (is_stable.ok() && !IsKind(operation, "is_stable", AttributeKind::kBool))) {
    return false;
  }
  out_.append("chlo.top_k(");
  Operands(operation.operands);
  absl::StrAppend(&out_, ", k = ", *IntegerValue(module_, operation.attribute("k")));
  if (is_stable.ok()) {
    out_.append(", is_stable = ");
    AppendAttribute(module_, is_stable, &out_);
  }
  out_.push_back(')');
  Attributes(operation, {"k", "is_stable"});
  out_.append(" : ");
  PrintFormTypes(TypesForm::kArrow, operation);
  return true;
}

bool OperationPrinter::PrintShardedCollective(const Operation& operation) {
  const absl::Span<const absl::string_view> properties = PropertyNames(operation.name);
  const absl::string_view axes = properties.size() == 2 ? properties[0] : "";
  const bool is_one_list = operation.name == "sdy.all_reduce" || operation.name == "sdy.replicated_to_unreduced";
  const absl::string_view kind = axes == "params" ? "sdy.all_to_all_param_list"
                                 : is_one_list    ? "sdy.axis_ref_list"
                                                  : "sdy.list_of_axis_ref_lists";
  if (operation.operands.size() != 1 || operation.results.size() != 1 ||
      !IsStruct(operation, "out_sharding", "sdy.sharding") || (!axes.empty() && !IsStruct(operation, axes, kind))) {
    return false;
  }
  absl::StrAppend(&out_, operation.name, " ");
  if (!axes.empty()) {
    AppendCollectiveAxes(module_, operation.attribute(axes), &out_);
    out_.push_back(' ');
  }
  Operands(operation.operands);
  out_.append(" out_sharding=");
  AppendSharding(module_, operation.attribute("out_sharding"), &out_);
  Attributes(operation, Said(properties.begin(), properties.end()));
  out_.append(" : ");
  PrintSameTypes(operation);
  return true;
}

bool OperationPrinter::PrintShardingConstraint(const Operation& operation) {
  if (operation.operands.size() != 1 || operation.results.size() != 1 ||
      !IsStruct(operation, "sharding", "sdy.sharding")) {
    return false;
  }
  absl::StrAppend(&out_, operation.name, " ");
  Operands(operation.operands);
  out_.push_back(' ');
  AppendSharding(module_, operation.attribute("sharding"), &out_);
  Attributes(operation, {"sharding"});
  out_.append(" : ");
  PrintSameTypes(operation);
  return true;
}

bool OperationPrinter::PrintMesh(const Operation& operation) {
  if (!IsKind(operation, "sym_name", AttributeKind::kString) || !IsStruct(operation, "mesh", "sdy.mesh") ||
      !operation.operands.empty() || !operation.results.empty()) {
    return false;
  }
  out_.append("sdy.mesh ");
  AppendSymbol(*Text(operation, "sym_name"), &out_);
  out_.append(" = ");
  AppendMesh(module_, operation.attribute("mesh"), &out_);
  Attributes(operation, {"sym_name", "mesh"});
  return true;
}

}  // namespace stablehlo
}  // namespace xla
