#include "backends/cpu/cpu_client.h"

#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "backends/cpu/compile_settings.h"
#include "backends/cpu/cpu_program.h"
#include "backends/cpu/executable_code.h"
#include "backends/cpu/kernel_thunks.h"
#include "backends/cpu/sequence_thunks.h"
#include "backends/cpu/thunk_makers.h"
#include "backends/host/evaluated_program.h"
#include "backends/host/host_executable.h"
#include "backends/host/program_cost.h"
#include "backends/plan/compile_stages.h"
#include "backends/plan/optimize_module.h"
#include "backends/plan/verify_plan.h"
#include "passes/base/pass_context.h"
#include "xla_core/support/block_pool.h"
#include "xla_core/support/check.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// What an executable was serialised with, if it can be used; then `options` are as they were. Else the report says so.
absl::optional<ExecutableCode> ReadCode(absl::string_view code, CompileOptions* options, CompileReport* report) {
  if (code.empty()) return absl::nullopt;
  absl::StatusOr<ExecutableCode> known = DecodeExecutableCode(code);
  if (known.ok()) {
    known->options.ApplyTo(options);
    return *std::move(known);
  }
  report->notes.push_back(absl::StrCat("the code of the executable is damaged (", known.status().message(),
                                       "), the program was compiled again with the options given now"));
  return absl::nullopt;
}

// For HostProgram::SerializedCode.
std::function<std::string()> CodeOf(const KernelSet& kernels, const CodeOptions& options) {
  return [code = kernels.code(), digest = kernels.code_digest(), code_options = options] {
    return EncodeExecutableCode(code_options, digest, code == nullptr ? CompiledKernels::Image() : code->image());
  };
}

// Finds memory for what the first run returns while the program is compiled: there is less to wait for then. Results
// that may take the place of arguments need none.
void PrepareMemoryOfResults(const HloModule& module) {
  constexpr int64_t kSmallest = int64_t{1} << 20;
  constexpr int64_t kHeader = 64;  // in front of a literal's elements
  if (!kPoolsBlocks || !module.config().input_output_alias.empty()) return;
  int64_t left = int64_t{256} << 20;
  const Shape& result = module.entry()->root()->shape();
  const absl::Span<const Shape> shapes = result.IsTuple() ? result.tuple_shapes() : absl::MakeConstSpan(&result, 1);
  for (const Shape& shape : shapes) {
    const int64_t bytes = shape.IsArray() ? shape.ByteSize() : 0;
    if (bytes < kSmallest || bytes > left) continue;
    BlockPool::Global().Prepare(bytes + kHeader);
    left -= bytes;
  }
}

const bool kRegistered = [] {
  CHECK(RegisterBackend("cpu", &CpuClient::Create).ok());
  return true;
}();

}  // namespace

absl::StatusOr<std::shared_ptr<Client>> CpuClient::Create(const ClientOptions& options) {
  RETURN_IF_ERROR(CheckClientOptions("the CPU backend", options));
  return std::shared_ptr<Client>(new CpuClient(options));
}

