// InterpreterExecutable: a module that the evaluator runs.
#ifndef BACKENDS_INTERPRETER_INTERPRETER_EXECUTABLE_H_
#define BACKENDS_INTERPRETER_INTERPRETER_EXECUTABLE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "backends/interpreter/interpreter_client.h"
#include "backends/launch_checks.h"
#include "xla_core/evaluator/program.h"

namespace xla {

class InterpreterExecutable : public Executable {
 public:
  // `module` has been verified; `devices` are those it runs on, by replica, then partition.
  static absl::StatusOr<std::unique_ptr<Executable>> Create(std::shared_ptr<InterpreterClient> client,
                                                            std::shared_ptr<const HloModule> module,
                                                            int64_t replica_count, int64_t partition_count,
                                                            std::vector<InterpreterDevice*> devices,
                                                            CompileReport report);

  Client& client() const override { return *client_; }
  const std::string& name() const override { return core_->module->name(); }
  int64_t replica_count() const override { return replica_count_; }
  int64_t partition_count() const override { return partition_count_; }
  absl::Span<Device* const> devices() const override { return device_list_; }
  const ProgramShape& program_shape() const override { return program_shape_; }
  absl::Span<const int64_t> donated_parameters() const override { return donated_parameters_; }
  const HloModule* module() const override { return core_->module.get(); }
  std::string fingerprint() const override;
  CostEstimate cost() const override;
  MemoryNeed memory_need() const override;
  const CompileReport& report() const override { return report_; }
  absl::StatusOr<std::string> Serialize() const override;
  absl::StatusOr<Execution> Launch(absl::Span<const absl::Span<Buffer* const>> arguments,
                                   const ExecuteOptions& options) override;

 private:
  // What an execution in flight needs, which may outlive the executable.
  struct Core {
    std::shared_ptr<const HloModule> module;
    std::unique_ptr<EvaluatorProgram> program;
    std::shared_ptr<ThreadPool> pool;
    std::shared_ptr<MemoryBudget> memory;
    std::shared_ptr<const std::atomic<bool>> client_has_ended;
    std::vector<InterpreterDevice*> devices;
  };
  using Values = std::vector<std::shared_ptr<HostValue>>;
  struct InFlight;

  InterpreterExecutable(std::shared_ptr<InterpreterClient> client, std::shared_ptr<Core> core, int64_t replica_count,
                        int64_t partition_count, CompileReport report);

  absl::StatusOr<std::vector<Values>> TakeValues(absl::Span<const absl::Span<Buffer* const>> arguments,
                                                 const Donations& donations) const;
  absl::StatusOr<Execution> RunInline(std::vector<Values> arguments, const Donations& donations,
                                      const ExecuteOptions& options);
  absl::StatusOr<Execution> StartAsync(absl::Span<const absl::Span<Buffer* const>> arguments,
                                       const Donations& donations, const ExecuteOptions& options);
  static absl::StatusOr<std::vector<Literal>> Run(const Core& core, std::vector<Values>& arguments,
                                                  const Donations& donations, const ExecuteOptions& options,
                                                  absl::Time deadline);
  bool untuples(const ExecuteOptions& options) const {
    return options.untuple_result && program_shape_.result.IsTuple();
  }

  const std::shared_ptr<InterpreterClient> client_;
  const std::shared_ptr<const Core> core_;
  const int64_t replica_count_;
  const int64_t partition_count_;
  const CompileReport report_;
  std::vector<Device*> device_list_;
  ProgramShape program_shape_;
  std::vector<int64_t> donated_parameters_;
};

}  // namespace xla

#endif  // BACKENDS_INTERPRETER_INTERPRETER_EXECUTABLE_H_
