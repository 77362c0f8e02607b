// A module ready to run on a backend chosen by name.
#ifndef TOOLS_SHARED_RUN_MODULE_H_
#define TOOLS_SHARED_RUN_MODULE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

struct RunSettings {
  std::string backend = "interpreter";
  // To run on; nullptr: a new one of `backend`, with `threads` or `thread_pool`.
  std::shared_ptr<Client> client;
  int threads = 1;
  // ClientOptions::thread_pool: if there is one, `threads` is not read.
  std::shared_ptr<ThreadPool> thread_pool;
  int64_t replica_count = 1;
  int64_t partition_count = 1;
  // ClientOptions::settings of a new client.
  BackendSettings client_settings;
  // CompileOptions::optimization_level.
  int optimization_level = 1;
  // CompileOptions::settings.
  BackendSettings compile_settings;
  // CompileOptions::weights.
  std::vector<int64_t> weights;
  // Run what the client loads from the serialized executable.
  bool reload = false;
  // For each run; `feeds` and `report` are set by Run. Its resources limit compiling, too.
  ExecuteOptions options;
};

// InvalidArgument for numbers of devices that no machine has.
absl::Status CheckDeviceCount(int64_t replica_count, int64_t partition_count);

// Adds what "NAME=VALUE" says. InvalidArgument, which names the flag: one of them is something else.
absl::Status ReadBackendSettings(const std::vector<std::string>& texts, absl::string_view flag,
                                 BackendSettings* settings);

class RunnableModule {
 public:
  // `module` must have passed VerifyModule and outlive the object. NotFound for an unknown backend.
  static absl::StatusOr<std::unique_ptr<RunnableModule>> Create(const HloModule& module, const RunSettings& settings);

  // arguments[d] are those of device d of the executable (all of the program's, as replica * partition_count +
  // partition, unless the client has several processes), a literal for each parameter; the result has a literal for
  // each device. Errors: those of Executable::Launch and of the run.
  absl::StatusOr<std::vector<Literal>> Run(const std::vector<std::vector<Literal>>& arguments, FeedQueues* queues);

  // Told of what the runs do from now on; nullptr: none.
  void set_profile(ProfileSink* profile) { options_.profile = profile; }

  // Of the last run.
  int64_t peak_memory_bytes() const { return report_.peak_memory_bytes; }
  int64_t steps() const { return report_.steps; }
  const std::vector<CollectiveCost>& collectives() const { return report_.collectives; }
  const CompileReport& compile_report() const { return executable_->report(); }
  const Executable& executable() const { return *executable_; }

 private:
  RunnableModule(std::unique_ptr<Executable> executable, const RunSettings& settings)
      : executable_(std::move(executable)), options_(settings.options), kept_(settings.weights) {}

  const std::unique_ptr<Executable> executable_;
  ExecuteOptions options_;
  KeptArguments kept_;
  ExecutionReport report_;
};

}  // namespace xla

#endif  // TOOLS_SHARED_RUN_MODULE_H_
