// gru, gruCell, lstm and lstmCell: the rules of their operands, and how their options become those of
// lowering/recurrent.h.
//
// Sequences and cells share their checks: a cell has the operands of one step, without [steps] and [directions]
// (RecurrentSizes::With). Rules are checked in the order in which the draft states them, since messages name the
// first that is broken.
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/lowering/recurrent.h"
#include "builders/webnn/operator_table.h"
#include "builders/webnn/ops/operand_checks.h"
#include "builders/webnn/ops/operator_groups.h"
#include "builders/webnn/shape_rules.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

constexpr int64_t kGruGates = 3;
constexpr int64_t kLstmGates = 4;

// ---- Rules

// What shapes of operands are made of. Cells have no directions.
struct RecurrentSizes {
  int64_t gates, hidden, inputs, batch;
  absl::optional<int64_t> directions;

  // [directions, a, b] or [a, b].
  std::vector<int64_t> With(std::initializer_list<int64_t> sizes) const {
    std::vector<int64_t> shape;
    if (directions.has_value()) shape.push_back(*directions);
    shape.insert(shape.end(), sizes.begin(), sizes.end());
    return shape;
  }
  // Shapes of a bias, and of a hidden or cell state.
  std::vector<int64_t> Bias() const { return With({gates * hidden}); }
  std::vector<int64_t> State() const { return With({batch, hidden}); }
};

absl::Status CheckSteps(const MLOperand& input, uint32_t steps) {
  if (input.shape()[0] == steps) return absl::OkStatus();
  return TypeError("steps",
                   absl::StrCat("steps must be dimension 0 of the input, ", input.shape()[0], ", got ", steps));
}

absl::Status CheckDataType(absl::string_view name, const MLOperand& operand, const MLOperand& input) {
  return CheckSameType(input, operand, name, absl::StrCat(name, ": dtype"));
}

// Weights, and that all biases together are a valid dimension.
absl::Status CheckWeights(const OperatorCall& call, const RecurrentSizes& sizes) {
  RETURN_IF_ERROR(CheckShape("weight", call.operand(1), sizes.With({sizes.gates * sizes.hidden, sizes.inputs})));
  return CheckShape("recurrentWeight", call.operand(2), sizes.With({sizes.gates * sizes.hidden, sizes.hidden}));
}

absl::Status CheckHiddenSize(const OperatorCall& call, const RecurrentSizes& sizes) {
  const int64_t limit = MaxDimension(call.edition()) / (2 * sizes.gates);
  if (sizes.hidden >= 1 && sizes.hidden <= limit) return absl::OkStatus();
  return TypeError("hiddenSize", absl::StrCat("hiddenSize must be from 1 to ", limit, ", got ", sizes.hidden));
}

template <typename Options>
absl::Status CheckActivations(const Options& options, size_t count) {
  if (!options.activations.has_value() || options.activations->size() == count) return absl::OkStatus();
  return TypeError("activations: size",
                   absl::StrCat("activations must have ", count, " items, got ", options.activations->size()));
}

int64_t DirectionsOf(MLRecurrentNetworkDirection direction) {
  return direction == MLRecurrentNetworkDirection::kBoth ? 2 : 1;
}

// The rules of gru and lstm up to their options. `Parameters`: GruParameters or LstmParameters.
template <typename Parameters>
absl::StatusOr<RecurrentSizes> CheckSequence(const OperatorCall& call, int64_t gates) {
  const auto& options = call.parameters<Parameters>();
  const MLOperand& input = call.operand(0);
  RETURN_IF_ERROR(CheckDataType("weight", call.operand(1), input));
  RETURN_IF_ERROR(CheckDataType("recurrentWeight", call.operand(2), input));
  RETURN_IF_ERROR(CheckSteps(input, options.steps));
  const RecurrentSizes sizes = {gates, options.hiddenSize, input.shape()[2], input.shape()[1],
                                DirectionsOf(options.direction)};
  RETURN_IF_ERROR(CheckWeights(call, sizes));
  RETURN_IF_ERROR(CheckHiddenSize(call, sizes));
  RETURN_IF_ERROR(CheckOptional("bias", options.bias, input, sizes.Bias()));
  RETURN_IF_ERROR(CheckOptional("recurrentBias", options.recurrentBias, input, sizes.Bias()));
  return sizes;
}

