// Recurrences: a step that is done once for each element of a sequence, each time on the states that it left.
//
// Few steps follow each other; more are a loop. All directions are in one loop.
#ifndef BUILDERS_WEBNN_LOWERING_RUN_RECURRENCES_H_
#define BUILDERS_WEBNN_LOWERING_RUN_RECURRENCES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/computation_builder/computation_builder.h"

namespace xla {
namespace webnn {

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

struct SequenceShape {
  int64_t steps;
  PrimitiveType type;  // of results
  bool return_sequence;
};

// All directions, which do the same step. The final states [directions, batch, hidden] and then, if it is wanted, the
// sequence [steps, directions, batch, hidden], all of `shape.type`. Nothing after an error of the builder. `name` is
// that of the loop, if there is one.
std::vector<XlaOp> RunRecurrences(absl::Span<const Recurrence> recurrences, const StepFunction& step,
                                  const SequenceShape& shape, absl::string_view name);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_LOWERING_RUN_RECURRENCES_H_
