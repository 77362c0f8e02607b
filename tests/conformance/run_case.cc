#include "tests/conformance/run_case.h"

#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/replicated/replicated_client.h"
#include "builders/stablehlo/parse_stablehlo.h"
#include "builders/stablehlo/writing/from_hlo.h"
#include "tests/conformance/autopsy_of_failure.h"
#include "tests/conformance/exact_results.h"
#include "tests/conformance/process_runs.h"
#include "tools/shared/check_results.h"
#include "tools/shared/run_arguments.h"
#include "tools/shared/run_module.h"
#include "tools/shared/write_results.h"
#include "xla_core/proto/hlo_proto.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/testing/printed_form.h"
#include "xla_core/text/parser.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

using ModulePtr = std::unique_ptr<HloModule>;

constexpr char kText[] = "module.hlo";
constexpr char kProto[] = "module.hlo.pb";
constexpr char kStableHlo[] = "module.mlir";
constexpr char kArtifact[] = "module.mlirbc";
constexpr char kOptimized[] = "optimized.hlo";
constexpr char kExpected[] = "expected.npz";

bool Exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

// Which of its files a case failed with, and at what.
absl::Status At(absl::string_view file, absl::string_view stage, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(file, ": ", stage, ": ", status.message()));
}

absl::StatusOr<ModulePtr> ReadText(const std::string& path) {
  ASSIGN_OR_RETURN(const FileContents file, ReadFile(path));
  ParseOptions options;
  options.file_name = path;
  return ParseHloModule(file.data(), options);
}

absl::StatusOr<ModulePtr> ReadProto(const std::string& path) {
  ASSIGN_OR_RETURN(const FileContents file, ReadFile(path));
  ASSIGN_OR_RETURN(HloProtoContents contents, ReadHloProto(file.data()));
  return std::move(contents.module);
}

absl::StatusOr<ModulePtr> OneStableHloProgram(absl::string_view contents, const std::string& file_name) {
  StableHloOptions options;
  options.file_name = file_name;
  ASSIGN_OR_RETURN(std::vector<ModulePtr> modules, ParseStableHlo(contents, options));
  if (modules.size() == 1) return std::move(modules[0]);
  return absl::InvalidArgumentError(absl::StrCat("expected one program, got ", modules.size()));
}

absl::StatusOr<ModulePtr> ReadStableHlo(const std::string& path) {
  ASSIGN_OR_RETURN(const FileContents file, ReadFile(path));
  return OneStableHloProgram(file.data(), path);
}

absl::StatusOr<ModulePtr> Read(const ConformanceCase& conformance_case, const char* file) {
  const std::string path = conformance_case.path(file);
  if (file == kStableHlo || file == kArtifact) return ReadStableHlo(path);
  return file == kProto ? ReadProto(path) : ReadText(path);
}

// "line 7: got '...', expected '...'": the first line in which two texts differ.
std::string FirstDifference(absl::string_view got, absl::string_view want) {
  const size_t same =
      std::mismatch(got.begin(), got.begin() + std::min(got.size(), want.size()), want.begin()).first - got.begin();
  const size_t before = got.substr(0, same).rfind('\n');
  const size_t start = before == absl::string_view::npos ? 0 : before + 1;
  const auto line = [start](absl::string_view text) { return text.substr(start, text.find('\n', start) - start); };
  return absl::StrCat("line ", std::count(got.begin(), got.begin() + same, '\n') + 1, ": got '",
                      line(got).substr(0, 400), "', expected '", line(want).substr(0, 400), "'");
}

absl::Status ExpectSameText(const std::string& got, const std::string& want) {
  return got == want ? absl::OkStatus() : absl::InternalError(FirstDifference(got, want));
}

// What is printed must read back as what is printed the same.
absl::Status CheckTextRoundTrip(const HloModule& module) {
  const std::string text = ModuleToString(module);
  ASSIGN_OR_RETURN(const ModulePtr again, ParseHloModule(text));
  return ExpectSameText(ModuleToString(*again), text);
}

// The shorter forms are the same program, too.
absl::Status CheckOtherForms(const HloModule& module) {
  RETURN_IF_ERROR(CheckPrintedForm(module, PrintOptions::Short()));
  return CheckPrintedForm(module, PrintOptions::Canonical());
}

absl::Status CheckProtoRoundTrip(const HloModule& module) {
  ASSIGN_OR_RETURN(const std::string bytes, WriteHloProto(module, ProtoEncoding::kBinary));
  ASSIGN_OR_RETURN(const HloProtoContents contents, ReadHloProto(bytes));
  return ExpectSameText(ModuleToString(*contents.module), ModuleToString(module));
}

