#include "backends/vulkan/vulkan_client.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/host/evaluated_program.h"
#include "backends/host/host_executable.h"
#include "backends/host/program_cost.h"
#include "backends/plan/compile_stages.h"
#include "backends/plan/optimize_module.h"
#include "backends/plan/program_plan.h"
#include "backends/plan/verify_plan.h"
#include "backends/vulkan/compiled_pipelines.h"
#include "backends/vulkan/device_value.h"
#include "backends/vulkan/vulkan_kernels.h"
#include "backends/vulkan/vulkan_program.h"
#include "backends/vulkan/vulkan_thunk_makers.h"
#include "passes/base/pass_context.h"
#include "xla_core/support/check.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

constexpr char kWho[] = "the Vulkan backend";

// At most `count`; 0: all.
absl::StatusOr<std::vector<std::shared_ptr<VulkanPlace>>> OpenPlaces(const VulkanClientSettings& settings,
                                                                     size_t count) {
  ASSIGN_OR_RETURN(const std::shared_ptr<VulkanInstance> instance, VulkanInstance::Create(settings.instance));
  size_t begin = 0;
  size_t end = instance->devices().size();
  if (!settings.device.empty()) {
    ASSIGN_OR_RETURN(begin, FindVulkanDevice(*instance, settings.device));
    end = begin + 1;
  }
  if (count > 0) end = std::min(end, begin + count);
  std::vector<std::shared_ptr<VulkanPlace>> places;
  for (size_t i = begin; i < end; ++i) {
    ASSIGN_OR_RETURN(std::shared_ptr<VulkanPlace> place,
                     OpenPlace(instance, i, settings.always_staged, settings.exports_memory));
    places.push_back(std::move(place));
  }
  return places;
}

// Those of serialised executables come from outside.
absl::Status CheckWeights(const std::vector<int64_t>& weights, const HloModule& module) {
  for (const int64_t number : weights) {
    if (number >= 0 && number < static_cast<int64_t>(module.entry()->parameter_count())) continue;
    return absl::InvalidArgumentError(absl::StrCat("damaged executable: parameter ", number,
                                                   " is called a weight, but the program has ",
                                                   module.entry()->parameter_count(), " parameters"));
  }
  return absl::OkStatus();
}

// Whether code for one runs on the other.
bool AreAlike(const DeviceFacts& a, const DeviceFacts& b) {
  return a.vendor_id == b.vendor_id && a.device_id == b.device_id && a.pipeline_cache_uuid == b.pipeline_cache_uuid;
}

const bool kIsRegistered = [] {
  CHECK(RegisterBackend("vulkan", &VulkanClient::Create).ok());
  return true;
}();

}  // namespace

VulkanClient::VulkanClient(const ClientOptions& options, std::vector<std::shared_ptr<VulkanPlace>> places)
    : HostClient("vulkan", "vulkan 1", options, std::make_shared<DeviceValuePlacer>(places)),
      places_(std::move(places)) {}

absl::StatusOr<std::shared_ptr<Client>> VulkanClient::Create(const ClientOptions& options) {
  ASSIGN_OR_RETURN(const VulkanClientSettings settings, VulkanClientSettings::Read(options.settings));
  ClientOptions host_options = options;
  host_options.settings.clear();
  RETURN_IF_ERROR(CheckClientOptions(kWho, host_options));
  ASSIGN_OR_RETURN(std::vector<std::shared_ptr<VulkanPlace>> places,
                   OpenPlaces(settings, static_cast<size_t>(host_options.device_count)));
  if (host_options.device_count == 0) host_options.device_count = static_cast<int64_t>(places.size());
  return std::shared_ptr<Client>(new VulkanClient(host_options, std::move(places)));
}

absl::StatusOr<std::vector<std::shared_ptr<VulkanPlace>>> VulkanClient::PlacesOf(const DeviceList& devices) const {
  std::vector<std::shared_ptr<VulkanPlace>> places;
  for (const HostDevice* device : devices) {
    const auto number = static_cast<size_t>(device->id() - this->devices()[0]->id());
    places.push_back(places_[number % places_.size()]);
    const DeviceFacts& first = places[0]->device->facts();
    const DeviceFacts& other = places.back()->device->facts();
    if (AreAlike(first, other)) continue;
    return absl::UnimplementedError(
        absl::StrCat("a program runs on devices of one kind, asked for ", first.name, " and ", other.name,
                     "; choose one with the client's setting 'device', or with a device assignment"));
  }
  return places;
}

