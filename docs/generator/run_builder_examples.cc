#include <memory>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "builders/computation_builder/scalar_computations.h"
#include "docs/generator/builder_examples.h"
#include "docs/generator/markdown_text.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/literal_io/format_literal.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using Function = XlaOp (*)(ComputationBuilder& b, XlaOp x);

// x -> function(x), of scalars.
absl::StatusOr<XlaComputation> OfScalar(const char* name, PrimitiveType type, Function function) {
  ComputationBuilder b(name);
  return b.Build(function(b, b.Parameter(0, Shape::Scalar(type), "x")));
}

// (element, sum so far) -> (new sum, new sum), for Scan.
absl::StatusOr<XlaComputation> RunningSum() {
  ComputationBuilder b("running_sum");
  const XlaOp sum = b.Parameter(0, Shape::Scalar(F32), "element") + b.Parameter(1, Shape::Scalar(F32), "sum");
  return b.Build(b.Tuple({sum, sum}));
}

Literal V() { return Literal::Vector<float>({1, 2, 3}); }

// The names that examples may use, made again in each example's builder.
absl::StatusOr<ExampleNames> NamesFor(ComputationBuilder& b) {
  ExampleNames names;
  names.v = b.ConstantLiteral(V());
  names.m = b.ConstantR2<float>({{1, 2, 3}, {4, 5, 6}});
  names.add = CreateScalarAddComputation(F32);
  names.maximum = CreateScalarMaxComputation(F32);
  names.ge = CreateScalarGeComputation(F32);
  names.less = CreateScalarLtComputation({F32, S32});
  ASSIGN_OR_RETURN(names.square, OfScalar("square", F32, [](ComputationBuilder& b, XlaOp x) { return b.Mul(x, x); }));
  ASSIGN_OR_RETURN(names.twice, OfScalar("twice", S32, [](ComputationBuilder&, XlaOp x) { return x * 2; }));
  ASSIGN_OR_RETURN(names.below_100, OfScalar("below_100", S32, [](ComputationBuilder& b, XlaOp x) {
                     return b.Lt(x, b.ConstantR0<int32_t>(100));
                   }));
  ASSIGN_OR_RETURN(names.running_sum, RunningSum());
  return names;
}

std::string AsComment(absl::string_view text) {
  return absl::StrCat("// ", absl::StrReplaceAll(text, {{"\n", "\n// "}}), "\n");
}

// The value on one line if it is short.
std::string ShowValue(const Literal& value) {
  constexpr size_t kWidth = 96;
  const std::string text = FormatLiteral(value);
  std::string line;
  for (absl::string_view piece : absl::StrSplit(text, '\n')) {
    piece = absl::StripAsciiWhitespace(piece);
    const bool is_tight =
        line.empty() || line.back() == '{' || line.back() == '(' || piece[0] == '}' || piece[0] == ')';
    absl::StrAppend(&line, is_tight ? "" : " ", piece);
  }
  return line.size() <= kWidth ? line : text;
}

// The result as a comment, or those of the replicas where they differ.
std::string ShowResults(const std::vector<Literal>& results) {
  bool all_equal = true;
  for (const Literal& result : results) all_equal = all_equal && result.BitwiseEquals(results[0]);
  if (results.size() == 1) return AsComment(ShowValue(results[0]));
  if (all_equal) return AsComment(absl::StrCat("on all replicas: ", ShowValue(results[0])));
  std::string shown;
  for (size_t i = 0; i < results.size(); ++i) {
    absl::StrAppend(&shown, AsComment(absl::StrCat("on replica ", i, ": ", ShowValue(results[i]))));
  }
  return shown;
}

// Builds and runs an example on the interpreter. `replicas` is 0 for one that is only built and kShownOnly for one
// that is only shown.
absl::StatusOr<ShownExample> RunExample(const BuilderExample& example) {
  ShownExample shown;
  shown.code = WrapCode(example.code);
  if (example.replicas == kShownOnly) return shown;
  ComputationBuilder b(example.name);
  ASSIGN_OR_RETURN(const ExampleNames names, NamesFor(b));
  if (example.replicas > 1) b.SetDeviceCounts(example.replicas);
  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, b.BuildModule(example.build(b, names)));
  if (example.replicas == 0) return shown;
  EvaluatorOptions options;
  options.replica_count = example.replicas;
  ASSIGN_OR_RETURN(std::unique_ptr<Evaluator> evaluator, Evaluator::Create(*module, options));
  FeedQueues feeds;
  feeds.infeed.assign(example.replicas, {V()});
  feeds.outfeed.resize(example.replicas);
  ASSIGN_OR_RETURN(std::vector<Literal> results,
                   evaluator->Run(std::vector<std::vector<Literal>>(example.replicas), &feeds));
  shown.result = ShowResults(results);
  return shown;
}

}  // namespace

absl::StatusOr<ShownExamples> RunBuilderExamples() {
  ShownExamples shown;
  for (const BuilderExample& example : BuilderExamples()) {
    absl::StatusOr<ShownExample> run = RunExample(example);
    if (!run.ok()) {
      return absl::Status(run.status().code(),
                          absl::StrCat("the example of ", example.name, ": ", run.status().message()));
    }
    shown[example.name].push_back(*std::move(run));
  }
  return shown;
}

}  // namespace xla
