// ReplicatedExecutable: this process's part of a program, as the client below has compiled it.
#ifndef BACKENDS_REPLICATED_REPLICATED_EXECUTABLE_H_
#define BACKENDS_REPLICATED_REPLICATED_EXECUTABLE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "backends/launch_checks.h"
#include "backends/replicated/client_over_backend.h"

namespace xla {

class ReplicatedExecutable : public Executable {
 public:
  // `placement` is only read where there are other processes.
  ReplicatedExecutable(std::shared_ptr<ClientOverBackend> client, ProgramPlacement placement,
                       const CompileOptions& options, std::unique_ptr<Executable> below);

  // What Serialize begins with. The numbers of replicas and partitions follow in the same line, because each process
  // must know which devices are its own before it reads the rest, which is the executable below.
  static constexpr char kSerialized[] = "halo replicated 1 ";

  Client& client() const override { return *client_; }
  const std::string& name() const override { return below_->name(); }
  int64_t replica_count() const override { return below_->replica_count(); }
  int64_t partition_count() const override { return below_->partition_count(); }
  absl::Span<Device* const> devices() const override { return devices_; }
  const ProgramShape& program_shape() const override { return below_->program_shape(); }
  absl::Span<const int64_t> donated_parameters() const override { return below_->donated_parameters(); }
  const HloModule* module() const override { return below_->module(); }
  std::string fingerprint() const override;
  CostEstimate cost() const override { return below_->cost(); }
  MemoryNeed memory_need() const override { return below_->memory_need(); }
  const CompileReport& report() const override { return below_->report(); }
  std::vector<PlannedStep> planned_steps() const override { return below_->planned_steps(); }
  absl::StatusOr<std::string> Serialize() const override;
  absl::StatusOr<Execution> Launch(absl::Span<const absl::Span<Buffer* const>> arguments,
                                   const ExecuteOptions& options) override;

 private:
  struct Here;
  struct WithOthers;
  struct Later;
  // Buffers below, by device.
  using BuffersBelow = std::vector<std::vector<std::shared_ptr<Buffer>>>;

  // In one process.
  absl::StatusOr<Execution> LaunchHere(absl::Span<const absl::Span<Buffer* const>> arguments,
                                       const ExecuteOptions& options);
  absl::StatusOr<Execution> LaunchWatched(absl::Span<const absl::Span<Buffer* const>> arguments,
                                          const ExecuteOptions& options);
  // With other processes.
  absl::StatusOr<Execution> LaunchWithOthers(absl::Span<const absl::Span<Buffer* const>> arguments,
                                             const ExecuteOptions& options);
  absl::StatusOr<Execution> LaunchLater(absl::Span<const absl::Span<Buffer* const>> arguments,
                                        const Donations& donations, WithOthers launch, const ExecuteOptions& options);
  absl::StatusOr<BuffersBelow> TakeArguments(absl::Span<const absl::Span<Buffer* const>> arguments,
                                             const Donations& donations) const;
  std::vector<BufferList> Wrap(std::vector<BufferList> below) const;
  bool has_several_devices() const { return replica_count() * partition_count() > 1; }

  const std::shared_ptr<ClientOverBackend> client_;
  const std::shared_ptr<const ProgramPlacement> placement_;
  const std::string options_text_;  // what of CompileOptions may change results
  const std::shared_ptr<Executable> below_;
  std::vector<Device*> devices_;
};

}  // namespace xla

#endif  // BACKENDS_REPLICATED_REPLICATED_EXECUTABLE_H_
