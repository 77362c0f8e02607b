#include "bindings/pjrt/test_client.h"

#include <cstdio>
#include <cstdlib>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "bindings/pjrt/core_entry.h"
#include "bindings/pjrt/element_types.h"
#include "xla_core/proto/hlo_proto.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace pjrt {

const PJRT_Api& TestedApi() {
  static const PJRT_Api& api = *halo_core_pjrt_api(halo_version());
  return api;
}

// Code, text and payloads first, as jaxlib asks for them.
absl::Status StatusOfAnswer(PJRT_Error* error) {
  if (error == nullptr) return absl::OkStatus();
  const PJRT_Api& api = TestedApi();
  PJRT_Error_GetCode_Args code = {sizeof(code), nullptr, error, PJRT_Error_Code_OK};
  if (api.PJRT_Error_GetCode(&code) != nullptr) std::abort();
  PJRT_Error_Message_Args message = {sizeof(message), nullptr, error, nullptr, 0};
  api.PJRT_Error_Message(&message);
  absl::Status status(static_cast<absl::StatusCode>(code.code), std::string(message.message, message.message_size));
  PJRT_Error_ForEachPayload_Args payloads = {};
  payloads.struct_size = sizeof(payloads);
  payloads.error = error;
  payloads.visitor = [](const char*, size_t, const char*, size_t, void*) {};
  if (api.PJRT_Error_ForEachPayload(&payloads) != nullptr) std::abort();
  PJRT_Error_Destroy_Args destroy = {sizeof(destroy), nullptr, error};
  api.PJRT_Error_Destroy(&destroy);
  return status;
}

namespace {

void MustBeOk(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::abort();
}

}  // namespace

PJRT_NamedValue TextOption(absl::string_view name, absl::string_view value) {
  PJRT_NamedValue option = {};
  option.struct_size = 56;
  option.name = name.data();
  option.name_size = name.size();
  option.type = PJRT_NamedValue_kString;
  option.string_value = value.data();
  option.value_size = value.size();
  return option;
}

TestClient::TestClient(int minor, std::map<std::string, std::string> options) : minor_(minor) {
  auto initialize = Make<PJRT_Plugin_Initialize_Args>();
  MustBeOk(Call(api().PJRT_Plugin_Initialize, initialize));
  std::vector<PJRT_NamedValue> values;
  for (const auto& [name, value] : options) values.push_back(TextOption(name, value));
  auto create = Make<PJRT_Client_Create_Args>();
  create->create_options = values.data();
  create->num_options = values.size();
  MustBeOk(Call(api().PJRT_Client_Create, create));
  client_ = create->client;
  auto devices = Make<PJRT_Client_AddressableDevices_Args>();
  devices->client = client_;
  MustBeOk(Call(api().PJRT_Client_AddressableDevices, devices));
  devices_.assign(devices->addressable_devices, devices->addressable_devices + devices->num_addressable_devices);
  for (PJRT_Device* const device : devices_) {
    auto memories = Make<PJRT_Device_AddressableMemories_Args>();
    memories->device = device;
    MustBeOk(Call(api().PJRT_Device_AddressableMemories, memories));
    memories_.emplace_back(memories->memories, memories->memories + memories->num_memories);
  }
}

TestClient::~TestClient() {
  auto destroy = Make<PJRT_Client_Destroy_Args>();
  destroy->client = client_;
  MustBeOk(Call(api().PJRT_Client_Destroy, destroy));
}

absl::Status TestClient::Compile(absl::string_view code, absl::string_view format, absl::string_view options,
                                 TestProgram* program) {
  PJRT_Program source = {};
  source.struct_size = 48;
  source.code = const_cast<char*>(code.data());
  source.code_size = code.size();
  source.format = format.data();
  source.format_size = format.size();
  auto compile = Make<PJRT_Client_Compile_Args>();
  compile->client = client_;
  compile->program = &source;
  compile->compile_options = options.data();
  compile->compile_options_size = options.size();
  RETURN_IF_ERROR(Call(api().PJRT_Client_Compile, compile));
  program->loaded = compile->executable;
  auto get = Make<PJRT_LoadedExecutable_GetExecutable_Args>();
  get->loaded_executable = program->loaded;
  RETURN_IF_ERROR(Call(api().PJRT_LoadedExecutable_GetExecutable, get));
  program->executable = get->executable;
  auto outputs = Make<PJRT_Executable_NumOutputs_Args>();
  outputs->executable = program->executable;
  RETURN_IF_ERROR(Call(api().PJRT_Executable_NumOutputs, outputs));
  program->output_count = outputs->num_outputs;
  return absl::OkStatus();
}

absl::Status TestClient::CompileHloText(absl::string_view text, absl::string_view options, TestProgram* program) {
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, ParseHloModule(text));
  ASSIGN_OR_RETURN(const std::string proto, WriteHloProto(*module, ProtoEncoding::kBinary));
  return Compile(proto, "hlo", options, program);
}