absl::StatusOr<std::unique_ptr<Executable>> VulkanClient::CompileWithCode(std::shared_ptr<const HloModule> module,
                                                                          const CompileOptions& asked,
                                                                          absl::string_view code) {
  HostExecutableInfo info;
  CompileOptions options = asked;
  CompiledPipelines pipelines;
  if (!code.empty()) {
    absl::StatusOr<CompiledPipelines> decoded = DecodePipelines(code);
    if (decoded.ok()) {
      RETURN_IF_ERROR(CheckWeights(decoded->weights, *module));
      pipelines = *std::move(decoded);
      pipelines.ApplyTo(&options);
    } else {
      info.report.notes.push_back(
          absl::StrCat("the compiled kernels of the executable are ignored: ", decoded.status().message()));
    }
  }
  ASSIGN_OR_RETURN(const VulkanCompileSettings settings, VulkanCompileSettings::Read(options));
  StageClock clock(&info.report);
  const ResourceContext resources(options.resources, "compiling the program");
  RETURN_IF_ERROR(resources.Check());
  RETURN_IF_ERROR(VerifyStage(*module, options, resources, &clock));
  const int64_t replicas = options.replica_count > 0 ? options.replica_count : module->config().replica_count;
  const int64_t partitions = options.partition_count > 0 ? options.partition_count : module->config().num_partitions;
  ASSIGN_OR_RETURN(info.devices, AssignDevices(replicas, partitions, options));
  ASSIGN_OR_RETURN(const std::vector<std::shared_ptr<VulkanPlace>> places, PlacesOf(info.devices));
  info.own = OwnDevices(replicas, partitions, options.own_devices);
  RETURN_IF_ERROR(CheckLayouts(options, *module->entry()));
  info.program_shape = ProgramShapeOf(*module);
  info.source = module;
  const unsigned fast_math = options.fast_math ? kAllFastMath : 0;
  const char* const pipeline = places[0]->target.has_f64 ? "vulkan" : "vulkan-without-f64";
  ASSIGN_OR_RETURN(info.compiled, OptimizeModule(*module, pipeline, replicas, partitions, fast_math, resources));
  clock.EndStage("passes");
  if (!settings.dump_folder.empty()) RETURN_IF_ERROR(DumpModule(*info.compiled, settings.dump_folder));

  VulkanKernelOptions kernel_options;
  kernel_options.verifies_kernels = settings.verify_plan;
  kernel_options.dump_folder = settings.dump_folder;
  kernel_options.cache_folder = settings.cache_folder;
  kernel_options.cached = std::move(pipelines.data);
  kernel_options.resources = &resources;
  std::vector<std::shared_ptr<VulkanPlace>> distinct = places;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  VulkanKernels kernels(std::move(distinct), pool().get(), kernel_options);
  PlanOptions plan_options;
  plan_options.weights = options.weights;
  plan_options.device_counts = {replicas, partitions};
  plan_options.keeps_trace = settings.verify_plan;
  plan_options.counts_loops = true;
  plan_options.resources = &resources;
  CompileReport plan_report;
  absl::StatusOr<ProgramPlan> plan =
      PlanProgram(info.compiled, VulkanThunkMakers(kernels), /*make_sequence=*/nullptr, plan_options, &plan_report);
  std::shared_ptr<const HostProgram> program;
  if (plan.ok()) {
    if (settings.verify_plan) RETURN_IF_ERROR(VerifyPlan(*plan));
    plan->trace.reset();
    plan->SetResultShape(info.program_shape.result);
    ASSIGN_OR_RETURN(
        std::shared_ptr<const VulkanProgram> vulkan_program,
        VulkanProgram::Create(*this, *std::move(plan), info.devices, info.own, places,
                              EncodePipelines({options.fast_math, options.weights, kernels.PipelineData()})));
    for (const std::string& note : kernels.notes()) info.report.notes.push_back(note);
    info.memory_need = vulkan_program->memory_need();
    info.report.native_instructions = plan_report.native_instructions;
    info.report.fallbacks = std::move(plan_report.fallbacks);
    program = std::move(vulkan_program);
  } else if (absl::IsUnimplemented(plan.status())) {
    info.report.AddFallback("program", plan.status().message(), module->entry()->root()->name());
    info.compiled = module;
    info.memory_need = EstimateMemory(*module);
    ASSIGN_OR_RETURN(program, MakeEvaluatedProgram(*this, module, info.own, info.devices));
  } else {
    return plan.status();
  }
  clock.EndStage("plan");
  info.report.stages.emplace_back("of which pipelines", kernels.compile_time());
  return std::unique_ptr<Executable>(
      std::make_unique<HostExecutable>(shared_from_this(), std::move(info), std::move(program)));
}

}  // namespace vulkan
}  // namespace xla
