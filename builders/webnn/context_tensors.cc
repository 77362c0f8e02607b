// MLTensor: createTensor, writeTensor, readTensor, dispatch.
//
// A tensor holds a Buffer, whose value never changes but may come later. Writing puts another buffer in its place, and
// dispatching gives the program the buffers that its inputs hold at the call and puts those of its results in the
// outputs. What was called first is therefore seen by what is called next, without a queue.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "builders/webnn/context.h"
#include "builders/webnn/packed_elements.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

absl::Status NoMemory(const absl::Status& status) { return AsError(status, MLErrorKind::kUnknownError, "allocation"); }

absl::StatusOr<std::shared_ptr<Buffer>> Shared(absl::StatusOr<std::unique_ptr<Buffer>> buffer) {
  if (!buffer.ok()) return NoMemory(buffer.status());
  return std::shared_ptr<Buffer>(*std::move(buffer));
}

// A buffer with a copy of the elements.
absl::StatusOr<std::shared_ptr<Buffer>> CopyToDevice(Client& client, const MLOperandDescriptor& descriptor,
                                                     const void* data) {
  if (IsPacked(descriptor.dataType)) {
    absl::StatusOr<Literal> literal = CopyElements(descriptor, data);
    if (!literal.ok()) return NoMemory(literal.status());
    return Shared(client.BufferFromLiteral(*std::move(literal)));
  }
  return Shared(client.BufferFromHost(data, HloShapeOf(descriptor)));
}

absl::Status NotAMatch(absl::string_view what, absl::string_view message) {
  return TypeError("tensors do not match the graph", absl::StrCat(what, " ", message));
}

// The tensors in the order of `wanted`, all of which must be there and no others.
absl::StatusOr<std::vector<MLTensor*>> Match(const NamedDescriptors& wanted, const MLNamedTensors& tensors,
                                             absl::string_view kind) {
  std::vector<MLTensor*> ordered(wanted.size(), nullptr);
  for (const auto& [name, tensor] : tensors) {
    const std::string what = absl::StrCat(kind, " '", name, "'");
    const int index = wanted.IndexOf(name);
    if (index < 0) return NotAMatch(what, "is none of the graph");
    if (ordered[index] != nullptr) return NotAMatch(what, "is given twice");
    const MLOperandDescriptor& expected = wanted.descriptor(index);
    if (static_cast<const MLOperandDescriptor&>(tensor->descriptor()) != expected) {
      return NotAMatch(
          what, absl::StrCat("must be ", expected.ToString(), ", got a tensor of ", tensor->descriptor().ToString()));
    }
    ordered[index] = tensor.get();
  }
  for (int i = 0; i < wanted.size(); ++i) {
    if (ordered[i] == nullptr) return NotAMatch(absl::StrCat(kind, " '", wanted.name(i), "'"), "is missing");
  }
  return ordered;
}

}  // namespace

