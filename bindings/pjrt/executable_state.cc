#include "bindings/pjrt/executable_state.h"

#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "bindings/pjrt/element_types.h"
#include "bindings/pjrt/messages.pb.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/support/mix_hash.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {
namespace {

// The target by which jax_plugins/halo calls functions of Python, and what those of JAX's own begin with.
constexpr absl::string_view kPythonCallback = "halo_python_callback";
constexpr absl::string_view kJaxCallback = "xla_ffi_python_";

// Operations and bytes up to which a run takes some ten microseconds, as long as another thread takes to begin one.
constexpr double kSmallFlops = 50000;
constexpr double kSmallBytes = 400000;

// The elements of the result, or the one value that is not a tuple.
absl::Span<const Shape> OutputShapes(const ProgramShape& shape) {
  return shape.result.IsTuple() ? shape.result.tuple_shapes() : absl::MakeConstSpan(&shape.result, 1);
}

bool CallsPython(const HloModule& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() != HloOpcode::kCustomCall) continue;
      const std::string& target = instruction->attributes<CustomCallAttributes>().custom_call_target;
      if (target == kPythonCallback || absl::StartsWith(target, kJaxCallback)) return true;
    }
  }
  return false;
}

// Whether a run may take its caller's thread: it neither calls back nor waits for others.
bool IsSmall(const Executable& executable, const HloModule& module) {
  if (executable.replica_count() * executable.partition_count() != 1) return false;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      switch (instruction->opcode()) {
        case HloOpcode::kCustomCall:
        case HloOpcode::kInfeed:
        case HloOpcode::kOutfeed:
        case HloOpcode::kSend:
        case HloOpcode::kRecv:
          return false;
        default:
          break;
      }
    }
  }
  const CostEstimate cost = executable.cost();
  return !cost.has_unknown_trip_counts && cost.flops <= kSmallFlops && cost.bytes_accessed <= kSmallBytes;
}

// Where the program runs: ids, and the places of those that this process has.
absl::Status PlaceDevices(ExecutableState& state) {
  const int64_t partitions = state.executable->partition_count();
  const int64_t count = state.executable->replica_count() * partitions;
  state.device_ids = state.request.device_assignment;
  for (int64_t i = 0; state.request.device_assignment.empty() && i < count; ++i) {
    state.device_ids.push_back(state.client->device_list[i]->description.id);
  }
  for (int64_t i = 0; i < static_cast<int64_t>(state.device_ids.size()); ++i) {
    PJRT_Device* const device = state.client->FindDevice(state.device_ids[i]);
    if (device == nullptr || device->local_hardware_id < 0) continue;
    state.addressable_devices.push_back(device);
    state.logical_ids.push_back({static_cast<int>(i / partitions), static_cast<int>(i % partitions)});
  }
  if (state.addressable_devices.size() == state.executable->devices().size()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the program runs on ", state.executable->devices().size(),
                                          " devices of this process, its assignment names ",
                                          state.addressable_devices.size()));
}

// Fills in what follows from client, request, options and executable.
absl::Status Complete(std::vector<ProgramValue> parameters, std::vector<ProgramValue> outputs, bool has_shardings,
                      const HloModule& module, ExecutableState* state) {
  const ProgramShape& shape = state->executable->program_shape();
  state->has_shardings = has_shardings;
  state->parameters.Fill(std::move(parameters), shape.parameters, has_shardings);
  state->outputs.Fill(std::move(outputs), OutputShapes(shape), has_shardings);
  state->fingerprint = state->executable->fingerprint();
  state->has_callbacks = CallsPython(module);
  state->is_small = IsSmall(*state->executable, module);
  return PlaceDevices(*state);
}

// JAX's users know the settings of a backend as compile options.
absl::Status NamingOption(const absl::Status& status, const BackendSettings& settings) {
  for (const auto& [name, value] : settings) {
    if (!absl::StrContains(status.message(), absl::StrCat("no setting '", name, "'"))) continue;
    return absl::Status(status.code(), absl::StrCat("No such compile option: '", name, "': ", status.message()));
  }
  return status;
}

std::string LayoutText(const std::vector<int64_t>& minor_to_major) {
  return absl::StrCat("{", absl::StrJoin(minor_to_major, ","), "}");
}

// "halo pjrt executable 1\n", 16 hexadecimal digits of a checksum, "\n", then a SerializedExecutable.
constexpr absl::string_view kMagic = "halo pjrt executable 1\n";
constexpr size_t kChecksumDigits = 16;

