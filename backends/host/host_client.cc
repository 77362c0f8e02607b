#include "backends/host/host_client.h"

#include <algorithm>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/host/host_array.h"
#include "backends/host/host_executable.h"
#include "backends/host/literal_buffer.h"
#include "backends/host/serialized_program.h"
#include "passes/partitioning/annotated_shardings.h"
#include "passes/partitioning/partition_module.h"
#include "xla_core/ops/custom_call_registry.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/machine_memory.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// As many as the evaluator runs together: each is a thread then.
constexpr int64_t kMaxDevices = 4096;

int64_t DefaultMemoryLimit() { return MachineMemoryBytes() / 10 * 8; }

absl::Status FillWithArrived(absl::StatusOr<Literal> literal, const ValuePlacer* placer, int64_t device,
                             HostValue& value) {
  RETURN_IF_ERROR(literal.status());
  literal->LeaveBudget();
  ValueMemories leaves;
  if (placer != nullptr) {
    ASSIGN_OR_RETURN(leaves, placer->Place(device, &*literal));
  }
  value.Fill(*std::move(literal), std::move(leaves));
  return absl::OkStatus();
}

// What came, once it has.
absl::StatusOr<Literal> ArrivedLiteral(const Future<Literal>& future, const Shape& shape) {
  ASSIGN_OR_RETURN(Literal literal, future.Await());
  if (literal.shape().Compatible(shape)) return literal;
  return absl::InvalidArgumentError(
      absl::StrCat("a value of shape ", literal.shape().ToString(), " came for a buffer of shape ", shape.ToString()));
}

}  // namespace

// A thread pool may be shared between clients; a client without one makes its own. Without a limit, memory is limited
// to what the machine, or its container, has.
HostClient::HostClient(std::string name, std::string version, const ClientOptions& options,
                       std::shared_ptr<const ValuePlacer> placer)
    : name_(std::move(name)),
      version_(std::move(version)),
      placer_(std::move(placer)),
      memory_(std::make_shared<MemoryBudget>(options.max_memory_bytes > 0 ? options.max_memory_bytes
                                                                          : DefaultMemoryLimit())),
      pool_(options.thread_pool != nullptr
                ? options.thread_pool
                : std::make_shared<ThreadPool>(options.threads > 0 ? options.threads : UsableCpuCount())) {
  const int64_t count = std::max<int64_t>(1, options.device_count);
  for (int64_t i = 0; i < count; ++i) {
    devices_.push_back(std::make_unique<HostDevice>(*this, name_, options.first_device_id + i, memory_));
    device_list_.push_back(devices_.back().get());
  }
}

// Errors name the option and what was asked for. Host clients run in one process and take no settings.
absl::Status HostClient::CheckClientOptions(const std::string& who, const ClientOptions& options) {
  if (options.device_count < 0 || options.device_count > kMaxDevices) {
    return absl::InvalidArgumentError(
        absl::StrCat(who, " can have 1 to ", kMaxDevices, " devices, asked for ", options.device_count));
  }
  if (options.first_device_id < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("ids of devices must not be negative, got ", options.first_device_id, " for the first one"));
  }
  if (options.threads < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("the number of threads must not be negative, got ", options.threads));
  }
  if (options.max_memory_bytes < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("the memory limit must not be negative, got ", options.max_memory_bytes, " bytes"));
  }
  if (options.process_index != 0 || options.process_count != 1) {
    return absl::InvalidArgumentError(absl::StrCat(who, " runs in one process, asked to be process ",
                                                   options.process_index, " of ", options.process_count));
  }
  if (options.settings.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(who, " has no settings, got '", options.settings.begin()->first, "'"));
}