absl::Status MLContext::CheckTensor(const std::shared_ptr<MLTensor>& tensor, absl::string_view what) const {
  if (tensor == nullptr || tensor->context() != this) {
    return TypeError("tensor of another context", absl::StrCat(what, " must be a tensor of this context"));
  }
  if (tensor->is_destroyed()) return TypeError("tensor destroyed", absl::StrCat(what, " is destroyed"));
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<MLTensor>> MLContext::createTensor(const MLTensorDescriptor& descriptor) {
  constexpr char kMethod[] = "createTensor";
  RETURN_IF_ERROR(InMethod(CheckNotLost(), kMethod));
  RETURN_IF_ERROR(InMethod(CheckDimensions(descriptor, MLEdition::kLater), kMethod));
  if (client_ == nullptr) return InMethod(OperationError("no device", "the context has no device"), kMethod);
  absl::StatusOr<Literal> zeros = Literal::Zeros(HloShapeOf(descriptor));
  if (!zeros.ok()) return InMethod(NoMemory(zeros.status()), kMethod);
  absl::StatusOr<std::shared_ptr<Buffer>> value = Shared(client_->BufferFromLiteral(*std::move(zeros)));
  if (!value.ok()) return InMethod(value.status(), kMethod);
  return std::make_shared<MLTensor>(this, descriptor, *std::move(value));
}

absl::StatusOr<std::shared_ptr<MLTensor>> MLContext::createConstantTensor(const MLOperandDescriptor& descriptor,
                                                                          const ArrayBufferView& data) {
  constexpr char kMethod[] = "createConstantTensor";
  RETURN_IF_ERROR(InMethod(CheckNotLost(), kMethod));
  RETURN_IF_ERROR(InMethod(CheckDimensions(descriptor, MLEdition::kLater), kMethod));
  RETURN_IF_ERROR(InMethod(CheckByteLength(data, descriptor, "the data"), kMethod));
  absl::StatusOr<Literal> value = CopyElements(descriptor, data.data());
  if (!value.ok()) return InMethod(NoMemory(value.status()), kMethod);
  return std::make_shared<MLTensor>(this, descriptor, *std::move(value));
}

absl::Status MLContext::writeTensor(const std::shared_ptr<MLTensor>& tensor, const ArrayBufferView& data) {
  constexpr char kMethod[] = "writeTensor";
  RETURN_IF_ERROR(InMethod(CheckTensor(tensor, "tensor"), kMethod));
  if (!tensor->writable()) {
    return InMethod(TypeError("tensor not writable", "the tensor must be made with writable = true"), kMethod);
  }
  RETURN_IF_ERROR(InMethod(CheckByteLength(data, tensor->descriptor(), "the data"), kMethod));
  RETURN_IF_ERROR(InMethod(CheckNotLost(), kMethod));
  absl::StatusOr<std::shared_ptr<Buffer>> value = CopyToDevice(*client_, tensor->descriptor(), data.data());
  if (!value.ok()) return InMethod(value.status(), kMethod);
  tensor->SetValue(*std::move(value));
  return absl::OkStatus();
}

Event MLContext::readTensorAsync(const std::shared_ptr<MLTensor>& tensor, const ArrayBufferView& destination) {
  constexpr char kMethod[] = "readTensor";
  const auto check = [&]() -> absl::Status {
    RETURN_IF_ERROR(CheckTensor(tensor, "tensor"));
    if (!tensor->readable()) {
      return TypeError("tensor not readable", "the tensor must be made with readable = true");
    }
    RETURN_IF_ERROR(CheckByteLength(destination, tensor->descriptor(), "the destination"));
    return CheckNotLost();
  };
  const absl::Status checked = InMethod(check(), kMethod);
  if (!checked.ok()) return Event::Of(checked);
  const std::shared_ptr<Buffer> value = tensor->value();
  if (value == nullptr) return Event::Of(InMethod(TypeError("tensor destroyed", "the tensor is destroyed"), kMethod));
  auto source = std::make_shared<EventSource>();
  const Event event = source->event();
  const auto failed = [](const absl::Status& status) {
    return InMethod(AsError(status, MLErrorKind::kOperationError, "execution failed"), "readTensor");
  };
  // The memory lives until it is written, also if the buffer is transferred meanwhile.
  const auto memory = destination.buffer.memory();
  char* const data = static_cast<char*>(destination.data());
  const int64_t bytes = destination.byteLength();
  if (IsPacked(tensor->dataType())) {
    value->ready().OnReady([=, descriptor = tensor->descriptor()](const absl::Status& ready) {
      absl::StatusOr<Literal> literal = ready.ok() ? value->ToLiteral() : ready;
      if (literal.ok()) WriteElements(*literal, descriptor, data);
      source->Set(failed(literal.status()));
      (void)memory;
    });
    return event;
  }
  value->CopyToHostAsync(data, bytes).OnReady([=](const absl::Status& copied) {
    source->Set(failed(copied));
    (void)memory;
    (void)value;
  });
  return event;
}

absl::Status MLContext::readTensor(const std::shared_ptr<MLTensor>& tensor, const ArrayBufferView& destination) {
  return readTensorAsync(tensor, destination).Await();
}

Future<ArrayBuffer> MLContext::readTensorAsync(const std::shared_ptr<MLTensor>& tensor) {
  const absl::Status checked = InMethod(CheckTensor(tensor, "tensor"), "readTensor");
  if (!checked.ok()) return Future<ArrayBuffer>(checked);
  absl::StatusOr<ArrayBufferView> view = ArrayBufferView::For(tensor->descriptor());
  if (!view.ok()) return Future<ArrayBuffer>(InMethod(view.status(), "readTensor"));
  return Future<ArrayBuffer>(readTensorAsync(tensor, *view), std::make_shared<ArrayBuffer>(view->buffer));
}

absl::StatusOr<ArrayBuffer> MLContext::readTensor(const std::shared_ptr<MLTensor>& tensor) {
  return readTensorAsync(tensor).Await();
}

absl::Status MLContext::TryDispatch(const std::shared_ptr<MLGraph>& graph, const MLNamedTensors& inputs,
                                    const MLNamedTensors& outputs) {
  if (graph == nullptr || graph->context().get() != this) {
    return TypeError("graph of another context", "the graph must be one that was built for this context");
  }
  if (graph->is_destroyed()) return InvalidStateError("graph destroyed", "the graph is destroyed");
  absl::flat_hash_set<const MLTensor*> seen;
  for (const MLNamedTensors* tensors : {&inputs, &outputs}) {
    for (const auto& [name, tensor] : *tensors) {
      const std::string what = absl::StrCat("tensor '", name, "'");
      RETURN_IF_ERROR(CheckTensor(tensor, what));
      if (tensor->constant()) {
        return TypeError("tensor is constant", absl::StrCat(what, " is a constant tensor, which only builders take"));
      }
      if (!seen.insert(tensor.get()).second) {
        return TypeError("tensor given twice", absl::StrCat(what, " is given under another name too"));
      }
    }
  }
  ASSIGN_OR_RETURN(const std::vector<MLTensor*> sources, Match(graph->inputDescriptors(), inputs, "input"));
  ASSIGN_OR_RETURN(const std::vector<MLTensor*> targets, Match(graph->outputDescriptors(), outputs, "output"));
  RETURN_IF_ERROR(CheckNotLost());
  std::vector<std::shared_ptr<Buffer>> values;
  std::vector<Buffer*> arguments;
  for (MLTensor* source : sources) {
    values.push_back(source->value());
    if (values.back() == nullptr) return TypeError("tensor destroyed", "an input is destroyed");
    arguments.push_back(values.back().get());
  }
  ExecuteOptions options;
  options.mode = ExecutionMode::kAsync;
  const absl::Span<Buffer* const> of_device = arguments;
  absl::StatusOr<Execution> execution = graph->executable()->Launch({&of_device, 1}, options);
  if (!execution.ok()) return AsError(execution.status(), MLErrorKind::kOperationError, "execution failed");
  for (size_t i = 0; i < targets.size(); ++i) targets[i]->SetValue(std::move(execution->results[0][i]));
  return absl::OkStatus();
}

absl::Status MLContext::dispatch(const std::shared_ptr<MLGraph>& graph, const MLNamedTensors& inputs,
                                 const MLNamedTensors& outputs) {
  return InMethod(TryDispatch(graph, inputs, outputs), "dispatch");
}

}  // namespace webnn
}  // namespace xla