std::string Checksum(absl::string_view bytes) {
  uint64_t hash = bytes.size();
  for (const char c : bytes) hash = MixHash(hash, static_cast<unsigned char>(c));
  return absl::StrCat(absl::Hex(hash, absl::kZeroPad16), "\n");
}

void WriteValues(const ValueTable& table,
                 google::protobuf::RepeatedPtrField<::halo::pjrt::SerializedExecutable::Value>* out) {
  for (const ProgramValue& value : table.values) {
    auto* const message = out->Add();
    message->set_memory_kind(value.memory_kind);
    for (const int64_t dimension : value.minor_to_major) message->add_minor_to_major(dimension);
    message->set_sharding(value.sharding);
  }
}

// Values of the shapes; false if they do not fit.
bool ReadValues(const google::protobuf::RepeatedPtrField<::halo::pjrt::SerializedExecutable::Value>& messages,
                absl::Span<const Shape> shapes, std::vector<ProgramValue>* values) {
  if (messages.size() != static_cast<int>(shapes.size())) return false;
  for (int i = 0; i < messages.size(); ++i) {
    const auto& message = messages[i];
    if (message.memory_kind() < 0 || message.memory_kind() >= kMemoryKindCount) return false;
    ProgramValue value;
    value.shape = ShapeForClient(shapes[i]);
    value.memory_kind = message.memory_kind();
    value.minor_to_major.assign(message.minor_to_major().begin(), message.minor_to_major().end());
    value.sharding = message.sharding();
    std::vector<bool> seen(value.shape.rank(), false);
    if (value.minor_to_major.size() != seen.size()) return false;
    for (const int64_t dimension : value.minor_to_major) {
      if (dimension < 0 || dimension >= value.shape.rank() || seen[dimension]) return false;
      seen[dimension] = true;
    }
    values->push_back(std::move(value));
  }
  return true;
}

absl::Status Damaged(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("damaged executable: ", what, "; compile the program again"));
}

}  // namespace

Shape ShapeForClient(const Shape& shape) { return shape.IsToken() ? Shape::Array(PRED, {0}) : shape.WithoutLayout(); }

void ValueTable::Fill(std::vector<ProgramValue> of_program, absl::Span<const Shape> shapes, bool has_shardings) {
  values = std::move(of_program);
  for (size_t i = 0; i < values.size(); ++i) {
    ProgramValue& value = values[i];
    value.shape = ShapeForClient(shapes[i]);
    if (shapes[i].IsToken()) value.minor_to_major = {0};
    types.push_back(ToPjrt(value.shape.element_type()));
    dimensions.insert(dimensions.end(), value.shape.dimensions().begin(), value.shape.dimensions().end());
    ranks.push_back(value.shape.rank());
    memory_kinds.push_back(MemoryKindName(value.memory_kind));
    memory_kind_sizes.push_back(std::strlen(memory_kinds.back()));
    layouts.push_back(std::make_unique<PJRT_Layouts_MemoryLayout>());
    layouts.back()->text = LayoutText(value.minor_to_major);
    layout_list.push_back(layouts.back().get());
    if (!has_shardings) continue;
    shardings.push_back(value.sharding.data());
    sharding_sizes.push_back(value.sharding.size());
  }
}

absl::StatusOr<std::shared_ptr<ExecutableState>> CompileProgram(std::shared_ptr<ClientState> client,
                                                                absl::string_view code, absl::string_view format,
                                                                absl::string_view compile_options) {
  auto state = std::make_shared<ExecutableState>();
  ASSIGN_OR_RETURN(state->request, ReadCompileRequest(compile_options));
  ASSIGN_OR_RETURN(ReadProgram program, ReadProgramOf(code, format, state->request));
  CompileOptions options = ToCompileOptions(state->request, client->settings);
  options.spmd = program.has_shardings;
  options.verify = false;
  const std::shared_ptr<const HloModule> module = std::move(program.module);
  if (const absl::Status known = CheckTargets(*module); !known.ok()) return WithPlace(known, *module);
  auto executable = client->client->CompileShared(module, options);
  if (!executable.ok()) return WithPlace(NamingOption(executable.status(), state->request.settings), *module);
  state->client = std::move(client);
  state->compile_options = std::string(compile_options);
  state->executable = *std::move(executable);
  state->source = module;
  RETURN_IF_ERROR(
      Complete(std::move(program.parameters), std::move(program.outputs), program.has_shardings, *module, state.get()));
  return state;
}