RunSettings SettingsFor(const CaseDescription& description, const CaseLimits& limits, const BackendVariant& variant) {
  RunSettings settings;
  settings.backend = limits.backend;
  settings.threads = variant.threads;
  settings.optimization_level = variant.optimization_level;
  settings.compile_settings = variant.settings;
  settings.client_settings = variant.client_settings;
  settings.replica_count = description.replica_count;
  settings.partition_count = description.partition_count;
  settings.options.max_memory_bytes = limits.max_memory_bytes;
  settings.options.timeout = limits.timeout;
  return settings;
}

// The client of the devices that process `place` has.
absl::StatusOr<std::shared_ptr<Client>> MakeClient(const CaseDescription& description, const CaseLimits& limits,
                                                   const BackendVariant& variant, const ProcessPlace& place) {
  ClientOptions options;
  options.device_count = description.replica_count * description.partition_count;
  options.threads = variant.threads;
  options.process_index = place.index;
  options.process_count = place.count;
  options.settings["backend"] = limits.backend;
  for (const auto& [name, value] : variant.client_settings) options.settings[absl::StrCat("backend.", name)] = value;
  if (place.count > 1) {
    options.settings["rendezvous"] = place.rendezvous;
    options.settings["launch_token"] = place.launch_token;
  }
  return GetClient("replicated", options);
}

absl::StatusOr<DeviceArguments> ArgumentsFor(const HloModule& module, const CaseDescription& description,
                                             MemoryBudget& budget) {
  const std::vector<Shape> parameters = ParameterShapes(module);
  const int64_t devices = description.replica_count * description.partition_count;
  const InputResources resources = {nullptr, &budget};
  if (!description.has_inputs) return RandomArguments(parameters, devices, /*seed=*/0, resources);
  return ArgumentsFromSpecs(parameters, devices, description.inputs, "case.json", resources);
}

// The devices of one process; of the only one, if `place` is nullptr.
absl::StatusOr<std::vector<Literal>> RunHere(const HloModule& module, const CaseDescription& description,
                                             const CaseLimits& limits, const BackendVariant& variant,
                                             const ProcessPlace* place, MemoryBudget& inputs_budget,
                                             CompileReport* report) {
  ASSIGN_OR_RETURN(DeviceArguments arguments, ArgumentsFor(module, description, inputs_budget));
  const auto devices = static_cast<int64_t>(arguments.size());
  RunSettings settings = SettingsFor(description, limits, variant);
  if (place != nullptr) {
    ASSIGN_OR_RETURN(settings.client, MakeClient(description, limits, variant, *place));
    const auto first = arguments.begin() + place->index * devices / place->count;
    arguments = DeviceArguments(first, first + devices / place->count);
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<RunnableModule> runnable, RunnableModule::Create(module, settings));
  if (report != nullptr) *report = runnable->compile_report();
  ASSIGN_OR_RETURN(std::vector<Literal> results, runnable->Run(arguments, /*queues=*/nullptr));
  // As hlo-run does at its end, where the first process gathers what the others have: so none leaves while another one
  // still connects to it.
  ProcessGroup* const group = place != nullptr ? static_cast<ReplicatedClient&>(*settings.client).group() : nullptr;
  if (group != nullptr) RETURN_IF_ERROR(group->GatherToFirst("", [] { return absl::OkStatus(); }).status());
  return results;
}

absl::StatusOr<std::vector<Literal>> Run(const HloModule& module, const CaseDescription& description,
                                         const CaseLimits& limits, const BackendVariant& variant,
                                         MemoryBudget& inputs_budget, CompileReport* report) {
  if (limits.processes.empty()) {
    return RunHere(module, description, limits, variant, /*place=*/nullptr, inputs_budget, report);
  }
  ASSIGN_OR_RETURN(ProcessPart whole,
                   RunInProcesses(variant.processes, [&](const ProcessPlace& place) -> absl::StatusOr<ProcessPart> {
                     ProcessPart part;
                     ASSIGN_OR_RETURN(part.results, RunHere(module, description, limits, variant, &place, inputs_budget,
                                                            &part.compile_report));
                     return part;
                   }));
  if (report != nullptr) *report = std::move(whole.compile_report);
  return std::move(whole.results);
}

