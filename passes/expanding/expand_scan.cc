#include "passes/expanding/expand_scan.h"

#include <vector>

#include "passes/base/counted_loop.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/ir/clone_module.h"

namespace xla {
namespace {

std::vector<HloInstruction*> Elements(HloInstruction* value, InstructionBuilder& build) {
  if (!value->shape().IsTuple()) return {value};
  if (value->opcode() == HloOpcode::kTuple) return {value->operands().begin(), value->operands().end()};
  std::vector<HloInstruction*> elements;
  for (int64_t i = 0; i < static_cast<int64_t>(value->shape().tuple_size()); ++i) {
    elements.push_back(build.GetTupleElement(value, i));
  }
  return elements;
}

// A loop over the steps of a scan, forwards or backwards: takes the slices of the inputs, calls the body with them
// and the carries, and writes the outputs' slices. Results are outputs first, then carries.
HloInstruction* Loop(HloInstruction* scan, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const ScanAttributes& attributes = scan->attributes<ScanAttributes>();
  const int64_t d = attributes.dimension;
  const size_t carries = static_cast<size_t>(attributes.num_carries);
  const size_t inputs = scan->operand_count() - carries;
  const int64_t steps = scan->operand(0)->shape().dimension(static_cast<int>(d));
  const std::vector<Shape> shapes = scan->shape().IsTuple() ? std::vector<Shape>(scan->shape().tuple_shapes().begin(),
                                                                                 scan->shape().tuple_shapes().end())
                                                            : std::vector<Shape>{scan->shape()};
  const size_t outputs = shapes.size() - carries;
  const PrimitiveType counter = CounterTypeFor(steps);

  // Inputs, carries, outputs.
  std::vector<HloInstruction*> state(scan->operands().begin(), scan->operands().end());
  for (size_t k = 0; k < outputs; ++k) state.push_back(build.Splat(shapes[k], 0));
  const std::vector<HloInstruction*> last = CountedLoop(
      build, "scan", counter, steps, state,
      [&](InstructionBuilder& inside, HloInstruction* turn, absl::Span<HloInstruction* const> before) {
        HloInstruction* const step = attributes.is_reverse ? inside.Sub(inside.Scalar(counter, steps - 1), turn) : turn;
        const auto place = [&](const Shape& shape) {
          std::vector<HloInstruction*> starts(shape.rank(), inside.Zero(counter));
          starts[d] = step;
          return starts;
        };
        std::vector<HloInstruction*> arguments;
        for (size_t k = 0; k < inputs; ++k) {
          DimensionVector sizes(before[k]->shape().dimensions().begin(), before[k]->shape().dimensions().end());
          sizes[d] = 1;
          HloInstruction* const slice = inside.DynamicSlice(before[k], place(before[k]->shape()), sizes);
          sizes.erase(sizes.begin() + d);
          arguments.push_back(inside.Reshape(slice, sizes));
        }
        arguments.insert(arguments.end(), before.begin() + inputs, before.begin() + inputs + carries);
        const std::vector<HloInstruction*> values =
            Elements(InlineBody(*scan->called_computation(0), arguments, inside.computation()), inside);
        std::vector<HloInstruction*> after(before.begin(), before.begin() + inputs);
        after.insert(after.end(), values.begin() + outputs, values.end());
        for (size_t k = 0; k < outputs; ++k) {
          DimensionVector sizes(shapes[k].dimensions().begin(), shapes[k].dimensions().end());
          sizes[d] = 1;
          HloInstruction* const stacked = before[inputs + carries + k];
          after.push_back(inside.DynamicUpdateSlice(stacked, inside.Reshape(values[k], sizes), place(shapes[k])));
        }
        return after;
      });
  std::vector<HloInstruction*> results(last.begin() + inputs + carries, last.end());
  results.insert(results.end(), last.begin() + inputs, last.begin() + inputs + carries);
  return scan->shape().IsTuple() ? build.Tuple(results) : results[0];
}

}  // namespace

absl::StatusOr<bool> ExpandScan(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {
      "scan-by-loop", "scan(x, c) => while (i) { y[i], c = f(x[i], c) }", {HloOpcode::kScan}, &Loop};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
