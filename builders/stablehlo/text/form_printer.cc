// The pretty forms that operation_forms.h has a table of.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/ir/attribute_values.h"
#include "builders/stablehlo/text/operation_printer.h"
#include "builders/stablehlo/text/print_attributes.h"
#include "builders/stablehlo/text/print_numbers.h"
#include "builders/stablehlo/text/print_types.h"

namespace xla {
namespace stablehlo {

// Whether the attribute of a clause is of the kind that the clause says.
bool OperationPrinter::CanSay(const Clause& clause, const Operation& operation) const {
  const AttributeId attribute = operation.attribute(clause.attribute);
  if (!attribute.ok()) return clause.is_optional;
  const Attribute& value = module_.attribute(attribute);
  switch (clause.kind) {
    case ClauseKind::kNone:
      return true;
    case ClauseKind::kInteger: {
      const bool is_integer = value.kind == AttributeKind::kInteger;
      return is_integer && module_.type(value.type).width == 64 &&
             module_.type(value.type).signedness == Signedness::kSignless;
    }
    case ClauseKind::kIntegers:
      return value.kind == AttributeKind::kDenseArray && module_.type(value.type).width == 64 &&
             module_.type(value.type).kind == TypeKind::kInteger;
    case ClauseKind::kBool:
      return value.kind == AttributeKind::kBool;
    case ClauseKind::kString:
      return value.kind == AttributeKind::kString;
    case ClauseKind::kEnumerator:
      return value.kind == AttributeKind::kEnum && value.name == absl::StrCat("stablehlo.", clause.attribute);
  }
  return false;
}

bool OperationPrinter::CanSay(const OperationForm& form, const Operation& operation) const {
  const int operands = static_cast<int>(operation.operands.size());
  if (!operation.regions.empty() || operation.results.empty()) return false;
  if (form.num_operands != kAnyNumber && form.num_operands != operands) return false;
  for (const Clause& clause : form.clauses) {
    if (clause.kind != ClauseKind::kNone && !CanSay(clause, operation)) return false;
  }
  if (form.types == TypesForm::kArrow) return operands > 0;
  if (form.types == TypesForm::kFunctional) return true;
  if (operation.results.size() != 1) return false;
  return form.types == TypesForm::kSame || HaveType(operation.operands, TypeOf(operation.results[0]));
}

void OperationPrinter::PrintClause(const Clause& clause, const Operation& operation) {
  absl::StrAppend(&out_, clause.keyword, " = ");
  const AttributeId attribute = operation.attribute(clause.attribute);
  const Attribute& value = module_.attribute(attribute);
  switch (clause.kind) {
    case ClauseKind::kNone:
      return;
    case ClauseKind::kInteger:
      absl::StrAppend(&out_, value.integer);
      return;
    case ClauseKind::kIntegers:
      return AppendIntegers(IntegerList(module_, attribute).value_or(std::vector<int64_t>()), &out_);
    case ClauseKind::kBool:
      out_.append(value.integer != 0 ? "true" : "false");
      return;
    case ClauseKind::kString:
      return AppendString(value.text, &out_);
    case ClauseKind::kEnumerator:
      out_.append(value.text.data(), value.text.size());
      return;
  }
}

bool OperationPrinter::PrintForm(const OperationForm& form, const Operation& operation) {
  if (!CanSay(form, operation)) return false;
  absl::StrAppend(&out_, operation.name, operation.operands.empty() ? "" : " ");
  Operands(operation.operands);
  Said said;
  for (const Clause& clause : form.clauses) {
    if (clause.kind == ClauseKind::kNone || !operation.attribute(clause.attribute).ok()) break;
    out_.append(said.empty() && operation.operands.empty() ? " " : ", ");
    PrintClause(clause, operation);
    said.push_back(clause.attribute);
  }
  Attributes(operation, said);
  out_.append(" : ");
  PrintFormTypes(form.types, operation);
  return true;
}

void OperationPrinter::PrintFormTypes(TypesForm types, const Operation& operation) {
  switch (types) {
    case TypesForm::kSame:
      return PrintSameTypes(operation);
    case TypesForm::kFunctional:
      return FunctionalType(operation);
    case TypesForm::kArrow:
      EachType(operation.operands);
      out_.append(" -> ");
      return ResultTypes(operation);
    case TypesForm::kResult:
      return ResultTypes(operation);
    case TypesForm::kEach:
      return EachType(operation.operands);
  }
}

// A function type for the result would be read as that of the operation.
void OperationPrinter::PrintSameTypes(const Operation& operation) {
  const TypeId result = TypeOf(operation.results[0]);
  if (HaveType(operation.operands, result) && module_.type(result).kind != TypeKind::kFunction) {
    return AppendType(module_, result, &out_);
  }
  FunctionalType(operation);
}

}  // namespace stablehlo
}  // namespace xla