absl::Status CheckSameBits(const std::vector<Literal>& got, const std::vector<Literal>& want,
                           const BackendVariant& variant, const BackendVariant& first) {
  for (size_t d = 0; d < want.size(); ++d) {
    if (got[d].BitwiseEquals(want[d])) continue;
    return absl::DataLossError(
        absl::StrCat("on ", variant.Text(), " the result has other bits than on ", first.Text()));
  }
  return absl::OkStatus();
}

// A case of full size would take the interpreter too long.
absl::Status CheckExactArrays(const CaseDescription& description, const CaseLimits& limits, const HloModule& module,
                              const std::vector<Literal>& results, MemoryBudget& inputs_budget) {
  if (limits.backend == "interpreter" || !limits.variants[0].settings.empty() || description.is_full_size) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<bool> exact, ExactArrays(module, /*resources=*/nullptr));
  if (!AnyIsExact(exact)) return absl::OkStatus();
  CaseLimits of_interpreter = limits;
  of_interpreter.backend = "interpreter";
  ASSIGN_OR_RETURN(const std::vector<Literal> wanted,
                   Run(module, description, of_interpreter, BackendVariant(), inputs_budget, nullptr));
  return CheckExactResults(exact, NameResults(results), NameResults(wanted));
}

absl::Status CheckRun(const ConformanceCase& conformance_case, const CaseDescription& description,
                      const CaseLimits& limits, const HloModule& module, CompileReport* report) {
  MemoryBudget inputs_budget(limits.max_memory_bytes);
  ASSIGN_OR_RETURN(const std::vector<Literal> results,
                   Run(module, description, limits, limits.variants[0], inputs_budget, report));
  for (size_t i = 1; i < limits.variants.size(); ++i) {
    const BackendVariant& variant = limits.variants[i];
    ASSIGN_OR_RETURN(const std::vector<Literal> again,
                     Run(module, description, limits, variant, inputs_budget, nullptr));
    RETURN_IF_ERROR(CheckSameBits(again, results, variant, limits.variants[0]));
  }
  RETURN_IF_ERROR(CheckExactArrays(description, limits, module, results, inputs_budget));
  const std::vector<NamedArray> got = NameResults(results);
  ASSIGN_OR_RETURN(const std::vector<NamedArray> want, ReadExpectedResults(got, conformance_case.path(kExpected)));
  const CheckedResults checked = CheckResults(got, want, description.tolerance);
  return checked.match ? absl::OkStatus() : absl::DataLossError(checked.report);
}

// `status`, and of wrong results of a backend what an autopsy says.
absl::Status WithAutopsy(const absl::Status& status, const ConformanceCase& conformance_case,
                         const CaseDescription& description, const CaseLimits& limits, const HloModule& module) {
  const bool has_autopsy = absl::IsDataLoss(status) && !limits.autopsy.empty() && limits.backend != "interpreter";
  if (!has_autopsy) return status;
  MemoryBudget inputs_budget(limits.max_memory_bytes);
  FailedRun run;
  run.backend = limits.backend;
  run.variant = limits.variants[0];
  run.replica_count = description.replica_count;
  run.partition_count = description.partition_count;
  ASSIGN_OR_RETURN(run.arguments, ArgumentsFor(module, description, inputs_budget));
  const std::string folder = absl::StrCat(limits.autopsy, "/", conformance_case.title());
  return absl::DataLossError(absl::StrCat(status.message(), "\n", AutopsyOfFailure(module, run, folder)));
}

absl::Status CheckProgram(const ConformanceCase& conformance_case, const CaseDescription& description,
                          const CaseLimits& limits, const char* file, CompileReport* report) {
  const absl::StatusOr<ModulePtr> module = Read(conformance_case, file);
  RETURN_IF_ERROR(At(file, "reading", module.status()));
  RETURN_IF_ERROR(At(file, "verifying", VerifyModule(**module)));
  RETURN_IF_ERROR(At(file, "text round trip", CheckTextRoundTrip(**module)));
  RETURN_IF_ERROR(At(file, "short or canonical text", CheckOtherForms(**module)));
  RETURN_IF_ERROR(At(file, "protobuf round trip", CheckProtoRoundTrip(**module)));
  const absl::Status status = CheckRun(conformance_case, description, limits, **module, report);
  return At(file, "running", WithAutopsy(status, conformance_case, description, limits, **module));
}

absl::Status CheckOptimized(const ConformanceCase& conformance_case) {
  const absl::StatusOr<ModulePtr> module = Read(conformance_case, kOptimized);
  RETURN_IF_ERROR(At(kOptimized, "reading", module.status()));
  RETURN_IF_ERROR(At(kOptimized, "verifying", VerifyModule(**module)));
  RETURN_IF_ERROR(At(kOptimized, "text round trip", CheckTextRoundTrip(**module)));
  return At(kOptimized, "short or canonical text", CheckOtherForms(**module));
}

