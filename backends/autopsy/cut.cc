#include "backends/autopsy/cut.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/time/clock.h"
#include "absl/types/optional.h"
#include "passes/cutting/reduce.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// Values of a larger program's instructions are not kept: it is cut without new parameters.
constexpr int64_t kMostBytesOfValues = int64_t{256} << 20;

// A smaller program may take this many times as long as the whole.
constexpr int kLongest = 4;

using ValuesByName = absl::flat_hash_map<std::string, Literal>;

// The value of each instruction of the entry that may become a parameter.
absl::StatusOr<ValuesByName> ValuesOf(const HloModule& module, const std::vector<Literal>& arguments,
                                      const ResourceContext* resources) {
  ValuesByName values;
  const std::vector<HloInstruction*> parameters = module.entry()->parameters();
  for (size_t i = 0; i < parameters.size(); ++i) values[parameters[i]->name()] = arguments[i];
  const std::unique_ptr<HloModule> all = CloneModule(module);
  HloComputation& entry = *all->entry();
  std::vector<HloInstruction*> shown;
  std::vector<Shape> shapes;
  int64_t bytes = 0;
  for (HloInstruction* instruction : entry.LiveInstructions()) {
    const bool has_value = instruction->shape().IsArray() && instruction->opcode() != HloOpcode::kParameter;
    if (!has_value) continue;
    shown.push_back(instruction);
    shapes.push_back(instruction->shape());
    bytes += instruction->shape().ByteSize();
  }
  if (bytes > kMostBytesOfValues || shown.empty()) return values;
  HloInstruction* const root = entry.AddInstruction(
      std::make_unique<HloInstruction>(HloOpcode::kTuple, all->NewName("values"), Shape::Tuple(std::move(shapes))));
  for (HloInstruction* instruction : shown) root->AddOperand(instruction);
  entry.set_root(root);
  all->mutable_config().entry_computation_layout.reset();
  all->mutable_config().input_output_alias.clear();
  RETURN_IF_ERROR(VerifyModule(*all));
  EvaluatorOptions options;
  options.resources = resources;
  ASSIGN_OR_RETURN(const std::unique_ptr<Evaluator> evaluator, Evaluator::Create(*all, options));
  absl::StatusOr<Literal> result = evaluator->RunOne(arguments);
  RETURN_IF_ERROR(CheckResources(resources));
  // A part that nothing needs may have an error that the program has not.
  if (!result.ok()) return values;
  for (size_t i = 0; i < shown.size(); ++i) {
    values[shown[i]->name()] = result->element(static_cast<int>(i));
    values[shown[i]->name()].LeaveBudget();
  }
  return values;
}

// The first elements of `value` along each dimension; nullopt if `shape` is no smaller array of its type.
absl::optional<Literal> CutOff(const Literal& value, const Shape& shape) {
  const Shape& whole = value.shape();
  if (whole.Equal(shape, Shape::kIgnoreLayout)) return value;
  const bool fits = whole.IsArray() && shape.IsArray() && whole.rank() == shape.rank() && !shape.IsDynamic() &&
                    whole.element_type() == shape.element_type() && !whole.IsDynamic();
  if (!fits) return absl::nullopt;
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.dimension(d) > whole.dimension(d)) return absl::nullopt;
  }
  absl::StatusOr<Literal> part = Literal::Allocate(shape);
  if (!part.ok()) return absl::nullopt;
  const auto width = static_cast<size_t>(ByteWidth(shape.element_type()));
  const auto* const from = static_cast<const char*>(value.untyped_data());
  auto* const to = static_cast<char*>(part->untyped_mutable_data());
  std::vector<int64_t> index(shape.rank(), 0);
  for (int64_t i = 0; i < part->element_count(); ++i) {
    int64_t position = 0, rest = i;
    for (int d = shape.rank() - 1; d >= 0; --d) {
      index[d] = rest % shape.dimension(d);
      rest /= shape.dimension(d);
    }
    for (int d = 0; d < shape.rank(); ++d) position = position * whole.dimension(d) + index[d];
    std::memcpy(to + static_cast<size_t>(i) * width, from + static_cast<size_t>(position) * width, width);
  }
  return *std::move(part);
}

// nullopt: a parameter has no value.
absl::optional<std::vector<Literal>> ArgumentsFor(const HloModule& module, const ValuesByName& values) {
  std::vector<Literal> arguments;
  for (const HloInstruction* parameter : module.entry()->parameters()) {
    const auto value = values.find(parameter->name());
    if (value == values.end()) return absl::nullopt;
    absl::optional<Literal> argument = CutOff(value->second, parameter->shape());
    if (!argument.has_value()) return absl::nullopt;
    arguments.push_back(*std::move(argument));
  }
  return arguments;
}

}  // namespace

absl::StatusOr<CutProgram> Cut(const HloModule& module, const std::vector<Literal>& arguments, const ShowsFault& shows,
                               absl::Duration time_limit, const ResourceContext* resources) {
  ASSIGN_OR_RETURN(const ValuesByName values, ValuesOf(module, arguments, resources));
  ReduceOptions options;
  options.time_limit = time_limit;
  options.resources = resources;
  absl::Duration time_of_one = time_limit;
  const auto shows_on_arguments = [&](const HloModule& candidate) -> absl::StatusOr<bool> {
    const absl::optional<std::vector<Literal>> at_hand = ArgumentsFor(candidate, values);
    if (!at_hand.has_value()) return false;
    ResourceLimits limits;
    limits.timeout = time_of_one;
    const ResourceContext of_one(resources, "trying a smaller program", limits);
    const absl::StatusOr<bool> is_shown = shows(candidate, *at_hand, &of_one);
    RETURN_IF_ERROR(CheckResources(resources));
    if (of_one.IsOver()) return false;
    return is_shown;
  };
  const absl::Time start = absl::Now();
  ASSIGN_OR_RETURN(const bool is_shown, shows(module, arguments, resources));
  if (!is_shown) return absl::FailedPreconditionError("the program does not show the fault");
  time_of_one = std::min(time_limit, kLongest * (absl::Now() - start) + absl::Milliseconds(100));
  ASSIGN_OR_RETURN(ReduceResult reduced, ReduceModule(module, shows_on_arguments, options));
  CutProgram cut;
  cut.arguments = *ArgumentsFor(*reduced.module, values);
  cut.module = std::move(reduced.module);
  cut.finished = reduced.finished;
  return cut;
}

}  // namespace xla
