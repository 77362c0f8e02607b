// ScriptedClient: a client for tests whose programs are functions of the test.
#ifndef BACKENDS_HOST_SCRIPTED_CLIENT_H_
#define BACKENDS_HOST_SCRIPTED_CLIENT_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/host/host_client.h"
#include "backends/host/host_executable.h"
#include "xla_core/support/check.h"
#include "xla_core/text/parser.h"

namespace xla {

// Counts who asks for it on the host.
class CountedMemory : public ValueMemory {
 public:
  absl::Status BringToHost() override {
    ++calls;
    return status;
  }

  absl::StatusOr<ExportedMemory> Export() const override {
    ExportedMemory memory;
    memory.bytes = 24;
    return memory;
  }

  int calls = 0;
  absl::Status status;
};

// It compiles whatever module comes, and runs the function instead.
class ScriptedClient : public HostClient {
 public:
  using Function = std::function<absl::StatusOr<std::vector<Literal>>(const HostLaunch& launch)>;

  explicit ScriptedClient(Function function, const ClientOptions& options = {}, std::string version = "scripted 1")
      : HostClient("scripted", std::move(version), options), function_(std::move(function)) {}

  // A client of `device_count` devices.
  static std::shared_ptr<ScriptedClient> Make(Function function, int64_t device_count = 1) {
    ClientOptions options;
    options.device_count = device_count;
    return std::make_shared<ScriptedClient>(std::move(function), options);
  }
  // Ends the process if the text is not a module.
  std::unique_ptr<Executable> CompileText(absl::string_view text) {
    auto module = ParseHloModule(text);
    CHECK(module.ok());
    auto executable = CompileShared(*std::move(module), CompileOptions());
    CHECK(executable.ok());
    return *std::move(executable);
  }

  // What the last compilation was given.
  CompileOptions compile_options;
  std::string code;

 protected:
  absl::StatusOr<std::unique_ptr<Executable>> CompileWithCode(std::shared_ptr<const HloModule> module,
                                                              const CompileOptions& options,
                                                              absl::string_view serialized_code) override {
    compile_options = options;
    code = std::string(serialized_code);
    HostExecutableInfo info;
    const int64_t replicas = options.replica_count > 0 ? options.replica_count : module->config().replica_count;
    const int64_t partitions = options.partition_count > 0 ? options.partition_count : module->config().num_partitions;
    auto devices = AssignDevices(replicas, partitions, options);
    if (!devices.ok()) return devices.status();
    info.own = OwnDevices(replicas, partitions, options.own_devices);
    info.devices = *devices;
    info.program_shape = ProgramShapeOf(*module);
    info.compiled = info.source = std::move(module);
    return std::make_unique<HostExecutable>(shared_from_this(), std::move(info), std::make_shared<Program>(function_));
  }

 private:
  struct Program : HostProgram {
    explicit Program(Function f) : function(std::move(f)) {}
    absl::StatusOr<std::vector<Literal>> Run(const HostLaunch& launch) const override { return function(launch); }
    std::string SerializedCode() const override { return std::string("code\0 of the script", 19); }

    const Function function;
  };

  const Function function_;
};

}  // namespace xla

#endif  // BACKENDS_HOST_SCRIPTED_CLIENT_H_
