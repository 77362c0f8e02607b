// One run of hlo-run, from its flags to its exit code.
#ifndef TOOLS_HLO_RUN_H_
#define TOOLS_HLO_RUN_H_

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "backends/autopsy/autopsy.h"
#include "backends/replicated/replicated_client.h"
#include "passes/partitioning/entry_shards.h"
#include "passes/partitioning/partition_report.h"
#include "tools/frontends/frontend_set.h"
#include "tools/hlo_run_flags.h"
#include "tools/processes/first_says.h"
#include "tools/processes/launch_processes.h"
#include "tools/processes/process_outcome.h"
#include "tools/processes/process_place.h"
#include "tools/shared/check_results.h"
#include "tools/shared/measure_runs.h"
#include "tools/shared/process_limits.h"
#include "tools/shared/run_arguments.h"
#include "tools/shared/run_module.h"
#include "tools/shared/run_report.h"
#include "tools/trace_writer.h"
#include "xla_core/literal_io/input_spec.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/program_file/program_file.h"
#include "xla_core/support/progress.h"
#include "xla_core/support/thread_pool.h"

namespace xla {

class HloRun {
 public:
  // `frontends` have the flags of the command line too.
  HloRun(HloRunFlags flags, const FrontendSet& frontends, ProcessPlace place, const FailureReport& failures)
      : flags_(std::move(flags)),
        frontends_(frontends),
        place_(std::move(place)),
        failures_(failures),
        limits_("hlo-run", flags_.timeout, flags_.max_memory) {}

  // Does one stage of the work after the other and returns the exit code.
  int Run();

 private:
  absl::Status LoadProgram();
  absl::Status CheckUsage();
  absl::Status CheckUsageOfFrontend() const;
  absl::Status CheckCompilerFlags() const;
  absl::Status LoadBackend();
  absl::Status Verify();
  absl::Status LoadInputsJson();
  absl::Status FindWeights();
  absl::Status Settle();
  absl::Status CheckSpmd() const;
  absl::Status Partition();
  absl::Status MakeArgumentsOfDevices();
  absl::Status CutArguments();
  absl::Status OpenClient();
  absl::Status MakeArguments();
  absl::Status RunAutopsyStage();
  absl::Status PrepareToRun();
  absl::Status RunProgram();
  absl::Status Observe();
  absl::Status GatherFromAll();
  absl::Status JoinShards();
  absl::Status CompareResults();
  absl::Status WriteOutputs();

  absl::Status CheckAutopsyFlags() const;
  absl::StatusOr<AutopsyResult> AutopsyOf(const std::vector<std::vector<Literal>>& arguments);
  absl::StatusOr<std::string> DifferenceOf(const std::vector<Literal>& got, const std::vector<Literal>& want);
  std::string FlagsOfBackend() const;
  absl::Status OpenBackend();
  absl::Status OpenSeveralDevices();
  absl::Status CheckSettings();
  bool IsWrongSetting(const absl::Status& status) const;
  absl::Status CheckSnapshotArguments(const std::vector<Shape>& parameters) const;
  absl::StatusOr<std::vector<NamedArray>> ExpectedResults(std::vector<NamedArray>& got);
  absl::StatusOr<std::vector<Literal>> RunOn(RunnableModule& runnable, FeedQueues* queues);
  absl::Status RunOnce();
  absl::Status OpenTrace();
  absl::Status CommitTrace();
  AgreeOn AgreeOnFirst();
  ProcessOutcome OutcomeHere();
  void Add(ProcessOutcome outcome);
  RunSettings Settings();
  ResultTolerance ToleranceOfResults() const;
  std::vector<NamedArray> Named(absl::Span<const Literal> results) const {
    return NameResults(results, program().output_names);
  }
  std::vector<NamedArray> NamedOutfeed() const;
  void PrintJson() const;
  void PrintResults() const;

