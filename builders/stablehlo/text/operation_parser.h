// OperationParser: reads operations with their regions, in generic and in pretty form.
#ifndef BUILDERS_STABLEHLO_TEXT_OPERATION_PARSER_H_
#define BUILDERS_STABLEHLO_TEXT_OPERATION_PARSER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/stablehlo/ir/module.h"
#include "builders/stablehlo/text/attribute_parser.h"
#include "builders/stablehlo/text/operation_forms.h"

namespace xla {
namespace stablehlo {

class OperationParser : public AttributeParser {
 public:
  // `text` begins in line `first_line` of its file.
  OperationParser(absl::string_view text, int32_t first_line, Diagnostics* diagnostics, Module* module)
      : AttributeParser(text, diagnostics, module),
        module_(*module),
        counted_to_(text.data()),
        line_begin_(text.data()),
        line_(first_line) {}

  // All of a text: one module, with aliases, resources and locations around it.
  bool ReadFile();

 private:
  // A use of a value.
  struct Operand {
    ValueId value;
    const char* at;
  };
  // An operation while it is read.
  struct State {
    absl::string_view name;
    const char* at = nullptr;
    std::vector<Operand> operands;
    std::vector<TypeId> result_types;
    NamedAttributes attributes;
    std::vector<RegionId> regions;
  };
  // What a `%name` stands for: values with consecutive numbers.
  struct Definition {
    ValueId first;
    int32_t count;
  };
  // `%name: type` of a block.
  struct Argument {
    absl::string_view name;  // with %
    const char* at;
    TypeId type;
    ValueId value;
  };
  // `%name:2 =`
  struct ResultName {
    absl::string_view name;
    const char* at;
    int64_t count;
  };
  // The names that one isolated region and those inside of it have defined.
  struct Scope {
    absl::flat_hash_map<absl::string_view, Definition> definitions;
    std::vector<absl::string_view> order;
  };

  // module_parser.cc
  bool ReadTopLevel(std::vector<OperationId>* operations);
  bool ReadResources();
  bool ReadResourceGroup(bool keeps);
  bool ReadResourceBlob(const std::string& key, bool keeps);
  bool ReadModule(State* state);
  bool ReadFunction(State* state);
  bool ReadFunctionArguments(std::vector<Argument>* arguments, std::vector<AttributeId>* dictionaries);
  bool ReadFunctionResults(State* state, std::vector<TypeId>* types, std::vector<AttributeId>* dictionaries);
  bool ReadCall(State* state);

  // operation_parser.cc
  bool ReadOperation(OperationId* operation);
  bool ReadResultNames(std::vector<ResultName>* names);
  bool ReadGeneric(State* state);
  bool ReadGenericRegions(State* state);
  bool ReadPretty(State* state);
  bool Finish(const std::vector<ResultName>& names, State* state, OperationId* operation);
  bool FinishResults(const std::vector<ResultName>& names, const State& state, std::vector<ValueId>* results);
  void UseTodaysLists(State* state);
  // `{...}` and, for callers, a region: where its values are defined is up to `is_isolated`.
  bool ReadRegion(bool is_isolated, const std::vector<Argument>& arguments, RegionId* region);
  bool ReadBlocks(const std::vector<Argument>& arguments, std::vector<BlockId>* blocks);
  bool ReadBlock(std::vector<Argument> arguments, BlockId* block);
  bool ReadBlockHeader(std::vector<Argument>* arguments);
  bool ReadArgument(std::vector<Argument>* arguments);
  bool Define(absl::string_view name, const char* at, Definition definition);
  bool DefineArguments(std::vector<Argument>* arguments);
  bool ReadValueName(absl::string_view* name, const char** at);
  bool ReadOperand(State* state);
  bool ReadOperands(State* state);
  bool ReadOperandsInParens(State* state);
  bool CheckOperands(const State& state, absl::Span<const TypeId> types, const char* at);
  bool ReadFunctionalType(State* state);
  bool CheckOperandCount(const State& state, int expected);
  void CountLines(const char* at, Operation* operation);
  absl::Span<const ValueId> Values(const State& state);

  // form_parser.cc
  bool ReadForm(const OperationForm& form, State* state);
  bool ReadClause(const Clause& clause, State* state);
  bool ReadFormTypes(TypesForm types, State* state);
  bool ReadSameTypes(State* state);
  bool Put(absl::string_view name, AttributeId value, State* state);

  // special_form_parser.cc
  using SpecialForm = bool (OperationParser::*)(State*);
  static SpecialForm FindSpecialForm(absl::string_view name);
  bool ReadConstant(State* state);
  bool ReadCompare(State* state);
  bool ReadComplex(State* state);
  bool ReadSelect(State* state);
  bool ReadSlice(State* state);
  bool ReadTuple(State* state);
  bool ReadGetTupleElement(State* state);
  bool ReadBarrier(State* state);
  bool ReadReturn(State* state);
  bool ReadReducePrecision(State* state);
  bool ReadCustomCall(State* state);
  bool ReadComposite(State* state);
  bool ReadTopK(State* state);

  // product_form_parser.cc
  bool ReadDot(State* state);
  bool ReadDotGeneral(State* state);
  bool ReadDimensionPair(std::vector<int64_t>* lhs, std::vector<int64_t>* rhs);
  bool ReadPrecision(State* state);
  bool ReadConvolution(State* state);
  bool ReadWindow(State* state);
  bool ReadWindowEntry(State* state);
  bool ReadPadding(State* state);
  bool ReadReversal(State* state);

  // region_form_parser.cc
  bool ReadReduce(State* state);
  bool ReadReduceApplies(State* state, std::string* combiner);
  bool ReadReducer(State* state, size_t inputs);
  bool MakeReducer(const std::string& combiner, const char* at, State* state);
  bool ReadWhile(State* state);

  // sdy_form_parser.cc
  bool ReadMeshOperation(State* state);
  bool ReadShardingConstraint(State* state);
  bool ReadShardedCollective(State* state);
  bool ReadShardingGroup(State* state);
  bool ReadPropagationBarrier(State* state);
  bool ReadDataFlowEdge(State* state);
  bool ReadManualComputation(State* state);
  bool ReadNamedComputation(State* state);
  bool ReadShardedBody(State* state);

  Module& module_;
  std::vector<Scope> scopes_ = std::vector<Scope>(1);
  std::vector<ValueId> values_;  // scratch of Values
  // How far lines have been counted.
  const char* counted_to_;
  const char* line_begin_;
  int32_t line_;
};

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_TEXT_OPERATION_PARSER_H_