void TestClient::Destroy(const TestProgram& program) {
  auto executable = Make<PJRT_Executable_Destroy_Args>();
  executable->executable = program.executable;
  MustBeOk(Call(api().PJRT_Executable_Destroy, executable));
  auto loaded = Make<PJRT_LoadedExecutable_Destroy_Args>();
  loaded->executable = program.loaded;
  MustBeOk(Call(api().PJRT_LoadedExecutable_Destroy, loaded));
}

absl::Status TestClient::AskAbout(const TestProgram& program, size_t parameter_count) {
  auto devices = Make<PJRT_LoadedExecutable_AddressableDevices_Args>();
  devices->executable = program.loaded;
  RETURN_IF_ERROR(Call(api().PJRT_LoadedExecutable_AddressableDevices, devices));
  auto ids = Make<PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args>();
  ids->executable = program.loaded;
  RETURN_IF_ERROR(Call(api().PJRT_LoadedExecutable_AddressableDeviceLogicalIds, ids));
  if (ids->num_addressable_device_logical_ids != devices->num_addressable_devices) {
    return absl::InternalError("there are other logical ids than devices");
  }
  auto assignment = Make<PJRT_LoadedExecutable_GetDeviceAssignment_Args>();
  assignment->executable = program.loaded;
  RETURN_IF_ERROR(Call(api().PJRT_LoadedExecutable_GetDeviceAssignment, assignment));
  assignment->serialized_device_assignment_deleter(assignment->serialized_device_assignment);
  auto kinds = Make<PJRT_Executable_OutputMemoryKinds_Args>();
  kinds->executable = program.executable;
  RETURN_IF_ERROR(Call(api().PJRT_Executable_OutputMemoryKinds, kinds));
  auto fingerprint = Make<PJRT_Executable_Fingerprint_Args>();
  fingerprint->executable = program.executable;
  RETURN_IF_ERROR(Call(api().PJRT_Executable_Fingerprint, fingerprint));
  const auto* const layouts = FindExtension<PJRT_Layouts_Extension>(PJRT_Extension_Type_Layouts);
  PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args outputs = {sizeof(outputs), nullptr, program.executable};
  RETURN_IF_ERROR(StatusOfAnswer(layouts->executable_get_output_layouts(&outputs)));
  PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args parameters = {sizeof(parameters), nullptr, program.executable};
  RETURN_IF_ERROR(StatusOfAnswer(layouts->executable_get_parameter_layouts(&parameters)));
  if (kinds->num_outputs == program.output_count && outputs.num_outputs == program.output_count &&
      parameters.num_parameters == parameter_count && fingerprint->executable_fingerprint_size > 0) {
    return absl::OkStatus();
  }
  return absl::InternalError("the lists of outputs or parameters have other lengths than the program says");
}

PJRT_Buffer* TestClient::BufferOf(absl::Span<const float> values, std::vector<int64_t> dims, size_t device) {
  return CopyToDevice(values.data(), PJRT_Buffer_Type_F32, dims, device);
}

PJRT_Buffer* TestClient::BufferOfLiteral(const Literal& array, size_t device) {
  const Shape& shape = array.shape();
  return CopyToDevice(array.untyped_data(), ToPjrt(shape.element_type()), shape.dimensions(), device);
}

PJRT_Buffer* TestClient::CopyToDevice(const void* data, PJRT_Buffer_Type type, absl::Span<const int64_t> dims,
                                      size_t device) {
  auto make = Make<PJRT_Client_BufferFromHostBuffer_Args>();
  make->client = client_;
  make->data = data;
  make->type = type;
  make->dims = dims.data();
  make->num_dims = dims.size();
  make->byte_strides = nullptr;
  make->num_byte_strides = 0;
  make->host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  make->device = nullptr;
  make->memory = memory(device, 0);
  make->device_layout = nullptr;
  MustBeOk(Call(api().PJRT_Client_BufferFromHostBuffer, make));
  MustBeOk(Await(make->done_with_host_buffer));
  return make->buffer;
}

absl::Status TestClient::Execute(const TestProgram& program, const std::vector<std::vector<PJRT_Buffer*>>& arguments,
                                 std::vector<std::vector<PJRT_Buffer*>>* outputs, std::vector<int64_t> non_donatable) {
  PJRT_ExecuteOptions options;
  std::memset(&options, 0, sizeof(options));
  options.struct_size = minor_ < 76 ? 80 : sizeof(options);
  options.launch_id = 1234567;
  options.context = context_;
  options.non_donatable_input_indices = non_donatable.data();
  options.num_non_donatable_input_indices = non_donatable.size();
  std::vector<PJRT_Buffer* const*> rows;
  for (const auto& row : arguments) rows.push_back(row.data());
  outputs->assign(arguments.size(), std::vector<PJRT_Buffer*>(program.output_count));
  std::vector<PJRT_Buffer**> output_rows;
  for (auto& row : *outputs) output_rows.push_back(row.data());
  std::vector<PJRT_Event*> events(arguments.size());
  auto execute = Make<PJRT_LoadedExecutable_Execute_Args>();
  execute->executable = program.loaded;
  execute->options = &options;
  execute->argument_lists = rows.data();
  execute->num_devices = rows.size();
  execute->num_args = arguments.empty() ? 0 : arguments[0].size();
  execute->output_lists = output_rows.data();
  execute->device_complete_events = events.data();
  execute->execute_device = nullptr;
  RETURN_IF_ERROR(Call(api().PJRT_LoadedExecutable_Execute, execute));
  absl::Status status;
  for (PJRT_Event* const event : events) {
    if (awaits_) {
      status.Update(Await(event));
      continue;
    }
    auto destroy = Make<PJRT_Event_Destroy_Args>();
    destroy->event = event;
    status.Update(Call(api().PJRT_Event_Destroy, destroy));
  }
  return status;
}