// The same for gruCell and lstmCell. `states`: names of the operands after the weights.
template <typename Parameters>
absl::StatusOr<RecurrentSizes> CheckCell(const OperatorCall& call, int64_t gates,
                                         std::initializer_list<absl::string_view> states) {
  const auto& options = call.parameters<Parameters>();
  const MLOperand& input = call.operand(0);
  const RecurrentSizes sizes = {gates, options.hiddenSize, input.shape()[1], input.shape()[0], absl::nullopt};
  RETURN_IF_ERROR(CheckDataType("weight", call.operand(1), input));
  RETURN_IF_ERROR(CheckDataType("recurrentWeight", call.operand(2), input));
  int operand = 3;
  for (const absl::string_view state : states) RETURN_IF_ERROR(CheckDataType(state, call.operand(operand++), input));
  RETURN_IF_ERROR(CheckWeights(call, sizes));
  operand = 3;
  for (const absl::string_view state : states) {
    RETURN_IF_ERROR(CheckShape(state, call.operand(operand++), sizes.State()));
  }
  RETURN_IF_ERROR(CheckHiddenSize(call, sizes));
  RETURN_IF_ERROR(CheckOptional("bias", options.bias, input, sizes.Bias()));
  RETURN_IF_ERROR(CheckOptional("recurrentBias", options.recurrentBias, input, sizes.Bias()));
  return sizes;
}

// `states` final states, and the sequence of hidden states if it is wanted.
absl::StatusOr<std::vector<MLOperandDescriptor>> SequenceResults(const OperatorCall& call, const RecurrentSizes& sizes,
                                                                 int states, int64_t steps, bool return_sequence) {
  const MLOperandDataType type = call.operand(0).dataType();
  ASSIGN_OR_RETURN(const MLOperandDescriptor state, DescriptorOf(type, sizes.State(), call.edition()));
  std::vector<MLOperandDescriptor> results(states, state);
  if (return_sequence) {
    std::vector<int64_t> shape = sizes.State();
    shape.insert(shape.begin(), steps);
    ASSIGN_OR_RETURN(MLOperandDescriptor sequence, DescriptorOf(type, shape, call.edition()));
    results.push_back(std::move(sequence));
  }
  return results;
}

absl::StatusOr<std::vector<MLOperandDescriptor>> InferGru(const OperatorCall& call) {
  const auto& options = call.parameters<GruParameters>();
  ASSIGN_OR_RETURN(const RecurrentSizes sizes, CheckSequence<GruParameters>(call, kGruGates));
  RETURN_IF_ERROR(CheckOptional("initialHiddenState", options.initialHiddenState, call.operand(0), sizes.State()));
  RETURN_IF_ERROR(CheckActivations(options, 2));
  return SequenceResults(call, sizes, 1, options.steps, options.returnSequence);
}

absl::StatusOr<MLOperandDescriptor> InferGruCell(const OperatorCall& call) {
  ASSIGN_OR_RETURN(const RecurrentSizes sizes, CheckCell<GruCellParameters>(call, kGruGates, {"hiddenState"}));
  RETURN_IF_ERROR(CheckActivations(call.parameters<GruCellParameters>(), 2));
  return DescriptorOf(call.operand(0).dataType(), sizes.State(), call.edition());
}

absl::StatusOr<std::vector<MLOperandDescriptor>> InferLstm(const OperatorCall& call) {
  const auto& options = call.parameters<LstmParameters>();
  const MLOperand& input = call.operand(0);
  ASSIGN_OR_RETURN(const RecurrentSizes sizes, CheckSequence<LstmParameters>(call, kLstmGates));
  RETURN_IF_ERROR(CheckOptional("peepholeWeight", options.peepholeWeight, input, sizes.With({3 * sizes.hidden})));
  RETURN_IF_ERROR(CheckOptional("initialHiddenState", options.initialHiddenState, input, sizes.State()));
  RETURN_IF_ERROR(CheckOptional("initialCellState", options.initialCellState, input, sizes.State()));
  RETURN_IF_ERROR(CheckActivations(options, 3));
  return SequenceResults(call, sizes, 2, options.steps, options.returnSequence);
}

absl::StatusOr<std::vector<MLOperandDescriptor>> InferLstmCell(const OperatorCall& call) {
  const auto& options = call.parameters<LstmCellParameters>();
  ASSIGN_OR_RETURN(const RecurrentSizes sizes,
                   CheckCell<LstmCellParameters>(call, kLstmGates, {"hiddenState", "cellState"}));
  RETURN_IF_ERROR(
      CheckOptional("peepholeWeight", options.peepholeWeight, call.operand(0), sizes.With({3 * sizes.hidden})));
  RETURN_IF_ERROR(CheckActivations(options, 3));
  return SequenceResults(call, sizes, 2, 0, /*return_sequence=*/false);
}

