// recording_cost: what it costs to show the steps of programs to an observer, beside a plain run of the same programs.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/step_observer.h"
#include "re2/re2.h"
#include "tests/conformance/conformance_case.h"
#include "tests/conformance/isolated_jobs.h"
#include "tools/shared/command_line.h"
#include "tools/shared/flag_table.h"
#include "tools/shared/run_arguments.h"
#include "tools/testing/user_path.h"
#include "xla_core/support/files.h"
#include "xla_core/support/machine_memory.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

constexpr int kRuns = 5;
constexpr absl::Duration kLimit = absl::Minutes(5);
// What must hold, and noise of short runs that does not count.
constexpr double kMostTime = 5, kMostMemory = 2;
constexpr double kShortest = 0.001;

class Nobody : public StepObserver {
 public:
  absl::Status BeforeStep(ObservedStep&) override { return absl::OkStatus(); }
  absl::Status AfterStep(ObservedStep& step) override {
    for (const ObservedArray& result : step.results) RETURN_IF_ERROR(step.Read(result).status());
    return absl::OkStatus();
  }
};

// "SECONDS BYTES" of the fastest run, and of the process.
absl::StatusOr<std::string> Measure(const ConformanceCase& program, bool records) {
  ASSIGN_OR_RETURN(const CaseDescription description, ReadCaseDescription(program));
  ASSIGN_OR_RETURN(const FileContents text, ReadFile(program.path("module.hlo")));
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, ParseHloModule(text.data()));
  RETURN_IF_ERROR(VerifyModule(*module));
  const int64_t devices = description.replica_count * description.partition_count;
  ASSIGN_OR_RETURN(const DeviceArguments arguments,
                   ArgumentsFromSpecs(ParameterShapes(*module), devices, description.inputs, "case.json", {}));
  ClientOptions client_options;
  client_options.threads = 1;
  client_options.device_count = devices;
  ASSIGN_OR_RETURN(const std::shared_ptr<Client> client, GetClient("cpu", client_options));
  CompileOptions compile;
  compile.replica_count = description.replica_count;
  compile.partition_count = description.partition_count;
  if (records) compile.settings["observe-steps"] = "true";
  ASSIGN_OR_RETURN(const std::unique_ptr<Executable> executable, client->Compile(*module, compile));
  double seconds = 1e9;
  for (int run = 0; run < kRuns; ++run) {
    Nobody nobody;
    ExecuteOptions execute;
    if (records) execute.profile = &nobody;
    const absl::Time start = absl::Now();
    RETURN_IF_ERROR(ExecuteOnLiterals(*executable, arguments, execute).status());
    seconds = std::min(seconds, absl::ToDoubleSeconds(absl::Now() - start));
  }
  return absl::StrCat(seconds, " ", PeakResidentBytes());
}

struct Cost {
  double seconds = 0, bytes = 0;
};

absl::StatusOr<Cost> MeasureAlone(const ConformanceCase& program, bool records) {
  Cost cost;
  std::string failure;
  const auto job = [&](int) -> std::string {
    const absl::StatusOr<std::string> text = Measure(program, records);
    return text.ok() ? *text : absl::StrCat("failed ", text.status().message());
  };
  RunIsolatedJobs(1, 1, kLimit, job, [&](int, const JobResult& result) {
    const std::vector<std::string> parts = absl::StrSplit(result.output, ' ');
    const bool is_read = result.finished && parts.size() == 2 && absl::SimpleAtod(parts[0], &cost.seconds) &&
                         absl::SimpleAtod(parts[1], &cost.bytes);
    if (!is_read) failure = result.finished ? result.output : result.failure;
  });
  return failure.empty() ? absl::StatusOr<Cost>(cost) : absl::UnavailableError(failure);
}

// Whether it costs more than it may.
absl::StatusOr<bool> Compare(const ConformanceCase& program) {
  ASSIGN_OR_RETURN(const Cost plain, MeasureAlone(program, /*records=*/false));
  ASSIGN_OR_RETURN(const Cost recorded, MeasureAlone(program, /*records=*/true));
  const double time = recorded.seconds / plain.seconds, memory = recorded.bytes / plain.bytes;
  const bool is_too_much = (time > kMostTime && recorded.seconds > kShortest) || memory > kMostMemory;
  std::printf("%-36s %9.3f ms %9.3f ms %5.2fx  %7.1f MB %7.1f MB %5.2fx%s\n", program.name.c_str(), 1e3 * plain.seconds,
              1e3 * recorded.seconds, time, plain.bytes / 1e6, recorded.bytes / 1e6, memory,
              is_too_much ? "  TOO MUCH" : "");
  std::fflush(stdout);
  return is_too_much;
}

int Main(int argc, char** argv) {
  std::string corpus, filter = "model/";
  FlagTable table("recording_cost [FLAGS]",
                  "Measures time and memory of runs on cpu whose steps are recorded, beside plain ones.");
  table.Topic("all", "all flags");
  table.Text("corpus", "DIR", &corpus, "a corpus of HLO programs");
  table.Text("filter", "RE", &filter, "only cases whose name matches somewhere");
  const absl::optional<int> ended = ReadCommandLine("recording_cost", argc, argv, table);
  if (ended.has_value()) return *ended;
  const absl::StatusOr<std::vector<ConformanceCase>> cases = ListCases(UserPath(corpus));
  if (!cases.ok()) return BadUsage("recording_cost", cases.status().message());
  int too_much = 0;
  for (const ConformanceCase& program : *cases) {
    const absl::StatusOr<CaseDescription> description = ReadCaseDescription(program);
    const bool is_meant = description.ok() && !description->must_be_refused && !description->is_full_size &&
                          RE2::PartialMatch(program.title(), filter);
    if (!is_meant) continue;
    const absl::StatusOr<bool> is_too_much = Compare(program);
    if (!is_too_much.ok()) {
      std::printf("%-36s %s\n", program.name.c_str(), std::string(is_too_much.status().message()).c_str());
    } else if (*is_too_much) {
      ++too_much;
    }
  }
  std::printf("%d cost more than %.0fx the time or %.0fx the memory\n", too_much, kMostTime, kMostMemory);
  return too_much == 0 ? 0 : 1;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
