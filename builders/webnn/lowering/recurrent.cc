#include "builders/webnn/lowering/recurrent.h"

#include <limits>
#include <utility>

#include "absl/strings/string_view.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/loops.h"
#include "builders/webnn/lowering/arrays.h"

namespace xla {
namespace webnn {
namespace {

// So many steps are written one after the other. A loop costs some microseconds for each step; the program without one
// grows by some ten instructions for each.
constexpr int64_t kMaxUnrolledSteps = 8;

// The input's part of one gate in one step, [batch, hidden]. Each gate is cut out of all steps at once, because a step
// that is cut out for all of its gates has several users, and would be an array of its own.
using GateOfInput = std::function<XlaOp(int64_t gate)>;

// What one step does: from the input's part of the gates, the states before, [batch, hidden] each, and what is the same
// in all steps, to the states after. The first state is the hidden one. All are in SumType.
using StepFunction = std::function<std::vector<XlaOp>(const GateOfInput& projected, absl::Span<const XlaOp> states,
                                                      absl::Span<const XlaOp> fixed)>;

// One direction of a sequence, or a single cell.
struct Recurrence {
  XlaOp projected;  // the input's part, of all steps
  std::vector<XlaOp> states;
  std::vector<XlaOp> fixed;
  bool backward = false;
};

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

// ---- Sequences

// What is left of a direction after its last step.
struct Outcome {
  std::vector<XlaOp> states;
  absl::optional<XlaOp> sequence;  // hidden states [steps, batch, hidden], by time
};

struct SequenceShape {
  int64_t steps;
  PrimitiveType type;  // of results
  bool return_sequence;
};

Outcome RunUnrolled(const Recurrence& recurrence, const StepFunction& step, const SequenceShape& shape) {
  ComputationBuilder& b = *recurrence.projected.builder();
  Outcome outcome;
  outcome.states = recurrence.states;
  const std::vector<int64_t> sizes = DimensionsOf(recurrence.projected);
  std::vector<XlaOp> sequence(shape.steps);
  for (int64_t t = 0; t < shape.steps && b.ok(); ++t) {
    const int64_t time = recurrence.backward ? shape.steps - 1 - t : t;
    const int64_t hidden = DimensionsOf(outcome.states[0])[1];
    const GateOfInput projected = [&](int64_t gate) {
      const XlaOp part =
          b.Slice(recurrence.projected, {time, 0, gate * hidden}, {time + 1, sizes[1], (gate + 1) * hidden}, {1, 1, 1});
      return b.Reshape(part, {sizes[1], hidden});
    };
    outcome.states = step(projected, outcome.states, recurrence.fixed);
    if (!shape.return_sequence) continue;
    std::vector<int64_t> with_time = DimensionsOf(outcome.states[0]);
    with_time.insert(with_time.begin(), 1);
    sequence[time] = b.Reshape(ConvertTo(outcome.states[0], shape.type), with_time);
  }
  if (shape.return_sequence && b.ok()) outcome.sequence = b.Concatenate(sequence, 0);
  return outcome;
}

// Values of the loop, for each direction: states, the sequence if it is wanted, the projection, and what is fixed.
std::vector<Outcome> RunLoop(absl::Span<const Recurrence> recurrences, const StepFunction& step,
                             const SequenceShape& shape, absl::string_view name) {
  ComputationBuilder& b = *recurrences[0].projected.builder();
  std::vector<XlaOp> initial;
  for (const Recurrence& recurrence : recurrences) {
    initial.insert(initial.end(), recurrence.states.begin(), recurrence.states.end());
    if (shape.return_sequence) {
      std::vector<int64_t> sizes = DimensionsOf(recurrence.states[0]);
      sizes.insert(sizes.begin(), shape.steps);
      initial.push_back(Zeros(&b, Shape::Array(shape.type, sizes)));
    }
    initial.push_back(recurrence.projected);
    initial.insert(initial.end(), recurrence.fixed.begin(), recurrence.fixed.end());
  }
  const auto body = [&](XlaOp index, ArraySlice<XlaOp> values,
                        ComputationBuilder* builder) -> absl::StatusOr<std::vector<XlaOp>> {
    std::vector<XlaOp> next(values.begin(), values.end());
    const XlaOp zero = ScalarLike(index, 0);
    size_t at = 0;
    for (const Recurrence& recurrence : recurrences) {
      const size_t states = at;
      at += recurrence.states.size();
      const size_t sequence = at;
      if (shape.return_sequence) ++at;
      const XlaOp all = values[at++];
      const ArraySlice<XlaOp> fixed = values.subspan(at, recurrence.fixed.size());
      at += recurrence.fixed.size();
      const XlaOp time = recurrence.backward ? builder->Sub(ScalarLike(index, shape.steps - 1), index) : index;
      const std::vector<int64_t> sizes = DimensionsOf(recurrence.states[0]);
      const GateOfInput projected = [&](int64_t gate) {
        const XlaOp first = ScalarLike(index, gate * sizes[1]);
        return builder->Reshape(builder->DynamicSlice(all, {time, zero, first}, {1, sizes[0], sizes[1]}), sizes);
      };
      const std::vector<XlaOp> after = step(projected, values.subspan(states, recurrence.states.size()), fixed);
      for (size_t i = 0; i < after.size(); ++i) next[states + i] = after[i];
      if (!shape.return_sequence) continue;
      std::vector<int64_t> with_time = DimensionsOf(after[0]);
      with_time.insert(with_time.begin(), 1);
      next[sequence] = builder->DynamicUpdateSlice(
          values[sequence], builder->Reshape(ConvertTo(after[0], shape.type), with_time), {time, zero, zero});
    }
    return next;
  };
  const PrimitiveType counter = shape.steps <= std::numeric_limits<int32_t>::max() ? S32 : S64;
  const std::vector<XlaOp> last = ForEachIndex(shape.steps, counter, body, initial, name, &b);
  std::vector<Outcome> outcomes(recurrences.size());
  if (last.size() != initial.size()) return {};
  size_t at = 0;
  for (size_t i = 0; i < recurrences.size(); ++i) {
    for (size_t state = 0; state < recurrences[i].states.size(); ++state) outcomes[i].states.push_back(last[at++]);
    if (shape.return_sequence) outcomes[i].sequence = last[at++];
    at += 1 + recurrences[i].fixed.size();
  }
  return outcomes;
}

// Arrays of several directions as one with a new dimension for them.
XlaOp StackDirections(absl::Span<const XlaOp> parts, int64_t dimension, PrimitiveType type) {
  ComputationBuilder& b = *parts[0].builder();
  std::vector<XlaOp> with_direction;
  for (const XlaOp part : parts) {
    std::vector<int64_t> sizes = DimensionsOf(part);
    sizes.insert(sizes.begin() + dimension, 1);
    with_direction.push_back(b.Reshape(ConvertTo(part, type), sizes));
  }
  return with_direction.size() == 1 ? with_direction[0] : b.Concatenate(with_direction, dimension);
}

// Final states, and the sequence after them.
std::vector<XlaOp> RunSequence(absl::Span<const Recurrence> recurrences, const StepFunction& step,
                               const SequenceShape& shape, absl::string_view name) {
  ComputationBuilder& b = *recurrences[0].projected.builder();
  if (!b.ok()) return {};
  std::vector<Outcome> outcomes;
  if (shape.steps <= kMaxUnrolledSteps) {
    for (const Recurrence& recurrence : recurrences) outcomes.push_back(RunUnrolled(recurrence, step, shape));
  } else {
    outcomes = RunLoop(recurrences, step, shape, name);
  }
  if (!b.ok()) return {};
  std::vector<XlaOp> results;
  for (size_t state = 0; state < recurrences[0].states.size(); ++state) {
    std::vector<XlaOp> parts;
    for (const Outcome& outcome : outcomes) parts.push_back(outcome.states[state]);
    results.push_back(StackDirections(parts, 0, shape.type));
  }
  if (shape.return_sequence) {
    std::vector<XlaOp> parts;
    for (const Outcome& outcome : outcomes) parts.push_back(*outcome.sequence);
    results.push_back(StackDirections(parts, 1, shape.type));
  }
  return results;
}

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
  return RunSequence(recurrences, StepOf(gates), shape, name);
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