// Checks options by themselves; layouts and devices are checked when the module is known to fit.
absl::Status HostClient::CheckCompileOptions(const CompileOptions& options, const HloModule& module) {
  if (options.replica_count < 0 || options.partition_count < 0) {
    return absl::InvalidArgumentError(absl::StrCat("numbers of replicas and partitions must not be negative, got ",
                                                   options.replica_count, " and ", options.partition_count));
  }
  if (options.optimization_level < 0 || options.optimization_level > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("the optimization level is 0, 1 or 2, got ", options.optimization_level));
  }
  if (module.entry() == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(module.name(), ": the module has no entry computation"));
  }
  const int64_t parameter_count = module.entry()->parameter_count();
  for (const int64_t number : options.weights) {
    if (number >= 0 && number < parameter_count) continue;
    return absl::InvalidArgumentError(absl::StrCat(module.name(), ": CompileOptions::weights names parameter ", number,
                                                   ", the program has ", parameter_count, " parameters"));
  }
  return absl::OkStatus();
}

// Layouts may differ, shapes may not.
absl::Status HostClient::CheckLayouts(const CompileOptions& options, const HloComputation& entry) {
  if (!options.layouts.has_value()) return absl::OkStatus();
  const auto mismatch = [](const std::string& what, const Shape& asked, const Shape& wanted) {
    return absl::InvalidArgumentError(absl::StrCat("CompileOptions::layouts gives ", what, " the shape ",
                                                   asked.ToString(), ", the program has ", wanted.ToString()));
  };
  const std::vector<HloInstruction*> parameters = entry.parameters();
  if (options.layouts->parameters.size() != parameters.size()) {
    return absl::InvalidArgumentError(absl::StrCat("CompileOptions::layouts has ", options.layouts->parameters.size(),
                                                   " parameters, the program ", parameters.size()));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Shape& asked = options.layouts->parameters[i];
    if (!asked.Compatible(parameters[i]->shape())) {
      return mismatch(absl::StrCat("parameter ", i), asked, parameters[i]->shape());
    }
  }
  const Shape& result = entry.root()->shape();
  return options.layouts->result.Compatible(result) ? absl::OkStatus()
                                                    : mismatch("the result", options.layouts->result, result);
}

InstructionSupport HostClient::Supports(const HloInstruction& instruction) const {
  if (GetOp(instruction.opcode()).evaluate == nullptr) {
    return {false, absl::StrCat(instruction.opcode_name(), " cannot be evaluated")};
  }
  if (instruction.opcode() != HloOpcode::kCustomCall) return {};
  const auto target =
      CustomCallRegistry::Global().Find(instruction.attributes<CustomCallAttributes>().custom_call_target);
  return target.ok() ? InstructionSupport() : InstructionSupport{false, std::string(target.status().message())};
}

absl::StatusOr<std::unique_ptr<Executable>> HostClient::CompileShared(std::shared_ptr<const HloModule> module,
                                                                      const CompileOptions& options) {
  if (module == nullptr) return absl::InvalidArgumentError("there is no module to compile (nullptr)");
  RETURN_IF_ERROR(CheckCompileOptions(options, *module));
  if (options.spmd) return CompilePartitioned(*module, options);
  return CompileWithCode(std::move(module), options, "");
}

absl::StatusOr<std::unique_ptr<Executable>> HostClient::CompilePartitioned(const HloModule& whole,
                                                                           const CompileOptions& options) {
  const ResourceContext resources(options.resources, "partitioning the program");
  if (options.verify) {
    VerifierOptions verifier_options;
    verifier_options.resources = &resources;
    RETURN_IF_ERROR(VerifyModule(whole, verifier_options));
  }
  if (options.replica_count > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(whole.name(), ": CompileOptions::spmd is for one replica, asked for ", options.replica_count,
                     "; replicas of a partitioned program are another axis of its mesh"));
  }
  int64_t devices = options.partition_count;
  if (devices == 0) {
    ASSIGN_OR_RETURN(devices, DevicesOfProgram(whole));
  }
  ASSIGN_OR_RETURN(PartitionedModule partitioned, PartitionModule(whole, devices, &resources));
  CompileOptions of_shards = options;
  of_shards.verify = false;
  ASSIGN_OR_RETURN(std::unique_ptr<Executable> executable,
                   CompileWithCode(std::move(partitioned.module), of_shards, ""));
  static_cast<HostExecutable&>(*executable).AddNotes(std::move(partitioned.warnings));
  return executable;
}

