#include "tools/run_module.h"

#include "absl/strings/str_cat.h"
#include "xla_core/support/machine_memory.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Each device is a thread.
constexpr int64_t kMaxDevices = 4096;

}  // namespace

int64_t DefaultMemoryLimit() { return MachineMemoryBytes() / 10 * 8; }

absl::Status CheckDeviceCount(int64_t replica_count, int64_t partition_count) {
  const bool fits = replica_count >= 1 && partition_count >= 1 && replica_count <= kMaxDevices &&
                    partition_count <= kMaxDevices / replica_count;
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("cannot run ", replica_count, " replicas x ", partition_count,
                                                 " partitions; at most ", kMaxDevices, " devices run together"));
}

absl::StatusOr<std::unique_ptr<RunnableModule>> RunnableModule::Create(const HloModule& module,
                                                                       const RunSettings& settings) {
  if (settings.backend != "interpreter") {
    return absl::InvalidArgumentError(absl::StrCat("unknown backend '", settings.backend, "', expected interpreter"));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Evaluator> evaluator, Evaluator::Create(module, settings));
  return std::unique_ptr<RunnableModule>(new RunnableModule(std::move(evaluator)));
}

}  // namespace xla
