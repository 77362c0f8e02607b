// HostExecutable: what executables of a HostClient have in common: how arguments are taken, launches happen now or
// later, and results become buffers. Running is the HostProgram's.
#ifndef BACKENDS_HOST_HOST_EXECUTABLE_H_
#define BACKENDS_HOST_HOST_EXECUTABLE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "backends/host/host_client.h"
#include "backends/launch_checks.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/evaluator/own_devices.h"

namespace xla {

using HostValues = std::vector<std::shared_ptr<HostValue>>;

// One launch, whose arguments are ready.
struct HostLaunch {
  std::vector<HostValues>& arguments;  // by device, then parameter; a program may let go of those it is given
  const Donations& donations;          // empty: nothing is donated
  const ExecuteOptions& options;
  const ResourceContext& resources;  // those of the options, timed from the launch on
  // By device: what the program's results refer to; empty, as it is given, if no device has memory of its own.
  std::vector<ValueMemories>& result_memory;
};

// What an execution in flight needs, which may outlive the executable. Thread-safe.
class HostProgram {
 public:
  virtual ~HostProgram() = default;
  // The result on each device. It must not refer to memory of borrowed arguments, nor to a device's that is not in
  // HostLaunch::result_memory.
  virtual absl::StatusOr<std::vector<Literal>> Run(const HostLaunch& launch) const = 0;
  // What Serialize adds to the module, for HostClient::CompileWithCode.
  virtual std::string SerializedCode() const { return ""; }
  // Executable::planned_steps.
  virtual std::vector<PlannedStep> PlannedSteps() const { return {}; }
};

// What a compilation knows, apart from the code. `devices` are those of `own`, by position; the pointers are the
// client's, which the executable keeps alive.
struct HostExecutableInfo {
  std::shared_ptr<const HloModule> source;    // as it was given to be compiled
  std::shared_ptr<const HloModule> compiled;  // what runs
  OwnDevices own{1, 1};
  std::vector<HostDevice*> devices;
  ProgramShape program_shape;
  MemoryNeed memory_need;
  CompileReport report;
};

ProgramShape ProgramShapeOf(const HloModule& module);

// The limits and observers of a run, for the evaluator.
EvaluatorOptions ToEvaluatorOptions(const HostLaunch& launch, int64_t max_memory_bytes);

// Checks arguments, takes donated ones, and runs the program inline or on the client's LaunchQueue. An execution in
// flight shares the program and the values of its arguments, so the executable may be destroyed while it runs.
class HostExecutable : public Executable {
 public:
  HostExecutable(std::shared_ptr<HostClient> client, HostExecutableInfo info,
                 std::shared_ptr<const HostProgram> program);
  // Adds to what report() notes; before others have the executable.
  void AddNotes(std::vector<std::string> notes);

  Client& client() const override { return *client_; }
  const std::string& name() const override { return info_.source->name(); }
  int64_t replica_count() const override { return info_.own.replica_count(); }
  int64_t partition_count() const override { return info_.own.partition_count(); }
  absl::Span<Device* const> devices() const override { return device_list_; }
  const ProgramShape& program_shape() const override { return info_.program_shape; }
  absl::Span<const int64_t> donated_parameters() const override { return donated_parameters_; }
  const HloModule* module() const override { return info_.compiled.get(); }
  std::string fingerprint() const override;
  CostEstimate cost() const override;
  MemoryNeed memory_need() const override { return info_.memory_need; }
  const CompileReport& report() const override { return info_.report; }
  std::vector<PlannedStep> planned_steps() const override { return program_->PlannedSteps(); }
  absl::StatusOr<std::string> Serialize() const override;
  absl::StatusOr<Execution> Launch(absl::Span<const absl::Span<Buffer* const>> arguments,
                                   const ExecuteOptions& options) override;

 private:
  struct InFlight;

  absl::Status CheckMeetingPlace(const ExecuteOptions& options) const;
  absl::StatusOr<std::vector<HostValues>> TakeValues(absl::Span<const absl::Span<Buffer* const>> arguments,
                                                     const Donations& donations) const;
  absl::StatusOr<Execution> RunInline(std::vector<HostValues> arguments, const Donations& donations,
                                      const ExecuteOptions& options);
  absl::StatusOr<Execution> StartAsync(absl::Span<const absl::Span<Buffer* const>> arguments,
                                       const Donations& donations, const ExecuteOptions& options);
  bool untuples(const ExecuteOptions& options) const {
    return options.untuple_result && info_.program_shape.result.IsTuple();
  }

  const std::shared_ptr<HostClient> client_;
  HostExecutableInfo info_;
  const std::shared_ptr<const HostProgram> program_;
  std::vector<Device*> device_list_;
  std::vector<int64_t> donated_parameters_;
};

}  // namespace xla

#endif  // BACKENDS_HOST_HOST_EXECUTABLE_H_
