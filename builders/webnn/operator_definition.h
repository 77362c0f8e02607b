// OperatorDefinition: one row of the operator table, which is all there is to know about an operator.
//
// The builder, the JSON form of a graph, the Node addon, the fuzzer, opSupportLimits() and the documentation read the
// rows; an operator is added by adding its row to a file of ops/ (README.md).
#ifndef BUILDERS_WEBNN_OPERATOR_DEFINITION_H_
#define BUILDERS_WEBNN_OPERATOR_DEFINITION_H_

#include <any>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/webnn/data_type.h"
#include "builders/webnn/descriptor.h"
#include "builders/webnn/edition.h"
#include "builders/webnn/operand.h"
#include "builders/webnn/parameter.h"

namespace xla {
namespace webnn {

// An operand among the arguments of an operator. The builder checks what is said here before the operator's own rules.
struct OperandRule {
  absl::string_view name;
  // The name in later editions where that is another; else "".
  absl::string_view later_name;
  // Element types admitted under each edition.
  DataTypeSet types = kDraftTypes;
  DataTypeSet later_types = kDraftTypes;
  // The rule that other types break.
  absl::string_view type_rule = "dtype not allowed";
  // Ranks admitted. With an empty `rank_rule` they only inform (opSupportLimits), and the operator checks.
  int min_rank = 0;
  int max_rank = kMaxRank;
  absl::string_view rank_rule;

  // OperandRule("input", kFloatTypes).Rank(4, 4, "input rank 4")
  OperandRule(absl::string_view name, DataTypeSet types) : name(name), types(types), later_types(types) {}
  OperandRule Later(DataTypeSet types) const {
    OperandRule rule = *this;
    rule.later_types = types;
    return rule;
  }
  OperandRule Renamed(absl::string_view later) const {
    OperandRule rule = *this;
    rule.later_name = later;
    return rule;
  }
  OperandRule TypeRule(absl::string_view text) const {
    OperandRule rule = *this;
    rule.type_rule = text;
    return rule;
  }
  OperandRule Rank(int min, int max, absl::string_view rule_text = "") const {
    OperandRule rule = *this;
    rule.min_rank = min;
    rule.max_rank = max;
    rule.rank_rule = rule_text;
    return rule;
  }

  DataTypeSet TypesIn(MLEdition edition) const { return edition == MLEdition::kDraft ? types : later_types; }
};

// An operator with its arguments, whose operands are known to be of this builder and to have admitted types.
class OperatorCall {
 public:
  OperatorCall(MLEdition edition, absl::Span<const MLOperand> operands, const std::any* parameters)
      : edition_(edition), operands_(operands), parameters_(parameters) {}

  MLEdition edition() const { return edition_; }
  // The operands among the arguments; those among the options are members of the parameters.
  absl::Span<const MLOperand> operands() const { return operands_; }
  const MLOperand& operand(int i) const { return operands_[i]; }
  // P: the struct of options.h that the operator's row makes.
  template <typename P>
  const P& parameters() const {
    return std::any_cast<const P&>(*parameters_);
  }

 private:
  MLEdition edition_;
  absl::Span<const MLOperand> operands_;
  const std::any* parameters_;
};

// The same when it becomes HLO. Errors stick to the ComputationBuilder, and fail build() with an OperationError.
class LoweringCall : public OperatorCall {
 public:
  using Values = absl::flat_hash_map<const OperandNode*, XlaOp>;

  LoweringCall(const OperatorCall& call, ComputationBuilder* builder, const Values* values,
               absl::Span<const MLOperandDescriptor> results)
      : OperatorCall(call), builder_(builder), values_(values), results_(results) {}

  ComputationBuilder& builder() const { return *builder_; }
  // The value of an operand: of element type PrimitiveTypeOf(dataType) and of its dimensions.
  XlaOp ValueOf(const MLOperand& operand) const {
    const auto it = values_->find(operand.node());
    return it == values_->end() ? XlaOp() : it->second;
  }
  XlaOp value(int i) const { return ValueOf(operand(i)); }
  // What the inference function gave: the lowered values must have exactly these types and dimensions.
  const MLOperandDescriptor& result(int i = 0) const { return results_[i]; }
  absl::Span<const MLOperandDescriptor> results() const { return results_; }

