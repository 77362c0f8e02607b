// For tests of builders: builds what was written, runs it on the interpreter, and compares with numbers.
//
//   ComputationBuilder b("sum");
//   b.Add(b.ConstantR1<float>({1, 2}), b.ConstantR0<float>(3));
//   EXPECT_THAT(Evaluate(b), HasValue("f32[2] {4, 5}"));
#ifndef BUILDERS_COMPUTATION_BUILDER_TESTS_EVALUATE_H_
#define BUILDERS_COMPUTATION_BUILDER_TESTS_EVALUATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/computation_builder/computation_builder.h"
#include "gmock/gmock.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

// The result of the builder's last operation; `seed` is that of Rng*.
absl::StatusOr<Literal> Evaluate(ComputationBuilder& b, std::vector<Literal> arguments = {}, uint64_t seed = 0);
// On one device, with values in its infeed queue; `queues` has what is left and what was put out.
absl::StatusOr<Literal> EvaluateWithFeeds(ComputationBuilder& b, std::vector<Literal> arguments, FeedQueues* queues);
// On several replicas; arguments[r] are those of replica r.
absl::StatusOr<std::vector<Literal>> EvaluateOnReplicas(ComputationBuilder& b,
                                                        std::vector<std::vector<Literal>> arguments);

// "f32[2] {1, 2}", "(f32[1] {1}, (s32[] 2))"; "f32[2,<=3]". End the process if the text is wrong.
Literal LiteralOf(absl::string_view text);
Shape ShapeOfText(absl::string_view text);

// Empty if `got` has the shape and the elements of `want`, each within `tolerance`, else what differs.
std::string DifferenceOf(const Literal& got, const Literal& want, double tolerance);

// Matches a value, or a StatusOr of one, that is exactly what the text says, or within an absolute tolerance of it.
class HasValueMatcher {
 public:
  HasValueMatcher(absl::string_view text, double tolerance) : want_(LiteralOf(text)), tolerance_(tolerance) {}
  bool MatchAndExplain(const Literal& got, testing::MatchResultListener* listener) const;
  bool MatchAndExplain(const absl::StatusOr<Literal>& got, testing::MatchResultListener* listener) const;
  void DescribeTo(std::ostream* out) const;
  void DescribeNegationTo(std::ostream* out) const;

 private:
  Literal want_;
  double tolerance_;
};
inline testing::PolymorphicMatcher<HasValueMatcher> HasValue(absl::string_view text, double tolerance = 0) {
  return testing::MakePolymorphicMatcher(HasValueMatcher(text, tolerance));
}

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_TESTS_EVALUATE_H_
