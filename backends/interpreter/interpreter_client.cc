#include "backends/interpreter/interpreter_client.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backends/host/evaluated_program.h"
#include "backends/host/host_executable.h"
#include "backends/host/program_cost.h"
#include "xla_core/support/check.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

const bool kRegistered = [] {
  CHECK(RegisterBackend("interpreter", &InterpreterClient::Create).ok());
  return true;
}();

}  // namespace

absl::StatusOr<std::shared_ptr<Client>> InterpreterClient::Create(const ClientOptions& options) {
  RETURN_IF_ERROR(CheckClientOptions("the interpreter", options));
  return std::shared_ptr<Client>(new InterpreterClient(options));
}

// Compiling for the interpreter is checking: the report lists what it cannot run, and errors come when that is
// reached.
absl::StatusOr<std::unique_ptr<Executable>> InterpreterClient::CompileWithCode(std::shared_ptr<const HloModule> module,
                                                                               const CompileOptions& options,
                                                                               absl::string_view) {
  if (!options.settings.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the interpreter has no settings for compiling, got '", options.settings.begin()->first, "'"));
  }
  CompileReport report;
  const ResourceContext resources(options.resources, "compiling the program");
  RETURN_IF_ERROR(resources.Check());
  if (options.verify) {
    const absl::Time start = absl::Now();
    VerifierOptions verifier_options;
    verifier_options.resources = &resources;
    RETURN_IF_ERROR(VerifyModule(*module, verifier_options));
    report.stages.emplace_back("verify", absl::Now() - start);
  }
  const absl::Time start = absl::Now();
  const int64_t replicas = options.replica_count > 0 ? options.replica_count : module->config().replica_count;
  const int64_t partitions = options.partition_count > 0 ? options.partition_count : module->config().num_partitions;
  ASSIGN_OR_RETURN(const DeviceList devices, AssignDevices(replicas, partitions, options));
  const OwnDevices own(replicas, partitions, options.own_devices);
  RETURN_IF_ERROR(CheckLayouts(options, *module->entry()));
  for (const auto& computation : module->computations()) {
    for (const auto& instruction : computation->instructions()) {
      RETURN_IF_ERROR(resources.Check());
      const InstructionSupport support = Supports(*instruction);
      if (support.supported) {
        ++report.native_instructions;
      } else {
        report.AddFallback(instruction->opcode_name(), support.reason, instruction->name());
      }
    }
  }
  report.stages.emplace_back("prepare", absl::Now() - start);
  ASSIGN_OR_RETURN(auto program, MakeEvaluatedProgram(*this, module, own, devices));
  HostExecutableInfo info;
  info.own = own;
  info.devices = devices;
  info.program_shape = ProgramShapeOf(*module);
  info.memory_need = EstimateMemory(*module);
  info.report = std::move(report);
  info.compiled = module;
  info.source = std::move(module);
  return std::unique_ptr<Executable>(
      std::make_unique<HostExecutable>(shared_from_this(), std::move(info), std::move(program)));
}

}  // namespace xla