absl::StatusOr<std::unique_ptr<Executable>> HostClient::Deserialize(absl::string_view serialized,
                                                                    const CompileOptions& options) {
  ASSIGN_OR_RETURN(SerializedProgram program, ParseSerializedProgram(platform_version(), serialized));
  RETURN_IF_ERROR(CheckCompileOptions(options, *program.module));
  CompileOptions with_counts = options;
  if (options.replica_count == 0) with_counts.replica_count = program.replica_count;
  if (options.partition_count == 0) with_counts.partition_count = program.partition_count;
  // Bytes from outside are never trusted to hold a correct module.
  with_counts.verify = true;
  return CompileWithCode(std::move(program.module), with_counts, program.code);
}

// Which of `program_count` devices this client has must be said in order, so that each is said once.
absl::Status HostClient::CheckOwnDevices(const std::vector<int64_t>& own, int64_t program_count) {
  for (size_t i = 0; i < own.size(); ++i) {
    if (own[i] >= 0 && own[i] < program_count && (i == 0 || own[i - 1] < own[i])) continue;
    return absl::InvalidArgumentError(absl::StrCat("CompileOptions::own_devices are numbers from 0 to ",
                                                   program_count - 1, " in ascending order, got ",
                                                   absl::StrJoin(own, ",")));
  }
  return absl::OkStatus();
}

// Devices for the replicas and partitions that this client has, in the order of the assignment or of the client's
// list. Each device can be used once.
absl::StatusOr<HostClient::DeviceList> HostClient::AssignDevices(int64_t replicas, int64_t partitions,
                                                                 const CompileOptions& options) const {
  int64_t count;
  if (replicas < 1 || partitions < 1 || !CheckedMul(replicas, partitions, &count)) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot run ", replicas, " replicas x ", partitions, " partitions; both must be at least 1"));
  }
  RETURN_IF_ERROR(CheckOwnDevices(options.own_devices, count));
  if (!options.own_devices.empty()) count = static_cast<int64_t>(options.own_devices.size());
  const int64_t available = static_cast<int64_t>(devices_.size());
  const std::vector<int64_t>& assignment = options.device_assignment;
  if (assignment.empty()) {
    if (count > available) {
      return absl::InvalidArgumentError(absl::StrCat("the program runs on ", count, " devices (", replicas,
                                                     " replicas x ", partitions, " partitions), the client has ",
                                                     available, "; set ClientOptions::device_count"));
    }
    DeviceList devices;
    for (int64_t i = 0; i < count; ++i) devices.push_back(devices_[i].get());
    return devices;
  }
  if (static_cast<int64_t>(assignment.size()) != count) {
    return absl::InvalidArgumentError(absl::StrCat("the device assignment has ", assignment.size(),
                                                   " devices, the program runs on ", count, " (", replicas,
                                                   " replicas x ", partitions, " partitions)"));
  }
  DeviceList devices;
  for (int64_t id : assignment) {
    ASSIGN_OR_RETURN(Device * device, FindDevice(id));
    auto* const own = static_cast<HostDevice*>(device);
    if (std::find(devices.begin(), devices.end(), own) != devices.end()) {
      return absl::InvalidArgumentError(absl::StrCat("the device assignment names device ", id, " twice"));
    }
    devices.push_back(own);
  }
  return devices;
}

absl::Status HostClient::CheckPlace(const Device& device, const Shape& shape) const {
  if (&device.client() != this) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot make a buffer on ", device.description(), ", which belongs to another client"));
  }
  RETURN_IF_ERROR(ValidateShape(shape));
  if (!shape.IsUnboundedDynamic()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("cannot make a buffer of shape ", shape.ToString(), ": every dimension needs a bound"));
}

std::unique_ptr<Buffer> HostClient::MakeBuffer(Device& device, Shape shape, std::shared_ptr<HostValue> value) {
  return std::make_unique<LiteralBuffer>(shared_from_this(), device, std::move(shape), std::move(value));
}

