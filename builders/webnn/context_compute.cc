// MLContext::compute().
//
// Inputs are borrowed: where device memory is host memory, the program reads the caller's bytes. Transferring the
// buffers first is what makes that safe, because nothing else has them then.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/webnn/context.h"
#include "builders/webnn/packed_elements.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

// Where a requested output is to go.
struct Destination {
  int output = 0;
  ArrayBufferView view;
};

// One call, from the checks to the end.
struct Computation {
  std::shared_ptr<MLGraph> graph;
  std::vector<const ArrayBufferView*> inputs;  // in the order of the graph's
  std::vector<Destination> destinations;
  MLComputeResult result;  // with the transferred views
};

absl::StatusOr<std::vector<int>> CheckViews(const MLGraph& graph, const MLNamedArrayBufferViews& inputs,
                                            const MLNamedArrayBufferViews& outputs) {
  const NamedDescriptors& wanted = graph.inputDescriptors();
  // The input's place among the views, or -1.
  std::vector<int> places(wanted.size(), -1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const int index = wanted.IndexOf(inputs[i].first);
    if (index >= 0) places[index] = static_cast<int>(i);
  }
  for (int i = 0; i < wanted.size(); ++i) {
    const std::string what = absl::StrCat("input '", wanted.name(i), "'");
    if (places[i] < 0) return TypeError("missing input", absl::StrCat(what, " is missing"));
    RETURN_IF_ERROR(CheckBuffer(inputs[places[i]].second, wanted.descriptor(i), what));
  }
  const NamedDescriptors& known = graph.outputDescriptors();
  for (const auto& [name, view] : outputs) {
    const int index = known.IndexOf(name);
    if (index < 0) return TypeError("unknown output", absl::StrCat("the graph has no output '", name, "'"));
    RETURN_IF_ERROR(CheckBuffer(view, known.descriptor(index), absl::StrCat("output '", name, "'")));
  }
  return places;
}

MLNamedArrayBufferViews Concatenated(MLNamedArrayBufferViews views, const MLNamedArrayBufferViews& more) {
  views.insert(views.end(), more.begin(), more.end());
  return views;
}

// The inputs' places among the views.
absl::StatusOr<std::vector<int>> CheckAll(const MLContext* context, const std::shared_ptr<MLGraph>& graph,
                                          const MLNamedArrayBufferViews& inputs,
                                          const MLNamedArrayBufferViews& outputs) {
  if (graph == nullptr || graph->context().get() != context) {
    return TypeError("graph of another context", "the graph must be one that was built for this context");
  }
  if (context->contextType() != MLContextType::kDefault) {
    return OperationError("context type", "compute() needs a context that was not made from a GPUDevice");
  }
  if (graph->is_destroyed()) return InvalidStateError("graph destroyed", "the graph is destroyed");
  if (context->is_lost()) return InvalidStateError("context lost", "the context is lost; make a new one");
  ASSIGN_OR_RETURN(std::vector<int> places, CheckViews(*graph, inputs, outputs));
  RETURN_IF_ERROR(CheckTransferable(Concatenated(inputs, outputs)));
  return places;
}

absl::StatusOr<std::shared_ptr<Computation>> Prepare(const MLContext* context, const std::shared_ptr<MLGraph>& graph,
                                                     const MLNamedArrayBufferViews& inputs,
                                                     const MLNamedArrayBufferViews& outputs) {
  ASSIGN_OR_RETURN(const std::vector<int> places, CheckAll(context, graph, inputs, outputs));
  auto computation = std::make_shared<Computation>();
  computation->graph = graph;
  ASSIGN_OR_RETURN(computation->result.inputs, TransferViews(inputs));
  ASSIGN_OR_RETURN(computation->result.outputs, TransferViews(outputs));
  for (int place : places) computation->inputs.push_back(&computation->result.inputs[place].second);
  for (const auto& [name, view] : computation->result.outputs) {
    computation->destinations.push_back({graph->outputDescriptors().IndexOf(name), view});
  }
  return computation;
}

