// OperationPrinter: writes operations with their regions, in pretty form where there is one that says all of them.
#ifndef BUILDERS_STABLEHLO_TEXT_OPERATION_PRINTER_H_
#define BUILDERS_STABLEHLO_TEXT_OPERATION_PRINTER_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "builders/stablehlo/ir/module.h"
#include "builders/stablehlo/text/operation_forms.h"
#include "builders/stablehlo/text/printer.h"

namespace xla {
namespace stablehlo {

class OperationPrinter {
 public:
  OperationPrinter(const Module& module, const PrintOptions& options, std::string* out)
      : module_(module), options_(options), out_(*out), names_(module.value_count()) {}

  // The outermost operation.
  void Print() { PrintOperation(module_.root()); }

 private:
  // As long as it lives, no names of values are taken but those that are taken meanwhile: for isolated regions.
  class OwnNames {
   public:
    explicit OwnNames(OperationPrinter* printer);
    ~OwnNames();
    OwnNames(const OwnNames&) = delete;
    OwnNames& operator=(const OwnNames&) = delete;

   private:
    OperationPrinter& printer_;
    absl::flat_hash_set<std::string> taken_;
    std::vector<std::string> order_;
    int64_t next_number_;
  };
  // What a pretty form has said already.
  using Said = std::vector<absl::string_view>;
  // Appends the pretty form without results; false, and nothing useful appended, if it cannot say the operation.
  using SpecialForm = bool (OperationPrinter::*)(const Operation& operation);

  // operation_printer.cc
  void PrintOperation(OperationId id);
  bool PrintPretty(const Operation& operation);
  void PrintGeneric(const Operation& operation);
  void PrintRegion(RegionId region);
  void PrintBlockHeader(size_t number, const Block& block);
  void PrintBody(const Block& block);
  void PrintArgument(ValueId argument);
  void PrintLocation(LocationId location);
  void NameResults(const Operation& operation);
  void NameValue(ValueId value);
  std::string Claim(absl::string_view wanted);
  // The names that are taken, to give back those of a region.
  size_t TakenNames() const { return taken_order_.size(); }
  void ReleaseNames(size_t to);
  void NewLine();
  void Operands(absl::Span<const ValueId> operands);
  void OperandTypes(const Operation& operation);
  void ResultTypes(const Operation& operation);
  void FunctionalType(const Operation& operation);
  void EachType(absl::Span<const ValueId> values);
  void Attributes(const Operation& operation, const Said& said);
  TypeId TypeOf(ValueId value) const { return module_.value(value).type; }
  bool HaveType(absl::Span<const ValueId> values, TypeId type) const;

  // form_printer.cc
  bool PrintForm(const OperationForm& form, const Operation& operation);
  bool CanSay(const OperationForm& form, const Operation& operation) const;
  bool CanSay(const Clause& clause, const Operation& operation) const;
  void PrintClause(const Clause& clause, const Operation& operation);
  void PrintFormTypes(TypesForm types, const Operation& operation);
  void PrintSameTypes(const Operation& operation);

  // special_form_printer.cc
  static SpecialForm FindSpecialForm(absl::string_view name);
  bool PrintConstant(const Operation& operation);
  bool PrintCompare(const Operation& operation);
  bool PrintComplex(const Operation& operation);
  bool PrintSelect(const Operation& operation);
  bool PrintSlice(const Operation& operation);
  bool PrintTuple(const Operation& operation);
  bool PrintGetTupleElement(const Operation& operation);
  bool PrintBarrier(const Operation& operation);
  bool PrintReturn(const Operation& operation);
  bool PrintReducePrecision(const Operation& operation);
  bool PrintCustomCall(const Operation& operation);
  bool PrintComposite(const Operation& operation);
  bool PrintTopK(const Operation& operation);
  bool PrintShardingConstraint(const Operation& operation);
  bool PrintShardedCollective(const Operation& operation);
  bool PrintMesh(const Operation& operation);

  // product_form_printer.cc
  bool PrintDot(const Operation& operation);
  bool PrintDotGeneral(const Operation& operation);
  bool PrintConvolution(const Operation& operation);
  bool CanSayPrecision(AttributeId precision) const;
  void PrintPrecision(AttributeId precision);

  // region_form_printer.cc
  bool PrintModuleForm(const Operation& operation);
  bool PrintFunction(const Operation& operation);
  void PrintFunctionSignature(const Operation& operation, const Type& type);
  AttributeId DictionaryOf(const Operation& operation, absl::string_view name, size_t index) const;
  bool PrintCall(const Operation& operation);
  bool PrintReduce(const Operation& operation);
  bool IsShortReducer(const Operation& operation) const;
  bool PrintWhile(const Operation& operation);
  bool PrintManualComputation(const Operation& operation);
  const Block* OnlyBlock(RegionId region) const;

  bool IsIsolated(absl::string_view name) const;
  absl::optional<absl::string_view> Text(const Operation& operation, absl::string_view name) const;
  bool IsKind(const Operation& operation, absl::string_view name, AttributeKind kind) const;
  bool IsStruct(const Operation& operation, absl::string_view name, absl::string_view struct_name) const;

  const Module& module_;
  const PrintOptions options_;
  std::string& out_;
  std::vector<std::string> names_;  // of values, with %
  absl::flat_hash_set<std::string> taken_;
  std::vector<std::string> taken_order_;
  int64_t next_number_ = 0;
  int indent_ = 0;
};

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_TEXT_OPERATION_PRINTER_H_
