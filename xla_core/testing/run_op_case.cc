#include "xla_core/testing/run_op_case.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/testing/plain_literal.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// Small, because cases are.
constexpr int64_t kMaxSteps = 1'000'000;
constexpr int64_t kMaxBytes = int64_t{256} << 20;

// What became of a module.
struct Behaviour {
  std::vector<std::string> warnings;
  std::vector<std::string> refusals;
  Literal result;  // if there are no refusals
};

// The rules that lines of the verifier give, without the instructions in front:
// "computation c: r = f32[3] add(f32[2] p, f32[2] q): the rule".
std::vector<std::string> Rules(const std::vector<std::string>& lines) {
  std::vector<std::string> rules;
  for (const std::string& line : lines) {
    const size_t end = absl::StartsWith(line, "computation ") ? line.find("): ") : line.npos;
    rules.push_back(end == line.npos ? line : line.substr(end + 3));
  }
  return rules;
}

// The messages of the parser's errors, without places and source lines: "f.hlo:3:5: error: the message".
std::vector<std::string> ParserMessages(const absl::Status& status, const std::string& file) {
  std::vector<std::string> messages;
  for (absl::string_view line : absl::StrSplit(status.message(), '\n')) {
    const size_t severity = line.find(": error: ");
    if (absl::ConsumePrefix(&line, file) && severity != line.npos) {
      messages.emplace_back(line.substr(line.find(": error: ") + 9));
    }
  }
  return messages;
}

// A copy that shares no memory with the literal.
absl::StatusOr<Literal> OwnCopy(const Literal& literal) {
  Literal copy = literal;
  if (copy.IsTuple()) {
    for (int i = 0; i < copy.tuple_size(); ++i) {
      ASSIGN_OR_RETURN(copy.mutable_element(i), OwnCopy(literal.element(i)));
    }
    return copy;
  }
  RETURN_IF_ERROR(copy.MakeWritable(nullptr));
  return copy;
}

absl::StatusOr<Literal> Evaluate(const HloModule& module, std::vector<Literal> arguments, int threads) {
  EvaluatorOptions options;
  options.threads = threads;
  options.max_steps = kMaxSteps;
  options.max_memory_bytes = kMaxBytes;
  ASSIGN_OR_RETURN(const auto evaluator, Evaluator::Create(module, options));
  ASSIGN_OR_RETURN(Literal result, evaluator->RunOne(std::move(arguments)));
  result.LeaveBudget();
  return result;
}

// With arguments that are used elsewhere too, and with arguments that operations may overwrite.
absl::StatusOr<Literal> EvaluateTwice(const HloModule& module, const std::vector<Literal>& arguments) {
  ASSIGN_OR_RETURN(Literal result, Evaluate(module, arguments, /*threads=*/1));
  std::vector<Literal> own;
  for (const Literal& argument : arguments) {
    ASSIGN_OR_RETURN(Literal copy, OwnCopy(argument));
    own.push_back(std::move(copy));
  }
  ASSIGN_OR_RETURN(const Literal again, Evaluate(module, std::move(own), /*threads=*/2));
  if (again.BitwiseEquals(result)) return result;
  return absl::InternalError(absl::StrCat("with arguments of its own and two threads the result is another one: ",
                                          PlainLiteralToString(again), " instead of ", PlainLiteralToString(result)));
}

// An error is the case's own.
absl::StatusOr<std::vector<Literal>> ReadInputs(const OpCase& op_case) {
  std::vector<Literal> inputs;
  for (const std::string& text : op_case.inputs) {
    ASSIGN_OR_RETURN(Literal input, ParsePlainLiteral(text, "INPUTS"));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

Behaviour Run(const OpCase& op_case, const std::string& file, const std::vector<Literal>& inputs) {
  Behaviour behaviour;
  ParseOptions parse_options;
  parse_options.file_name = file;
  const auto module = ParseHloModule(op_case.module, parse_options);
  if (!module.ok()) {
    behaviour.refusals = ParserMessages(module.status(), file);
    return behaviour;
  }
  VerifierOptions verifier_options;
  verifier_options.warnings = &behaviour.warnings;
  const absl::Status valid = VerifyModule(**module, verifier_options);
  behaviour.warnings = Rules(behaviour.warnings);
  if (!valid.ok()) {
    behaviour.refusals = Rules(absl::StrSplit(valid.message(), '\n'));
    return behaviour;
  }
  absl::StatusOr<Literal> result = EvaluateTwice(**module, inputs);
  if (result.ok()) {
    behaviour.result = *std::move(result);
    return behaviour;
  }
  absl::string_view message = result.status().message();
  absl::ConsumePrefix(&message, absl::StrCat((*module)->entry()->root()->name(), ": "));
  behaviour.refusals.emplace_back(message);
  return behaviour;
}

std::string Show(const Behaviour& behaviour) {
  std::string text;
  for (const std::string& warning : behaviour.warnings) absl::StrAppend(&text, "// WARNS ", warning, "\n");
  for (const std::string& refusal : behaviour.refusals) absl::StrAppend(&text, "// REFUSED ", refusal, "\n");
  if (behaviour.refusals.empty()) absl::StrAppend(&text, "// RESULT\n", PlainLiteralToString(behaviour.result), "\n");
  return text;
}

absl::Status CompareMessages(const std::vector<std::string>& got, const std::vector<std::string>& want,
                             absl::string_view what) {
  if (got == want) return absl::OkStatus();
  const auto list = [](const std::vector<std::string>& messages) {
    return messages.empty() ? " nothing" : absl::StrCat("\n    ", absl::StrJoin(messages, "\n    "));
  };
  return absl::FailedPreconditionError(absl::StrCat(what, list(got), "\n  expected", list(want)));
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
    if (!comparison.matches()) {
      return absl::FailedPreconditionError(
          DescribeComparison(absl::StrCat("out", i), comparison, got_leaves[i], want_leaves[i]));
    }
  }
  return absl::OkStatus();
}

absl::Status Compare(const OpCase& op_case, const Behaviour& got) {
  if (op_case.result.empty() && op_case.refusals.empty()) {
    return absl::InvalidArgumentError("the case has neither RESULT nor REFUSED");
  }
  RETURN_IF_ERROR(CompareMessages(got.warnings, op_case.warnings, "it warns of"));
  RETURN_IF_ERROR(CompareMessages(got.refusals, op_case.refusals, "it is refused for"));
  if (op_case.result.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Literal want, ParsePlainLiteral(op_case.result, "RESULT"));
  return CompareResults(got.result, want, op_case.tolerance);
}

}  // namespace

CaseOutcome RunOpCase(const OpCase& op_case, const std::string& file) {
  CaseOutcome outcome;
  const absl::StatusOr<std::vector<Literal>> inputs = ReadInputs(op_case);
  if (!inputs.ok()) {
    outcome.failure = std::string(inputs.status().message());
    return outcome;
  }
  const Behaviour behaviour = Run(op_case, file, *inputs);
  outcome.expectation = Show(behaviour);
  outcome.failure = std::string(Compare(op_case, behaviour).message());
  return outcome;
}

}  // namespace xla
