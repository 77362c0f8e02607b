// Runs the programs that smoke.py has recorded (programs/) as JAX runs them, on every backend that is linked: the
// results must be those of JAX's CPU. xla_core/testing/README.md has the format of the files.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "bindings/pjrt/test_client.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/testing/case_program.h"
#include "xla_core/testing/op_case.h"
#include "xla_core/testing/plain_literal.h"

namespace xla {
namespace pjrt {
namespace {

// The absolute part of a tolerance, of the relative one.
constexpr double kAbsoluteShare = 0.1;

// A client of the backend, which stays. Unavailable if the machine has no device for it.
absl::StatusOr<TestClient*> ClientOf(const std::string& backend) {
  static auto& clients = *new std::map<std::string, std::unique_ptr<TestClient>>;
  std::unique_ptr<TestClient>& client = clients[backend];
  if (client == nullptr) {
    RETURN_IF_ERROR(GetClient(backend).status());
    client = std::make_unique<TestClient>(112, std::map<std::string, std::string>{{"backend", backend}});
  }
  return client.get();
}

// Handles that end with the run.
struct Run {
  explicit Run(TestClient& on) : client(on) {}
  ~Run() {
    for (PJRT_Buffer* const buffer : arguments) client.Destroy(buffer);
    for (const auto& row : outputs) {
      for (PJRT_Buffer* const buffer : row) client.Destroy(buffer);
    }
    if (program.loaded != nullptr) client.Destroy(program);
  }

  TestClient& client;
  TestProgram program;
  std::vector<PJRT_Buffer*> arguments;
  std::vector<std::vector<PJRT_Buffer*>> outputs;
};

absl::Status CheckOutput(TestClient& client, PJRT_Buffer* buffer, const Literal& want, double relative, size_t i) {
  ASSIGN_OR_RETURN(const Literal got, client.ToLiteral(buffer, want.shape()));
  Tolerance tolerance;
  tolerance.rtol = relative;
  tolerance.atol = relative * kAbsoluteShare;
  const Comparison comparison = CompareArrays(got, want, tolerance);
  if (comparison.matches()) return absl::OkStatus();
  return absl::FailedPreconditionError(DescribeComparison(absl::StrCat("out", i), comparison, got, want));
}

absl::Status RunAndCompare(const OpCase& one, TestClient& client) {
  Run run(client);
  RETURN_IF_ERROR(client.Compile(one.module, "mlir", "", &run.program));
  RETURN_IF_ERROR(client.AskAbout(run.program, one.inputs.size()));
  for (const std::string& text : one.inputs) {
    ASSIGN_OR_RETURN(const Literal input, ParsePlainLiteral(text, "INPUTS"));
    run.arguments.push_back(client.BufferOfLiteral(input));
  }
  RETURN_IF_ERROR(client.Execute(run.program, {run.arguments}, &run.outputs));
  ASSIGN_OR_RETURN(const Literal result, ParsePlainLiteral(one.result, "RESULT"));
  const std::vector<Literal> want = FlattenLeaves(result);
  if (want.size() != run.program.output_count) {
    return absl::FailedPreconditionError(
        absl::StrCat("it has ", run.program.output_count, " results, expected ", want.size()));
  }
  for (size_t i = 0; i < want.size(); ++i) {
    RETURN_IF_ERROR(CheckOutput(client, run.outputs[0][i], want[i], one.tolerance, i));
  }
  return absl::OkStatus();
}

CaseOutcome RunOn(const OpCase& one, const std::string& backend) {
  CaseOutcome outcome;
  const absl::StatusOr<TestClient*> client = ClientOf(backend);
  if (client.ok()) {
    outcome.failure = std::string(RunAndCompare(one, **client).message());
  } else if (absl::IsUnavailable(client.status())) {
    outcome.not_run = absl::StrCat("no device for ", backend);
  } else {
    outcome.failure = std::string(client.status().message());
  }
  return outcome;
}

absl::StatusOr<std::vector<RunnableCase>> Read(absl::string_view text, const std::string& file) {
  ASSIGN_OR_RETURN(const std::vector<OpCase> cases, ReadOpCases(text, file));
  std::vector<RunnableCase> runnable;
  for (const OpCase& one : cases) {
    for (const std::string& backend : BackendNames()) {
      runnable.push_back({absl::StrCat(one.title, " on ", backend), one.line, one.expectation_begin,
                          one.expectation_end, [one, backend] { return RunOn(one, backend); }});
    }
  }
  return runnable;
}

}  // namespace
}  // namespace pjrt
}  // namespace xla

int main(int argc, char** argv) { return xla::RunCaseFiles(argc, argv, xla::pjrt::Read); }
