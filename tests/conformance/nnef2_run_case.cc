#include "tests/conformance/nnef2_run_case.h"

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef2/data/tensor_file.h"
#include "builders/nnef2/diagnostics.h"
#include "builders/nnef2/model/model.h"
#include "tests/conformance/nnef2_execute.h"
#include "tests/conformance/nnef2_facts.h"
#include "tests/conformance/nnef2_model.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::Status Wrong(absl::string_view what) { return absl::DataLossError(what); }

const JsonValue* ExpectedError(const Nnef2Description& description) { return description.json.Find("expected_error"); }

// What refuses a case that must be refused; OK if nothing does.
absl::Status CheckRefused(const absl::Status& status, const Nnef2Description& description, CaseResult* result) {
  const std::string expected = TextMember(*ExpectedError(description), "class");
  if (status.ok()) return Wrong(absl::StrCat("accepted, but it must be refused with class ", expected));
  if (!nnef2::ErrorClassOf(status).has_value() || status.message().empty()) {
    return Wrong(absl::StrCat("refused without a class, expected ", expected, ": ", status.ToString()));
  }
  const Nnef2Refusal refusal = JudgeNnef2Refusal(status, description);
  result->tallies.emplace_back("errors of the right class", refusal.has_class);
  result->tallies.emplace_back("errors at the right line", refusal.has_line);
  result->tallies.emplace_back("errors with the right message", refusal.has_message);
  return absl::OkStatus();
}

// What a run refuses, with the inputs of the case, or what comes out and must be right.
absl::Status RunExec(const Nnef2Description& description, const Nnef2Run& run, CaseResult* result) {
  ASSIGN_OR_RETURN(const std::unique_ptr<nnef::Container> container, OpenNnef2Case(description));
  ASSIGN_OR_RETURN(const nnef2::Model model, LoadNnef2Case(*container, description));
  ASSIGN_OR_RETURN(const std::vector<Literal> inputs, ReadNnef2Inputs(model, description));
  const absl::StatusOr<Nnef2Results> results = ExecuteNnef2(model, inputs, run, run.variants[0]);
  if (ExpectedError(description) != nullptr) return CheckRefused(results.status(), description, result);
  RETURN_IF_ERROR(results.status());
  RETURN_IF_ERROR(CheckNnef2Results(model, description, *results));
  RETURN_IF_ERROR(CheckExactNnef2Results(model, inputs, *results, run));
  RETURN_IF_ERROR(CheckNnef2Expands(model, run));
  for (size_t i = 1; i < run.variants.size(); ++i) {
    ASSIGN_OR_RETURN(const Nnef2Results others, ExecuteNnef2(model, inputs, run, run.variants[i]));
    RETURN_IF_ERROR(CheckSameNnef2Results(
        others, *results, absl::StrCat("on ", run.variants[i].Text(), " than on ", run.variants[0].Text())));
  }
  nnef2::Model again;
  RETURN_IF_ERROR(CheckPrintedModules(*container, description, model, &again));
  ASSIGN_OR_RETURN(const Nnef2Results printed, ExecuteNnef2(again, inputs, run, run.variants[0]));
  return CheckSameNnef2Results(printed, *results, "if the modules are printed and read again");
}

absl::Status RunCompile(const Nnef2Description& description) {
  ASSIGN_OR_RETURN(const std::unique_ptr<nnef::Container> container, OpenNnef2Case(description));
  ASSIGN_OR_RETURN(const nnef2::Model model, LoadNnef2Case(*container, description));
  if (const JsonValue* const facts = description.json.Find("facts")) {
    RETURN_IF_ERROR(CheckNnef2Facts(model.graph, *facts));
  }
  nnef2::Model again;
  return CheckPrintedModules(*container, description, model, &again);
}

absl::Status RunInvalid(const Nnef2Description& description, CaseResult* result) {
  const absl::StatusOr<std::unique_ptr<nnef::Container>> container = OpenNnef2Case(description);
  const absl::Status status = container.ok() ? LoadNnef2Case(**container, description).status() : container.status();
  return CheckRefused(status, description, result);
}

absl::Status RunData(const Nnef2Description& description, CaseResult* result) {
  ASSIGN_OR_RETURN(const FileContents file, ReadFile(description.source));
  const absl::StatusOr<nnef2::StoredTensor> tensor = nnef2::ParseStoredTensor(file.data(), description.source);
  if (ExpectedError(description) != nullptr) return CheckRefused(tensor.status(), description, result);
  RETURN_IF_ERROR(tensor.status());
  const JsonValue* const facts = description.json.Find("facts");
  return facts == nullptr ? Wrong("the case has no \"facts\"") : CheckNnef2TensorFacts(*tensor, *facts);
}

absl::Status Run(const Nnef2Case& nnef2_case, const Nnef2Description& description, const Nnef2Run& run,
                 CaseResult* result) {
  switch (nnef2_case.kind) {
    case Nnef2Case::Kind::kExec:
      return RunExec(description, run, result);
    case Nnef2Case::Kind::kCompile:
      return RunCompile(description);
    case Nnef2Case::Kind::kInvalid:
      return RunInvalid(description, result);
    case Nnef2Case::Kind::kData:
      return RunData(description, result);
  }
  return absl::InternalError("no such kind of case");
}

}  // namespace

CaseResult RunNnef2Case(const Nnef2Case& nnef2_case, const Nnef2Run& run) {
  CaseResult result;
  const absl::StatusOr<Nnef2Description> description = ReadNnef2Case(nnef2_case);
  const absl::Status status = description.ok() ? Run(nnef2_case, *description, run, &result) : description.status();
  if (!status.ok()) result.message = std::string(status.message());
  if (description.ok() && description->is_ambiguous) {
    result.verdict = Verdict::kSkipped;
    result.tallies.emplace_back("ambiguous cases that agree", status.ok());
  } else if (!status.ok()) {
    result.verdict = Verdict::kFailed;
  }
  return result;
}

}  // namespace xla
