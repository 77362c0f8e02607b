// Runs cases of StableHLO: each is a program in text, with inputs and its result (xla_core/testing/README.md has
// the format). The modules that the programs become are evaluated.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "builders/stablehlo/parse_stablehlo.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/testing/case_program.h"
#include "xla_core/testing/op_case.h"
#include "xla_core/testing/plain_literal.h"

namespace xla {
namespace {

// Small, because cases are.
constexpr int64_t kMaxSteps = 1'000'000;
constexpr int64_t kMaxBytes = int64_t{256} << 20;

// `line` without the place in front: "f.mlir:3:5: ".
absl::string_view WithoutPlace(absl::string_view line, const std::string& file) {
  if (!absl::ConsumePrefix(&line, absl::StrCat(file, ":"))) return line;
  while (!line.empty() && (absl::ascii_isdigit(static_cast<unsigned char>(line[0])) || line[0] == ':')) {
    line.remove_prefix(1);
  }
  absl::ConsumePrefix(&line, " ");
  return line;
}

// The messages of an error, without places, and without the source lines that follow the parser's.
std::vector<std::string> Messages(const absl::Status& status, const std::string& file) {
  std::vector<std::string> messages;
  for (absl::string_view line : absl::StrSplit(status.message(), '\n')) {
    if (!messages.empty() && !absl::StartsWith(line, file)) continue;
    messages.emplace_back(WithoutPlace(line, file));
  }
  return messages;
}

// Places are those of the program, not of the code that lowers it.
absl::Status CheckPlaces(const HloModule& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const auto& file = instruction->annotations().metadata.source_file;
      if (!absl::StartsWith(file.view(), "builders/stablehlo/lowering/")) continue;
      return absl::InternalError(absl::StrCat("the place of ", instruction->ToShortString(), " is in ", file.view()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Literal> Evaluate(const OpCase& op_case, const std::string& file) {
  StableHloOptions options;
  options.file_name = file;
  ASSIGN_OR_RETURN(const auto modules, ParseStableHlo(op_case.module, options));
  if (modules.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("expected one program, got ", modules.size()));
  }
  RETURN_IF_ERROR(CheckPlaces(*modules[0]));
  std::vector<Literal> inputs;
  for (const std::string& text : op_case.inputs) {
    ASSIGN_OR_RETURN(Literal input, ParsePlainLiteral(text, "INPUTS"));
    inputs.push_back(std::move(input));
  }
  EvaluatorOptions limits;
  limits.max_steps = kMaxSteps;
  limits.max_memory_bytes = kMaxBytes;
  ASSIGN_OR_RETURN(const auto evaluator, Evaluator::Create(*modules[0], limits));
  ASSIGN_OR_RETURN(Literal result, evaluator->RunOne(std::move(inputs)));
  result.LeaveBudget();
  return result;
}

absl::Status CompareResults(const Literal& got, const Literal& want, double relative) {
  if (!got.shape().Equal(want.shape(), Shape::kIgnoreLayout)) {
    return absl::FailedPreconditionError(
        absl::StrCat("the result is ", got.shape().ToString(), ", expected ", want.shape().ToString()));
  }
  Tolerance tolerance;
  tolerance.rtol = relative;
  tolerance.zero_sign = relative == 0;
  const std::vector<Literal> got_leaves = FlattenLeaves(got), want_leaves = FlattenLeaves(want);
  for (size_t i = 0; i < got_leaves.size(); ++i) {
    if (!got_leaves[i].shape().IsArray()) continue;
    const Comparison comparison = CompareArrays(got_leaves[i], want_leaves[i], tolerance);
    if (comparison.matches()) continue;
    return absl::FailedPreconditionError(
        DescribeComparison(absl::StrCat("out", i), comparison, got_leaves[i], want_leaves[i]));
  }
  return absl::OkStatus();
}

absl::Status Compare(const OpCase& op_case, const absl::StatusOr<Literal>& got,
                     const std::vector<std::string>& refusals) {
  if (op_case.result.empty() && op_case.refusals.empty()) {
    return absl::InvalidArgumentError("the case has neither RESULT nor REFUSED");
  }
  if (refusals != op_case.refusals) {
    return absl::FailedPreconditionError(absl::StrCat("it is refused for\n    ", absl::StrJoin(refusals, "\n    "),
                                                      "\n  expected\n    ", absl::StrJoin(op_case.refusals, "\n    ")));
  }
  if (op_case.result.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Literal want, ParsePlainLiteral(op_case.result, "RESULT"));
  return CompareResults(*got, want, op_case.tolerance);
}

CaseOutcome RunCase(const OpCase& op_case, const std::string& file) {
  const absl::StatusOr<Literal> got = Evaluate(op_case, file);
  const std::vector<std::string> refusals = got.ok() ? std::vector<std::string>() : Messages(got.status(), file);
  CaseOutcome outcome;
  for (const std::string& refusal : refusals) absl::StrAppend(&outcome.expectation, "// REFUSED ", refusal, "\n");
  if (got.ok()) outcome.expectation = absl::StrCat("// RESULT\n", PlainLiteralToString(*got), "\n");
  outcome.failure = std::string(Compare(op_case, got, refusals).message());
  return outcome;
}

absl::StatusOr<std::vector<RunnableCase>> Read(absl::string_view text, const std::string& file) {
  ASSIGN_OR_RETURN(std::vector<OpCase> cases, ReadOpCases(text, file));
  std::vector<RunnableCase> runnable;
  for (OpCase& one : cases) {
    RunnableCase next{one.title, one.line, one.expectation_begin, one.expectation_end, nullptr};
    next.run = [one = std::move(one), file] { return RunCase(one, file); };
    runnable.push_back(std::move(next));
  }
  return runnable;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::RunCaseFiles(argc, argv, xla::Read); }