  const ProgramFile& program() const { return loaded_.file; }
  // nullptr: the program is one launch of its module, on all devices.
  ProgramRunner* runner() const { return loaded_.runner.get(); }
  int64_t device_count() const { return replica_count_ * partition_count_; }
  // Those that inputs are for: a program on whole arrays is given them once.
  int64_t input_device_count() const { return flags_.spmd ? 1 : device_count(); }
  // What each device runs.
  const HloModule& program_of_devices() const { return partitioned_ != nullptr ? *partitioned_ : *module_; }
  bool has_others() const { return place_.count > 1; }
  // Devices of each process; this one's are those from first_device() on.
  int64_t devices_per_process() const { return device_count() / place_.count; }
  int64_t first_device() const { return place_.index * devices_per_process(); }
  DeviceArguments OwnPart(const DeviceArguments& of_all) const;
  bool compares() const {
    return !flags_.compare_with.empty() || (program().result.has_value() && uses_snapshot_arguments());
  }
  bool compares_with_interpreter() const { return flags_.compare_with == "interpreter"; }
  bool uses_snapshot_arguments() const {
    return !program().arguments.empty() && flags_.inputs.empty() && flags_.inputs_json.empty();
  }
  // Where text for people goes: standard output, unless something for programs goes there.
  FILE* human_output() const {
    const bool is_taken = flags_.json || flags_.output == "-" || flags_.outfeed == "-" || runner_reports_to_output();
    return is_taken ? stderr : stdout;
  }
  bool runner_reports_to_output() const { return runner() != nullptr && runner()->reports_to_standard_output(); }
  void SayIfVerbose(absl::string_view text) const {
    if (flags_.verbose && place_.is_first()) std::fprintf(stderr, "%s\n", std::string(text).c_str());
  }
  // What all processes would say alike, the first one says.
  void Warn(const std::string& text) const {
    if (place_.is_first()) std::fprintf(stderr, "%s\n", text.c_str());
  }

  const HloRunFlags flags_;
  const FrontendSet& frontends_;
  const ProcessPlace place_;
  const FailureReport failures_;
  ProcessLimits limits_;
  // In the order in which they are made: what rests on another comes after it.
  BackendSettings backend_settings_;
  BackendSettings client_settings_;
  std::shared_ptr<ThreadPool> pool_;
  const Frontend* frontend_ = nullptr;  // that reads the program
  LoadedProgram loaded_;
  HloModule* module_ = nullptr;
  absl::optional<InputSpecs> specs_;
  absl::optional<ResultTolerance> case_tolerance_;
  int64_t replica_count_ = 1;
  int64_t partition_count_ = 1;
  std::vector<int64_t> weights_;
  // Of the backend, or, for several devices, of `replicated`.
  std::shared_ptr<Client> client_;
  ProcessGroup* group_ = nullptr;  // the client's; nullptr: there are no other processes
  std::unique_ptr<FirstSays> first_says_;
  // Of a program on whole arrays, with --spmd: what each device runs, and what that has to do with whole arrays.
  std::unique_ptr<HloModule> partitioned_;
  absl::optional<EntryShards> shards_;
  std::vector<Literal> whole_arguments_;
  // By device of all processes; shards are those of this process's devices only.
  DeviceArguments arguments_;
  DeviceArguments infeed_;
  std::unique_ptr<TraceWriter> trace_;
  std::unique_ptr<ProgressLine> progress_;
  std::unique_ptr<RunnableModule> runnable_;
  // By device of this process, and after GatherFromAll of all; after JoinShards the one result of whole arrays.
  std::vector<Literal> results_;
  DeviceArguments outfeed_;
  CollectiveTotals collectives_;
  Measurements measurements_;
  absl::optional<RunReport> report_;
  absl::optional<PartitionReport> partition_report_;
  bool is_measuring_ = false;
  bool is_done_ = false;            // the stages that follow have nothing to do
  std::vector<bool> exact_arrays_;  // of the results that the interpreter expects
  bool results_match_ = true;
};

}  // namespace xla

#endif  // TOOLS_HLO_RUN_H_
