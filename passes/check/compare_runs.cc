#include "passes/check/compare_runs.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/literal_io/input_spec.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// So many elements are in each infeed queue; a program that needs more is not run.
constexpr int kInfeedElements = 64;

absl::StatusOr<Literal> InfeedElement(const Shape& shape, uint64_t seed) {
  std::vector<Literal> leaves;
  for (const Shape& leaf : LeafShapes({shape})) {
    ASSIGN_OR_RETURN(Literal value, MakeInput(DefaultInputSpec(Shape::Array(leaf.element_type(), leaf.dimensions()),
                                                               seed + leaves.size())));
    value.ResetShape(leaf);
    leaves.push_back(std::move(value));
  }
  return UnflattenLeaves({shape}, std::move(leaves))[0];
}

// What the module's infeed instructions read in program order, over and over.
absl::StatusOr<FeedQueues> MakeFeeds(const HloModule& module, size_t devices) {
  std::vector<Shape> shapes;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() == HloOpcode::kInfeed) shapes.push_back(instruction->shape().tuple_shape(0));
    }
  }
  FeedQueues queues;
  queues.infeed.resize(devices);
  queues.outfeed.resize(devices);
  for (size_t device = 0; device < devices && !shapes.empty(); ++device) {
    for (int i = 0; i < kInfeedElements; ++i) {
      ASSIGN_OR_RETURN(Literal element, InfeedElement(shapes[i % shapes.size()], 100 * device + i));
      queues.infeed[device].push_back(std::move(element));
    }
  }
  return queues;
}

void AddLeaves(const Literal& value, absl::string_view prefix, bool is_result, RunOutcome& outcome) {
  int number = -1;
  for (Literal& leaf : FlattenLeaves(value)) {
    ++number;
    if (!leaf.shape().IsArray()) continue;
    leaf.LeaveBudget();
    outcome.leaves.push_back(std::move(leaf));
    outcome.names.push_back(absl::StrCat(prefix, number));
    outcome.result_numbers.push_back(is_result ? number : -1);
  }
}

// Runs the module once on the interpreter. Outcomes are the leaves of the results and of all outfeeds, named `out...`
// and `outfeed0_...`, with the device in front if there are several.
absl::StatusOr<RunOutcome> Run(const HloModule& module, const std::vector<std::vector<Literal>>& arguments,
                               const RunLimits& limits) {
  const auto devices = static_cast<int64_t>(arguments.size());
  EvaluatorOptions options;
  options.threads = limits.threads;
  options.partition_count = limits.partition_count == 0 ? module.config().num_partitions : limits.partition_count;
  options.replica_count = devices / options.partition_count;
  options.max_steps = limits.max_steps;
  options.max_memory_bytes = limits.max_memory_bytes;
  options.timeout = limits.timeout;
  options.seed = limits.seed;
  options.resources = limits.resources;
  ASSIGN_OR_RETURN(const std::unique_ptr<Evaluator> evaluator, Evaluator::Create(module, options));
  FeedQueues queues;
  if (limits.infeed != nullptr) {
    queues.infeed = *limits.infeed;
    queues.outfeed.resize(arguments.size());
  } else {
    ASSIGN_OR_RETURN(queues, MakeFeeds(module, arguments.size()));
  }
  ASSIGN_OR_RETURN(const std::vector<Literal> results, evaluator->Run(arguments, &queues));
  RunOutcome outcome;
  for (size_t device = 0; device < arguments.size(); ++device) {
    const std::string prefix = devices > 1 ? absl::StrCat("r", device, "_") : "";
    AddLeaves(results[device], absl::StrCat(prefix, "out"), /*is_result=*/true, outcome);
    for (size_t i = 0; i < queues.outfeed[device].size(); ++i) {
      AddLeaves(queues.outfeed[device][i], absl::StrCat(prefix, "outfeed", i, "_"), /*is_result=*/false, outcome);
    }
  }
  return outcome;
}

