#include "builders/computation_builder/tests/evaluate.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/literal_io/format_literal.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/testing/plain_literal.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

absl::StatusOr<std::vector<Literal>> Run(ComputationBuilder& b, std::vector<std::vector<Literal>> arguments,
                                         EvaluatorOptions options, FeedQueues* queues) {
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, b.BuildModule());
  ASSIGN_OR_RETURN(const std::unique_ptr<Evaluator> evaluator, Evaluator::Create(*module, options));
  return evaluator->Run(std::move(arguments), queues);
}

absl::StatusOr<Literal> RunOnOne(ComputationBuilder& b, std::vector<Literal> arguments, EvaluatorOptions options,
                                 FeedQueues* queues) {
  std::vector<std::vector<Literal>> of_devices;
  of_devices.push_back(std::move(arguments));
  ASSIGN_OR_RETURN(std::vector<Literal> results, Run(b, std::move(of_devices), options, queues));
  return std::move(results[0]);
}

}  // namespace

absl::StatusOr<Literal> Evaluate(ComputationBuilder& b, std::vector<Literal> arguments, uint64_t seed) {
  EvaluatorOptions options;
  options.seed = seed;
  return RunOnOne(b, std::move(arguments), options, nullptr);
}

absl::StatusOr<Literal> EvaluateWithFeeds(ComputationBuilder& b, std::vector<Literal> arguments, FeedQueues* queues) {
  return RunOnOne(b, std::move(arguments), EvaluatorOptions(), queues);
}

absl::StatusOr<std::vector<Literal>> EvaluateOnReplicas(ComputationBuilder& b,
                                                        std::vector<std::vector<Literal>> arguments) {
  EvaluatorOptions options;
  options.replica_count = static_cast<int64_t>(arguments.size());
  return Run(b, std::move(arguments), options, nullptr);
}

Literal LiteralOf(absl::string_view text) { return ParsePlainLiteral(text).value(); }
Shape ShapeOfText(absl::string_view text) { return ParseShapeText(text).value(); }

std::string DifferenceOf(const Literal& got, const Literal& want, double tolerance) {
  if (!got.shape().Equal(want.shape(), Shape::kIgnoreLayout)) {
    return absl::StrCat("the shape is ", got.shape().ToString(), " and not ", want.shape().ToString());
  }
  if (got.IsTuple()) {
    for (int i = 0; i < got.tuple_size(); ++i) {
      const std::string difference = DifferenceOf(got.element(i), want.element(i), tolerance);
      if (!difference.empty()) return absl::StrCat("element ", i, ": ", difference);
    }
    return "";
  }
  if (!got.shape().IsArray()) return "";
  Tolerance allowed;
  allowed.atol = tolerance;
  allowed.zero_sign = true;
  const Comparison comparison = CompareArrays(got, want, allowed);
  return comparison.matches() ? "" : DescribeComparison("result", comparison, got, want);
}

bool HasValueMatcher::MatchAndExplain(const Literal& got, testing::MatchResultListener* listener) const {
  const std::string difference = DifferenceOf(got, want_, tolerance_);
  if (!difference.empty()) *listener << "\n" << FormatLiteral(got) << "\n" << difference;
  return difference.empty();
}

bool HasValueMatcher::MatchAndExplain(const absl::StatusOr<Literal>& got,
                                      testing::MatchResultListener* listener) const {
  if (got.ok()) return MatchAndExplain(*got, listener);
  *listener << "\n" << got.status().ToString();
  return false;
}

void HasValueMatcher::DescribeTo(std::ostream* out) const { *out << "is " << FormatLiteral(want_); }
void HasValueMatcher::DescribeNegationTo(std::ostream* out) const { *out << "is not " << FormatLiteral(want_); }

}  // namespace xla