absl::StatusOr<std::unique_ptr<Buffer>> Borrow(Client& client, const MLGraph& graph, int input,
                                               const ArrayBufferView& view) {
  const MLOperandDescriptor& descriptor = graph.inputDescriptors().descriptor(input);
  if (IsPacked(descriptor.dataType)) {
    ASSIGN_OR_RETURN(Literal literal, CopyElements(descriptor, view.data()));
    return client.BufferFromLiteral(std::move(literal));
  }
  return client.BufferFromHost(view.data(), graph.input_shapes()[input], HostMemoryUse::kBorrow,
                               [memory = view.buffer.memory()] {});
}

absl::StatusOr<Execution> Launch(const Computation& computation, ExecutionMode mode) {
  const MLGraph& graph = *computation.graph;
  Client& client = *graph.context()->client();
  BufferList buffers;
  std::vector<Buffer*> arguments;
  for (size_t i = 0; i < computation.inputs.size(); ++i) {
    ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer,
                     Borrow(client, graph, static_cast<int>(i), *computation.inputs[i]));
    arguments.push_back(buffer.get());
    buffers.push_back(std::move(buffer));
  }
  ExecuteOptions options;
  options.mode = mode;
  const absl::Span<Buffer* const> of_device = arguments;
  return graph.executable()->Launch({&of_device, 1}, options);
}

// Writes what came out where it is wanted. The results are there.
absl::Status CopyResults(const BufferList& results, const Computation& computation) {
  for (const Destination& destination : computation.destinations) {
    const Buffer& result = *results[destination.output];
    const MLOperandDescriptor& descriptor = computation.graph->outputDescriptors().descriptor(destination.output);
    if (IsPacked(descriptor.dataType)) {
      ASSIGN_OR_RETURN(const Literal literal, result.ToLiteral());
      WriteElements(literal, descriptor, destination.view.data());
    } else {
      RETURN_IF_ERROR(result.CopyToHost(destination.view.data(), destination.view.byteLength()));
    }
  }
  return absl::OkStatus();
}

absl::Status Failed(const absl::Status& status) {
  return InMethod(AsError(status, MLErrorKind::kOperationError, "execution failed"), "compute");
}

}  // namespace

absl::Status MLContext::CheckCompute(const std::shared_ptr<MLGraph>& graph, const MLNamedArrayBufferViews& inputs,
                                     const MLNamedArrayBufferViews& outputs) const {
  return InMethod(CheckAll(this, graph, inputs, outputs).status(), "compute");
}

absl::StatusOr<MLComputeResult> MLContext::compute(const std::shared_ptr<MLGraph>& graph,
                                                   const MLNamedArrayBufferViews& inputs,
                                                   const MLNamedArrayBufferViews& outputs) {
  absl::StatusOr<std::shared_ptr<Computation>> computation = Prepare(this, graph, inputs, outputs);
  if (!computation.ok()) return Failed(computation.status());
  absl::StatusOr<Execution> execution = Launch(**computation, ExecutionMode::kDefault);
  if (!execution.ok()) return Failed(execution.status());
  absl::Status status = execution->done.Await();
  if (status.ok()) status = CopyResults(execution->results[0], **computation);
  if (!status.ok()) return Failed(status);
  return std::move((*computation)->result);
}

Future<MLComputeResult> MLContext::computeAsync(const std::shared_ptr<MLGraph>& graph,
                                                const MLNamedArrayBufferViews& inputs,
                                                const MLNamedArrayBufferViews& outputs) {
  absl::StatusOr<std::shared_ptr<Computation>> prepared = Prepare(this, graph, inputs, outputs);
  if (!prepared.ok()) return Future<MLComputeResult>(Failed(prepared.status()));
  const std::shared_ptr<Computation> computation = *prepared;
  absl::StatusOr<Execution> execution = Launch(*computation, ExecutionMode::kAsync);
  if (!execution.ok()) return Future<MLComputeResult>(Failed(execution.status()));
  auto results = std::make_shared<BufferList>(std::move(execution->results[0]));
  auto source = std::make_shared<EventSource>();
  Future<MLComputeResult> future(source->event(), std::shared_ptr<MLComputeResult>(computation, &computation->result));
  execution->done.OnReady([computation, results, source](const absl::Status& done) {
    source->Set(Failed(done.ok() ? CopyResults(*results, *computation) : done));
  });
  return future;
}

}  // namespace webnn
}  // namespace xla
