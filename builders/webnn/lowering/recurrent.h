// gru, gruCell, lstm and lstmCell.
//
// The products of all steps with the input are one dot before the first step. Few steps follow each other without a
// loop, so that nothing is copied in between; more are a `while`, whose size does not depend on their number.
//
// States are f32 between the steps where operands are f16, and rounded where they are results.
#ifndef BUILDERS_WEBNN_LOWERING_RECURRENT_H_
#define BUILDERS_WEBNN_LOWERING_RECURRENT_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/types/optional.h"
#include "builders/computation_builder/computation_builder.h"

namespace xla {
namespace webnn {

// An elementwise function.
using ActivationFunction = std::function<XlaOp(XlaOp)>;

// GRU: what has a row for each gate has them in the order z, r, n (update, reset, new), or r, z, n.
struct GruGates {
  int64_t hidden_size = 1;
  bool reset_after = true;
  bool reset_gate_first = false;  // rzn
  ActivationFunction gate, new_gate;
};

// LSTM: the order is i, o, f, g (input, output, forget, cell), or i, f, g, o. Peephole weights are in the order i, o, f
// in both.
struct LstmGates {
  int64_t hidden_size = 1;
  bool output_gate_last = false;  // ifgo
  ActivationFunction gate, cell_gate, output;
};

// One step, or all of them. With D = 1 or 2 directions, a sequence has
//   input [steps, batch, inputs]
//   weight [D, gates * hidden, inputs], recurrent_weight [D, gates * hidden, hidden]
//   bias, recurrent_bias [D, gates * hidden], peephole_weight [D, 3 * hidden]
//   hidden_state, cell_state [D, batch, hidden]; absent: 0
// and a step the same without [steps] and [D]. States of one step are never absent.
struct RecurrentOperands {
  XlaOp input, weight, recurrent_weight;
  absl::optional<XlaOp> bias, recurrent_bias, peephole_weight;
  absl::optional<XlaOp> hidden_state, cell_state;
};

// The order of steps; kBoth runs both, so that D is 2.
enum class Direction { kForward, kBackward, kBoth };

// -> the new hidden state [batch, hidden].
XlaOp LowerGruCell(const RecurrentOperands& operands, const GruGates& gates);
// -> the new hidden state and the new cell state.
std::vector<XlaOp> LowerLstmCell(const RecurrentOperands& operands, const LstmGates& gates);

// -> the last hidden state [D, batch, hidden], and with `return_sequence` all of them, [steps, D, batch, hidden], where
// element t is the state after input t, in both directions.
std::vector<XlaOp> LowerGru(const RecurrentOperands& operands, const GruGates& gates, Direction direction,
                            bool return_sequence);
// -> the last hidden state, the last cell state, and with `return_sequence` all hidden states.
std::vector<XlaOp> LowerLstm(const RecurrentOperands& operands, const LstmGates& gates, Direction direction,
                             bool return_sequence);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_LOWERING_RECURRENT_H_