absl::Status WithPlace(const absl::Status& status, const ExecutableState& state) {
  if (status.ok()) return status;
  const HloModule* const compiled = state.executable->module();
  absl::Status placed = compiled == nullptr ? status : WithPlace(status, *compiled);
  return placed == status && state.source != nullptr ? WithPlace(status, *state.source) : placed;
}

Event WithPlaces(const Event& event, const std::weak_ptr<ExecutableState>& origin) {
  const std::shared_ptr<ExecutableState> state = origin.lock();
  if (state == nullptr) return event;
  if (event.IsReady()) return event.status().ok() ? event : Event::Of(WithPlace(event.status(), *state));
  auto source = std::make_shared<EventSource>();
  const Event placed = source->event();
  event.OnReady([source, state](const absl::Status& status) { source->Set(WithPlace(status, *state)); });
  return placed;
}

absl::StatusOr<std::string> SerializeExecutable(const ExecutableState& state) {
  if (state.has_callbacks) {
    return absl::UnimplementedError(
        absl::StrCat(state.executable->name(), " calls functions of Python, which another process does not have"));
  }
  ::halo::pjrt::SerializedExecutable message;
  message.set_compile_options(state.compile_options);
  ASSIGN_OR_RETURN(*message.mutable_program(), state.executable->Serialize());
  WriteValues(state.parameters, message.mutable_parameters());
  WriteValues(state.outputs, message.mutable_outputs());
  message.set_has_shardings(state.has_shardings);
  const std::string bytes = message.SerializeAsString();
  return absl::StrCat(kMagic, Checksum(bytes), bytes);
}

absl::StatusOr<std::shared_ptr<ExecutableState>> DeserializeExecutable(std::shared_ptr<ClientState> client,
                                                                       absl::string_view serialized,
                                                                       absl::string_view compile_options) {
  if (!absl::ConsumePrefix(&serialized, kMagic)) {
    return absl::InvalidArgumentError(
        "not an executable of this plugin: it does not begin with \"halo pjrt executable 1\"");
  }
  const absl::string_view checksum = serialized.substr(0, kChecksumDigits + 1);
  const absl::string_view bytes = serialized.substr(checksum.size());
  ::halo::pjrt::SerializedExecutable message;
  if (checksum != Checksum(bytes)) return Damaged("its checksum is that of other bytes");
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()) ||
      !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Damaged("its contents cannot be read");
  }
  auto state = std::make_shared<ExecutableState>();
  state->compile_options = compile_options.empty() ? message.compile_options() : std::string(compile_options);
  ASSIGN_OR_RETURN(state->request, ReadCompileRequest(state->compile_options));
  ASSIGN_OR_RETURN(state->executable,
                   client->client->Deserialize(message.program(), ToCompileOptions(state->request, client->settings)));
  state->client = std::move(client);
  const ProgramShape& shape = state->executable->program_shape();
  std::vector<ProgramValue> parameters, outputs;
  if (!ReadValues(message.parameters(), shape.parameters, &parameters) ||
      !ReadValues(message.outputs(), OutputShapes(shape), &outputs)) {
    return Damaged("its parameters or results are not those of its program");
  }
  const HloModule* const module = state->executable->module();
  if (module == nullptr) return absl::UnimplementedError("the backend keeps no module of an executable");
  RETURN_IF_ERROR(Complete(std::move(parameters), std::move(outputs), message.has_shardings(), *module, state.get()));
  return state;
}

absl::StatusOr<std::shared_ptr<Executable>> ExecutableOn(ExecutableState& state, const PJRT_Device& device) {
  if (state.addressable_devices.size() == 1 && state.addressable_devices[0] == &device) return state.executable;
  if (!state.is_portable()) {
    return absl::InvalidArgumentError(absl::StrCat(state.executable->name(), " was not compiled for ",
                                                   device.description.to_string,
                                                   "; set compile_portable_executable in its options"));
  }
  std::lock_guard<std::mutex> lock(state.mutex);
  std::shared_ptr<Executable>& made = state.by_device[device.description.id];
  if (made == nullptr) {
    CompileOptions options = ToCompileOptions(state.request, state.client->settings);
    options.device_assignment = {device.description.id};
    options.verify = false;
    ASSIGN_OR_RETURN(made, state.client->client->CompileShared(state.source, options));
  }
  return made;
}

}  // namespace pjrt
}  // namespace xla
