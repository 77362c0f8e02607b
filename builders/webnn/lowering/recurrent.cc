#include "builders/webnn/lowering/recurrent.h"

#include "absl/strings/string_view.h"
#include "builders/computation_builder/constants.h"
#include "builders/webnn/lowering/arrays.h"
#include "builders/webnn/lowering/run_recurrences.h"

namespace xla {
namespace webnn {
namespace {

// lhs [.., k] times the transpose of rhs [n, k]: [.., n], in SumType.
XlaOp TimesTransposed(XlaOp lhs, XlaOp rhs) {
  DotDimensionNumbers numbers;
  numbers.lhs_contracting_dims = {static_cast<int64_t>(DimensionsOf(lhs).size()) - 1};
  numbers.rhs_contracting_dims = {1};
  DotOptions options;
  options.preferred_element_type = SumType(TypeOf(lhs));
  return lhs.builder()->DotGeneral(lhs, rhs, numbers, options);
}

// The block of the last dimension that belongs to a gate.
XlaOp Gate(XlaOp x, int64_t gate, int64_t hidden_size) {
  if (!x.valid()) return x;
  const int64_t last = static_cast<int64_t>(DimensionsOf(x).size()) - 1;
  return x.builder()->SliceInDim(x, gate * hidden_size, (gate + 1) * hidden_size, 1, last);
}

// input * weight^T + bias, where a bias may be absent.
XlaOp Project(XlaOp input, XlaOp weight, absl::optional<XlaOp> bias) {
  const XlaOp product = TimesTransposed(input, weight);
  if (!bias.has_value() || !product.valid()) return product;
  return product.builder()->Add(product, BroadcastTo(*bias, DimensionsOf(product)));
}

// The part of a direction of an operand [D, ..]; the operand itself if it has no directions.
XlaOp PartOf(XlaOp x, absl::optional<int64_t> direction) {
  if (!direction.has_value() || !x.valid()) return x;
  const std::vector<int64_t> sizes = DimensionsOf(x);
  const XlaOp part = sizes[0] == 1 ? x : x.builder()->SliceInDim(x, *direction, *direction + 1, 1, 0);
  return x.builder()->Reshape(part, absl::MakeConstSpan(sizes).subspan(1));
}

absl::optional<XlaOp> WidePartOf(absl::optional<XlaOp> x, absl::optional<int64_t> direction) {
  if (!x.has_value()) return absl::nullopt;
  return Widen(PartOf(*x, direction));
}

// The state that a direction begins with.
XlaOp FirstState(const absl::optional<XlaOp>& state, absl::optional<int64_t> direction, XlaOp input,
                 int64_t hidden_size) {
  if (state.has_value()) return Widen(PartOf(*state, direction));
  ComputationBuilder& b = *input.builder();
  const std::vector<int64_t> sizes = DimensionsOf(input);
  return Zeros(&b, Shape::Array(SumType(TypeOf(input)), {sizes[sizes.size() - 2], hidden_size}));
}

// ---- GRU

Recurrence GruRecurrence(const RecurrentOperands& operands, const GruGates& gates, absl::optional<int64_t> direction) {
  ComputationBuilder& b = *operands.input.builder();
  const int64_t hidden = gates.hidden_size;
  absl::optional<XlaOp> bias = WidePartOf(operands.bias, direction);
  absl::optional<XlaOp> new_gate_bias;
  if (operands.recurrent_bias.has_value()) {
    XlaOp addend = *WidePartOf(operands.recurrent_bias, direction);
    if (gates.reset_after) {
      // That of the new gate is added before the reset gate multiplies.
      new_gate_bias = Gate(addend, 2, hidden);
      addend = b.PadInDim(b.SliceInDim(addend, 0, 2 * hidden, 1, 0), Zero(&b, TypeOf(addend)), 0, 0, hidden);
    }
    bias = bias.has_value() ? b.Add(*bias, addend) : addend;
  }
  Recurrence recurrence;
  recurrence.projected = Project(operands.input, PartOf(operands.weight, direction), bias);
  recurrence.states = {FirstState(operands.hidden_state, direction, operands.input, hidden)};
  recurrence.fixed = {Widen(PartOf(operands.recurrent_weight, direction))};
  if (new_gate_bias.has_value()) recurrence.fixed.push_back(*new_gate_bias);
  return recurrence;
}

std::vector<XlaOp> GruStep(const GruGates& gates, const GateOfInput& projected, XlaOp hidden,
                           absl::Span<const XlaOp> fixed) {
  ComputationBuilder& b = *hidden.builder();
  const int64_t size = gates.hidden_size;
  const int64_t update_gate = gates.reset_gate_first ? 1 : 0, reset_gate = 1 - update_gate, new_gate = 2;
  const XlaOp weight = fixed[0];
  const XlaOp recurrent = TimesTransposed(hidden, gates.reset_after ? weight : b.SliceInDim(weight, 0, 2 * size, 1, 0));
  const auto gate = [&](int64_t index) { return gates.gate(b.Add(projected(index), Gate(recurrent, index, size))); };
  const XlaOp update = gate(update_gate);
  const XlaOp reset = gate(reset_gate);
  XlaOp from_hidden;
  if (gates.reset_after) {
    from_hidden = Gate(recurrent, new_gate, size);
    if (fixed.size() > 1) from_hidden = b.Add(from_hidden, BroadcastTo(fixed[1], DimensionsOf(from_hidden)));
    from_hidden = b.Mul(reset, from_hidden);
  } else {
    from_hidden = TimesTransposed(b.Mul(reset, hidden), b.SliceInDim(weight, 2 * size, 3 * size, 1, 0));
  }
  const XlaOp candidate = gates.new_gate(b.Add(projected(new_gate), from_hidden));
  const XlaOp rest = b.Sub(OnesLike(update), update);
  return {b.Add(b.Mul(update, hidden), b.Mul(rest, candidate))};
}

StepFunction StepOf(const GruGates& gates) {
  return [gates](const GateOfInput& projected, absl::Span<const XlaOp> states, absl::Span<const XlaOp> fixed) {
    return GruStep(gates, projected, states[0], fixed);
  };
}

// ---- LSTM

Recurrence LstmRecurrence(const RecurrentOperands& operands, const LstmGates& gates,
                          absl::optional<int64_t> direction) {
  ComputationBuilder& b = *operands.input.builder();
  absl::optional<XlaOp> bias = WidePartOf(operands.bias, direction);
  if (operands.recurrent_bias.has_value()) {
    const XlaOp addend = *WidePartOf(operands.recurrent_bias, direction);
    bias = bias.has_value() ? b.Add(*bias, addend) : addend;
  }
  Recurrence recurrence;
  recurrence.projected = Project(operands.input, PartOf(operands.weight, direction), bias);
  recurrence.states = {FirstState(operands.hidden_state, direction, operands.input, gates.hidden_size),
                       FirstState(operands.cell_state, direction, operands.input, gates.hidden_size)};
  recurrence.fixed = {Widen(PartOf(operands.recurrent_weight, direction))};
  if (operands.peephole_weight.has_value()) {
    recurrence.fixed.push_back(*WidePartOf(operands.peephole_weight, direction));
  }
  return recurrence;
}

std::vector<XlaOp> LstmStep(const LstmGates& gates, const GateOfInput& projected, XlaOp hidden, XlaOp cell,
                            absl::Span<const XlaOp> fixed) {
  ComputationBuilder& b = *hidden.builder();
  const int64_t size = gates.hidden_size;
  const int64_t input_gate = 0;
  const int64_t output_gate = gates.output_gate_last ? 3 : 1;
  const int64_t forget_gate = gates.output_gate_last ? 1 : 2;
  const int64_t cell_gate = gates.output_gate_last ? 2 : 3;
  const XlaOp recurrent = TimesTransposed(hidden, fixed[0]);
  // Gate by gate, so that nothing of all gates is between the two products and the functions.
  const auto sum_of_gate = [&](int64_t index) { return b.Add(projected(index), Gate(recurrent, index, size)); };
  // All gates look at the cell state before this step.
  const auto gate = [&](int64_t index, int64_t peephole) {
    XlaOp x = sum_of_gate(index);
    if (fixed.size() > 1) {
      const XlaOp weight = BroadcastTo(Gate(fixed[1], peephole, size), DimensionsOf(cell));
      x = b.Add(x, b.Mul(weight, cell));
    }
    return gates.gate(x);
  };
  const XlaOp input = gate(input_gate, 0);
  const XlaOp output = gate(output_gate, 1);
  const XlaOp forget = gate(forget_gate, 2);
  const XlaOp candidate = gates.cell_gate(sum_of_gate(cell_gate));
  const XlaOp new_cell = b.Add(b.Mul(forget, cell), b.Mul(input, candidate));
  return {b.Mul(output, gates.output(new_cell)), new_cell};
}

StepFunction StepOf(const LstmGates& gates) {
  return [gates](const GateOfInput& projected, absl::Span<const XlaOp> states, absl::Span<const XlaOp> fixed) {
    return LstmStep(gates, projected, states[0], states[1], fixed);
  };
}

// ---- Sequences and cells

template <typename Gates, typename MakeRecurrence>
std::vector<XlaOp> LowerSequence(const RecurrentOperands& operands, const Gates& gates, Direction direction,
                                 bool return_sequence, MakeRecurrence make, absl::string_view name) {
  if (!operands.input.valid() || !operands.weight.valid() || !operands.recurrent_weight.valid()) return {};
  std::vector<Recurrence> recurrences;
  for (int64_t d = 0; d < (direction == Direction::kBoth ? 2 : 1); ++d) {
    recurrences.push_back(make(operands, gates, d));
    recurrences.back().backward = direction == Direction::kBackward || d == 1;
  }
  const SequenceShape shape = {DimensionsOf(operands.input)[0], TypeOf(operands.input), return_sequence};
  return RunRecurrences(recurrences, StepOf(gates), shape, name);
}

template <typename Gates>
std::vector<XlaOp> LowerCell(const Recurrence& recurrence, const Gates& gates, PrimitiveType type) {
  if (!recurrence.projected.valid() || !recurrence.projected.builder()->ok()) return {};
  const GateOfInput projected = [&](int64_t gate) { return Gate(recurrence.projected, gate, gates.hidden_size); };
  std::vector<XlaOp> states = StepOf(gates)(projected, recurrence.states, recurrence.fixed);
  for (XlaOp& state : states) state = ConvertTo(state, type);
  return states;
}

}  // namespace

XlaOp LowerGruCell(const RecurrentOperands& operands, const GruGates& gates) {
  if (!operands.input.valid()) return XlaOp();
  const std::vector<XlaOp> states =
      LowerCell(GruRecurrence(operands, gates, absl::nullopt), gates, TypeOf(operands.input));
  return states.empty() ? XlaOp() : states[0];
}

std::vector<XlaOp> LowerLstmCell(const RecurrentOperands& operands, const LstmGates& gates) {
  if (!operands.input.valid()) return {};
  return LowerCell(LstmRecurrence(operands, gates, absl::nullopt), gates, TypeOf(operands.input));
}

std::vector<XlaOp> LowerGru(const RecurrentOperands& operands, const GruGates& gates, Direction direction,
                            bool return_sequence) {
  return LowerSequence(operands, gates, direction, return_sequence, GruRecurrence, "gru");
}

std::vector<XlaOp> LowerLstm(const RecurrentOperands& operands, const LstmGates& gates, Direction direction,
                             bool return_sequence) {
  return LowerSequence(operands, gates, direction, return_sequence, LstmRecurrence, "lstm");
}

}  // namespace webnn
}  // namespace xla