// ---- Lowering

// An activation as a function of a value that no operand stands for.
ActivationFunction FunctionOf(const OperatorDefinition& definition, std::any parameters, MLEdition edition) {
  return [&definition, parameters = std::move(parameters), edition](XlaOp x) {
    if (!x.valid()) return x;
    const Shape shape = x.builder()->ShapeOrInvalid(x);
    const MLOperandDescriptor result(MLOperandDataType::kFloat32,
                                     {shape.dimensions().begin(), shape.dimensions().end()});
    const MLOperand no_operand;
    const LoweringCall::Values values = {{no_operand.node(), x}};
    return definition.lower(LoweringCall(OperatorCall(edition, absl::MakeConstSpan(&no_operand, 1), &parameters),
                                         x.builder(), &values, absl::MakeConstSpan(&result, 1)));
  };
}

// Activation `i` of the options, or else that of the given name.
template <typename Options>
ActivationFunction ActivationOf(const LoweringCall& call, const Options& options, size_t i,
                                absl::string_view default_name) {
  if (options.activations.has_value()) {
    const MLActivation& activation = (*options.activations)[i];
    return FunctionOf(*activation.definition(), activation.parameters(), call.edition());
  }
  const OperatorDefinition& definition = *FindOperator(default_name);
  return FunctionOf(definition, definition.make_parameters(), call.edition());
}

template <typename Options>
GruGates GruGatesOf(const LoweringCall& call, const Options& options) {
  GruGates gates;
  gates.hidden_size = options.hiddenSize;
  gates.reset_after = options.resetAfter;
  gates.reset_gate_first = options.layout == MLGruWeightLayout::kRzn;
  gates.gate = ActivationOf(call, options, 0, "sigmoid");
  gates.new_gate = ActivationOf(call, options, 1, "tanh");
  return gates;
}

template <typename Options>
LstmGates LstmGatesOf(const LoweringCall& call, const Options& options) {
  LstmGates gates;
  gates.hidden_size = options.hiddenSize;
  gates.output_gate_last = options.layout == MLLstmWeightLayout::kIfgo;
  gates.gate = ActivationOf(call, options, 0, "sigmoid");
  gates.cell_gate = ActivationOf(call, options, 1, "tanh");
  gates.output = ActivationOf(call, options, 2, "tanh");
  return gates;
}

template <typename Options>
RecurrentOperands OperandsOf(const LoweringCall& call, const Options& options) {
  RecurrentOperands operands;
  operands.input = call.value(0);
  operands.weight = call.value(1);
  operands.recurrent_weight = call.value(2);
  operands.bias = OptionalValue(call, options.bias);
  operands.recurrent_bias = OptionalValue(call, options.recurrentBias);
  return operands;
}

Direction DirectionOf(MLRecurrentNetworkDirection direction) {
  switch (direction) {
    case MLRecurrentNetworkDirection::kForward:
      return Direction::kForward;
    case MLRecurrentNetworkDirection::kBackward:
      return Direction::kBackward;
    case MLRecurrentNetworkDirection::kBoth:
      return Direction::kBoth;
  }
  return Direction::kForward;
}

std::vector<XlaOp> LowerGruCall(const LoweringCall& call) {
  const auto& options = call.parameters<GruParameters>();
  RecurrentOperands operands = OperandsOf(call, options);
  operands.hidden_state = OptionalValue(call, options.initialHiddenState);
  return LowerGru(operands, GruGatesOf(call, options), DirectionOf(options.direction), options.returnSequence);
}

XlaOp LowerGruCellCall(const LoweringCall& call) {
  const auto& options = call.parameters<GruCellParameters>();
  RecurrentOperands operands = OperandsOf(call, options);
  operands.hidden_state = call.value(3);
  return LowerGruCell(operands, GruGatesOf(call, options));
}

std::vector<XlaOp> LowerLstmCall(const LoweringCall& call) {
  const auto& options = call.parameters<LstmParameters>();
  RecurrentOperands operands = OperandsOf(call, options);
  operands.peephole_weight = OptionalValue(call, options.peepholeWeight);
  operands.hidden_state = OptionalValue(call, options.initialHiddenState);
  operands.cell_state = OptionalValue(call, options.initialCellState);
  return LowerLstm(operands, LstmGatesOf(call, options), DirectionOf(options.direction), options.returnSequence);
}

