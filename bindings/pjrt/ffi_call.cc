#include "bindings/pjrt/ffi_call.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/event.h"
#include "bindings/pjrt/call_context.h"
#include "bindings/pjrt/ffi_dictionary.h"
#include "xla_core/support/status_macros.h"

// An error on its way between a handler and its caller.
struct XLA_FFI_Error {
  absl::Status status;
  std::string message;
};

// The end of a handler that goes on after it has returned.
struct XLA_FFI_Future {
  xla::EventSource source;
};

// What a handler may ask of the run.
struct XLA_FFI_ExecutionContext {
  std::shared_ptr<xla::pjrt::CallContext> context;
  int64_t run_id = 0;
  int32_t device = 0;
};

namespace xla {
namespace pjrt {
namespace {

XLA_FFI_Error* MakeFfiError(const absl::Status& status) {
  return status.ok() ? nullptr : new XLA_FFI_Error{status, std::string(status.message())};
}

absl::Status TakeFfiError(XLA_FFI_Error* error) {
  if (error == nullptr) return absl::OkStatus();
  const std::unique_ptr<XLA_FFI_Error> owned(error);
  return owned->status;
}

XLA_FFI_Error* ErrorCreate(XLA_FFI_Error_Create_Args* args) {
  const bool is_code = args->errc > 0 && args->errc <= static_cast<int>(absl::StatusCode::kUnauthenticated);
  const auto code = is_code ? static_cast<absl::StatusCode>(args->errc) : absl::StatusCode::kUnknown;
  return MakeFfiError(absl::Status(code, args->message == nullptr ? "" : args->message));
}

void ErrorGetMessage(XLA_FFI_Error_GetMessage_Args* args) { args->message = args->error->message.c_str(); }

void ErrorDestroy(XLA_FFI_Error_Destroy_Args* args) { delete args->error; }

absl::string_view TextOf(const XLA_FFI_ByteSpan& span) { return absl::string_view(span.ptr, span.len); }

XLA_FFI_Error* HandlerRegister(XLA_FFI_Handler_Register_Args* args) {
  return MakeFfiError(RegisterFfiHandler(TextOf(args->name), args->bundle.execute));
}

XLA_FFI_Error* StreamGet(XLA_FFI_Stream_Get_Args*) {
  return MakeFfiError(absl::UnimplementedError("the devices of this plugin have no streams"));
}

XLA_FFI_Error* TypeRegister(XLA_FFI_Type_Register_Args* args) {
  const absl::StatusOr<int64_t> id = RegisterFfiType(TextOf(args->name), args->type_id->type_id);
  if (id.ok()) args->type_id->type_id = *id;
  return MakeFfiError(id.status());
}

XLA_FFI_Error* ExecutionContextGet(XLA_FFI_ExecutionContext_Get_Args* args) {
  args->data = args->ctx->context == nullptr ? nullptr : args->ctx->context->Find(args->type_id->type_id);
  if (args->data != nullptr) return nullptr;
  return MakeFfiError(
      absl::NotFoundError(absl::StrCat("the execution was given no user data of the type ", args->type_id->type_id)));
}

XLA_FFI_Error* NoState(XLA_FFI_State_Args*) {
  return MakeFfiError(absl::UnimplementedError("handlers have an execute stage only, and no state"));
}

XLA_FFI_Error* DeviceMemoryAllocate(XLA_FFI_DeviceMemory_Allocate_Args* args) {
  void* memory = nullptr;
  const size_t alignment = args->alignment < sizeof(void*) ? sizeof(void*) : args->alignment;
  if (posix_memalign(&memory, alignment, args->size) != 0) {
    return MakeFfiError(
        absl::ResourceExhaustedError(absl::StrCat("no memory of ", args->size, " bytes aligned to ", args->alignment)));
  }
  args->data = memory;
  return nullptr;
}

XLA_FFI_Error* DeviceMemoryFree(XLA_FFI_DeviceMemory_Free_Args* args) {
  std::free(args->data);
  return nullptr;
}

// On the caller's thread, which is allowed.
XLA_FFI_Error* ThreadPoolSchedule(XLA_FFI_ThreadPool_Schedule_Args* args) {
  args->task(args->data);
  return nullptr;
}

XLA_FFI_Error* ThreadPoolNumThreads(XLA_FFI_ThreadPool_NumThreads_Args* args) {
  *args->num_threads = 1;
  return nullptr;
}

XLA_FFI_Error* FutureCreate(XLA_FFI_Future_Create_Args* args) {
  args->future = new XLA_FFI_Future();
  return nullptr;
}

XLA_FFI_Error* FutureSetAvailable(XLA_FFI_Future_SetAvailable_Args* args) {
  args->future->source.Set(absl::OkStatus());
  return nullptr;
}

XLA_FFI_Error* FutureSetError(XLA_FFI_Future_SetError_Args* args) {
  args->future->source.Set(TakeFfiError(args->error));
  return nullptr;
}

XLA_FFI_Error* RunIdGet(XLA_FFI_RunId_Get_Args* args) {
  args->run_id = args->ctx->run_id;
  return nullptr;
}

XLA_FFI_Error* DeviceOrdinalGet(XLA_FFI_DeviceOrdinal_Get_Args* args) {
  args->device_ordinal = args->ctx->device;
  return nullptr;
}

constexpr XLA_FFI_Api kApi = {
    sizeof(XLA_FFI_Api),
    nullptr,
    {sizeof(XLA_FFI_Api_Version), nullptr, 0, 3},
    nullptr,
    &ErrorCreate,
    &ErrorGetMessage,
    &ErrorDestroy,
    &HandlerRegister,
    &StreamGet,
    &TypeRegister,
    &ExecutionContextGet,
    &NoState,
    &NoState,
    &DeviceMemoryAllocate,
    &DeviceMemoryFree,
    &ThreadPoolSchedule,
    &ThreadPoolNumThreads,
    &FutureCreate,
    &FutureSetAvailable,
    &FutureSetError,
    &RunIdGet,
    &DeviceOrdinalGet,
};

// Operands or results, with what the frame points to.
class FrameValues {
 public:
  explicit FrameValues(size_t count) {
    dimensions_.reserve(count);
    buffers_.reserve(count);
  }
  // `data`: of an array.
  void Add(const Shape& shape, void* data) {
    dimensions_.emplace_back(shape.dimensions().begin(), shape.dimensions().end());
    buffers_.push_back(
        {sizeof(XLA_FFI_Buffer), nullptr, shape.element_type(), data, shape.rank(), dimensions_.back().data()});
    types_.push_back(XLA_FFI_ValueType_BUFFER);
    pointers_.push_back(&buffers_.back());
  }
  XLA_FFI_Values values() {
    return {sizeof(XLA_FFI_Values), nullptr, static_cast<int64_t>(types_.size()), types_.data(), pointers_.data()};
  }