// The error that `file` is refused with; OK if it is not.
absl::Status Refusal(const ConformanceCase& conformance_case, const CaseDescription& description,
                     const CaseLimits& limits, const char* file) {
  const absl::StatusOr<ModulePtr> module = Read(conformance_case, file);
  RETURN_IF_ERROR(module.status());
  RETURN_IF_ERROR(VerifyModule(**module));
  MemoryBudget inputs_budget(limits.max_memory_bytes);
  return Run(**module, description, limits, limits.variants[0], inputs_budget, nullptr).status();
}

absl::Status CheckRefusal(const ConformanceCase& conformance_case, const CaseDescription& description,
                          const CaseLimits& limits, const char* file) {
  const absl::Status refusal = Refusal(conformance_case, description, limits, file);
  if (refusal.ok()) return absl::DataLossError(absl::StrCat(file, ": accepted, but it must be refused"));
  const bool is_clean = refusal.code() != absl::StatusCode::kInternal && refusal.code() != absl::StatusCode::kUnknown &&
                        refusal.code() != absl::StatusCode::kDeadlineExceeded && !refusal.message().empty();
  if (is_clean) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(file, ": not refused cleanly: ", refusal.ToString()));
}

CaseResult Verdicts(const std::vector<absl::Status>& checks) {
  CaseResult result;
  for (const absl::Status& status : checks) {
    if (status.ok()) continue;
    result.verdict = Verdict::kFailed;
    absl::StrAppend(&result.message, result.message.empty() ? "" : "\n", status.message());
  }
  return result;
}

CaseResult Skipped(std::string why) { return {Verdict::kSkipped, std::move(why), {}}; }

// The program of `file` as StableHLO and back gives the expected results.
CaseResult CheckThroughStableHlo(const ConformanceCase& conformance_case, const CaseDescription& description,
                                 const CaseLimits& limits, const char* file) {
  if (description.must_be_refused) return Skipped("there is no program to write");
  const absl::StatusOr<ModulePtr> module = Read(conformance_case, file);
  if (!module.ok()) return Verdicts({At(file, "reading", module.status())});
  const absl::StatusOr<std::string> written = stablehlo::StableHloText(**module);
  if (written.status().code() == absl::StatusCode::kUnimplemented)
    return Skipped(std::string(written.status().message()));
  if (!written.ok()) return Verdicts({At(file, "writing StableHLO", written.status())});
  const absl::StatusOr<ModulePtr> again = OneStableHloProgram(*written, "written.mlir");
  if (!again.ok()) return Verdicts({At(file, "reading StableHLO", again.status())});
  CompileReport report;
  CaseResult result = Verdicts(
      {At(file, "running what StableHLO says", CheckRun(conformance_case, description, limits, **again, &report))});
  result.compile_report = std::move(report);
  return result;
}

}  // namespace

CaseResult RunCase(const ConformanceCase& conformance_case, const CaseLimits& given_limits) {
  const absl::StatusOr<CaseDescription> description = ReadCaseDescription(conformance_case);
  if (!description.ok()) return Verdicts({description.status()});
  CaseLimits limits = given_limits;
  const int64_t devices = description->replica_count * description->partition_count;
  if (!limits.processes.empty()) limits.variants = WithProcesses(limits.variants, limits.processes, devices);
  if (description->is_full_size && !limits.run_full_size) return Skipped("full size: runs with --full");

  std::vector<const char*> files;
  for (const char* file : {kText, kProto, kStableHlo, kArtifact}) {
    if (Exists(conformance_case.path(file))) files.push_back(file);
  }
  if (files.empty()) return Skipped("has no program");
  if (limits.through_stablehlo) return CheckThroughStableHlo(conformance_case, *description, limits, files.front());

  std::vector<absl::Status> checks;
  CompileReport compile_report;
  for (const char* file : files) {
    CompileReport* const report = file == files.front() ? &compile_report : nullptr;
    checks.push_back(description->must_be_refused ? CheckRefusal(conformance_case, *description, limits, file)
                                                  : CheckProgram(conformance_case, *description, limits, file, report));
  }
  if (Exists(conformance_case.path(kOptimized))) checks.push_back(CheckOptimized(conformance_case));
  CaseResult result = Verdicts(checks);
  result.compile_report = std::move(compile_report);
  return result;
}

}  // namespace xla