absl::StatusOr<std::unique_ptr<Buffer>> HostClient::BufferFromLiteral(Literal literal, Device& device) {
  RETURN_IF_ERROR(CheckPlace(device, literal.shape()));
  literal.LeaveBudget();
  Shape shape = literal.shape();
  ValueMemories leaves;
  if (placer_ != nullptr) {
    ASSIGN_OR_RETURN(leaves, placer_->Place(PositionOf(device), &literal));
  }
  ASSIGN_OR_RETURN(auto value, HostValue::Make(memory_, std::move(literal), std::move(leaves)));
  return MakeBuffer(device, std::move(shape), std::move(value));
}

// Borrows memory that is dense, aligned and of a type without unused bits, if the caller allows it; copies at once
// otherwise. `release` runs in any case: after an error or a copy before this function returns, else when the value
// ends.
absl::StatusOr<std::unique_ptr<Buffer>> HostClient::BufferFromHost(const void* data, const Shape& shape,
                                                                   absl::Span<const int64_t> byte_strides,
                                                                   HostMemoryUse use, std::function<void()> release,
                                                                   Device& device) {
  auto give_back = absl::MakeCleanup([&release] {
    if (release != nullptr) release();
  });
  RETURN_IF_ERROR(CheckPlace(device, shape));
  const HostArray array = {data, shape, byte_strides};
  RETURN_IF_ERROR(CheckHostArray(array));
  const bool borrows = use == HostMemoryUse::kBorrow || use == HostMemoryUse::kBorrowMutable;
  if (placer_ != nullptr && CanBorrow(array)) {
    Literal literal = Literal::Borrow(shape, data);
    const auto memory = borrows ? placer_->Borrow(PositionOf(device), literal) : nullptr;
    // What the device copies to its own memory, during the call, is not copied before.
    if (memory == nullptr) return BufferFromLiteral(std::move(literal), device);
    memory->SetBorrowed(std::move(release));
    std::move(give_back).Cancel();
    ASSIGN_OR_RETURN(auto value, HostValue::Make(memory_, std::move(literal), {memory}));
    return MakeBuffer(device, shape, std::move(value));
  }
  if (!borrows || !CanBorrow(array)) {
    // Nothing is gained by copying later: the copy is one from host memory to host memory.
    ASSIGN_OR_RETURN(Literal literal, CopyHostArray(array));
    return BufferFromLiteral(std::move(literal), device);
  }
  ASSIGN_OR_RETURN(auto value, HostValue::Make(memory_, Literal::Borrow(shape, data)));
  value->SetBorrowed(std::move(release));
  std::move(give_back).Cancel();
  return MakeBuffer(device, shape, std::move(value));
}

// A buffer that is filled when the future is ready. Its memory does not count towards any run.
absl::StatusOr<std::unique_ptr<Buffer>> HostClient::BufferFromFuture(Future<Literal> future, const Shape& shape,
                                                                     Device& device) {
  RETURN_IF_ERROR(CheckPlace(device, shape));
  // A value that is there takes no callback, which would have to wait for the end of one that runs now.
  if (future.IsReady()) {
    const absl::StatusOr<Literal> literal = ArrivedLiteral(future, shape);
    if (literal.ok()) return BufferFromLiteral(*literal, device);
    ASSIGN_OR_RETURN(auto failed, HostValue::MakePending(memory_, shape, Event::Of(literal.status())));
    return MakeBuffer(device, shape, std::move(failed));
  }
  auto source = std::make_shared<EventSource>();
  ASSIGN_OR_RETURN(auto value, HostValue::MakePending(memory_, shape, source->event()));
  future.event().OnReady(
      [future, shape, source, value, placer = placer_, position = PositionOf(device)](const absl::Status&) {
        source->Set(FillWithArrived(ArrivedLiteral(future, shape), placer.get(), position, *value));
      });
  return MakeBuffer(device, shape, std::move(value));
}

absl::StatusOr<std::unique_ptr<Buffer>> HostClient::UninitializedBuffer(const Shape& shape, Device& device) {
  RETURN_IF_ERROR(CheckPlace(device, shape));
  // Zeros, which the system gives for free: what was in the memory before does not matter.
  ASSIGN_OR_RETURN(Literal literal, Literal::Zeros(shape));
  return BufferFromLiteral(std::move(literal), device);
}

}  // namespace xla