Tolerance ToleranceFor(PrimitiveType type, Agreement agreement) {
  if (agreement == Agreement::kByTolerance) return DefaultTolerance(type);
  Tolerance exact;
  exact.zero_sign = true;
  return exact;
}

double LargestFinite(const Literal& array) {
  const absl::StatusOr<Literal> wide = LiteralUtil::Convert(array, C128);
  double largest = 0;
  if (!wide.ok()) return 1;
  for (const complex128& value : wide->span<complex128>()) {
    if (std::isfinite(std::abs(value))) largest = std::max(largest, std::abs(value));
  }
  return largest == 0 ? 1 : largest;
}

std::string IndexText(const Shape& shape, int64_t position) {
  std::string text;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    const int64_t size = std::max<int64_t>(1, shape.dimension(i));
    text = absl::StrCat(position % size, text.empty() ? "" : ",", text);
    position /= size;
  }
  return absl::StrCat("{", text, "}");
}

// Which element is the first that differs, in row-major order. Looks at one after the other, so only for reports.
std::string FirstDifferingIndex(const Literal& got, const Literal& want, Tolerance tolerance) {
  if (tolerance.atol_is_relative) tolerance.atol *= LargestFinite(want);
  tolerance.atol_is_relative = false;
  const PrimitiveType type = want.shape().element_type();
  const Shape one = Shape::Array(type, {1});
  const auto element = [&](const Literal& array, int64_t i) {
    return Literal::Borrow(one, static_cast<const char*>(array.untyped_data()) + i * ByteWidth(type));
  };
  if (got.has_dynamic_sizes() || want.has_dynamic_sizes()) return "";
  for (int64_t i = 0; i < want.element_count(); ++i) {
    if (!CompareArrays(element(got, i), element(want, i), tolerance).matches()) {
      return IndexText(want.shape(), i);
    }
  }
  return "";
}

// `agreement` is that of a leaf by its number among all.
std::string FirstDifference(const RunOutcome& got, const RunOutcome& want,
                            absl::FunctionRef<Agreement(size_t leaf)> agreement) {
  if (got.names != want.names) {
    return absl::StrCat("it has ", got.leaves.size(), " results and outfeed elements, expected ", want.leaves.size());
  }
  for (size_t i = 0; i < want.leaves.size(); ++i) {
    const Tolerance tolerance = ToleranceFor(want.leaves[i].shape().element_type(), agreement(i));
    const Comparison comparison = CompareArrays(got.leaves[i], want.leaves[i], tolerance);
    if (comparison.matches()) continue;
    const std::string report = DescribeComparison(want.names[i], comparison, got.leaves[i], want.leaves[i]);
    if (!comparison.shape_mismatch.empty()) return report;
    return absl::StrCat("first difference in ", want.names[i], " at ",
                        FirstDifferingIndex(got.leaves[i], want.leaves[i], tolerance), "\n", report);
  }
  return "";
}

}  // namespace

RunOutcome RunForCheck(const HloModule& module, const std::vector<std::vector<Literal>>& arguments,
                       const RunLimits& limits) {
  absl::StatusOr<RunOutcome> outcome = Run(module, arguments, limits);
  if (outcome.ok()) return *std::move(outcome);
  RunOutcome failed;
  failed.status = outcome.status();
  return failed;
}

std::string DifferenceBetween(const RunOutcome& got, const RunOutcome& want, Agreement agreement) {
  return FirstDifference(got, want, [&](size_t) { return agreement; });
}

std::string DifferenceBetween(const RunOutcome& got, const RunOutcome& want, const ExactOutputs& exact) {
  return FirstDifference(got, want, [&](size_t leaf) {
    const int number = want.result_numbers[leaf];
    return (number < 0 ? exact.outfeeds : exact.results[number]) ? Agreement::kExact : Agreement::kByTolerance;
  });
}

}  // namespace xla