 private:
  ComputationBuilder* builder_;
  const Values* values_;
  absl::Span<const MLOperandDescriptor> results_;
};

// A row is data and plain functions without state, made once and read from any thread.
struct OperatorDefinition {
  // The method of MLGraphBuilder.
  absl::string_view name;
  // The edition that introduced it.
  MLEdition edition = MLEdition::kDraft;
  // The operands among the arguments, which come before all others.
  std::vector<OperandRule> operands;
  // The one operand is a list of any length (concat).
  bool is_variadic = false;
  // The other arguments and the options.
  std::vector<Parameter> parameters;
  // A struct of parameters with the defaults.
  std::function<std::any()> make_parameters;
  // There is a form without operand that makes an MLActivation.
  bool has_activation_form = false;
  // The result is a sequence<MLOperand>.
  bool returns_sequence = false;
  // Element types of results, where they are not those of the first operand.
  absl::optional<DataTypeSet> result_types;
  // Ranks of results, where these are not those of the first operand.
  absl::optional<std::pair<int, int>> result_ranks;

  // Checks the operator's rules in the order of the draft, and returns what the results are. The builder checks
  // dimensions and byte lengths of the results afterwards. One of the two is set.
  absl::StatusOr<MLOperandDescriptor> (*infer)(const OperatorCall& call) = nullptr;
  absl::StatusOr<std::vector<MLOperandDescriptor>> (*infer_sequence)(const OperatorCall& call) = nullptr;
  // Writes the operator as HLO. One of the two is set.
  XlaOp (*lower)(const LoweringCall& call) = nullptr;
  std::vector<XlaOp> (*lower_sequence)(const LoweringCall& call) = nullptr;

  // nullptr if there is none of that name, draft or later.
  const Parameter* FindParameter(absl::string_view parameter_name) const;
  const OperandRule* FindOperand(absl::string_view operand_name) const;
};

// A row for an operator whose parameters are a P and that has one result; further members are set afterwards.
template <typename P>
OperatorDefinition DefineOperator(absl::string_view name, std::vector<OperandRule> operands,
                                  const ParameterList<P>& parameters,
                                  absl::StatusOr<MLOperandDescriptor> (*infer)(const OperatorCall&),
                                  XlaOp (*lower)(const LoweringCall&)) {
  OperatorDefinition definition;
  definition.name = name;
  definition.operands = std::move(operands);
  definition.parameters = parameters.Finish();
  definition.make_parameters = [] { return std::any(P()); };
  definition.infer = infer;
  definition.lower = lower;
  return definition;
}
// The same for one with several results.
template <typename P>
OperatorDefinition DefineSequenceOperator(
    absl::string_view name, std::vector<OperandRule> operands, const ParameterList<P>& parameters,
    absl::StatusOr<std::vector<MLOperandDescriptor>> (*infer)(const OperatorCall&),
    std::vector<XlaOp> (*lower)(const LoweringCall&)) {
  OperatorDefinition definition = DefineOperator<P>(name, std::move(operands), parameters, nullptr, nullptr);
  definition.returns_sequence = true;
  definition.infer_sequence = infer;
  definition.lower_sequence = lower;
  return definition;
}

// The same with something more said about it.
inline OperatorDefinition Later(OperatorDefinition definition) {
  definition.edition = MLEdition::kLater;
  return definition;
}
inline OperatorDefinition WithActivationForm(OperatorDefinition definition) {
  definition.has_activation_form = true;
  return definition;
}
inline OperatorDefinition WithResultTypes(OperatorDefinition definition, DataTypeSet types) {
  definition.result_types = types;
  return definition;
}
inline OperatorDefinition WithResultRanks(OperatorDefinition definition, int min, int max) {
  definition.result_ranks = {min, max};
  return definition;
}
inline OperatorDefinition Variadic(OperatorDefinition definition) {
  definition.is_variadic = true;
  return definition;
}

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_OPERATOR_DEFINITION_H_