std::vector<XlaOp> LowerLstmCellCall(const LoweringCall& call) {
  const auto& options = call.parameters<LstmCellParameters>();
  RecurrentOperands operands = OperandsOf(call, options);
  operands.peephole_weight = OptionalValue(call, options.peepholeWeight);
  operands.hidden_state = call.value(3);
  operands.cell_state = call.value(4);
  return LowerLstmCell(operands, LstmGatesOf(call, options));
}

// Input, weights and the states of cells, all of the given rank.
std::vector<OperandRule> Operands(int rank,
                                  std::initializer_list<std::pair<absl::string_view, absl::string_view>> states) {
  std::vector<OperandRule> rules = {
      OperandRule("input", kFloatTypes).Rank(rank, rank, "input rank"),
      OperandRule("weight", kFloatTypes).TypeRule("weight: dtype").Rank(rank, rank),
      OperandRule("recurrentWeight", kFloatTypes).TypeRule("recurrentWeight: dtype").Rank(rank, rank)};
  for (const auto& [name, type_rule] : states) {
    rules.push_back(OperandRule(name, kFloatTypes).TypeRule(type_rule).Rank(rank, rank));
  }
  return rules;
}

// ---- Parameters, in the order of the IDL

// hiddenSize and the biases, of that rank, after other arguments.
template <typename P>
ParameterList<P> WithBiases(ParameterList<P> list, int rank) {
  return list.Argument("hiddenSize", &P::hiddenSize)
      .Option("bias", &P::bias)
      .Admits(kFloatTypes, rank, rank)
      .Option("recurrentBias", &P::recurrentBias)
      .Admits(kFloatTypes, rank, rank);
}

// The first parameters of a cell, and of a sequence, where biases have a dimension of directions.
template <typename P>
ParameterList<P> CellParameters() {
  return WithBiases(ParameterList<P>(), 1);
}

template <typename P>
ParameterList<P> SequenceParameters() {
  return WithBiases(ParameterList<P>().Argument("steps", &P::steps), 2);
}

// The last ones.
template <typename P>
ParameterList<P> WithCellOptions(ParameterList<P> list) {
  return list.Option("layout", &P::layout).Option("activations", &P::activations);
}

template <typename P>
ParameterList<P> WithSequenceOptions(ParameterList<P> list) {
  return WithCellOptions(list.Option("returnSequence", &P::returnSequence).Option("direction", &P::direction));
}

ParameterList<GruParameters> GruList() {
  using P = GruParameters;
  return WithSequenceOptions(SequenceParameters<P>()
                                 .Option("initialHiddenState", &P::initialHiddenState)
                                 .Admits(kFloatTypes, 3, 3)
                                 .Option("resetAfter", &P::resetAfter));
}

ParameterList<GruCellParameters> GruCellList() {
  using P = GruCellParameters;
  return WithCellOptions(CellParameters<P>().Option("resetAfter", &P::resetAfter));
}

ParameterList<LstmParameters> LstmList() {
  using P = LstmParameters;
  return WithSequenceOptions(SequenceParameters<P>()
                                 .Option("peepholeWeight", &P::peepholeWeight)
                                 .Admits(kFloatTypes, 2, 2)
                                 .Option("initialHiddenState", &P::initialHiddenState)
                                 .Admits(kFloatTypes, 3, 3)
                                 .Option("initialCellState", &P::initialCellState)
                                 .Admits(kFloatTypes, 3, 3));
}

ParameterList<LstmCellParameters> LstmCellList() {
  using P = LstmCellParameters;
  return WithCellOptions(CellParameters<P>().Option("peepholeWeight", &P::peepholeWeight).Admits(kFloatTypes, 1, 1));
}

}  // namespace

std::vector<OperatorDefinition> RecurrentOperators() {
  return {
      WithResultRanks(DefineSequenceOperator("gru", Operands(3, {}), GruList(), InferGru, LowerGruCall), 3, 4),
      DefineOperator("gruCell", Operands(2, {{"hiddenState", "hiddenState: dtype"}}), GruCellList(), InferGruCell,
                     LowerGruCellCall),
      WithResultRanks(DefineSequenceOperator("lstm", Operands(3, {}), LstmList(), InferLstm, LowerLstmCall), 3, 4),
      DefineSequenceOperator("lstmCell",
                             Operands(2, {{"hiddenState", "hiddenState: dtype"}, {"cellState", "cellState: dtype"}}),
                             LstmCellList(), InferLstmCell, LowerLstmCellCall),
  };
}

}  // namespace webnn
}  // namespace xla
