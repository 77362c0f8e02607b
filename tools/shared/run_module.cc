#include "tools/shared/run_module.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Each device is a thread.
constexpr int64_t kMaxDevices = 4096;

}  // namespace

absl::Status CheckDeviceCount(int64_t replica_count, int64_t partition_count) {
  const bool fits = replica_count >= 1 && partition_count >= 1 && replica_count <= kMaxDevices &&
                    partition_count <= kMaxDevices / replica_count;
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("cannot run ", replica_count, " replicas x ", partition_count,
                                                 " partitions; at most ", kMaxDevices, " devices run together"));
}

absl::Status ReadBackendSettings(const std::vector<std::string>& texts, absl::string_view flag,
                                 BackendSettings* settings) {
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return absl::InvalidArgumentError(absl::StrCat(flag, ": expected NAME=VALUE, got '", text, "'"));
    }
    (*settings)[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<RunnableModule>> RunnableModule::Create(const HloModule& module,
                                                                       const RunSettings& settings) {
  std::shared_ptr<Client> client = settings.client;
  if (client == nullptr) {
    ClientOptions client_options;
    client_options.device_count = settings.replica_count * settings.partition_count;
    client_options.threads = settings.threads;
    client_options.thread_pool = settings.thread_pool;
    client_options.settings = settings.client_settings;
    ASSIGN_OR_RETURN(client, GetClient(settings.backend, client_options));
  }
  CompileOptions compile_options;
  compile_options.replica_count = settings.replica_count;
  compile_options.partition_count = settings.partition_count;
  compile_options.verify = false;
  compile_options.optimization_level = settings.optimization_level;
  compile_options.settings = settings.compile_settings;
  compile_options.weights = settings.weights;
  compile_options.resources = settings.options.resources;
  // The caller keeps the module.
  const std::shared_ptr<const HloModule> shared(&module, [](const HloModule*) {});
  ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable, client->CompileShared(shared, compile_options));
  if (settings.reload) {
    ASSIGN_OR_RETURN(const std::string serialized, executable->Serialize());
    ASSIGN_OR_RETURN(executable, client->Deserialize(serialized, compile_options));
  }
  return std::unique_ptr<RunnableModule>(new RunnableModule(std::move(executable), settings));
}

absl::StatusOr<std::vector<Literal>> RunnableModule::Run(const std::vector<std::vector<Literal>>& arguments,
                                                         FeedQueues* queues) {
  FeedQueues none;
  ExecuteOptions options = options_;
  options.feeds = queues == nullptr ? &none : queues;
  options.report = &report_;
  return ExecuteOnLiterals(*executable_, arguments, options, &kept_);
}

}  // namespace xla