// Compiles, with the machine code of an earlier compilation if `code` holds it and it fits. Without code, or where it
// does not fit, the program is compiled as usual and the report says why.
absl::StatusOr<std::unique_ptr<Executable>> CpuClient::CompileWithCode(std::shared_ptr<const HloModule> module,
                                                                       const CompileOptions& given_options,
                                                                       absl::string_view code) {
  CompileOptions options = given_options;
  HostExecutableInfo info;
  const absl::optional<ExecutableCode> known = ReadCode(code, &options, &info.report);
  ASSIGN_OR_RETURN(const CompileSettings settings, CompileSettings::Read(options));
  StageClock clock(&info.report);
  const ResourceContext resources(options.resources, "compiling the program");
  RETURN_IF_ERROR(resources.Check());
  RETURN_IF_ERROR(VerifyStage(*module, options, resources, &clock));
  const int64_t replicas = options.replica_count > 0 ? options.replica_count : module->config().replica_count;
  const int64_t partitions = options.partition_count > 0 ? options.partition_count : module->config().num_partitions;
  ASSIGN_OR_RETURN(info.devices, AssignDevices(replicas, partitions, options));
  info.own = OwnDevices(replicas, partitions, options.own_devices);
  RETURN_IF_ERROR(CheckLayouts(options, *module->entry()));
  info.program_shape = ProgramShapeOf(*module);
  info.source = module;
  PrepareMemoryOfResults(*module);
  ASSIGN_OR_RETURN(info.compiled, OptimizeModule(*module, "cpu", replicas, partitions, settings.fast_math, resources));
  clock.EndStage("passes");
  if (!settings.dump_folder.empty()) RETURN_IF_ERROR(DumpModule(*info.compiled, settings.dump_folder));
  const ObjectCache cache(settings.cache_folder);
  KernelSetOptions kernel_options;
  kernel_options.target = HostTarget();
  if (settings.tile_cost > 0) {
    kernel_options.lowering.tile_cost = settings.tile_cost;
    kernel_options.order.part_work = settings.tile_cost;
  }
  kernel_options.optimization_level = options.optimization_level;
  kernel_options.verifies_kernels = settings.verify_plan;
  if (!settings.cache_folder.empty()) kernel_options.cache = &cache;
  kernel_options.dump_folder = settings.dump_folder;
  kernel_options.resources = &resources;
  if (known.has_value() && !known->code.digest.empty()) kernel_options.known_code = &known->code;
  std::shared_ptr<const HostProgram> program;
  CompileReport plan_report;
  KernelSet kernels(kernel_options, pool().get());
  const std::vector<ThunkMaker> makers = CpuThunkMakers(kernels);
  const bool contract_recurrences = (settings.fast_math & kContract) != 0 && kernel_options.target.has_multiply_add;
  PlanOptions plan_options;
  plan_options.weights = options.weights;
  plan_options.device_counts = {replicas, partitions};
  plan_options.keeps_trace = settings.verify_plan || settings.observe_steps;
  plan_options.poisons_memory = settings.poison_memory;
  plan_options.resources = &resources;
  absl::StatusOr<ProgramPlan> plan =
      PlanProgram(info.compiled, makers, MakeSequenceMaker(kernels, contract_recurrences), plan_options, &plan_report);
  if (plan.ok()) {
    if (settings.verify_plan) RETURN_IF_ERROR(VerifyPlan(*plan));
    if (!settings.observe_steps) plan->trace.reset();
    plan->SetResultShape(info.program_shape.result);
    plan->flushes_denormals = settings.flush_denormals;
    const CodeOptions code_options = {options.optimization_level, settings.fast_math, settings.flush_denormals,
                                      options.weights};
    auto cpu_program = std::make_shared<const CpuProgram>(*this, *std::move(plan), info.devices, info.own,
                                                          CodeOf(kernels, code_options));
    info.memory_need = cpu_program->memory_need();
    info.report.native_instructions = plan_report.native_instructions;
    info.report.fallbacks = std::move(plan_report.fallbacks);
    program = std::move(cpu_program);
  } else if (absl::IsUnimplemented(plan.status())) {
    info.report.AddFallback("program", plan.status().message(), module->entry()->root()->name());
    info.compiled = module;
    info.memory_need = EstimateMemory(*module);
    ASSIGN_OR_RETURN(program, MakeEvaluatedProgram(*this, module, info.own, info.devices));
  } else {
    return plan.status();
  }
  clock.EndStage("plan");
  info.report.stages.emplace_back(kernels.was_loaded() ? "of which loading kernels" : "of which kernels",
                                  kernels.compile_time());
  info.report.notes.insert(info.report.notes.end(), kernels.notes().begin(), kernels.notes().end());
  return std::unique_ptr<Executable>(
      std::make_unique<HostExecutable>(shared_from_this(), std::move(info), std::move(program)));
}

}  // namespace xla