// Registers a callback and destroys the handle at once, as jaxlib does.
absl::Status TestClient::Await(PJRT_Event* event) {
  EventSource done;
  struct Waiter {
    EventSource* done;
  } waiter{&done};
  auto on_ready = Make<PJRT_Event_OnReady_Args>();
  on_ready->event = event;
  on_ready->user_arg = &waiter;
  on_ready->callback = [](PJRT_Error* error, void* arg) {
    static_cast<Waiter*>(arg)->done->Set(StatusOfAnswer(error));
  };
  RETURN_IF_ERROR(Call(api().PJRT_Event_OnReady, on_ready));
  auto destroy = Make<PJRT_Event_Destroy_Args>();
  destroy->event = event;
  RETURN_IF_ERROR(Call(api().PJRT_Event_Destroy, destroy));
  return done.event().Await();
}

absl::StatusOr<size_t> TestClient::SizeOnHost(PJRT_Buffer* buffer) {
  auto ask = Make<PJRT_Buffer_ToHostBuffer_Args>();
  ask->src = buffer;
  ask->host_layout = nullptr;
  ask->dst = nullptr;
  RETURN_IF_ERROR(Call(api().PJRT_Buffer_ToHostBuffer, ask));
  // Of an empty array, which needs no place, the question was the copy.
  if (ask->dst_size == 0) RETURN_IF_ERROR(Await(ask->event));
  return ask->dst_size;
}

absl::Status TestClient::CopyToHost(PJRT_Buffer* buffer, void* to, size_t byte_size) {
  if (byte_size == 0) return absl::OkStatus();
  auto copy = Make<PJRT_Buffer_ToHostBuffer_Args>();
  copy->src = buffer;
  copy->host_layout = nullptr;
  copy->dst = to;
  copy->dst_size = byte_size;
  RETURN_IF_ERROR(Call(api().PJRT_Buffer_ToHostBuffer, copy));
  return Await(copy->event);
}

absl::StatusOr<std::vector<float>> TestClient::ToHost(PJRT_Buffer* buffer) {
  ASSIGN_OR_RETURN(const size_t size, SizeOnHost(buffer));
  std::vector<float> values(size / sizeof(float));
  RETURN_IF_ERROR(CopyToHost(buffer, values.data(), size));
  return values;
}

absl::StatusOr<Literal> TestClient::ToLiteral(PJRT_Buffer* buffer, const Shape& shape) {
  ASSIGN_OR_RETURN(Literal array, Literal::Zeros(shape));
  ASSIGN_OR_RETURN(const size_t size, SizeOnHost(buffer));
  if (size != static_cast<size_t>(array.size_bytes())) {
    return absl::InvalidArgumentError(
        absl::StrCat("the buffer has ", size, " bytes, expected ", array.size_bytes(), " of ", shape.ToString()));
  }
  RETURN_IF_ERROR(CopyToHost(buffer, array.untyped_mutable_data(), size));
  return array;
}

std::vector<float> TestClient::Values(PJRT_Buffer* buffer) {
  absl::StatusOr<std::vector<float>> values = ToHost(buffer);
  MustBeOk(values.status());
  return *std::move(values);
}

absl::Status TestClient::Ready(PJRT_Buffer* buffer) {
  auto ready = Make<PJRT_Buffer_ReadyEvent_Args>();
  ready->buffer = buffer;
  RETURN_IF_ERROR(Call(api().PJRT_Buffer_ReadyEvent, ready));
  return Await(ready->event);
}

bool TestClient::IsDeleted(PJRT_Buffer* buffer) {
  auto ask = Make<PJRT_Buffer_IsDeleted_Args>();
  ask->buffer = buffer;
  MustBeOk(Call(api().PJRT_Buffer_IsDeleted, ask));
  return ask->is_deleted;
}

void TestClient::Destroy(PJRT_Buffer* buffer) {
  auto destroy = Make<PJRT_Buffer_Destroy_Args>();
  destroy->buffer = buffer;
  MustBeOk(Call(api().PJRT_Buffer_Destroy, destroy));
}

}  // namespace pjrt
}  // namespace xla