 private:
  std::vector<std::vector<int64_t>> dimensions_;
  std::vector<XLA_FFI_Buffer> buffers_;
  std::vector<XLA_FFI_ValueType> types_;
  std::vector<void*> pointers_;
};

absl::StatusOr<Literal> AllocateResult(const Shape& shape, EvalContext& context) {
  if (shape.IsToken()) return Literal::Token();
  if (!shape.IsArray()) {
    return absl::UnimplementedError(
        absl::StrCat("a result of shape ", shape.ToString(), " cannot be given to a handler, expected arrays"));
  }
  ASSIGN_OR_RETURN(Literal literal, context.Allocate(shape));
  RETURN_IF_ERROR(literal.MakeWritable(context.memory_budget()));
  return literal;
}

absl::Status Run(XLA_FFI_Handler* handler, XLA_FFI_CallFrame& frame) {
  RETURN_IF_ERROR(TakeFfiError(handler(&frame)));
  if (frame.future == nullptr) return absl::OkStatus();
  const std::unique_ptr<XLA_FFI_Future> future(frame.future);
  return future->source.event().Await();
}

std::mutex& TypesMutex() {
  static auto& mutex = *new std::mutex;
  return mutex;
}

}  // namespace

absl::StatusOr<Literal> CallFfiHandler(XLA_FFI_Handler* handler, const CustomCall& call) {
  ASSIGN_OR_RETURN(const std::unique_ptr<FfiDictionary> attributes,
                   FfiDictionary::Parse(call.instruction.annotations().backend_config));
  FrameValues operands(static_cast<size_t>(call.operands.size()));
  for (int i = 0; i < call.operands.size(); ++i) {
    const Literal& operand = call.operands[i];
    operands.Add(operand.shape(), operand.shape().IsArray() ? const_cast<void*>(operand.untyped_data()) : nullptr);
  }
  const Shape& shape = call.instruction.shape();
  const auto shapes = shape.IsTuple() ? shape.tuple_shapes() : absl::MakeConstSpan(&shape, 1);
  std::vector<Literal> literals;
  literals.reserve(shapes.size());
  FrameValues results(shapes.size());
  for (const Shape& element : shapes) {
    ASSIGN_OR_RETURN(literals.emplace_back(), AllocateResult(element, call.context));
    results.Add(element, element.IsArray() ? literals.back().untyped_mutable_data() : nullptr);
  }
  const uint64_t seed = call.context.seed();
  XLA_FFI_ExecutionContext context;
  context.context = ContextOfRun(seed);
  context.run_id = static_cast<int64_t>(seed);
  context.device = static_cast<int32_t>(call.context.device().id());
  XLA_FFI_CallFrame frame = {offsetof(XLA_FFI_CallFrame, future),
                             nullptr,
                             &kApi,
                             &context,
                             XLA_FFI_ExecutionStage_EXECUTE,
                             operands.values(),
                             results.values(),
                             attributes->attrs(),
                             nullptr};
  RETURN_IF_ERROR(Run(handler, frame));
  if (!shape.IsTuple()) return std::move(literals[0]);
  return Literal::Tuple(std::move(literals));
}

// A handler that is registered twice, by two clients of one process, stays.
absl::Status RegisterFfiHandler(absl::string_view name, XLA_FFI_Handler* handler) {
  static auto& handlers = *new std::map<std::string, XLA_FFI_Handler*>;
  static auto& mutex = *new std::mutex;
  if (name.empty()) return absl::InvalidArgumentError("the name of the handler is empty");
  if (handler == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("the handler ", name, " has no function for the execute stage"));
  }
  std::lock_guard<std::mutex> lock(mutex);
  const auto found = handlers.find(std::string(name));
  if (found != handlers.end() && found->second == handler) return absl::OkStatus();
  RETURN_IF_ERROR(CustomCallRegistry::Global().Register(
      name, [handler](const CustomCall& call) { return CallFfiHandler(handler, call); }));
  handlers[std::string(name)] = handler;
  return absl::OkStatus();
}

absl::StatusOr<int64_t> RegisterFfiType(absl::string_view name, int64_t wanted) {
  static auto& ids = *new std::map<std::string, int64_t>;
  static int64_t last_id = 0;
  std::lock_guard<std::mutex> lock(TypesMutex());
  const auto [found, is_new] = ids.try_emplace(std::string(name), wanted);
  if (is_new && wanted == 0) found->second = ++last_id;
  if (is_new && wanted > last_id) last_id = wanted;
  if (wanted == 0 || found->second == wanted) return found->second;
  return absl::InvalidArgumentError(
      absl::StrCat("the type ", name, " has the number ", found->second, ", it cannot be ", wanted));
}

}  // namespace pjrt
}  // namespace xla
