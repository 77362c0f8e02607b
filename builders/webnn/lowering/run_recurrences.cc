#include "builders/webnn/lowering/run_recurrences.h"

#include <limits>

#include "absl/types/optional.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/loops.h"
#include "builders/webnn/lowering/arrays.h"

namespace xla {
namespace webnn {
namespace {

// So many steps are written one after the other. A loop costs some microseconds for each step; the program without one
// grows by some ten instructions for each.
constexpr int64_t kMaxUnrolledSteps = 8;

// What is left of a direction after its last step.
struct Outcome {
  std::vector<XlaOp> states;
  absl::optional<XlaOp> sequence;  // hidden states [steps, batch, hidden], by time
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

}  // namespace

std::vector<XlaOp> RunRecurrences(absl::Span<const Recurrence> recurrences, const StepFunction& step,
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

}  // namespace webnn
}  // namespace xla
